"""An object that was copied together with its uid; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="duplicate-uid",
    severity=Severity.ERROR,
    title="two objects have the same uid",
    meaning="Two pods, or two PodGroups, have the same metadata.uid, but other names.",
    why="The scheduler tells pods and PodGroups apart by their uid, so that it would take the copy for the original.",
    fix="Remove metadata.uid from the one that is a copy.",
    source="pkg/scheduler/api/job_info.go",
    example="a pod of a dump, copied under another name",
)
