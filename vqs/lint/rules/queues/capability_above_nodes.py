"""A queue with a higher capability than all nodes together, where the release takes that for a broken tree."""

from vqs.lint.amounts import above, is_scheduled, words
from vqs.lint.plugins import evidence_of_hierarchy, has_hierarchy
from vqs.lint.queue_sums import ancestors_limit, nodes_total
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.snapshot.apiserver.queue_sums import CAPABILITY


def check(context: LintContext) -> Findings:
    """Find such queues; one above another that limits it is the finding of capability-above-ancestor."""
    nodes, tree = nodes_total(context), queue_tree(context)
    root = tree.queues.get(ROOT)
    is_fatal = context.profile.capacity.queue_tree_violation == "standstill"
    if not is_fatal or not nodes or not has_hierarchy(context.conf, "capacity") or (root and tree.capability(root)):
        return
    for queue in tree:
        own = {name: amount for name, amount in tree.capability(queue).items() if is_scheduled(name)}
        for name in above(own, nodes, missing_is_zero=True):
            if queue.name != ROOT and ancestors_limit(tree, queue, name, with_root=False) is None:
                have = words(name, nodes.get(name, own[name] * 0))
                yield Finding(
                    f"the capability of queue {queue.name} is {words(name, own[name])}, and all nodes together have "
                    f"{have}: nothing is scheduled in any queue",
                    queue.at(*CAPABILITY, name),
                    (Evidence(f"the root queue has what the nodes have: {have}"), *evidence_of_hierarchy(context.conf)),
                )


RULE = Rule(
    code="capability-above-nodes",
    severity=Severity.ERROR,
    title="a queue has a higher capability than all nodes together, and the release stops scheduling",
    meaning="Up to Volcano 1.13, with the plugin capacity and enableHierarchy: spec.capability of a queue is higher "
    "for a resource than what all nodes have, and no queue above it limits the resource.",
    why="The root queue is limited to what the nodes have, and these releases stop scheduling in all queues where a "
    "queue may have more than its parent. One device that fails is enough. From 1.14.0 on, it is a warning in the log.",
    fix="Lower the capability, with room for nodes that fail, leave it out, or upgrade Volcano to 1.14 or later.",
    source="pkg/scheduler/plugins/capacity/capacity.go (checkHierarchicalQueue)",
    check=check,
    needs=Need.CONFIGURATION,
    example="4 nodes with 31 nvidia.com/gpu together, and a queue with capability nvidia.com/gpu 32",
)
