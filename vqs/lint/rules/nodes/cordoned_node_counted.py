"""A node that takes no pods, and counts as part of the cluster all the same."""

from vqs.lint.amounts import words
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.wording import listed_names
from vqs.snapshot.apiserver.queue_sums import exact

_SHOWN = ("cpu", "memory")


def check(context: LintContext) -> Findings:
    """Find cordoned nodes, and say what they add to the total."""
    for node, place in context.objects("nodes"):
        amounts = exact(node.status.allocatable)
        parts = [words(name, amount) for name, amount in amounts.items() if name in _SHOWN or "/" in name]
        if node.spec.unschedulable and parts:
            yield Finding(
                f"node {node.metadata.name} is cordoned, and its {listed_names(parts)} count as part of the cluster",
                place.at("spec", "unschedulable"),
            )


RULE = Rule(
    code="cordoned-node-counted",
    severity=Severity.WARNING,
    title="a cordoned node counts as part of the cluster",
    meaning="spec.unschedulable of the node is true. No pod is placed on it, but the total includes its allocatable "
    "resources.",
    why="The total is the sum over all nodes that the scheduler knows, whatever their state. What queues deserve, "
    "their limits, the shares of drf and what overcommit admits derive from that total, so it is "
    "more than the nodes that accept pods can hold.",
    fix="Uncordon the node, or delete it if it will not come back. Until then, limit the queues with spec.capability.",
    source="pkg/scheduler/framework/session.go",
    check=check,
    looks_at=("nodes",),
    example="a node with spec.unschedulable: true",
)
