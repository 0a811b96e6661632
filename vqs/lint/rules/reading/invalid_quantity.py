"""An amount that is no quantity; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="invalid-quantity",
    severity=Severity.ERROR,
    title="an amount is no quantity",
    meaning="An amount of a resource is not written as Kubernetes writes quantities: a number, with a suffix such as "
    "m, k, Ki, M, Mi, G or Gi, or with an exponent. The value is left out of account.",
    why="The API server refuses the object.",
    fix="Correct it: 500m is half a core, 16Gi are 16 times 2^30 bytes.",
    source="k8s.io/apimachinery pkg/api/resource/quantity.go",
    example="memory: 16GB",
)
