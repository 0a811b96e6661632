"""What several pages say in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from vqs.config.known_plugins import QUEUE_PLUGINS
from vqs.explain.amounts import ABSENT, amount, percent
from vqs.explain.outcome import (
    Amounts,
    DiagnosticResult,
    JobResult,
    QueueResult,
    Simulation,
    TaskResult,
    Timing,
    Verdict,
)
from vqs.explain.texts.headline import blocked_by, efforts, prospect
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.codes import EXTENDER_FAILED, EXTENDER_NOT_ASKED, NO_NODE_SHARD, NOT_MODELLED, UNKNOWN_PLUGIN
from vqs.report.page import Line, Part
from vqs.report.visible import visible
from vqs.snapshot.reading.diagnostics import Diagnostic

if TYPE_CHECKING:  # only their own commands need them
    from vqs.explain.jobs.outcome import JobReport
    from vqs.explain.jobs.waiting_outcome import WaitingJobs
    from vqs.explain.queues.outcome import QueueReport

_FIRST_RESOURCES: Final = ("cpu", "memory")
_LAST_RESOURCES: Final = ("pods",)
_CAVEATS: Final = (EXTENDER_FAILED, EXTENDER_NOT_ASKED, NO_NODE_SHARD, NOT_MODELLED, UNKNOWN_PLUGIN)
_UNSCHEDULABLE: Final = "unschedulable"
"""Stands for the code where a job has all its tasks placed, and the scheduler still calls it unschedulable."""


def change(before: str, after: str) -> str:
    """Write what something was and has become, or only what it is.

    >>> change("Pending", "Binding"), change("Running", "Running")
    ('Pending → Binding', 'Running')
    """
    return after if before == after else f"{before} → {after}"


def amount_known(amounts: Amounts, resource: str) -> str:
    """Write an amount of a queue that may not be known."""
    return amount(resource, amounts[resource]) if resource in amounts else ABSENT


def amount_moved(before: Amounts, after: Amounts, resource: str) -> str:
    """Write an amount before and after."""
    return change(*(amount(resource, each.get(resource, 0)) for each in (before, after)))


def amount_held(queue: QueueResult, resource: str) -> str:
    """Write what a queue was allocated before and after, and how much of that is only reserved."""
    moved = amount_moved(queue.opened.allocated, queue.closed.allocated, resource)
    reserved = queue.closed.reserved.get(resource)
    return f"{moved} ({amount(resource, reserved)} reserved)" if reserved else moved


def share_held(queue: QueueResult) -> str:
    """Write what part of its deserved share a queue holds, before and after, and what it has with what is reserved."""
    said = f"holds {change(percent(queue.opened.share), percent(queue.held_share))} of what it deserves"
    all_of_it = percent(queue.closed.share)
    return said if all_of_it == percent(queue.held_share) else f"{said}, {all_of_it} with what is reserved"


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


def standstill(result: Simulation | QueueReport | JobReport | WaitingJobs) -> Sequence[str]:
    """Say so where nothing at all is scheduled; nothing where that is not so."""
    stopped = result.session.standstill
    if stopped:
        return [f"Scheduling is blocked in all queues: {stopped}"]
    return [] if result.session.nodes else ["Nothing can be placed: the snapshot has no nodes"]


def notes(diagnostics: Sequence[DiagnosticResult]) -> Iterator[Part]:
    """Yield what is to be known about the input and the session, if there is anything."""
    if diagnostics:
        items = [Line(diagnostic_line(each), "" if each.severity == "note" else "magenta") for each in diagnostics]
        yield Part("Notes", items=items)


def caveats(diagnostics: Sequence[DiagnosticResult]) -> list[str]:
    """Return what tells that decisions may not be the real scheduler's."""
    return [diagnostic_line(each) for each in diagnostics if each.code in _CAVEATS]


def no_queues(result: Simulation) -> str:
    """Say why there are no figures of queues."""
    if any(plugin in tier for tier in result.session.tiers for plugin in QUEUE_PLUGINS):
        return "Queues: none has a job"
    plugins = " or ".join(QUEUE_PLUGINS)
    return f"Queues: no figures, as they come from the plugin {plugins}, and neither is configured"


