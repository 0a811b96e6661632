"""A silencing comment that nothing is found for; found while the comments are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="silence-unused",
    severity=Severity.NOTE,
    title="something is silenced that is not there",
    meaning="A comment or an annotation silences a code, and nothing of that code is found where it stands.",
    why="What it was written for was mended, or has moved. Left in place, it would hide the next fault.",
    fix="Remove it.",
    source="vqs/lint/silence.py",
    example="# vqs: ignore[parent-missing] comes later, when the parent is there",
)
