"""What becomes of a job with a change, and why, as a sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from vqs.diff.catching_up import BASE_LATE
from vqs.diff.outcome import JobChange, JobDifference
from vqs.model.wording import count

CHANGES: Final[Mapping[JobChange, str]] = {
    "placed": "newly placed",
    "unplaced": "no longer placed",
    "placed-at-once": "placed instead of waiting with a reserved node",
    "waits-instead": "waiting with a reserved node instead of placed",
    "waits": "newly waiting with a reserved node",
    "no-longer-waits": "no longer waiting with a reserved node",
    "evicted": "evicted",
    "spared": "no longer evicted",
    "moved": "moved",
    "verdict": "blocked for another reason",
    "decision": "decided differently",
    "phase": "in another phase",
    "request": "changed in its spec",
    "added": "new",
    "removed": "removed",
    "taken-up": "no longer orphaned",
    "left-alone": "orphaned (queue deleted)",
}
"""What happens to a job or its tasks, in words that fit after "a job is" and after a number of tasks."""


def changes_of(job: JobDifference) -> str:
    """Say what becomes of a job, and of how many of its tasks where it is not all of them."""
    total = max(max(side.tasks, sum(side.statuses.values())) for side in (job.before, job.after) if side)
    counts = Counter(task.change for task in job.tasks)
    said = ", ".join(
        f"{counts[change]:,} of {total:,} tasks {CHANGES[change]}" if 0 < counts[change] < total else CHANGES[change]
        for change in job.changes
    )
    before, after = job.before, job.after
    if before is not None and after is not None and any(side.pods_lost > side.evicted for side in (before, after)):
        # More pods go than are evicted, on one of the sides.
        lost, restarted = (before.pods_lost, after.pods_lost), (before.restarted, after.restarted)
        said += f" ({lost[0]:,} → {lost[1]:,} pods lost, {restarted[0]:,} → {restarted[1]:,} restarted)"
    if job.reserved_not_bound:
        said += " (it does not start in the sessions that follow)"
    elif job.caught_up_after is not None:
        later = f"{count(job.caught_up_after, 'session')} later"
        said += f" (also without the change, {later})" if job.changes[0] in BASE_LATE else f" (only until {later})"
    if job.tie_dependent:
        return f"{said} ({on_tie_breaking(job.seen_under_seeds)})"
    lucky = ", ".join(CHANGES[change] for change in job.tie_dependent_changes)
    return f"{said} (depending on tie-breaking also {lucky})" if lucky else said


def on_tie_breaking(held: int) -> str:
    """Say under how many ways to break ties a difference is seen that is not seen under all of them."""
    return f"depends on tie-breaking: seen under {count(held, 'way')} to break ties"


def remark_of(job: JobDifference) -> str:
    """Say what was changed about a job, and why its outcome differs."""
    named = "behaviour" if len(job.behaviours) == 1 else "behaviours"
    because = f"caused by the {named} {', '.join(job.behaviours)}" if job.behaviours else ""
    return "; ".join(filter(None, (asked(job), job.why.text, because)))


def asked(job: JobDifference) -> str:
    """Say what a job asks for, before and after; empty where that is the same."""
    if "request" not in job.changes or job.before is None or job.after is None:
        return ""
    fields = {"tasks": "tasks", "min_available": "minAvailable", "priority": "priority", "queue": "queue"}
    texts = [
        f"{name} {getattr(job.before, field)} → {getattr(job.after, field)}"
        for field, name in fields.items()
        if getattr(job.before, field) != getattr(job.after, field)
    ]
    return ", ".join(texts)
