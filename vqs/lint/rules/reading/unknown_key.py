"""A key that a scenario does not know; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unknown-key",
    severity=Severity.ERROR,
    title="a scenario has a key that there is not",
    meaning="A part of a scenario has a key that means nothing there, or what is under spec has one that no pod has.",
    why="It would have no effect, and whoever wrote it believes that it does.",
    fix="Correct it; vqs schema scenario tells the keys, and where each belongs.",
    source="vqs/snapshot/scenario/schema.py",
    example="queues: [{name: a, wieght: 2}]",
)
