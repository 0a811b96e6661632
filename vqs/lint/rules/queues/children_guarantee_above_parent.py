"""Children that are guaranteed more together than their parent."""

from vqs.lint.amounts import above, capability, guarantee, total, words
from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_sums import sums_above_parents
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.snapshot.apiserver.queue_sums import CAPABILITY, GUARANTEE


def check(context: LintContext) -> Findings:
    """Find the resources for which this is the case."""
    tree = queue_tree(context)
    yield from sums_above_parents(context, tree, "guarantee", GUARANTEE)
    if ROOT in tree.queues and has_hierarchy(context.conf, "capacity"):
        root = tree.queues[ROOT]
        limits = capability(root.queue)
        sums = total(guarantee(child.queue) for child in tree.children(ROOT))
        for name in above(sums, limits):
            yield Finding(
                f"the children of root have a guarantee of {words(name, sums[name])} together, and the "
                f"capability of root is "
                f"{words(name, limits[name])}",
                root.at(*CAPABILITY, name),
                tuple(
                    Evidence(
                        f"the guarantee of queue {child.name} is {words(name, amount)}", child.at(*GUARANTEE, name)
                    )
                    for child in tree.children(ROOT)
                    if (amount := guarantee(child.queue).get(name))
                ),
            )


RULE = Rule(
    code="children-guarantee-above-parent",
    severity=Severity.ERROR,
    title="children are guaranteed more than their parent",
    meaning="The guarantees of a queue's children add up to more of a resource than the queue is guaranteed itself. A "
    "queue that does not name the resource is guaranteed none of it. For the root queue, the capability counts "
    "instead.",
    why="The webhook for queues refuses it, and also a child with 0 of a resource, other than cpu and memory, that the "
    "parent does not name. The scheduler, where the plugin capacity is used with enableHierarchy, logs an error in "
    "every session and cannot keep all these guarantees at the same time.",
    fix="Raise the parent's guarantee to at least the sum, or lower those of the children.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="queue team with guarantee cpu 10, its children dev with 6 and prod with 6",
    stands=Severity.WARNING,
)
