"""What several pages say in the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final, get_args, get_type_hints

from vqs.config.known_plugins import QUEUE_PLUGINS
from vqs.explain.amounts import ABSENT, amount, change
from vqs.explain.outcome import (
    Amounts,
    DiagnosticResult,
    Figure,
    JobResult,
    QueueClosed,
    QueueOpened,
    QueueResult,
    Simulation,
    TaskResult,
    Timing,
    Verdict,
)
from vqs.explain.verdict_rules import VERDICT_RULES, PodText
from vqs.explain.words import TERMINATING, joined
from vqs.inert import name as visible
from vqs.model.codes import (
    ACTION_LEFT_OUT,
    EXTENDER_FAILED,
    EXTENDER_NOT_ASKED,
    MISSING_KIND,
    NO_NODE_SHARD,
    NOT_MODELLED,
    UNKNOWN_PLUGIN,
    VOLUMES_UNKNOWN,
)
from vqs.model.wording import count
from vqs.report.page import Line, Part
from vqs.snapshot.apiserver.admission import CHANGE_DENIED
from vqs.snapshot.reading.diagnostics import Diagnostic

if TYPE_CHECKING:  # only their own commands need them
    from vqs.explain.jobs.outcome import JobReport
    from vqs.explain.jobs.waiting_outcome import WaitingJobs
    from vqs.explain.queues.outcome import QueueReport

_FIRST_RESOURCES: Final = ("cpu", "memory")
_LAST_RESOURCES: Final = ("pods",)
_CAVEATS: Final = (
    ACTION_LEFT_OUT,
    CHANGE_DENIED,
    EXTENDER_FAILED,
    EXTENDER_NOT_ASKED,
    MISSING_KIND,
    NO_NODE_SHARD,
    NOT_MODELLED,
    UNKNOWN_PLUGIN,
    VOLUMES_UNKNOWN,
)
"""Stands for the code where a job has all its tasks placed, and the scheduler still calls it unschedulable."""


@cache
def queue_figures() -> Mapping[str, Figure]:
    """Return the amounts of a queue that are columns of tables, by their fields, in their order."""
    hints = [item for kind in (QueueOpened, QueueClosed) for item in get_type_hints(kind, include_extras=True).items()]
    found = [(name, each) for name, hint in hints for each in get_args(hint) if isinstance(each, Figure)]
    return dict(sorted(found, key=lambda item: item[1].place))


def queue_columns(
    queues: Sequence[QueueResult], *, everything: bool, total: Amounts | None = None
) -> dict[str, Callable[[QueueResult, str], str]]:
    """Return what tables say of a queue and a resource, by heading: what they always do first.

    Where no total is given that limits are compared with, they are always worth a column.
    """
    usual: dict[str, Callable[[QueueResult, str], str]] = {}
    others: dict[str, Callable[[QueueResult, str], str]] = {}
    for name, figure in queue_figures().items():
        found = [item for queue in queues for item in _amounts(queue, name)[0].items()]
        match figure.shown:
            case "where there is any":
                is_worth_it = any(value for _, value in found)
            case "where it is less than all":
                most = total or {}
                is_worth_it = any(value is not None and value < (most.get(each) or 0.0) for each, value in found)
            case _:
                is_worth_it = False
        is_usual = figure.shown == "always" or (figure.shown == "where it is less than all" and total is None)
        if is_usual or is_worth_it or everything:
            (usual if is_usual else others)[figure.title.upper()] = partial(amount_in, name)
    return usual | others


def _amounts(queue: QueueResult, name: str) -> list[Amounts]:
    """Return amounts of a queue by their field: those at the opening and at the closing, or what there is of these."""
    return [getattr(each, name) for each in (queue.opened, queue.closed) if hasattr(each, name)]


def amount_in(name: str, queue: QueueResult, resource: str) -> str:
    """Write an amount of a queue by its field, before and after, and how much of what it holds is only reserved."""
    known, *after = _amounts(queue, name)
    if not after:
        return amount(resource, known[resource]) if resource in known else ABSENT
    moved = change(*(amount(resource, each.get(resource, 0)) for each in (known, *after)))
    reserved = queue.closed.reserved.get(resource) if name == "allocated" else None
    return f"{moved} ({amount(resource, reserved)} reserved)" if reserved else moved


def resources_of(queue: QueueResult, *, everything: bool) -> list[str]:
    """Return the resources that a queue has to do with: cpu and memory first, the number of pods last."""
    opened, closed = queue.opened, queue.closed
    figures = (opened.deserved, opened.allocated, opened.request, opened.guarantee, closed.allocated)
    named = {name for amounts in figures for name, value in amounts.items() if value != 0 or everything}
    return sorted(named, key=lambda name: (name in _LAST_RESOURCES, name not in _FIRST_RESOURCES, name))


def standstill(result: Simulation | QueueReport | JobReport | WaitingJobs) -> Sequence[str]:
    """Say so where nothing at all is scheduled; nothing where that is not so."""
    stopped = result.session.standstill
    if stopped:
        return [f"Scheduling is blocked in all queues: {stopped}."]
    return [] if result.session.nodes else ["Nothing can be placed: the snapshot has no nodes."]


def notes(diagnostics: Sequence[DiagnosticResult], *, everything: bool = False) -> Iterator[Part]:
    """Yield what is to be known about the input and the session, if there is anything.

    What is about other jobs and queues than those that the report is on is counted, unless everything is wanted.
    """
    shown, others = (diagnostics, "") if everything else without_elsewhere(diagnostics)
    items = [Line(diagnostic_line(each), "" if each.severity == "note" else "magenta") for each in shown]
    if others:
        items.append(Line(others))
    if items:
        yield Part("Notes", items=items)


def without_elsewhere(diagnostics: Sequence[DiagnosticResult]) -> tuple[list[DiagnosticResult], str]:
    """Leave out the notes about other jobs and queues; the text says how many, and is empty where there are none."""
    shown = [each for each in diagnostics if not each.elsewhere]
    number = len(diagnostics) - len(shown)
    left, them = ("is", "it") if number == 1 else ("are", "them")
    text = f"{count(number, 'note')} on other jobs or queues {left} left out: vqs simulate shows {them}"
    return shown, text if number else ""


def caveats(diagnostics: Sequence[DiagnosticResult]) -> list[str]:
    """Return what tells that decisions may not be the real scheduler's."""
    return [diagnostic_line(each) for each in diagnostics if each.code in _CAVEATS and not each.elsewhere]


