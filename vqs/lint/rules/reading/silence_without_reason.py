"""A silencing comment without a reason; found while the comments are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="silence-without-reason",
    severity=Severity.WARNING,
    title="something is silenced without a reason",
    meaning="A comment or an annotation that silences findings does not say why. It has no effect.",
    why="Whoever reads it later cannot tell whether it still holds.",
    fix="Write the reason behind the codes: # vqs: ignore[code] reason.",
    source="vqs/lint/silence.py",
    example="# vqs: ignore[parent-missing]",
)
