"""A queue that is guaranteed more than its capability."""

from vqs.lint.amounts import guarantee
from vqs.lint.queue_sums import above_capability
from vqs.lint.rule import Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import GUARANTEE


def check(context: LintContext) -> Findings:
    """Find such resources; with hierarchy, the capability may be an ancestor's."""
    return above_capability(context, guarantee, GUARANTEE, "is guaranteed")


RULE = Rule(
    code="guarantee-above-capability",
    severity=Severity.ERROR,
    title="a queue is guaranteed more than its capability",
    meaning="spec.guarantee.resource of a queue has more of a resource than spec.capability, its own or, where the "
    "plugin capacity is used with enableHierarchy, the one that it inherits from an ancestor.",
    why="Other queues cannot use what is guaranteed. With the plugin capacity, this queue cannot use what is above its "
    "capability either, so no queue gets it. With proportion, the guarantee overrides the capability. The webhook for "
    "queues requires guarantee <= deserved <= capability, with the queue's own capability, even 0 of cpu or memory, "
    "which to the scheduler is no limit. It does not check inherited ones.",
    fix="Lower the guarantee, or raise the capability.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="guarantee cpu 10, capability cpu 8",
    stands=Severity.WARNING,
)
