"""An object without a name; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="missing-name",
    severity=Severity.ERROR,
    title="an object has no name",
    meaning="metadata.name is missing, and so is metadata.generateName. The object is not looked at any further.",
    why="The API server refuses it: all objects of a cluster have a name.",
    fix="Give it a name.",
    source="k8s.io/apimachinery pkg/api/validation/objectmeta.go",
    example="metadata: {labels: {app: train}}",
)
