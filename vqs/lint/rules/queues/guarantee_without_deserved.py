"""A queue that is guaranteed a resource, and does not say that it deserves any of it."""

from fractions import Fraction

from vqs.lint.amounts import guarantee, words
from vqs.lint.queue_sums import faulty_queues
from vqs.lint.queue_tree import is_made
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.wording import listed_names
from vqs.snapshot.apiserver.queue_sums import DESERVED, GUARANTEE


def check(context: LintContext) -> Findings:
    """Find such queues. No webhook sees the queues of a scenario."""
    for queue, found in faulty_queues(context).get(RULE.code, ()):
        if not is_made(context, queue.place):
            kept, names = guarantee(queue.queue), [str(fault.path[-1]) for fault in found]
            amounts = listed_names([words(name, kept.get(name, Fraction(0))) for name in names])
            yield Finding(
                f"queue {queue.name} is guaranteed {amounts}, which spec.deserved does not name",
                queue.at(*GUARANTEE, names[0]),
                (
                    Evidence(
                        f"spec.deserved of queue {queue.name} does not name {listed_names(names)}", queue.at(*DESERVED)
                    ),
                ),
                severity=None if context.is_stored(queue.queue) else Severity.ERROR,
                denied="webhook",
            )


RULE = Rule(
    code="guarantee-without-deserved",
    severity=Severity.WARNING,
    title="a queue has a guarantee without deserved",
    meaning="spec.guarantee.resource of a queue names a resource that spec.deserved does not. It is an error in a "
    "queue without uid and state, which is still to be created.",
    why="From v1.14.0 on, the webhook for queues refuses this when a queue is created or changed, even with the plugin "
    "proportion, which does not read deserved. The scheduler accepts it: a stored queue keeps working, but neither you "
    "nor Volcano's own controller can change it.",
    fix="Name the resource in spec.deserved too, with at least the amount of the guarantee.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="guarantee: {resource: {cpu: 10}} and no deserved",
    stands=Severity.WARNING,
)
