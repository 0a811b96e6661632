"""A queue that is its own parent."""

from vqs.lint.plugins import evidence_of_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find such queues."""
    for queue in queue_tree(context):
        if queue.parent == queue.name:
            message = f"queue {queue.name} is its own parent"
            yield Finding(message, queue.at("spec", "parent"), evidence_of_hierarchy(context.conf))


RULE = Rule(
    code="parent-itself",
    severity=Severity.ERROR,
    title="a queue is its own parent",
    meaning="spec.parent of a queue is the name of the queue.",
    why="The webhook for queues refuses it. The scheduler would hang at the end of a session in which a task of the "
    "queue has a node. With the plugin capacity and enableHierarchy, the queue counts as its own child, so one job in "
    "it makes the scheduler admit no job to any queue; without a job in it, the scheduler crashes with a stack "
    "overflow as soon as it tries a task of another queue.",
    fix="Name the queue above it, or leave spec.parent out for a queue below the root.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go; "
    "pkg/scheduler/framework/session.go (updateQueueStatus)",
    check=check,
    example="metadata: {name: team}, spec: {parent: team}",
    denied="webhook",
    stands=Severity.ERROR,
)
