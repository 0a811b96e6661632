"""A queue that is guaranteed more than it deserves."""

from fractions import Fraction

from vqs.lint.amounts import deserved, guarantee, words
from vqs.lint.queue_sums import faulty_queues
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import DESERVED, GUARANTEE


def check(context: LintContext) -> Findings:
    """Find the resources for which this is the case."""
    for queue, found in faulty_queues(context).get(RULE.code, ()):
        kept, due = guarantee(queue.queue), deserved(queue.queue)
        for name in (str(fault.path[-1]) for fault in found):
            has = words(name, kept.get(name, Fraction(0)))
            yield Finding(
                f"queue {queue.name} is guaranteed {has} and deserves {words(name, due[name])}",
                queue.at(*GUARANTEE, name),
                (
                    Evidence(
                        f"spec.deserved of queue {queue.name} is {words(name, due[name])}", queue.at(*DESERVED, name)
                    ),
                ),
            )


RULE = Rule(
    code="guarantee-above-deserved",
    severity=Severity.ERROR,
    title="a queue is guaranteed more than it deserves",
    meaning="spec.guarantee.resource of a queue is higher for a resource than spec.deserved.",
    why="The webhook for queues refuses such a queue, whichever plugins the scheduler uses: guarantee <= deserved <= "
    "capability. For a stored queue, the plugin capacity raises deserved to the guarantee.",
    fix="Raise deserved to at least the guarantee, or lower the guarantee.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="guarantee cpu 10, deserved cpu 8",
    denied="webhook",
    stands=Severity.WARNING,
)
