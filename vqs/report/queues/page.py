"""The page on queues: the tree, or one queue with the answer first and then part by part."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from vqs.explain.amounts import amount_of, exact_percent
from vqs.explain.outcome import QueueResult
from vqs.explain.queues.answer import causes, most_lacking
from vqs.explain.queues.outcome import Division, Place, QueueExplanation, QueueReport
from vqs.model.wording import count, listed_names
from vqs.report.formats import Again, Next, View, of_title
from vqs.report.page import Cell, Column, Page, Part, table
from vqs.report.phrases import caveats, notes, standstill
from vqs.report.queues import tree
from vqs.report.queues.account import accounts, chain, division, holders, ledger, pending
from vqs.report.queues.tree import PODS, Branch, chosen
from vqs.report.simulation.summary import session_headline

_COMING: Final = "in the next session."
_SENTENCE: Final = re.compile(r"(?<=\.) ")


def page(result: QueueReport, view: View, /) -> Page:
    """Return the page on queues."""
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session),
        parts=_parts(result, view),
        answer=answer_lines(result, view.again),
        next=next_step(result, view.again),
        caveats=caveats(result.diagnostics),
    )


def _parts(result: QueueReport, view: View) -> Iterator[Part]:
    explained = result.explained
    if explained is not None:
        line = tree.line(result, explained.queue_path)
        yield _tree(result, line, view, "The queue and its ancestors" if len(line) > 1 else "The queue")
        yield from parts(result, explained, view)
    elif result.spec is None and (branches := tree.branches(result, view)):
        yield _tree(result, branches, view)
    yield from notes(result.diagnostics, everything=view.everything)


def _tree(result: QueueReport, shown: Sequence[Branch], view: View, title: str = "") -> Part:
    left_out, grid = tree.grid(result, shown, view)
    legend = tree.legend(shown) if grid.has_rows else ""
    return Part(title or f"Queues, by {result.plugin}{left_out}", legend=legend, grid=grid)


def answer_lines(report: QueueReport, given: Again | None = None) -> list[str]:
    """Return the sentences of the answer; where pods come with the next session, the last says how to see that."""
    lines = _SENTENCE.split(report.answer)
    awaited = report.explained.awaited if report.explained else report.awaited
    if any(each.created_next for each in awaited) and lines[-1].endswith(_COMING):
        command = (given or of_title(report.scenario)).command("simulate", "", ("--cycles", "2")).command
        lines[-1] = f"{lines[-1].removesuffix('.')} ({command})."
    return lines


def next_step(report: QueueReport, given: Again | None = None) -> Next:
    """Name the command to go on with, if there is one."""
    again = given or of_title(report.scenario)
    if report.session.standstill:
        return again.last(again.lint())
    if report.explained is None:
        if report.spec is not None:
            shows = again.command("explain-queue", "shows the queues that have jobs")
            return again.last(shows) if report.queues else Next()
        name = most_lacking(report)
        says = "says what the queue gets, and why its jobs wait"
        return again.last(again.command("explain-queue", says, ("--queue", name))) if name else Next()
    jobs = again.command("simulate", "shows its jobs", ("--queue", report.explained.name))
    code = next((cause.code for cause in causes(report.explained) if cause.code), "")
    return again.last(*([again.rule(code, "says what to do")] if code else []), jobs)


def parts(
    report: QueueReport, explained: QueueExplanation, view: View, resources: View | None = None
) -> Iterator[Part]:
    """Yield all there is to say about a queue; of the resources that another view shows, where one is given."""
    if report.session.standstill:
        return
    everything = view.everything
    queue = next(each for each in report.queues if each.name == explained.name)
    names = _resources(queue, explained, resources or view)
    if isinstance(explained.derivation, Division):
        made = division(queue, explained.derivation, names, everything=everything)
    else:
        made = chain(explained.derivation, names)
    for number, part in enumerate(made):
        yield replace(part, folded=number > 0)
    yield ledger(explained, names)
    yield from holders(explained, everything=everything)
    yield from accounts(explained, view, everything=everything)
    yield from pending(explained, view, everything=everything)
    yield _order(queue, explained, everything=everything)
    yield _reclaim(explained)


def _resources(queue: QueueResult, explained: QueueExplanation, view: View) -> list[str]:
    """Return the resources to explain: those asked for, else those the queue has to do with, the short ones first."""
    opened = queue.opened
    figures = [opened.deserved, opened.real_capability, opened.request, opened.allocated, queue.closed.allocated]
    known = list(dict.fromkeys(name for amounts in figures for name in amounts))
    short = {cause.resource for cause in causes(explained)}
    used = [opened.deserved, opened.request, opened.allocated, opened.guarantee]
    shown = [name for name in known if name in short or (name != PODS and any(each.get(name) for each in used))]
    wanted = chosen(known, view) if view.queues.resources or view.everything else shown
    return sorted(wanted, key=lambda name: name not in short)


# --- order and reclaim ------------------------------------------------------------------------------------------------


def _order(queue: QueueResult, explained: QueueExplanation, *, everything: bool) -> Part:
    order = explained.queue_order
    at = next((number for number, place in enumerate(order) if place.queue == explained.name), None)
    if at is None:
        return Part("Scheduling order", ("It has no jobs of its own, so it has no place in the order.",))
    lines = [f"It is number {at + 1:,} of {count(len(order), 'queue')} with jobs when the session opens."]
    if len(order) == 1:
        lines = ["It is the only queue with jobs."]
    if at > 0:
        lines.append(f"It comes after {order[at - 1].queue}, as {comparison(order[at])}.")
    if at + 1 < len(order):
        lines.append(f"It comes before {order[at + 1].queue}, as {comparison(order[at + 1])}.")
    if queue.closed.overused and isinstance(explained.derivation, Division):
        lines.append("It is overused at session end: it holds all it deserves, so allocate skips it.")
    if not everything or len(order) < 2:  # noqa: PLR2004 - an order is of two at least
        return Part("Scheduling order", lines)
    columns: dict[Column, Callable[[Place], Cell]] = {
        Column("#", numeric=True): lambda place: place.position,
        Column("QUEUE"): lambda place: place.queue,
    }
    return Part(
        "Scheduling order",
        lines,
        table(order, columns, "WHY", lambda place: comparison(place) if place.criterion else ""),
    )


def comparison(place: Place) -> str:
    """Say what put a queue behind the one before it."""
    (first, second), (mine, theirs) = place.compared_queues, place.values
    match place.criterion:
        case "priority":
            return f"{first} has priority {mine}, and {second} has {theirs}"
        case "share":
            shares = f"{first} holds {exact_percent(mine)} of what it deserves, and {second} {exact_percent(theirs)}"
            return f"the smaller share comes first: of the resource of which it holds the largest part, {shares}"
        case "deserved":
            return f"{first} has a deserved share, {second} has none"
        case "saturated":
            return f"in drf's hierarchy, {second} is saturated and {first} is not"
        case "weighted-share":
            return f"in drf's hierarchy, share ÷ weight of {first} is {mine}, that of {second} {theirs}"
        case "created":
            return f"{first} is older (created {mine}; {second} {theirs})"
        case "name":
            return f"all else is equal, and {first} sorts before {second} by name"
        case "":
            return ""


def _reclaim(explained: QueueExplanation) -> Part:
    reclaim = explained.reclaim
    surplus, deficit = (
        listed_names([amount_of(name, value) for name, value in each.items() if name != PODS and value])
        for each in (reclaim.surplus, reclaim.deficit)
    )
    lines = [] if reclaim.configured else ["The action reclaim is not configured: no queue can take from another."]
    if reclaim.evicted_from_queue or reclaim.evicted_for_queue:
        lost, taken = reclaim.evicted_from_queue, reclaim.evicted_for_queue
        said = [
            f"{count(tasks, 'task')} of {whose} {'was' if tasks == 1 else 'were'} evicted for {whom}"
            for tasks, whose, whom in ((lost, "it", "other queues"), (taken, "other queues", "it"))
            if tasks
        ]
        lines.append(f"In this session, {', and '.join(said)}; the figures below are those at session end.")
    could = "can" if reclaim.configured else "could"
    if not reclaim.reclaimable:
        lines.append(f"Nothing {could} be reclaimed from it: its spec says reclaimable: false.")
    elif surplus:
        tasks = f"{reclaim.preemptable:,} of {reclaim.running:,} running tasks may be evicted"
        tasks = tasks if reclaim.running else "none of its tasks runs yet"
        lines.append(f"Other queues {could} reclaim what it holds beyond its deserved share: {surplus}; {tasks}.")
    else:
        lines.append(f"Nothing {could} be reclaimed from it: it holds no more than it deserves.")
    if deficit:
        takes = " It can reclaim that from queues that hold more than they deserve." if reclaim.configured else ""
        lines.append(f"Queue {explained.name} is {deficit} below its deserved share.{takes}")
    else:
        lines.append(f"It {could} reclaim nothing: it holds what it deserves.")
    return Part("Reclaim", lines)
