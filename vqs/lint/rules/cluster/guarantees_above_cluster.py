"""Guarantees that exceed the cluster."""

from vqs.lint.amounts import guarantee
from vqs.lint.plugins import has_hierarchy, is_given
from vqs.lint.queue_sums import claims_above_nodes
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.snapshot.apiserver.queue_sums import GUARANTEE


def check(context: LintContext) -> Findings:
    """Find such resources. Only without hierarchy, the guarantees on all levels are added up."""
    tree = queue_tree(context)
    flat = is_given(context.conf) and not has_hierarchy(context.conf, "capacity")
    queues = list(tree) if flat else tree.children(ROOT)
    for claim in claims_above_nodes(context, queues, guarantee):
        yield claim.finding(("is guaranteed", "are guaranteed"), "guarantee", GUARANTEE)


RULE = Rule(
    code="guarantees-above-cluster",
    severity=Severity.ERROR,
    title="the queues are guaranteed more than the cluster has",
    meaning="The guarantees of all queues, or with hierarchy those right below the root, add up to more of a resource "
    "than all nodes have.",
    why="Not all of the guarantees can be kept. Without hierarchy, queues without a guarantee for the resource get "
    "none of it, because their limit is what the guarantees of the others leave.",
    fix="Lower guarantees, or add nodes. Without hierarchy, remove guarantees of parents: they are added to those of "
    "their children.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="guarantees of cpu 60 and 50, nodes with 100 cpu",
)
