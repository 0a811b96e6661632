"""A document that is nested without end; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="too-deep",
    severity=Severity.ERROR,
    title="a document is nested too deeply",
    meaning="The document has more than 200 levels, which no manifest has. Nothing of it is read.",
    why="Such a document is damaged, or meant to do damage.",
    fix="Write the file again.",
    source="vqs/snapshot/yaml_text.py",
    example="[[[[ and so on",
)
