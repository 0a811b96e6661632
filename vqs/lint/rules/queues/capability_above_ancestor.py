"""A queue that may have more than one above it."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.amounts import CAPABILITY, capability, is_scheduled, words
from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.queue_limits import ancestors_limit
from vqs.lint.queue_plugins import has_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Rule
from vqs.model.queue import ROOT


def check(context: LintContext) -> Iterator[Finding]:
    """Find the resources of which that is so. The webhook lets the root queue out, the scheduler does not."""
    tree = queue_tree(context)
    with_root = has_hierarchy(context.conf, "capacity")
    for queue in tree:
        for name, amount in capability(queue.queue).items():
            limit = ancestors_limit(tree, queue, name, with_root=with_root) if is_scheduled(name) else None
            if limit is not None and amount > limit.amount:
                yield Finding(
                    f"queue {queue.name} may have {words(name, amount)}, and {limit.queue.name}, which is above it, "
                    f"{words(name, limit.amount)}",
                    queue.at(*CAPABILITY, name),
                    (limit.evidence,),
                    severity=Severity.WARNING if limit.queue.name == ROOT else None,
                    denied=None if limit.queue.name == ROOT else "webhook",
                )


RULE = Rule(
    code="capability-above-ancestor",
    severity=Severity.ERROR,
    title="a queue may have more than a queue above it",
    meaning="spec.capability of a queue has more of a resource than that of the nearest queue above it that limits it.",
    why="The webhook for queues refuses it, save where the queue above has 0, which it takes for no limit. The "
    "scheduler, where the plugin capacity is used with enableHierarchy, "
    "writes an error to its log in every session and cuts what the queue may have to what its parent may have.",
    fix="Lower the capability of the queue, or raise that of the queues above it; leave it out to inherit it.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="queue team with capability cpu 20, its child dev with capability cpu 30",
    stands=Severity.WARNING,
)
