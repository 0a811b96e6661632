"""The later stages of a job: each attempt to place its tasks, then who is evicted for it, and what it loses itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec.structs import replace
from rich.text import Text

from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.answer import no_victim
from vqs.explain.jobs.outcome import (
    AttemptStep,
    Candidate,
    HyperNodeChoice,
    JobReport,
    NodeVotes,
    PlacementAttempt,
    Search,
    VoteOn,
)
from vqs.model.wording import and_more, count, first_names
from vqs.report.grid import Column, Grid, Row, Span, cell
from vqs.report.page import Part, out_of
from vqs.report.phrases import among_ties
from vqs.report.visible import visible

ATTEMPTS: Final = "Placement attempts"

_TRIES: Final = 8
_NODES: Final = 4
_HYPER_NODES: Final = 12
"""Longer lists than these are folded, unless everything is asked for."""

_ENDS: Final = {
    "commit": ("committed", "each committed", "green"),
    "keep": (
        "reserved: waits for resources to be released",
        "each reserved: waits for resources to be released",
        "cyan",
    ),
    "discard": ("rolled back: gang incomplete", "each rolled back: gang incomplete", "red"),
    "refused": ("no task placed", "none placed a task", "red"),
}
"""How an attempt ends, how each of several does, and the colour of that."""


def placement_attempts(report: JobReport, *, everything: bool) -> Part:
    """Show the tries; several in a row that came to the same are one."""
    if not report.attempts:
        return Part(ATTEMPTS, (_untried(report),))
    together = [list(group) for _, group in groupby(report.attempts, _alike)]
    groups = [[each] for each in report.attempts] if everything else together
    shown = groups if everything else groups[:_TRIES]
    rows: list[Row | Span] = []
    for group in shown:
        rows.append(Span(_heading(group)))
        rows += [_row(steps, everything=everything) for steps in _merged(group)]
    number = len(report.attempts)
    title = f"{ATTEMPTS}: {number:,}" if number > 1 else ATTEMPTS
    grid = Grid((Column("  ROLE"), Column("TASKS", numeric=True), Column("WHERE")), rows, "REASON")
    return Part(out_of(title, len(shown), len(groups)), (), grid)


def hyper_nodes(report: JobReport, *, everything: bool) -> Part:
    """Show the HyperNodes of the last attempt; those that have room first."""
    ordered = sorted(report.hyper_nodes, key=lambda each: (not each.chosen, each.placed is None, each.tier))
    shown = ordered if everything else ordered[:_HYPER_NODES]
    columns = (
        Column("HYPERNODE"),
        Column("TIER", numeric=True),
        Column("FOR"),
        Column("PLACED", numeric=True),
        Column("SCORE", numeric=True),
        Column("CHOSEN"),
    )
    rows: list[Row | Span] = [_hyper_node(each) for each in shown]
    return Part(out_of("HyperNodes in the last attempt", len(shown), len(ordered)), (), Grid(columns, rows, "WHY NOT"))


def _hyper_node(choice: HyperNodeChoice) -> Row:
    cells = (
        cell(choice.hyper_node),
        cell(f"{choice.tier:,}"),
        cell(choice.sub_job or "the job"),
        cell(ABSENT if choice.placed is None else f"{choice.placed:,}"),
        cell(ABSENT if choice.score is None else f"{choice.score:.1f}"),
        cell("yes" if choice.chosen else "no"),
    )
    return Row(cells, choice.reason)


def _untried(report: JobReport) -> str:
    if report.blocked_at:
        return "No attempt: the job was stopped before it was tried."
    waits = any(task.status_before == "Pending" for task in report.tasks)
    return "No attempt." if waits else "No task had to be placed."


def _alike(each: PlacementAttempt) -> Hashable:
    """Return what tries have in common that share a row."""
    steps = tuple((step.role, step.placed, step.pipelined, step.verdict and step.verdict.code) for step in each.steps)
    return (each.action, each.hyper_node, each.result, bool(each.evicted), steps)


def _heading(group: Sequence[PlacementAttempt]) -> Text:
    first = group[0]
    once, each_time, style = _ENDS[first.result]
    said = f"{len(group):,} attempts, {each_time}" if len(group) > 1 else once
    line = Text().append(visible(first.action), "bold")
    if first.hyper_node:
        line.append(f" in HyperNode {visible(first.hyper_node)}")
    line.append(", ").append(said, style)
    evicted = sum(len(attempt.evicted) for attempt in group)
    evicts = f"; evicts {count(evicted, 'task')}" if evicted and first.result != "discard" else ""
    return line.append(evicts)


def _merged(group: Sequence[PlacementAttempt]) -> list[list[AttemptStep]]:
    """Return the steps of alike tries, those of a role that were placed, one after the other, together."""
    steps = [step for each in group for step in each.steps]
    return [list(together) for _, together in groupby(steps, _kind)]


def _kind(step: AttemptStep) -> Hashable:
    return (step.role, step.placed, step.pipelined, step.verdict and step.verdict.text)


def _row(steps: Sequence[AttemptStep], *, everything: bool) -> Row:
    first = steps[0]
    where = cell(_where(steps, everything=everything), "" if first.placed else "red")
    cells = (cell(f"  {first.role or ABSENT}"), cell(f"{sum(len(step.tasks) for step in steps):,}"), where)
    return Row(cells, _why(first))


def _where(steps: Sequence[AttemptStep], *, everything: bool) -> str:
    if not steps[0].placed:
        return "not placed"
    nodes = Counter({step.node: 0 for step in steps})
    for step in steps:
        nodes[step.node] += len(step.tasks)
    named = list(nodes.items()) if everything else list(nodes.items())[:_NODES]
    counted = 1 < len(nodes) < nodes.total()
    text = ", ".join(f"{number} on {node}" if counted else node for node, number in named)
    tied = among_ties(steps[0].tied_nodes) if len(nodes) == 1 else ""
    reserved = "reserved: " if steps[0].pipelined else ""
    return f"{reserved}{text}{and_more(len(nodes) - len(named), 'node')}{tied}"


def _why(step: AttemptStep) -> str:
    if step.verdict is None:
        return ""
    text = f"{step.verdict.code}: {step.verdict.text}"
    if step.fit_errors is None:
        return text
    reasons = [f"{number} {reason}" for reason, number in step.fit_errors.reasons.items()]
    missing = [reason for reason in reasons if reason not in text]
    return f"{text}; of {count(step.fit_errors.nodes, 'node')}: {', '.join(missing)}" if missing else text


EVICTION: Final = "Eviction"

_SEARCHES: Final = 10
_VOTED_NODES: Final = 6
_CANDIDATES: Final = 8
_NAMED: Final = 3
"""Longer lists than these are folded, unless everything is asked for."""

_AMONG: Final = {"queue": "its queue", "job": "the job itself", "other-queues": "other queues"}


def eviction(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Tell of each action that evicts, of its searches and the votes, of what tasks wait for, and of what is lost."""
    if report.eviction_actions or report.evictions:
        yield _searches(report, everything=everything)
    elif report.blocked_at:
        yield Part(EVICTION, ("Neither preempt nor reclaim is configured: no task is evicted to make room.",))
    yield from _votes(report, everything=everything)
    yield from _promises(report, everything=everything)
    yield from _losses(report, everything=everything)


