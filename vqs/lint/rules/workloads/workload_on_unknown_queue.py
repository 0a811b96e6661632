"""A workload on a queue that does not exist."""

from vqs.lint.amounts import near_names
from vqs.lint.queue_tree import queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.admission import leaf_queues


def check(context: LintContext) -> Findings:
    """Find such workloads, if there are queues in the input at all."""
    tree = queue_tree(context)
    if not tree.queues:
        return
    hint = near_names(leaf_queues(each.queue for each in tree.queues.values()))
    for user in queue_users(context):
        if not user.ended and not tree.exists(user.queue):
            yield Finding(
                f"the queue of {user.what} does not exist: {user.queue}",
                user.place,
                fix=hint(user.queue),
                denied="webhook" if user.is_new else None,
            )


RULE = Rule(
    code="workload-on-unknown-queue",
    severity=Severity.ERROR,
    title="a workload is on a queue that does not exist",
    meaning="A Job, a PodGroup, or an annotation on pods names a queue that is not in the input. Nothing is found "
    "where the input has no queues at all.",
    why="The webhooks for Jobs and PodGroups refuse it. The scheduler ignores a PodGroup without a queue: its pods "
    "stay Pending, and no event or condition says why.",
    fix="Create the queue, or correct its name; if it exists, add it to the input.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go; pkg/webhooks/admission/podgroups/validate/"
    "validate_podgroup.go; pkg/scheduler/cache/cache.go (Snapshot)",
    check=check,
    example="queue: traning, where the queue is called training",
)
