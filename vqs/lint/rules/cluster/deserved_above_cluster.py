"""Queues that deserve more than there is."""

from vqs.lint.amounts import deserved
from vqs.lint.plugins import has_hierarchy, uses
from vqs.lint.queue_sums import claims_above_nodes
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.snapshot.apiserver.queue_sums import DESERVED


def check(context: LintContext) -> Findings:
    """Find the resources for which this is the case."""
    if not uses(context.conf, "capacity"):
        return
    tree = queue_tree(context)
    if has_hierarchy(context.conf, "capacity"):
        queues = tree.children(ROOT)
    else:
        queues = [queue for queue in tree if queue.name != ROOT and not tree.children(queue.name)]
    for claim in claims_above_nodes(context, queues, deserved):
        yield claim.finding(("deserves", "deserve"), "deserved", DESERVED)


RULE = Rule(
    code="deserved-above-cluster",
    severity=Severity.WARNING,
    title="the queues deserve more than the cluster has",
    meaning="With the plugin capacity, what the queues deserve, or with hierarchy those right below the root, adds up "
    "to more of a resource than all nodes have.",
    why="A queue takes resources back only from queues that hold more than they deserve. If queues that do not hold "
    "the whole cluster, a queue below its deserved share has no queue to reclaim from.",
    fix="Lower spec.deserved of the queues until the sum fits into the cluster; spec.capability decides how much they "
    "may borrow.",
    source="pkg/scheduler/plugins/capacity/capacity.go (reclaimable); docs/design/capacity-scheduling.md",
    check=check,
    needs=Need.CONFIGURATION,
    example="deserved cpu 60 and 60, nodes with 100 cpu",
)
