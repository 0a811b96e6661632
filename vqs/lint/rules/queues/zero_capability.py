"""A limit of zero that is none."""

from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.resource import CPU, MEMORY
from vqs.snapshot.apiserver.queue_sums import CAPABILITY, exact


def check(context: LintContext) -> Findings:
    """Find such limits, except for the root queue."""
    for queue in queue_tree(context):
        limits = exact(queue.queue.spec.capability)
        for name in (CPU, MEMORY):
            if limits.get(name) == 0 and queue.name != ROOT:
                message = f"a capability of 0 {name} does not limit queue {queue.name}"
                yield Finding(message, queue.at(*CAPABILITY, name))


RULE = Rule(
    code="zero-capability",
    severity=Severity.WARNING,
    title="a capability of 0 cpu or memory is no limit",
    meaning="spec.capability of a queue has 0 of cpu or memory.",
    why="The scheduler treats 0 cpu or memory as a limit that is not set: there is no limit, or that of the parent. "
    "For all other resources, 0 means 0.",
    fix="Leave it out if there is to be no limit. To stop scheduling for a queue, close it.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="capability: {cpu: 0, memory: 64Gi}",
)