def no_queues(result: Simulation) -> str:
    """Say why there are no figures of queues."""
    if any(plugin in tier for tier in result.session.tiers for plugin in QUEUE_PLUGINS):
        return "Queues: none has a job"
    plugins = " or ".join(QUEUE_PLUGINS)
    return f"Queues: no figures, as they come from the plugin {plugins}, and neither is configured"


def job_reason(job: JobResult, *, everything: bool = False) -> str:
    """Say why a job did not get what it wants, where it goes on; with everything, the line of the log is named, too."""
    if not everything:
        return "" if job.says.endswith(TERMINATING) else job.reason
    return joined(job.reason, _logged(job.verdict)) if job.reason and job.verdict else job.reason


def task_reason(task: TaskResult, *, everything: bool = False) -> str:
    """Say why a task has no place, also in the words that the scheduler has for it; empty where it has one.

    Words that only repeat the verdict are left out. Where everything is wanted, what the pod says is quoted instead,
    with what that means, and the line of the log is named.
    """
    if not task.verdict:
        return task.message
    said = f"{task.verdict.code}: {task.verdict.text}"
    rule = VERDICT_RULES.get(task.verdict.code)
    says_all = rule is not None and (rule.repeats_pod or PodText.NODES in rule.shown)  # be it in other words
    repeated = task.message in said or (says_all and not everything)
    message = "" if repeated or not task.message else f'on the pod: "{task.message}"'
    if not everything:
        return joined(said, message)
    if task.pod_scheduled is not None:
        message = f"on the pod ({task.pod_scheduled_reason}): {quoted_message(task)}"
    return joined(said, message, _logged(task.verdict))


def quoted_message(task: TaskResult) -> str:
    """Quote what a task's pod says once the session is over, and say what that means, given the verdict."""
    rule = VERDICT_RULES.get(task.verdict.code) if task.verdict else None
    return f'"{task.pod_scheduled}"{f" ({rule.pod})" if rule and rule.pod else ""}'


def shared_reason(task: TaskResult) -> str:
    """Say why a task has no place in words that suit others of its job too: not where, and for whom."""
    verdict = task.verdict
    if not verdict:
        return task.message
    rule = VERDICT_RULES.get(verdict.code)
    shared = rule.shared.format(action=verdict.action) if rule else ""
    return f"{verdict.code}: {shared or verdict.text}"


def _logged(verdict: Verdict) -> str:
    """Name the line to look for in the scheduler's log, and how verbose that has to be."""
    return f"in the scheduler's log (--v={verdict.verbosity}), lines with: {verdict.log}" if verdict.log else ""


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
    parts = {"open": timing.open, **timing.actions}
    session = ", ".join(f"{name} {spent:.3f} s" for name, spent in parts.items())
    return (
        f"Time: parse {timing.parse:.3f} s, load {timing.load:.3f} s, session {timing.session:.3f} s ({session}), "
        f"report {timing.report:.3f} s"
    )
