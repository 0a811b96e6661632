"""A workload that waits for a queue that is not open."""

from vqs.lint.queue_tree import is_made, queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import OPEN


def check(context: LintContext) -> Findings:
    """Find such workloads. One that runs may go on to do so."""
    queues = queue_tree(context).queues
    for user in queue_users(context):
        queue = queues.get(user.queue)
        if queue is None or not user.waits:
            continue
        state = queue.queue.status.state or OPEN
        if state != OPEN:
            yield Finding(
                f"{user.what} waits for queue {user.queue}, which is {state}",
                user.place,
                (Evidence(f"the state of queue {user.queue} is {state}", queue.at("status", "state")),),
                severity=Severity.ERROR if user.is_new and not is_made(context, user.place) else None,
                denied="webhook" if user.is_new else None,
            )


RULE = Rule(
    code="workload-on-closed-queue",
    severity=Severity.WARNING,
    title="a workload waits for a queue that is not open",
    meaning="A Job or PodGroup that has not started is on a queue that is Closed, Closing or Unknown. It is an error "
    "for an object without uid and phase, which is still to be created.",
    why="The webhooks for Jobs and PodGroups refuse new ones there, and the scheduler does not admit those that wait.",
    fix="Open the queue (vcctl queue operate -a open -n NAME), or choose another one.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go; pkg/webhooks/admission/podgroups/validate/"
    "validate_podgroup.go; pkg/scheduler/plugins/proportion/proportion.go",
    check=check,
    example="a Job with queue: legacy, and that queue has status: {state: Closed}",
)
