"""The default queue as a parent."""

from vqs.lint.plugins import evidence_of_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.keys import DEFAULT_QUEUE


def check(context: LintContext) -> Findings:
    """Find its children."""
    for child in queue_tree(context).children(DEFAULT_QUEUE):
        if child.name != DEFAULT_QUEUE:
            yield Finding(
                f"queue {child.name} has the default queue as its parent, "
                "so workloads that name no queue are not accepted anywhere",
                child.at("spec", "parent"),
                evidence_of_hierarchy(context.conf),
            )


RULE = Rule(
    code="default-queue-with-children",
    severity=Severity.WARNING,
    title="the default queue has children",
    meaning="spec.parent of a queue is default.",
    why="Every Job, PodGroup and pod that names no queue goes to the default queue, and only leaf queues accept "
    "workloads: such Jobs are refused, and with the plugin capacity and enableHierarchy, one such pod makes the "
    "scheduler admit no job to any queue.",
    fix="Choose another parent, or none for a queue right below the root.",
    source="pkg/scheduler/plugins/capacity/capacity.go (buildHierarchicalQueueAttrs); pkg/webhooks/admission/jobs/"
    "validate/admit_job.go",
    check=check,
    example="parent: default",
)
