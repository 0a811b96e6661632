"""A queue that nothing is reclaimed from, and that holds more than it deserves."""

from vqs.lint.queue_sums import above_deserved, waiting_elsewhere
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find queues with reclaimable: false above what they deserve; a warning where a job of another queue waits."""
    for excess in above_deserved(context):
        queue = queue_tree(context).queues.get(excess.queue)
        if queue is not None and queue.queue.spec.reclaimable is False:
            waits = waiting_elsewhere(context, excess)
            evidence = (
                ()
                if waits is None
                else (Evidence(f"{waits.display_name} of queue {waits.queue} waits for what this queue holds"),)
            )
            yield Finding(
                f"queue {queue.name} may not be reclaimed from, and holds more than it deserves: {excess.words}",
                queue.at("spec", "reclaimable"),
                evidence,
                severity=None if waits else Severity.NOTE,
            )


RULE = Rule(
    code="unreclaimable-above-deserved",
    severity=Severity.WARNING,
    title="a queue that may not be reclaimed from holds more than it deserves",
    meaning="A queue has reclaimable: false, and its pods hold more of a resource than the queue deserves. The action "
    "reclaim is configured. Where no job of another queue waits for that resource, it is a note.",
    why="reclaim passes over the pods of such a queue, whatever the queue holds: what it borrowed comes back only when "
    "its pods end. Other queues stay below what they deserve meanwhile.",
    fix="Set reclaimable: true, or a capability that keeps the queue from borrowing.",
    source="pkg/scheduler/actions/reclaim/reclaim.go; pkg/scheduler/api/queue_info.go (Reclaimable)",
    check=check,
    needs=Need.SESSION,
    example="reclaimable: false, deserved nvidia.com/gpu 8, and pods with 16 nvidia.com/gpu",
)
