"""A silencing comment with a code that there is not; found while the comments are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="silence-unknown-code",
    severity=Severity.WARNING,
    title="something is silenced that no rule finds",
    meaning="A comment or an annotation that silences findings names a code that there is not.",
    why="It silences nothing, and whoever wrote it believes that it does.",
    fix="Correct the code; vqs rule lists all of them.",
    source="vqs/lint/silence.py",
    example="# vqs: ignore[parent-mising] comes later",
)
