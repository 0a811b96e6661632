"""A queue's weight that is out of range; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="invalid-weight",
    severity=Severity.ERROR,
    title="a queue's weight is out of range",
    meaning="spec.weight of a queue is less than 1 or more than 65535.",
    why="The API server refuses it. The plugin proportion divides the cluster by weight, and a queue without any would "
    "get nothing. Only when a queue is made, the webhook turns 0 into 1.",
    fix="Give the queue a weight from 1 to 65535, or leave it out for 1. To keep a queue from being served, close it.",
    source="config/crd/volcano/bases/scheduling.volcano.sh_queues.yaml; pkg/webhooks/admission/queues/mutate/"
    "mutate_queue.go",
    example="weight: 0",
)
