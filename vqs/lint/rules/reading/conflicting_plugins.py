"""Proportion and a hierarchical drf in a tier; found while the configuration is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="conflicting-plugins",
    severity=Severity.ERROR,
    title="proportion and drf with hierarchy are in one tier, and Volcano refuses the configuration",
    meaning="A tier has the plugin proportion, and drf with enableHierarchy: true.",
    why="Both would order queues and name pods to reclaim. Volcano refuses the whole configuration then: a running "
    "scheduler keeps what it had, one that starts takes the built-in one. It only looks within a tier.",
    fix="Remove proportion, or enableHierarchy of drf. For queues in a tree, use capacity with enableHierarchy.",
    source="pkg/scheduler/util.go",
    example="- plugins:\n  - {name: drf, enableHierarchy: true}\n  - name: proportion",
)
