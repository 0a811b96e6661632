"""A workload on the root queue."""

from vqs.lint.plugins import evidence_of_hierarchy, has_hierarchy
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT


def check(context: LintContext) -> Findings:
    """Find such workloads; without hierarchy, only Jobs are refused, and only when they are made."""
    hierarchy = has_hierarchy(context.conf, "capacity")
    for user in queue_users(context):
        if user.queue == ROOT and (hierarchy or (user.is_job and not user.ended)):
            consequence = "; while it exists, no job is admitted to any queue" if hierarchy else ""
            denied = user.is_job and user.is_new
            yield Finding(
                f"{user.what} is on the root queue{consequence}",
                user.place,
                evidence_of_hierarchy(context.conf),
                severity=None if denied else Severity.WARNING,
                denied="webhook" if denied else None,
            )


RULE = Rule(
    code="workload-on-root-queue",
    severity=Severity.ERROR,
    title="a workload is on the root queue",
    meaning="A Job, or where the plugin capacity is used with enableHierarchy any PodGroup, is on the queue root.",
    why="The webhook for Jobs refuses it. The root queue is the parent of all others, and with the plugin capacity and "
    "enableHierarchy, one PodGroup on a queue that is not a leaf makes the scheduler admit no job to any queue and "
    "place no task with requests; backfill still places tasks without requests.",
    fix="Choose another queue, or leave spec.queue out for the default queue.",
    source="pkg/scheduler/plugins/capacity/capacity.go (buildHierarchicalQueueAttrs); pkg/webhooks/admission/jobs/"
    "validate/admit_job.go",
    check=check,
    example="queue: root",
)
