"""The pages on one job, stage by stage from its fixes to what its pods say, and on all jobs that wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from vqs.explain.amounts import amount, exact_percent
from vqs.explain.jobs.outcome import JobPlace, JobReport, JobReports
from vqs.explain.jobs.waiting_outcome import WaitingJob, WaitingJobs
from vqs.explain.outcome import TaskResult
from vqs.explain.queues.outcome import GateAccount
from vqs.explain.texts.grammar import about
from vqs.explain.texts.node_reasons import prospect
from vqs.explain.verdict_rules import PodText
from vqs.model.codes import VerdictCode
from vqs.model.wording import count
from vqs.report.formats import Next, View, of_title
from vqs.report.job.attempts import eviction, hyper_nodes, placement_attempts
from vqs.report.job.remedies import fixes, ineffective
from vqs.report.page import MARK, At, Cell, Column, Grid, Page, Part, cell, first_rows, table
from vqs.report.phrases import caveats, notes, quoted_message, standstill
from vqs.report.queues.account import excess
from vqs.report.queues.page import comparison
from vqs.report.simulation.summary import session_headline

_VERBS: Final = ("add", "remove", "clone-node", "scale")
_FEW: Final = 3
"""A command with more edits than these is not read."""


def page(result: JobReport, view: View, /) -> Page:
    """Return the page on a job."""
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session),
        parts=chain(_parts(result, view), notes(result.diagnostics, everything=view.everything)),
        answer=[result.answer],
        next=next_step(result, view),
        caveats=caveats(result.diagnostics),
    )


def page_of_jobs(result: JobReports, view: View, /) -> Page:
    """Return the page on several jobs, one after another."""
    parts = [(Part(each.job.called, (each.answer,)), _parts(each, view)) for each in result.jobs]
    first = result.jobs[0] if result.jobs else None
    return Page(
        stops=standstill(first) if first else (),
        headline=session_headline(result.volcano, result.scenario, first.session) if first else "",
        parts=chain(
            *(chain([title], found) for title, found in parts), notes(result.diagnostics, everything=view.everything)
        ),
        answer=[result.answer],
        next=(view.again or of_title(result.scenario)).last(),
        caveats=caveats(result.diagnostics),
    )


def _parts(report: JobReport, view: View) -> Iterator[Part]:
    """Yield the fixes that work, what led to the job's state, stage by stage, then the changes that do not help."""
    everything, found = view.everything, report.fix_search
    if not report.session.standstill or (found is not None and (found.fixes or found.newer)):
        yield from fixes(report, everything=everything, all_fixes=view.all_fixes)
    if report.session.standstill:
        return
    if not report.queue_path:  # no action looks at the job
        yield from ineffective(report, everything=everything)
        return
    yield gate(report)
    yield turn(report, everything=everything)
    yield placement_attempts(report, everything=everything)
    if report.hyper_nodes:
        yield hyper_nodes(report, everything=everything)
    yield from pods(report, everything=everything)
    yield from eviction(report, everything=everything)
    yield from ineffective(report, everything=everything)


def next_step(report: JobReport, view: View) -> Next:
    """Name the command to go on with."""
    again = view.again or of_title(report.scenario)
    if report.session.standstill:
        return again.last(again.lint())
    job = report.job.called
    edits = report.fix_search.fixes[0].edits if report.fix_search and report.fix_search.fixes else []
    options = []
    for edit in edits:
        verb, _, rest = edit.partition(" ")
        options.append((f"--{verb}", rest) if verb in _VERBS else ("--set", edit))
    steps, fix = [], [] if len(options) > _FEW or any(name == "--add" for name, _ in options) else options
    reason = report.blockers[0] if report.blockers else report.cause
    if reason is not None:
        steps.append(again.rule(reason.code, "says what to do"))
    if report.blocked_at in ("enqueue", "queue"):
        queue = report.cause.queue if report.cause is not None and report.cause.queue else report.job.queue
        steps.append(again.command("explain-queue", "shows the limits and the use of the queue", ("--queue", queue)))
    elif report.evictions and not report.blocked_at:
        evictor = report.evictions[0].evictor_display_name or report.evictions[0].evictor_job
        steps.append(again.command("explain-job", "explains the job that evicts its tasks", ("--job", evictor)))
    elif not fix and report.queue_path:
        sessions = report.session.sessions
        cycles = [("--cycles", str(sessions))] if sessions > 1 else []
        steps.append(again.command("simulate", "shows its tasks", ("--job", job), *cycles))
    if fix:
        steps.append(again.command("simulate", "shows the session with the first fix", *fix, ("--job", job)))
    return again.last(*steps)


ADMISSION: Final = "Admission (enqueue)"

