"""A configuration without a word in it; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="empty-configuration",
    severity=Severity.ERROR,
    title="the configuration is empty, and Volcano refuses it",
    meaning="The scheduler's configuration is there, and has nothing in it but blanks and comments.",
    why="Its list of actions has one empty name, and there is no such action, so that it is refused. The scheduler "
    "keeps what it had, or the built-in configuration when it starts.",
    fix="Write the configuration, or start the scheduler without --scheduler-conf to have the built-in one.",
    source="pkg/scheduler/util.go",
    example='volcano-scheduler.conf: ""',
)