def job_reason(job: JobResult, *, everything: bool = False) -> str:
    """Say why a job did not get what it wants; empty where it did."""
    code, text = blocked_by(job)
    if code or job.verdict:
        starts = job.outlook is not None and bool(job.outlook.starts_in_session)
        said = f"{code}: {text}" if code else _said_of_job(job.verdict) if job.verdict else ""
        said = "" if starts and prospect(job.outlook) else said
        log = _logged(job.verdict) if everything and job.verdict else ""
        return _joined(prospect(job.outlook), said, efforts(job.outlook), awaited_pods(job), log)
    return f"{_UNSCHEDULABLE}: {job.unschedulable}" if job.unschedulable else ""


def awaited_pods(job: JobResult) -> str:
    """Say how many pods of a job do not exist yet, and what they request; empty where there are none."""
    if job.awaited is None:
        return ""
    request = ", ".join(f"{amount(name, value)} {name}" for name, value in job.awaited.request.items())
    pods = "1 pod requests" if job.awaited.pods == 1 else f"{job.awaited.pods:,} pods request"
    return f"its {pods} {request or 'no resources'} and {'is' if job.awaited.pods == 1 else 'are'} not created yet"


def task_reason(task: TaskResult, *, everything: bool = False) -> str:
    """Say why a task has no place, also in the words that the scheduler has for it; empty where it has one.

    Words that only repeat the verdict are left out. Where everything is wanted, what the pod says is quoted instead,
    with what that means, and the line of the log is named.
    """
    if not task.verdict:
        return task.message
    said = _said(task.verdict)
    rule = VERDICT_RULES.get(task.verdict.code)
    repeated = task.message in said or (rule is not None and rule.repeats_pod and not everything)
    message = "" if repeated else task.message
    if not everything:
        return _joined(said, message)
    return _joined(said, on_the_pod(task) or message, _logged(task.verdict))


def on_the_pod(task: TaskResult) -> str:
    """Quote what a task's pod says once the session is over, and say what that means; empty where it says nothing."""
    if task.pod_scheduled is None:
        return ""
    return f'on the pod ({task.pod_scheduled_reason}): "{task.pod_scheduled}"{in_brackets(pod_meaning(task))}'


def pod_meaning(task: TaskResult) -> str:
    """Say what the text on a task's pod means, given the verdict."""
    rule = VERDICT_RULES.get(task.verdict.code) if task.verdict else None
    return rule.pod if rule else ""


def in_brackets(text: str) -> str:
    """Write a text in brackets after another, nothing where it is empty.

    >>> in_brackets("so it is"), in_brackets("")
    (' (so it is)', '')
    """
    return f" ({text})" if text else ""


def shared_reason(task: TaskResult) -> str:
    """Say why a task has no place in words that suit others of its job too: not where, and for whom."""
    if not task.verdict:
        return task.message
    return _shared(task.verdict)


def _shared(verdict: Verdict) -> str:
    rule = VERDICT_RULES.get(verdict.code)
    if rule is None or not rule.shared:
        return _said(verdict)
    return f"{verdict.code}: {rule.shared.format(action=verdict.action)}"


def _said(verdict: Verdict) -> str:
    return f"{verdict.code}: {verdict.text}"


def _said_of_job(verdict: Verdict) -> str:
    """Give the sentence of a job's verdict a subject, where that is one of its tasks."""
    rule = VERDICT_RULES.get(verdict.code)
    return f"{verdict.code}: a task {verdict.text}" if rule is not None and rule.about_task else _said(verdict)


def _logged(verdict: Verdict) -> str:
    """Name the line to look for in the scheduler's log, and how verbose that has to be."""
    return f"in the scheduler's log (--v={verdict.verbosity}), lines with: {verdict.log}" if verdict.log else ""


def _joined(*parts: str) -> str:
    *most, last = filter(None, parts)
    return "; ".join([*(part.rstrip(".") for part in most), last])


def ties(task: TaskResult) -> str:
    """Say so where other nodes would have been as good as the task's."""
    return among_ties(task.tied_nodes or 0)


def among_ties(nodes: int) -> str:
    """Say of how many nodes with the best score one was taken; empty where it was the only one."""
    return f" (1 of {nodes:,} best nodes)" if nodes > 1 else ""


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
