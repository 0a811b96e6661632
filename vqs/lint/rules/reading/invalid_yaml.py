"""A file that is no YAML; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="invalid-yaml",
    severity=Severity.ERROR,
    title="a file is no valid YAML",
    meaning="The text is no YAML, most often as its indentation is not what it seems. Nothing of the document is read.",
    why="kubectl refuses it too; the scheduler, if it is its configuration, keeps the one it had.",
    fix="Correct the place that is named; what is wrong may be on the line above.",
    source="vqs/snapshot/yaml_text.py",
    example="spec: {weight: 1",
)
