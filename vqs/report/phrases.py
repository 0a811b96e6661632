"""What tables and markdown say in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vqs.report.visible import visible

if TYPE_CHECKING:
    from vqs.explain.outcome import (
        DiagnosticResult,
        JobResult,
        QueueResult,
        Simulation,
        TaskResult,
        Timing,
        Verdict,
    )
    from vqs.snapshot.diagnostics import Diagnostic

_FIRST_RESOURCES: Final = ("cpu", "memory")
_LAST_RESOURCES: Final = ("pods",)
_PROPORTION: Final = "proportion"
_UNSCHEDULABLE: Final = "unschedulable"
"""Stands for the code where a job has all its tasks placed, and the scheduler still calls it unschedulable."""

_REPEATED: Final = frozenset({"gang-discarded", "role-failed", "waits-for-gang", "waits-for-release"})
"""Verdicts that say all that is in the message on the pod."""


def change(before: str, after: str) -> str:
    """Write what something was and has become, or only what it is.

    >>> change("Pending", "Binding"), change("Running", "Running")
    ('Pending → Binding', 'Running')
    """
    return after if before == after else f"{before} → {after}"


def resources_of(queue: QueueResult, *, everything: bool) -> list[str]:
    """Return the resources that a queue has to do with: cpu and memory first, the number of pods last."""
    opened, closed = queue.opened, queue.closed
    figures = (opened.deserved, opened.allocated, opened.request, opened.guarantee, closed.allocated)
    named = {name for amounts in figures for name, value in amounts.items() if value != 0 or everything}
    return sorted(named, key=lambda name: (name in _LAST_RESOURCES, name not in _FIRST_RESOURCES, name))


def queue_facts(queue: QueueResult) -> list[str]:
    """Return what is set on a queue, and what is unusual about it."""
    unusual = {
        f"priority {queue.priority}": bool(queue.priority),
        f"child of {queue.parent}": bool(queue.parent),
        "not reclaimable": not queue.reclaimable,
        "overused": queue.closed.overused,
    }
    return [f"weight {queue.weight}", queue.state, *(fact for fact, holds in unusual.items() if holds)]


def no_queues(result: Simulation) -> str:
    """Say why there are no figures of queues."""
    if any(_PROPORTION in tier for tier in result.session.tiers):
        return "Queues: none has a job"
    return f"Queues: left out, as their figures come from the plugin {_PROPORTION}, which is not configured"


def job_reason(job: JobResult, *, everything: bool = False) -> str:
    """Say why a job did not get what it wants; empty where it did."""
    if job.verdict:
        return _joined(_said(job.verdict), _logged(job.verdict) if everything else "")
    return f"{_UNSCHEDULABLE}: {job.unschedulable}" if job.unschedulable else ""


def task_reason(task: TaskResult, *, everything: bool = False) -> str:
    """Say why a task has no place, also in the words that the scheduler writes on the pod; empty where it has one.

    Words that only repeat the verdict are left out, unless everything is wanted.
    """
    if not task.verdict:
        return task.message
    said = _said(task.verdict)
    repeated = task.message in said or (task.verdict.code in _REPEATED and not everything)
    return _joined(said, "" if repeated else task.message, _logged(task.verdict) if everything else "")


def shared_reason(task: TaskResult) -> str:
    """Say why a task has no place in words that suit others of its job too."""
    return _said(task.verdict) if task.verdict else task.message


def _said(verdict: Verdict) -> str:
    return f"{verdict.code}: {verdict.text}"


def _logged(verdict: Verdict) -> str:
    """Name the line to look for in the scheduler's log, and how verbose that has to be."""
    return f"in the scheduler's log (--v={verdict.verbosity}): {verdict.log}" if verdict.log else ""


def _joined(*parts: str) -> str:
    *most, last = filter(None, parts)
    return "; ".join([*(part.rstrip(".") for part in most), last])


def ties(task: TaskResult) -> str:
    """Say so where other nodes would have been as good as the task's."""
    return f" (1 of {task.tied_nodes} tied)" if task.tied_nodes and task.tied_nodes > 1 else ""


def diagnostic_line(diagnostic: DiagnosticResult | Diagnostic) -> str:
    """Write a diagnostic in one line."""
    place = ":".join(str(part) for part in (diagnostic.file, diagnostic.line, diagnostic.column) if part)
    message = f"{diagnostic.message} ({diagnostic.help})" if diagnostic.help else diagnostic.message
    return visible(": ".join(part for part in (diagnostic.severity, place, diagnostic.path, message) if part))


def timing_line(timing: Timing) -> str:
    """Write where the time went."""
    actions = ", ".join(f"{name} {_seconds(spent)}" for name, spent in timing.actions.items())
    session = f"session {_seconds(timing.session)} (open {_seconds(timing.open)}{', ' if actions else ''}{actions})"
    return (
        f"Time: parse {_seconds(timing.parse)}, load {_seconds(timing.load)}, {session}, "
        f"report {_seconds(timing.report)}"
    )


def _seconds(spent: float) -> str:
    return f"{spent:.3f} s"
