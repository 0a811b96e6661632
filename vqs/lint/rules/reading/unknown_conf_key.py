"""A key of the configuration that Volcano does not know; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unknown-conf-key",
    severity=Severity.WARNING,
    title="Volcano ignores this key of its configuration",
    meaning="The scheduler's configuration has a key that Volcano does not look for at this place.",
    why="Keys that Volcano does not know are dropped without a word, in the log or elsewhere. What they were to say "
    "is not said, and the default stays.",
    fix="Correct the spelling; upper case counts. What a plugin reads by itself goes under its arguments:.",
    source="pkg/scheduler/conf/scheduler_conf.go",
    example="- name: binpack\n  argument: {binpack.weight: 10}",
)
