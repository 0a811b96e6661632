"""A key of the configuration at the wrong level; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="misplaced-key",
    severity=Severity.WARNING,
    title="the key belongs to another level of the configuration",
    meaning="The configuration has a key that Volcano knows, where it does not look for it. Mostly, lines are "
    "indented too much or too little.",
    why="At this place, Volcano drops the key and all that is below it without a word.",
    fix="Move it: actions, tiers, configurations and metrics are at the top; a tier has plugins; a plugin has its "
    "name, flags and arguments.",
    source="pkg/scheduler/conf/scheduler_conf.go",
    example="actions: allocate\nplugins:\n- name: gang",
)
