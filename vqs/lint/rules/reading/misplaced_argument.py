"""An argument beside ``arguments``; found while the configuration is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="misplaced-argument",
    severity=Severity.WARNING,
    title="the argument is beside arguments, not under it",
    meaning="An argument of a plugin or an action stands at the level of its name.",
    why="Arguments are only read from the object arguments. Beside it, Volcano drops them without a word, and the "
    "default stays. Comments in Volcano's own source show overcommit-factor and sla-waiting-time in this wrong place.",
    fix="Indent it by one more level, below arguments:.",
    source="pkg/scheduler/conf/scheduler_conf.go",
    example="- name: overcommit\n  arguments:\n  overcommit-factor: 1.5",
)
