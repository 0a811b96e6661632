"""A scenario that stands for more objects than can be made; found while the input is read."""

from vqs.lint.rule import Rule, Severity

RULE = Rule(
    code="too-large",
    severity=Severity.ERROR,
    title="a scenario stands for too many objects",
    meaning="The counts in a scenario multiply to more than 500,000 objects.",
    why="They would take all the memory there is.",
    fix="Lower count or replicas.",
    source="vqs/snapshot/scenario/expand.py",
    example="jobs: [{name: a, count: 1000, replicas: 1000}]",
)
