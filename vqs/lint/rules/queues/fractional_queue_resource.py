"""Half a device."""

from vqs.lint.amounts import named, words
from vqs.lint.queue_sums import faulty_queues
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find amounts that are not whole, of resources that come in whole numbers."""
    for queue, found in faulty_queues(context).get(RULE.code, ()):
        amounts = dict(named(queue.queue))
        for path in (fault.path for fault in found):
            message = f"queue {queue.name} names {words(str(path[-1]), amounts[path])}, which has to be a whole number"
            yield Finding(message, queue.at(*path))


RULE = Rule(
    code="fractional-queue-resource",
    severity=Severity.ERROR,
    title="a queue has a fraction of a resource that is only counted in whole numbers",
    meaning="capability, deserved or guarantee of a queue has an amount of a device, or of pods or anything "
    "else that quotas count, that is not a whole number.",
    why="The webhook for queues refuses it.",
    fix="Write a whole number. 500m is fine for cpu, but not for a GPU.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateResourceQuantityOfQueue)",
    check=check,
    example="capability: {nvidia.com/gpu: 0.5}",
    denied="webhook",
)
