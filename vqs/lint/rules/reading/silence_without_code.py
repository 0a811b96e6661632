"""A silencing comment that does not say what it silences; found while the comments are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="silence-without-code",
    severity=Severity.WARNING,
    title="a comment does not say what to silence",
    meaning="A comment or an annotation that silences findings names no code. It has no effect.",
    why="Silencing everything would hide what nobody has seen yet.",
    fix="Name the codes: # vqs: ignore[code] reason.",
    source="vqs/lint/silence.py",
    example="# vqs: ignore",
)