# --- searches ---------------------------------------------------------------------------------------------------------


def _searches(report: JobReport, *, everything: bool) -> Part:
    lines = [
        f"{each.action} did not search for victims: {each.reason}."
        for each in report.eviction_actions
        if not each.searched
    ]
    lines += [f"{each.text}." for each in report.losses_of_others]
    if not report.searches:
        return Part(EVICTION, lines or ("Neither preempt nor reclaim searched for victims.",))
    together = [list(group) for _, group in groupby(report.searches, _figures)]
    groups = [[each] for each in report.searches] if everything else together
    shown = groups if everything else groups[:_SEARCHES]
    titles = ("NODES", "TOO SMALL", "CANDIDATES", "VOTED ON", "VICTIMS")
    columns = (
        Column("ACTION"),
        Column("FOR"),
        Column("VICTIMS FROM"),
        *(Column(title, numeric=True, dispensable=title == "TOO SMALL") for title in titles),
    )
    rows = [_search(group) for group in shown]
    title = f"{EVICTION}: {_outcome(report)}"
    return Part(out_of(title, len(shown), len(groups)), lines, Grid(columns, rows, "RESULT"))


def _outcome(report: JobReport) -> str:
    victims = sum(len(search.victims) for search in report.searches if search.result in ("commit", "keep"))
    if not victims:
        return "no task is evicted for this job"
    return f"{count(victims, 'task')} of other jobs {'is' if victims == 1 else 'are'} evicted for this job"


