"""A first child for a queue that is in use."""

from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.resource import PODS
from vqs.snapshot.apiserver.queue_sums import exact


def check(context: LintContext) -> Findings:
    """Find new children of queues that hold pods and have had no children before."""
    tree = queue_tree(context)
    for parent in tree:
        pods = exact(parent.queue.status.allocated).get(PODS)
        children = [child for child in tree.children(parent.name) if child is not parent]
        if parent.name == ROOT or not pods or any(context.is_stored(child.queue) for child in children):
            continue
        for child in children:
            yield Finding(
                f"queue {child.name} is to be the first child of {parent.name}, which holds {pods} pods",
                child.at("spec", "parent"),
                (Evidence(f"queue {parent.name} holds {pods} pods", parent.at("status", "allocated", PODS)),),
            )


RULE = Rule(
    code="parent-holds-pods",
    severity=Severity.ERROR,
    title="a queue that holds pods is to become a parent",
    meaning="A new queue names a parent without children that has pods of its own (status.allocated).",
    why="The webhook for queues refuses it, as only leaves may hold pods.",
    fix="Wait until the pods of the parent are gone, or choose a new queue as the parent.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateHierarchicalQueue)",
    check=check,
    example="parent: team, where queue team has status: {allocated: {pods: 12}}",
    denied="webhook",
)
