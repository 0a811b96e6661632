"""A queue whose parent does not exist."""

from vqs.lint.amounts import near_names
from vqs.lint.plugins import evidence_of_hierarchy
from vqs.lint.queue_tree import WrittenQueue, queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find such queues."""
    tree = queue_tree(context)
    orphans: dict[str, list[WrittenQueue]] = {}
    for queue in tree:
        if queue.parent and not tree.exists(queue.parent):
            orphans.setdefault(queue.parent, []).append(queue)
    near = near_names(tree.queues)
    for parent, queues in orphans.items():
        fix = near(parent, frozenset(queue.name for queue in queues))
        for queue in queues:
            yield Finding(
                f"the parent of queue {queue.name} does not exist: {parent}",
                queue.at("spec", "parent"),
                evidence_of_hierarchy(context.conf),
                fix,
            )


RULE = Rule(
    code="parent-missing",
    severity=Severity.ERROR,
    title="the parent of a queue does not exist",
    meaning="spec.parent of a queue names a queue that is not in the input.",
    why="The webhook for queues refuses it. With the plugin capacity and enableHierarchy, one such queue makes the "
    "scheduler admit no job to any queue and place no task with requests. backfill still places tasks without "
    "requests, and the scheduler may crash when it does, because the plugin stopped before it knew all queues. With "
    "any plugins, the scheduler crashes at the end of a session if a task of the queue, or of any queue below it, has "
    "a node.",
    fix="Create the parent first, or correct its name; if it exists, add it to the input. If both are created at once, "
    "the webhook may not know the parent yet: try again after a second.",
    source="pkg/scheduler/plugins/capacity/capacity.go; pkg/scheduler/framework/session.go (updateQueueStatus); "
    "pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="parent: team-a, where the queue is called team-alpha",
    denied="webhook",
    stands=Severity.ERROR,
)
