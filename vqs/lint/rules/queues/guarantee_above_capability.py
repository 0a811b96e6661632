"""A queue that is guaranteed more than it may have."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.amounts import GUARANTEE, guarantee
from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.queue_limits import above_capability
from vqs.lint.rule import Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Find the resources of which that is so; with hierarchy, the capability may be an ancestor's."""
    return above_capability(context, guarantee, GUARANTEE, "is guaranteed")


RULE = Rule(
    code="guarantee-above-capability",
    severity=Severity.ERROR,
    title="a queue is guaranteed more than it may have",
    meaning="spec.guarantee.resource of a queue has more of a resource than spec.capability, its own or, where the "
    "plugin capacity is used with enableHierarchy, the one that it inherits from an ancestor.",
    why="What is guaranteed is kept from all other queues. With the plugin capacity, this queue may not use what is "
    "above its capability either: nobody gets it. With proportion the guarantee wins over the capability. The webhook "
    "for queues refuses more than the queue's own capability, 0 of cpu or memory included, which for the scheduler is "
    "no limit: guarantee <= deserved <= capability. It does not look at inherited ones.",
    fix="Lower the guarantee, or raise the capability.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="guarantee cpu 10, capability cpu 8",
    stands=Severity.WARNING,
)
