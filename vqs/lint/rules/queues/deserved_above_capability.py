"""A queue that deserves more than its capability."""

from vqs.lint.amounts import deserved
from vqs.lint.queue_sums import above_capability
from vqs.lint.rule import Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import DESERVED


def check(context: LintContext) -> Findings:
    """Find such resources; with hierarchy, the capability may be an ancestor's."""
    return above_capability(context, deserved, DESERVED, "deserves")


RULE = Rule(
    code="deserved-above-capability",
    severity=Severity.ERROR,
    title="a queue deserves more than its capability",
    meaning="spec.deserved of a queue is higher for a resource than spec.capability, its own or, with the plugin "
    "capacity and enableHierarchy, the one that it inherits from an ancestor.",
    why="The webhook for queues refuses more than the queue's own capability: guarantee <= deserved <= capability. It "
    "does not check inherited ones, and takes 0 of cpu or memory literally, which to the scheduler is no limit. Any "
    "other capability remains the limit, so the queue never gets what it deserves.",
    fix="Lower deserved, or raise the capability.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="deserved cpu 20, capability cpu 16",
    stands=Severity.WARNING,
)
