"""A scenario that stands for more objects than can be made; found while the input is read."""

from vqs.lint.rule import Rule, Severity

RULE = Rule(
    code="too-large",
    severity=Severity.ERROR,
    title="a scenario stands for too many objects",
    meaning="The counts in a scenario multiply to more than 100,000 objects, to objects with more than "
    "5,000,000 values together, or to so many jobs and nodes that nodes would be looked at more than 5,000,000 times "
    "to say which pods run where.",
    why="They would take all the memory there is.",
    fix="Lower count or replicas.",
    source="vqs/snapshot/scenario/expand.py",
    example="jobs: [{name: a, count: 1000, replicas: 1000}]",
)
