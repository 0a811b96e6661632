"""An input that stands for more than can be simulated; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="too-large",
    severity=Severity.ERROR,
    title="the input stands for more than can be simulated",
    meaning="The counts in a scenario multiply to more than 100,000 objects, to objects with more than "
    "5,000,000 values together, or to so many jobs and nodes that nodes would be looked at more than 5,000,000 times "
    "to say which pods run where, or its patterns to more than 100,000 nodes. Or a configuration has more than 100 "
    "actions, or more than 200 tiers and plugins.",
    why="They would take all the memory there is, or hours.",
    fix="Lower count or replicas, and name each action and plugin once.",
    source="vqs/snapshot/scenario/expand.py",
    example="jobs: [{name: a, count: 1000, replicas: 1000}]",
)
