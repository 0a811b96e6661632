"""A queue that says nothing of what it deserves, among others that do."""

from vqs.lint.amounts import deserved, guarantee
from vqs.lint.plugins import uses
from vqs.lint.queue_tree import queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.resource import PODS


def check(context: LintContext) -> Findings:
    """Find such queues that have workloads."""
    if not uses(context.conf, "capacity"):
        return
    tree = queue_tree(context)
    best_effort = []
    for queue in tree:
        due = [*deserved(queue.queue).items(), *guarantee(queue.queue).items()]
        if queue.name != ROOT and not any(amount for name, amount in due if name != PODS):
            best_effort.append(queue)
    if len(best_effort) == sum(queue.name != ROOT for queue in tree):
        return
    users = {user.queue for user in queue_users(context)}
    used = {name for user in users for name in (user, *tree.above(user))}
    for queue in best_effort:
        if queue.name in used:
            yield Finding(
                f"queue {queue.name} deserves nothing, so all queues that deserve something come before it",
                queue.at("metadata", "name"),
                (Evidence(f"queue {queue.name} has no spec.deserved and no spec.guarantee", queue.at("spec")),),
            )


RULE = Rule(
    code="no-deserved",
    severity=Severity.NOTE,
    title="a queue deserves nothing, while others do",
    meaning="The scheduler uses the plugin capacity. The queue has workloads, but neither deserved nor a guarantee; "
    "other queues have one.",
    why="Such a queue is best-effort: its share always counts as 1, so it comes after all queues that hold less than "
    "they deserve, and everything that it holds can be reclaimed.",
    fix="Set spec.deserved if the queue should have a share of its own; leave it out if the queue should only use what "
    "others leave.",
    source="pkg/scheduler/plugins/capacity/capacity.go (updateQueueAttrShare)",
    check=check,
    needs=Need.CONFIGURATION,
    example="queue research with deserved cpu 40, queue adhoc without deserved",
    given_conf=True,
)
