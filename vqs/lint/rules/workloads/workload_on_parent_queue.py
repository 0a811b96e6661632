"""A workload on a queue that has children."""

from vqs.lint.plugins import evidence_of_hierarchy, has_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT


def check(context: LintContext) -> Findings:
    """Find such workloads; without hierarchy, only Jobs have to be on a leaf, and only when they are made."""
    tree = queue_tree(context)
    hierarchy = has_hierarchy(context.conf, "capacity")
    for user in queue_users(context):
        children = [child for child in tree.children(user.queue) if child.name != user.queue]
        if user.queue == ROOT or not children or not (hierarchy or (user.is_job and not user.ended)):
            continue
        consequence = "; while it exists, no job is admitted to any queue" if hierarchy else ""
        yield Finding(
            f"{user.what} is on queue {user.queue}, which is the parent of other queues{consequence}",
            user.place,
            (
                *(
                    Evidence(f"the parent of {each.name} is {user.queue}", each.at("spec", "parent"))
                    for each in children
                ),
                *evidence_of_hierarchy(context.conf),
            ),
            severity=None if user.is_job and user.is_new else Severity.WARNING,
            denied="webhook" if user.is_job and user.is_new else None,
        )


RULE = Rule(
    code="workload-on-parent-queue",
    severity=Severity.ERROR,
    title="a workload is on a queue that has children",
    meaning="A Job, or where the plugin capacity is used with enableHierarchy any PodGroup, is on a queue that is the "
    "parent of another one.",
    why="The webhook for Jobs refuses it, but PodGroups and pods are accepted. With the plugin capacity and "
    "enableHierarchy, one PodGroup on a queue that is not a leaf, even in phase Completed, makes the scheduler admit "
    "no job to any queue and place no task with requests; backfill still places tasks without requests.",
    fix="Move the workload to one of the children; delete PodGroups that are older than the children of the queue.",
    source="pkg/scheduler/plugins/capacity/capacity.go (buildHierarchicalQueueAttrs); "
    "pkg/webhooks/admission/jobs/validate/admit_job.go",
    check=check,
    example="queue: team, where dev has parent: team",
)
