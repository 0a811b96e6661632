"""A queue with a higher capability than a queue above it."""

from vqs.lint.amounts import capability, is_scheduled, words
from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_sums import ancestors_limit, stored_queues
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.snapshot.apiserver.queue_sums import CAPABILITY, capability_faults, parent_of


def check(context: LintContext) -> Findings:
    """Find such resources. The webhook does not compare with the root queue, the scheduler does."""
    tree = queue_tree(context)
    with_root = has_hierarchy(context.conf, "capacity")
    judged = context.profile.webhooks.capability_above
    refused = []
    stored = stored_queues(context)
    for queue in tree if judged == "parent" else ():
        entry = stored.entries[queue.name]
        if parent_of(entry.queue) in stored.entries.keys() - {ROOT}:
            refused += [(queue, fault) for fault in capability_faults(stored, entry, context.profile.webhooks)]
    denied = {(queue.name, fault.path[-1]) for queue, fault in refused}
    found = set()
    for queue in tree:
        for name, amount in capability(queue.queue).items():
            limit = ancestors_limit(tree, queue, name, with_root=with_root) if is_scheduled(name) else None
            if limit is not None and amount > limit.amount:
                is_denied = judged == "nearest-ancestor" or (queue.name, name) in denied
                found.add((queue.name, name))
                yield Finding(
                    f"the capability of queue {queue.name} is {words(name, amount)}, and that of {limit.queue.name}, "
                    f"which is above it, {words(name, limit.amount)}",
                    queue.at(*CAPABILITY, name),
                    (limit.evidence,),
                    severity=Severity.WARNING if limit.queue.name == ROOT else None,
                    denied="webhook" if is_denied and limit.queue.name != ROOT else None,
                )
    for queue, fault in refused:
        if (queue.name, fault.path[-1]) not in found:
            yield Finding(fault.reason, queue.at(*fault.path), denied="webhook")


RULE = Rule(
    code="capability-above-ancestor",
    severity=Severity.ERROR,
    title="a queue has a higher capability than a queue above it",
    meaning="spec.capability of a queue is higher for a resource than that of the nearest queue above it that limits "
    "the resource.",
    why="The webhook for queues refuses it, unless the queue above has 0, which the webhook treats as no limit. With "
    "the plugin capacity and enableHierarchy, the scheduler logs an error in every session and reduces the limit of "
    "the queue to that of its parent. The webhook of Volcano 1.14.0 compares with the parent only, "
    "where a resource that it does not name counts as 0; that of 1.13 does not compare.",
    fix="Lower the capability of the queue, or raise that of the queues above it; leave it out to inherit it.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="queue team with capability cpu 20, its child dev with capability cpu 30",
    stands=Severity.WARNING,
)
