"""A file that begins like JSON, and is none; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="invalid-json",
    severity=Severity.ERROR,
    title="a file is no valid JSON",
    meaning="The file begins as JSON does, and then does not go on so. Nothing of it is read.",
    why="A part of it may be missing, as after an interrupted download or a full disk.",
    fix="Correct the place that is named, or write the file again.",
    source="vqs/snapshot/json_text.py",
    example='{"kind": "List", "items": [',
)
