"""An amount below zero; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="negative-quantity",
    severity=Severity.ERROR,
    title="an amount is less than zero",
    meaning="An amount of a resource is negative. The value is left out of account.",
    why="The API server refuses it in pods and nodes, and Volcano's webhook in the amounts of queues. In minResources "
    "of a PodGroup it passes, and the scheduler then reckons with it as with any other.",
    fix="Correct it, or take it out where there should be no limit.",
    source="k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidateResourceQuantityValue); pkg/webhooks/"
    "admission/queues/validate/validate_queue.go",
    example='capability: {cpu: "-1"}',
)
