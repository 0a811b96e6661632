"""A silence that the base of a comparison does not have; found by `vqs diff-configs`."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="silence-added",
    severity=Severity.WARNING,
    title="a change silences findings that the base does not",
    meaning="The candidate of a comparison has a comment or an annotation that silences findings, and the base has "
    "none that silences the same codes on the same object, or on the same field. It has no effect in the comparison.",
    why="Whoever writes a change could switch off the check of it. What a silence is worth, its reviewer decides: "
    "once it is in the base, it counts.",
    fix="Mend what it silences, or have it reviewed; the figure silences of --fail-on counts these.",
    source="vqs/lint/silence_scope.py",
    example="weight: -1 # vqs: ignore[*] ok",
)
