"""Scenarios that differ in the time of the session; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="several-times",
    severity=Severity.ERROR,
    title="scenarios do not agree on the time",
    meaning="Two scenarios give a time of the session, and not the same one.",
    why="There is one session, and it has one time.",
    fix="Take out one of them, or give the time with --now.",
    source="vqs/snapshot/scenario/expand.py",
    example='now: "2026-01-01T00:00:00Z" in one, another in the next',
)