def _figures(search: Search) -> Search:
    """Return what searches that share a row have in common: all but the preemptor and the victims."""
    return replace(search, task="", node="", victims=[""] * len(search.victims), node_votes=[])


def _search(group: Sequence[Search]) -> Row:
    first = group[0]
    name = first.task.partition("/")[2] + and_more(len(group) - 1)
    figures = (first.nodes, first.insufficient_nodes, first.candidates, first.voted_nodes, len(first.victims))
    cells = (cell(first.action), cell(name), cell(_AMONG[first.victims_from]), *(cell(f"{each:,}") for each in figures))
    return Row(cells, _told(group))


def _told(group: Sequence[Search]) -> str:
    first = group[0]
    if not first.node and not first.victims:
        return no_victim([first])
    nodes = list(dict.fromkeys(search.node for search in group if search.node))
    named = f"{', '.join(nodes[:_NAMED])}{and_more(len(nodes) - _NAMED, 'node')}"
    promised = f"room on {named}" if nodes else "no room"
    if first.result == "discard":
        return f"{promised}, rolled back: gang incomplete"
    return promised if first.victims else f"{promised}, without evicting a task"


# --- votes ------------------------------------------------------------------------------------------------------------


def _votes(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Show the votes on every candidate: those that are spared explain as much as the victims."""
    searches = [search for search in report.searches if search.node_votes]
    voted = [(search, votes) for search in searches for votes in search.node_votes if votes.candidates]
    shown = voted if everything else voted[:_VOTED_NODES]
    rows: list[Row | Span] = []
    for search, votes in shown:
        rows.append(Span(_ballot_heading(search, votes)))
        rows += _candidates(votes, given_back=search.result == "discard", everything=everything)
    if not rows:
        return
    crossing = any(search.victims_from == "other-queues" for search, _ in shown)
    columns = (
        Column("  CANDIDATE"),
        Column("QUEUE", dispensable=not crossing),
        Column("PRIORITY", numeric=True),
        Column("OUTCOME"),
    )
    text = "A victim has to be allowed by all voting plugins of a tier. The first tier that allows a victim decides."
    yield Part(out_of("Victim selection", len(shown), len(voted)), (text,), Grid(columns, rows, "VOTES"))


def _ballot_heading(search: Search, votes: NodeVotes) -> Text:
    said = (
        f"tier {votes.tier} decides"
        if votes.tier
        else f"{votes.spared_by} spares every candidate that is left"
        if votes.spared_by
        else ""
    )
    if votes.insufficient:
        said = "too small, even if all candidates were evicted"
    line = Text().append(visible(votes.node), "bold").append(visible(f", {search.action} for {search.task}"))
    return line.append(f": {said}" if said else "")


def _candidates(votes: NodeVotes, *, given_back: bool, everything: bool) -> Iterator[Row]:
    """Yield those that go one by one, and the others together as far as the same is said of them."""
    ordered = sorted(votes.candidates, key=lambda each: (not each.evicted, not each.evictable, _spared(each)))
    groups = [list(group) for _, group in groupby(ordered, lambda each: each.task if everything else _in_common(each))]
    shown = groups if everything else groups[:_CANDIDATES]
    for group in shown:
        first = group[0]
        outcome, style = _fate(first, given_back=given_back)
        cells = (
            cell(f"  {first.task}{and_more(len(group) - 1)}"),
            cell(first.queue),
            cell(str(first.priority)),
            cell(outcome, style),
        )
        yield Row(cells, ballots(first.votes))
    rest = sum(len(group) for group in groups[len(shown) :])
    if rest:
        yield Row((cell(f"  … {rest:,} more"), cell(""), cell(""), cell("")), "")


def _spared(candidate: Candidate) -> str:
    """Sort those that are spared by why they are."""
    return "" if candidate.evicted or candidate.evictable else ballots(candidate.votes)


def _in_common(candidate: Candidate) -> Hashable:
    """Return what candidates that share a row have in common: all but the name; a victim has its own row."""
    alone = candidate.task if candidate.evicted else ""
    return (alone, candidate.queue, candidate.priority, candidate.evictable, ballots(candidate.votes))


def _fate(candidate: Candidate, *, given_back: bool) -> tuple[str, str]:
    if candidate.evicted:
        return ("rolled back", "cyan") if given_back else ("evicted", "red")
    return ("allowed", "") if candidate.evictable else ("spared", "green")


def ballots(votes: Sequence[VoteOn]) -> str:
    """Return the votes as text, tier by tier if several tiers voted; in each tier, plugins that spare come first."""
    tiers = [(tier, list(group)) for tier, group in groupby(votes, lambda vote: vote.tier)]
    said = [(f"tier {tier}: " if len(tiers) > 1 else "") + _ballot(group) for tier, group in tiers]
    return "; ".join(said) or "no plugin votes"


def _ballot(votes: Sequence[VoteOn]) -> str:
    spare = [f"spared by {vote.plugin}: {vote.reason}" for vote in votes if not vote.evictable]
    taken = list(dict.fromkeys(vote.plugin for vote in votes if vote.evictable))
    allowed = [f"allowed by {', '.join(taken)}"] if taken else []
    return "; ".join([*spare, *allowed])


# --- what is promised, and what is lost ------------------------------------------------------------------------------


def _promises(report: JobReport, *, everything: bool) -> Iterator[Part]:
    waiting = [task for task in report.tasks if task.status == "Pipelined"]
    if not waiting:
        return
    shown = waiting if everything else waiting[:_SEARCHES]
    most = None if everything else _NAMED
    rows = [
        Row((cell(f"{task.namespace}/{task.name}"), cell(task.node or "")), first_names(task.waits_for, most))
        for task in shown
    ]
    grid = Grid((Column("TASK"), Column("NODE")), rows, "WAITS FOR")
    yield Part(out_of("What the reserved nodes wait for", len(shown), len(waiting)), (), grid)


def _losses(report: JobReport, *, everything: bool) -> Iterator[Part]:
    if not report.evictions:
        return
    shown = report.evictions if everything else report.evictions[:_SEARCHES]
    rows = []
    for loss in shown:
        queue = f" of queue {loss.evictor_queue}" if loss.evictor_queue != report.job.queue else ""
        cells = (cell(loss.task), cell(loss.node), cell(loss.action), cell(f"{loss.evictor}{queue}"))
        rows.append(Row(cells, ballots(loss.votes)))
    columns = (Column("TASK"), Column("NODE"), Column("BY"), Column("FOR"))
    title = out_of("Tasks that are evicted", len(shown), len(report.evictions))
    yield Part(title, (), Grid(columns, rows, "VOTES"))
