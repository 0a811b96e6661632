"""Queues that are above each other."""

from vqs.lint.plugins import evidence_of_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find every cycle once, at its first queue."""
    tree = queue_tree(context)
    reported: set[str] = set()
    for queue in tree:
        cycle = tree.cycle(queue.name)
        if len(cycle) > 1 and queue.name not in reported:
            reported.update(cycle)
            along = [tree.queues[name] for name in cycle[:-1]]
            evidence = [
                Evidence(f"the parent of {each.name} is {each.parent}", each.at("spec", "parent")) for each in along
            ]
            yield Finding(
                f"the parents of queue {queue.name} lead back to it: {' > '.join([queue.name, *cycle])}",
                queue.at("spec", "parent"),
                (*evidence, *evidence_of_hierarchy(context.conf)),
            )


RULE = Rule(
    code="parent-cycle",
    severity=Severity.ERROR,
    title="the parents of a queue lead back to it",
    meaning="Following spec.parent from queue to queue leads back to the queue, and never to the root.",
    why="The webhook for queues accepts an update that closes the cycle, because it follows the parents that were "
    "stored before; it only refuses queues that are then created below the cycle, or moved there, as too deep. The "
    "plugin capacity with enableHierarchy does not notice the cycle: the scheduler crashes with a stack overflow as "
    "soon as it tries a task, and a job in one of the queues blocks all queues, as none of them is a leaf. With any "
    "plugins, a session in which a task of such a queue has a node never ends.",
    fix="Give one of the queues a parent outside of the cycle, or none.",
    source="pkg/scheduler/plugins/capacity/capacity.go (updateAncestors, Clone); pkg/scheduler/framework/session.go "
    "(updateQueueStatus); pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="queue a with parent b, queue b with parent a",
)