_ENQUEUE: Final = "enqueue"
_OUTSIDE: Final = ("", "Pending")
_TERMS: Final = {
    "MINRESOURCES": "min_resources",
    "+ ALLOCATED": "allocated",
    "+ INQUEUE": "inqueue",
    "- ELASTIC": "elastic",
    "= SUM": "total",
    "LIMIT": "limit",
}


def gate(report: JobReport) -> Part:
    """Show the admission check of the job: the sum and the limit of each queue."""
    if report.admission is None:
        job = report.job
        if job.phase_before not in _OUTSIDE:
            why = f"Admitted before this session: its PodGroup is {job.phase_before}."
        elif _ENQUEUE not in report.session.actions:
            why = "The action enqueue is not configured: no job is admitted."
        elif job.decision == "not-enqueued":
            why = f"Not admitted: {job.verdict.text}." if job.verdict else "Not admitted."
        else:
            why = "Admitted without a check: it has no minResources, or no configured plugin checks them."
        return Part(ADMISSION, (why,))

    def term(name: str) -> Callable[[tuple[GateAccount, str]], Cell]:
        return lambda each: amount(each[1], getattr(each[0], name).get(each[1], 0.0))

    said = "admitted" if report.admission.admitted else "not admitted (PodGroup stays Pending)"
    rows = [
        (account, name) for account in report.admission.checks for name, need in account.min_resources.items() if need
    ]
    queues = [account.queue for account in report.admission.checks if account.queue]
    lines = []
    if len(queues) > 1:
        lines.append(
            f"The sum must not exceed the limit of queue {queues[0]}, nor of the queues above it: "
            f"{', '.join(queues[1:])}."
        )
    columns: dict[Column, Callable[[tuple[GateAccount, str]], Cell]] = {
        Column("QUEUE OR PLUGIN"): lambda each: each[0].queue or each[0].plugin,
        Column("RESOURCE"): lambda each: each[1],
        **{Column(title, numeric=True): term(name) for title, name in _TERMS.items()},
    }
    grid = table(rows, columns, says=lambda each: excess(*each, "over the limit")) if rows else None
    return Part(f"{ADMISSION}: {said}", lines, grid, folded=report.admission.admitted)


SCHEDULING_ORDER: Final = "Scheduling order"


def turn(report: JobReport, *, everything: bool) -> Part:
    """Tell when the job's queue is served, and when the job is within that queue."""
    lines = [*_queue(report), *_job(report)]
    return Part(SCHEDULING_ORDER, lines, _order(report) if everything else None)


def _queue(report: JobReport) -> list[str]:
    places = report.scheduling_order.queues
    at = next((number for number, place in enumerate(places) if place.queue == report.job.queue), None)
    if at is None:
        return []
    if len(places) == 1:
        return [f"Queue {report.job.queue} is the only queue with jobs."]
    first = f"Queue {report.job.queue} is number {at + 1:,} of {count(len(places), 'queue')} with jobs."
    return [first, *_neighbours(at, [f"queue {each.queue}" for each in places], lambda each: comparison(places[each]))]


def _job(report: JobReport) -> list[str]:
    places, name = report.scheduling_order.jobs, report.job.called
    at = _position(report)
    if at is None:
        if report.cause is not None and report.cause.code == VerdictCode.GATED:
            return [f"{name} is not in the order yet: its pods wait for their scheduling gates."]
        return [f"No task of {name} waits when the session opens."]
    if len(places) == 1:
        return [f"{name} is the only waiting job of queue {report.job.queue}."]
    first = f"{name} is number {at + 1:,} of {count(len(places), 'job')} that wait in queue {report.job.queue}."
    names = [each.called for each in places]
    return [first, *_neighbours(at, names, lambda each: decided(places[each - 1], places[each]))]


def _neighbours(at: int, names: Sequence[str], why: Callable[[int], str]) -> Iterator[str]:
    """Say what comes before and after one of several; `why` says of each but the first why it comes where it does."""
    if at > 0:
        yield f"It comes after {names[at - 1]}, as {why(at)}."
    if at + 1 < len(names):
        yield f"It comes before {names[at + 1]}, as {why(at + 1)}."


def _order(report: JobReport) -> Grid | None:
    """Return the jobs of the queue in their order, where there are others."""
    places, at = report.scheduling_order.jobs, _position(report)
    if at is None or len(places) < 2:  # noqa: PLR2004 - an order is of two at least
        return None
    columns: dict[Column, Callable[[tuple[int, JobPlace]], Cell]] = {
        Column("#", numeric=True): lambda each: each[1].position,
        Column("  JOB"): lambda each: (
            cell(f"{MARK}{each[1].called}", "bold") if each[0] == at else f"  {each[1].called}"
        ),
    }
    return table(
        enumerate(places),
        columns,
        "WHY AFTER THE JOB ABOVE",
        lambda each: decided(places[each[0] - 1], each[1]) if each[0] else "",
    )


