"""Guarantees of other queues that leave nothing for a queue."""

from vqs.lint.amounts import guarantee, total, words
from vqs.lint.plugins import has_hierarchy, is_given, uses
from vqs.lint.queue_sums import nodes_total
from vqs.lint.queue_tree import queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import GUARANTEE


def check(context: LintContext) -> Findings:
    """Find queues with workloads whose real capability is nothing. With hierarchy, the root has no limit to divide."""
    conf = context.conf
    if (
        not is_given(conf)
        or has_hierarchy(conf, "capacity")
        or not (uses(conf, "capacity") or uses(conf, "proportion"))
    ):
        return
    queues = list(queue_tree(context))
    kept = total(guarantee(queue.queue) for queue in queues)
    taken = [name for name, there in nodes_total(context).items() if there and kept.get(name, 0) >= there]
    used = {user.queue for user in queue_users(context) if not user.ended}
    for queue in queues:
        for name in taken:
            if queue.name in used and not guarantee(queue.queue).get(name):
                message = (
                    f"the guarantees of other queues take all {name} of the cluster "
                    f"and leave none for queue {queue.name}"
                )
                evidence = tuple(
                    Evidence(
                        f"the guarantee of queue {other.name} is {words(name, amount)}", other.at(*GUARANTEE, name)
                    )
                    for other in queues
                    if (amount := guarantee(other.queue).get(name))
                )
                yield Finding(message, queue.at("metadata", "name"), evidence)


RULE = Rule(
    code="guarantees-take-all",
    severity=Severity.WARNING,
    title="the guarantees of other queues leave nothing for a queue",
    meaning="All of a resource in the cluster is guaranteed to other queues, and this queue has workloads.",
    why="The limit of a queue is what the guarantees of other queues leave of the cluster, whether they use it or not. "
    "If they leave nothing, no job of the queue that requests the resource is admitted.",
    fix="Lower the guarantees, or give this queue one too.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="guarantee cpu 100 for one queue, nodes with 100 cpu, jobs in another queue",
)
