"""A scenario that refers to something that there is not; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unknown-name",
    severity=Severity.ERROR,
    title="a scenario refers to something that does not exist",
    meaning="A job of a scenario names a queue, a priority class or a node that there is not, or an expectation a "
    "verdict.",
    why="What is said about it would hold for nothing.",
    fix="Correct the name, or add what it refers to.",
    source="vqs/snapshot/scenario/jobs.py",
    example="jobs: [{name: a, queue: reserch}]",
)