def _position(report: JobReport) -> int | None:
    return next(
        (number for number, place in enumerate(report.scheduling_order.jobs) if place.job == report.job.uid), None
    )


def decided(before: JobPlace, place: JobPlace) -> str:
    """Say what put a job behind the one before it."""
    mine, theirs = place.values
    match place.decided_by:
        case "priority":
            return f"{before.called} has priority {mine}, and {place.called} has {theirs}"
        case "gang":
            having, lacking = (before, place) if mine == "yes" else (place, before)
            return f"{having.called} has its minimum number of tasks placed, while {lacking.called} does not"
        case "sla":
            return f"the {place.criterion} is {mine} for {before.called}, and {theirs} for {place.called}"
        case "drf":
            shares = exact_percent(mine), exact_percent(theirs)
            return f"{before.called} holds {shares[0]} of the cluster (dominant resource), {place.called} {shares[1]}"
        case "created":
            return f"{before.called} is older (created {mine}; {place.called} {theirs})"
        case "uid":
            if (before.job, place.job) == (before.called, place.called):
                return f"all else is equal, and {before.job} sorts before {place.job} by name"
            return f"all else is equal, and the PodGroup of {before.called} sorts before that of {place.called} by name"
        case _:
            return f"{place.criterion}: {mine} goes before {theirs}"


POD_CONDITIONS: Final = "Pod conditions (PodScheduled)"

_TEXTS: Final = 6
"""A longer list than this is cut, unless everything is asked for."""

_OF_ONE: Final = (PodText.ROLE, PodText.PLACE, PodText.RELEASE)
"""Texts that name the pod itself, so that no two pods have the same."""


def pods(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Yield what the pods that wait say; those that say the same share a row."""
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in report.tasks:
        if task.pod_scheduled is not None:
            groups.setdefault(_alike(task, everything=everything), []).append(task)
    if not groups:
        return
    yield first_rows(
        POD_CONDITIONS,
        list(groups.values()),
        None if everything else _TEXTS,
        {
            Column("PODS", numeric=True): len,
            Column("FIRST POD", dispensable=True): lambda alike: alike[0].name,
            Column("VERDICT", dispensable=True): lambda alike: alike[0].verdict.code if alike[0].verdict else "",
            Column("REASON"): lambda alike: alike[0].pod_scheduled_reason or "",
        },
        "MESSAGE",
        says=lambda alike: quoted_message(alike[0]),
    )


def _alike(task: TaskResult, *, everything: bool) -> tuple[str, ...]:
    """What tasks that share a row have in common."""
    text = task.pod_scheduled or ""
    kind = about(text)
    code = task.verdict.code if task.verdict else ""
    return (task.pod_scheduled_reason or "", code, kind if kind in _OF_ONE and not everything else text)


# --- the jobs that wait -----------------------------------------------------------------------------------------------

WAITING: Final = "Jobs that wait"


def page_of_waiting(result: WaitingJobs, view: View, /) -> Page:
    """Return the page on the jobs that wait."""
    again, steps = view.again or of_title(result.scenario), []
    if result.session.standstill:
        steps.append(again.lint())
    elif not result.jobs:
        if result.left_to_others:
            first = result.left_to_others[0]
            steps.append(again.command("explain-job", "says why Volcano leaves that", ("--job", first)))
        steps.append(again.command("simulate", "shows every job and task"))
    else:  # the command that explains a job, one with the most frequent cause first
        causes = Counter(job.code for job in result.jobs)
        job = max(result.jobs, key=lambda job: causes[job.code])
        steps.append(again.command("explain-job", "explains that job, and tries fixes", ("--job", job.display_name)))
        if job.code:
            steps.append(again.rule(job.code, "says what to do"))
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session),
        parts=_waiting(result),
        answer=[result.answer],
        next=again.last(*steps),
        caveats=caveats(result.diagnostics),
        answer_at=At.FIRST,
    )


def _waiting(result: WaitingJobs) -> Iterator[Part]:
    def cause(job: WaitingJob) -> str:
        said = prospect(job.outlook)
        starts = job.outlook is not None and bool(job.outlook.starts_in_session)
        why = f"{job.code}: {job.why}" if job.code and not (starts and said) else ""
        return "; ".join(filter(None, [said, why])) or job.decision

    if result.jobs and not result.session.standstill:
        columns: dict[Column, Callable[[WaitingJob], Cell]] = {
            Column("JOB", named=True): lambda job: job.display_name,
            Column("QUEUE", named=True): lambda job: job.queue,
            Column("TASKS WAITING", numeric=True): lambda job: f"{job.waiting:,} of {job.tasks:,}",
        }
        yield Part(WAITING, grid=table(result.jobs, columns, "CAUSE", cause))
    yield from notes(result.diagnostics)
