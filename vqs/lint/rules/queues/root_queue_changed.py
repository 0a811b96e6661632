"""A root queue with amounts of its own."""

from vqs.lint.amounts import named
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT


def check(context: LintContext) -> Findings:
    """Find whether it has."""
    root = queue_tree(context).queues.get(ROOT)
    if root is None:
        return
    paths = [path for path, _ in named(root.queue)]
    if paths:
        names = ", ".join(dict.fromkeys(str(path[1]) for path in paths))
        yield Finding(f"queue root sets {names}, which only queues below it should set", root.at(*paths[0]))


RULE = Rule(
    code="root-queue-changed",
    severity=Severity.WARNING,
    title="the root queue sets a capability, deserved or guarantee",
    meaning="The queue named root has a capability, deserved or guarantee in its spec. The scheduler creates this "
    "queue, the parent of all others, when it starts, and sets none of these.",
    why="The plugin capacity with enableHierarchy replaces deserved and guarantee of the root by the sums over its "
    "children. A capability limits all queues together; without it, the root has no limit, not even the size of the "
    "cluster. The webhook for queues refuses to change any of the three later (--enable-root-queue-protection). "
    "Without hierarchy, the root is a queue like any other, without jobs.",
    fix="Remove capability, deserved and guarantee from queue root, and set them on the queues below it.",
    source="pkg/scheduler/plugins/capacity/capacity.go (buildHierarchicalQueueAttrs, checkHierarchicalQueue); "
    "pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="metadata: {name: root}, spec: {capability: {cpu: 100, memory: 400Gi}}",
)
