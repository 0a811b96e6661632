"""A capability of the root queue that leaves something out."""

from vqs.lint.amounts import capability, is_scheduled
from vqs.lint.plugins import evidence_of_hierarchy, has_hierarchy
from vqs.lint.queue_sums import nodes_total
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from vqs.snapshot.apiserver.queue_sums import CAPABILITY


def check(context: LintContext) -> Findings:
    """Find what it leaves out: cpu, memory, and what else nodes have that tasks can ask for."""
    root = queue_tree(context).queues.get(ROOT)
    if root is None or not has_hierarchy(context.conf, "capacity"):
        return
    limits = capability(root.queue)
    if not any(amount for name, amount in limits.items() if name != PODS):
        return
    requested = (name for name, amount in nodes_total(context).items() if amount and is_scheduled(name))
    others = sorted(name for name in requested if name != PODS and not name.startswith("attachable-volumes-"))
    missing = [name for name in dict.fromkeys((CPU, MEMORY, *others)) if name not in limits]
    if missing:
        yield Finding(
            f"the capability of the root queue leaves out {', '.join(missing)}: no task that requests it is placed",
            root.at(*CAPABILITY, next(iter(root.queue.spec.capability))),
            (Evidence("the capability", root.at(*CAPABILITY)), *evidence_of_hierarchy(context.conf)),
            severity=Severity.WARNING if missing == [EPHEMERAL_STORAGE] else None,
        )


RULE = Rule(
    code="root-capability-incomplete",
    severity=Severity.ERROR,
    title="the root queue's capability leaves out a resource",
    meaning="The plugin capacity is used with enableHierarchy, and the queue root has a capability that does not name "
    "cpu, memory, or a device, hugepages or ephemeral-storage that nodes have. If only ephemeral-storage is missing, "
    "which few tasks request, it is a warning.",
    why="Every other queue inherits limits that it does not set from its parent, but the root has no parent: a "
    "resource that its capability leaves out is limited to zero in all queues. No task that requests it is placed, and "
    "no job with it in minResources is admitted.",
    fix="Leave the capability of the root out, so that there is no limit, or name all resources in it.",
    source="pkg/scheduler/plugins/capacity/capacity.go (buildHierarchicalQueueAttrs)",
    check=check,
    needs=Need.CONFIGURATION,
    example="metadata: {name: root}, spec: {capability: {cpu: 100}}",
)
