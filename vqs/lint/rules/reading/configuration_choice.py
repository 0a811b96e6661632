"""One of several configurations was taken; found while they are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="configuration-choice",
    severity=Severity.NOTE,
    title="one of several scheduler configurations was taken",
    meaning="The input has more than one scheduler configuration. The one that was asked for was taken, or the one in "
    "volcano-scheduler-configmap.",
    why="A scheduler has one configuration; the others are for something else, or left over.",
    fix="If it was the wrong one, choose with --conf FILE.",
    source="pkg/scheduler/scheduler.go",
    example="vqs lint snapshot.json --conf new.conf",
)
