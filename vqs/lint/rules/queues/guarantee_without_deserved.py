"""A queue that is guaranteed a resource, and does not say that it deserves any of it."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.amounts import DESERVED, GUARANTEE, guarantee, words
from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Severity
from vqs.lint.queue_tree import is_sketched
from vqs.lint.queue_webhook import faulty_queues
from vqs.lint.rule import Rule
from vqs.model.wording import listed_names


def check(context: LintContext) -> Iterator[Finding]:
    """Find such queues. What stands in a scenario meets no webhook."""
    for queue, found in faulty_queues(context, RULE.code):
        if not is_sketched(context, queue):
            kept, names = guarantee(queue.queue), [str(fault.path[-1]) for fault in found]
            amounts = listed_names([words(name, kept[name]) for name in names])
            yield Finding(
                f"queue {queue.name} is guaranteed {amounts}, of which spec.deserved says nothing",
                queue.at(*GUARANTEE, names[0]),
                (Evidence(f"deserved has no {', '.join(names)}", queue.at(*DESERVED)),),
                severity=None if context.is_stored(queue.queue) else Severity.ERROR,
                denied="webhook",
            )


RULE = Rule(
    code="guarantee-without-deserved",
    severity=Severity.WARNING,
    title="a queue has a guarantee, and no deserved to go with it",
    meaning="spec.guarantee.resource of a queue names a resource that spec.deserved does not. That is an error in a "
    "queue that has neither a uid nor a state, and so has yet to be made.",
    why="From v1.14.2 on, the webhook for queues refuses this when a queue is made or changed, also where the plugin "
    "proportion, which has no use for deserved, is used. The scheduler does not mind: a queue that is there already "
    "goes on to work, but cannot be changed, be it by you or by Volcano's own controller.",
    fix="Name the resource in spec.deserved too, with at least the amount of the guarantee.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="guarantee: {resource: {cpu: 10}} and no deserved",
    stands=Severity.WARNING,
)
