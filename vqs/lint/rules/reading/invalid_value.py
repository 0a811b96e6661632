"""A value that the API server would refuse; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="invalid-value",
    severity=Severity.ERROR,
    title="a value is not one of those that are allowed",
    meaning="A value has the right type, but is out of range, or none of those that its field can have.",
    why="The API server refuses the object, by the schema of its kind or by the validation of the core types.",
    fix="Take one of the values that the message names.",
    source="config/crd/volcano/bases; k8s.io/kubernetes pkg/apis/core/validation/validation.go",
    example="status: {state: Opened}",
)
