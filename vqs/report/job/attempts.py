"""The later stages of a job: each attempt to place its tasks, then who is evicted for it, and what it loses itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from msgspec.structs import replace
from rich.text import Text

from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.answer import no_victim
from vqs.explain.jobs.outcome import (
    AttemptStep,
    Candidate,
    JobReport,
    NodeVotes,
    PlacementAttempt,
    Search,
    TaskEviction,
    VoteOn,
)
from vqs.explain.texts.node_reasons import in_a_sentence
from vqs.explain.verdicts import OF_NODES
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.wording import and_more, count, first_names
from vqs.report.page import Cell, Column, Part, Span, cell, first_rows, out_of, table
from vqs.report.phrases import among_ties

ATTEMPTS: Final = "Placement attempts"

_TRIES: Final = 8
_NODES: Final = 4
HYPER_NODES: Final = "HyperNodes in the last attempt"
VICTIMS: Final = "Victim selection"
RESERVED: Final = "What the reserved nodes wait for"

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
        waits = any(task.status_before == "Pending" for task in report.tasks)
        untried = "No attempt." if waits else "No task had to be placed."
        stopped = "No attempt: the job is passed over before any of its tasks is tried; the first line says why."
        return Part(ATTEMPTS, (stopped if report.blocked_at else untried,))
    together = [list(group) for _, group in groupby(report.attempts, _alike)]
    groups = [[each] for each in report.attempts] if everything else together
    shown = groups if everything else groups[:_TRIES]
    rows: list[list[AttemptStep] | Span] = []
    for group in shown:
        rows.append(Span(_heading(group)))
        # The steps of alike tries, those of a role that were placed, one after the other, together.
        steps = [step for each in group for step in each.steps]
        rows += [
            list(alike)
            for _, alike in groupby(
                steps, lambda step: (step.role, step.placed, step.pipelined, step.verdict and step.verdict.text)
            )
        ]
    columns: dict[Column, Callable[[list[AttemptStep]], Cell]] = {
        Column("  ROLE"): lambda steps: f"  {steps[0].role or ABSENT}",
        Column("TASKS", numeric=True): lambda steps: sum(len(step.tasks) for step in steps),
        Column("WHERE"): lambda steps: cell(_where(steps, everything=everything), "" if steps[0].placed else "red"),
    }
    number = len(report.attempts)
    title = f"{ATTEMPTS}: {number:,}" if number > 1 else ATTEMPTS
    return Part(out_of(title, len(shown), len(groups)), (), table(rows, columns, "REASON", _why))


def hyper_nodes(report: JobReport, *, everything: bool) -> Part:
    """Show the HyperNodes of the last attempt; those that have room first."""
    return first_rows(
        HYPER_NODES,
        sorted(report.hyper_nodes, key=lambda each: (not each.chosen, each.placed is None, each.tier)),
        None if everything else _HYPER_NODES,
        {
            Column("HYPERNODE"): lambda each: each.hyper_node,
            Column("TIER", numeric=True): lambda each: each.tier,
            Column("FOR"): lambda each: each.sub_job or "the job",
            Column("PLACED", numeric=True): lambda each: each.placed,
            Column("SCORE", numeric=True): lambda each: None if each.score is None else f"{each.score:.1f}",
            Column("CHOSEN"): lambda each: "yes" if each.chosen else "no",
        },
        "WHY NOT",
        says=lambda each: each.reason,
    )


def _alike(each: PlacementAttempt) -> Hashable:
    """What tries have in common that share a row."""
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


def _where(steps: Sequence[AttemptStep], *, everything: bool) -> str:
    if not steps[0].placed:
        return "not placed"
    nodes = Counter({step.node: 0 for step in steps})
    for step in steps:
        nodes[step.node] += len(step.tasks)
    named = list(nodes.items()) if everything else list(nodes.items())[:_NODES]
    counted = 1 < len(nodes) < nodes.total()
    text = ", ".join(f"{number} on {node}" if counted else node for node, number in named)
    left = sum(number for _, number in list(nodes.items())[len(named) :])
    more = (
        f", {left:,} on {count(len(nodes) - len(named), 'more node')}" if left and counted else and_more(left, "node")
    )
    tied = among_ties(steps[0].tied_nodes) if len(nodes) == 1 else ""
    reserved = "reserved: " if steps[0].pipelined else ""
    return f"{reserved}{text}{more}{tied}"


def _why(steps: Sequence[AttemptStep]) -> str:
    step = steps[0]
    if step.verdict is None:
        return ""
    text = f"{step.verdict.code}: {step.verdict.text}"
    if step.fit_errors is None or step.verdict.code in (VerdictCode.PRE_PREDICATE_FAILED, *OF_NODES):
        return text  # which counts the nodes by their reasons
    reasons = [in_a_sentence(reason, number) for reason, number in step.fit_errors.reasons.items()]
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
    victims = sum(len(search.victims) for search in report.searches if search.result in ("commit", "keep"))
    outcome = f"{count(victims, 'task')} of other jobs {'is' if victims == 1 else 'are'} evicted for this job"
    return first_rows(
        f"{EVICTION}: {outcome if victims else 'no task is evicted for this job'}",
        [[each] for each in report.searches] if everything else together,
        None if everything else _SEARCHES,
        {
            Column("ACTION"): lambda group: group[0].action,
            Column("FOR"): lambda group: group[0].task.partition("/")[2] + and_more(len(group) - 1),
            Column("VICTIMS FROM"): lambda group: _AMONG[group[0].victims_from],
            Column("NODES", numeric=True): lambda group: group[0].nodes,
            Column("TOO SMALL", numeric=True, dispensable=True): lambda group: group[0].insufficient_nodes,
            Column("CANDIDATES", numeric=True): lambda group: group[0].candidates,
            Column("VOTED ON", numeric=True): lambda group: group[0].voted_nodes,
            Column("VICTIMS", numeric=True): lambda group: len(group[0].victims),
        },
        "RESULT",
        says=_told,
        lines=lines,
    )


def _figures(search: Search) -> Search:
    """What searches that share a row have in common: all but the preemptor and the victims."""
    return replace(search, task="", node="", victims=[""] * len(search.victims), node_votes=[])


def _told(group: Sequence[Search]) -> str:
    first = group[0]
    if not first.node and not first.victims:
        return no_victim([first])
    nodes = list(dict.fromkeys(search.node for search in group if search.node))
    named = f"{', '.join(nodes[:_NAMED])}{and_more(len(nodes) - _NAMED, 'node')}"
    promised = f"reserved on {named}" if nodes else "no room"
    if first.result == "discard":
        return f"{promised}, rolled back: gang incomplete"
    return promised if first.victims else f"{promised}, without evicting a task"


# --- votes ------------------------------------------------------------------------------------------------------------


def _votes(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Show the votes on every candidate: those that are spared explain as much as the victims."""
    searches = [search for search in report.searches if search.node_votes]
    polls = [(search, poll) for search in searches for poll in search.node_votes if poll.candidates]
    shown = polls if everything else polls[:_VOTED_NODES]
    if not shown:
        return
    rows: list[_Group | Span] = []
    for search, poll in shown:
        said = f"tier {poll.tier} decides" if poll.tier else ""
        if poll.insufficient:
            said = "too small, even if all candidates were evicted"
        elif not poll.tier and poll.spared_by:
            said = f"{poll.spared_by} spares every candidate that is left"
        line = (
            Text()
            .append(visible(poll.node), "bold")
            .append(visible(f", searched by {search.action} for {search.task}"))
        )
        rows.append(Span(line.append(f": {said}" if said else "")))
        rows += _groups(poll, given_back=search.result == "discard", everything=everything)
    crossing = any(search.victims_from == "other-queues" for search, _ in shown)
    columns: dict[Column, Callable[[_Group], Cell]] = {
        Column("  CANDIDATE"): lambda each: each.name,
        Column("QUEUE", dispensable=not crossing): lambda each: each.first.queue if each.first else "",
        Column("PRIORITY", numeric=True): lambda each: str(each.first.priority) if each.first else "",
        Column("OUTCOME"): _fate,
    }
    text = (
        "Tiers are asked in order. A tier allows a candidate if all of its plugins that vote do; the first one that "
        "allows any settles who is evicted, and later tiers are not asked."
    )
    grid = table(rows, columns, "VOTES", lambda each: ballots(each.first.votes) if each.first else "")
    yield Part(out_of(VICTIMS, len(shown), len(polls)), (text,), grid)


class _Group(NamedTuple):
    """Candidates that share a row: the first of them, or none where the others are only counted."""

    name: str
    first: Candidate | None = None
    given_back: bool = False


def _groups(poll: NodeVotes, *, given_back: bool, everything: bool) -> Iterator[_Group]:
    """Yield those that go one by one, and the others together as far as the same is said of them."""

    def spared(each: Candidate) -> str:
        return "" if each.evicted or each.evictable else ballots(each.votes)

    def in_common(each: Candidate) -> Hashable:
        """What candidates that share a row have in common: all but the name; a victim has its own row."""
        if everything:
            return each.task
        return (each.task * each.evicted, each.queue, each.priority, each.evictable, ballots(each.votes))

    ordered = sorted(poll.candidates, key=lambda each: (not each.evicted, not each.evictable, spared(each)))
    groups = [list(group) for _, group in groupby(ordered, in_common)]
    shown = groups if everything else groups[:_CANDIDATES]
    for group in shown:
        yield _Group(f"  {group[0].task}{and_more(len(group) - 1)}", group[0], given_back)
    if rest := sum(len(group) for group in groups[len(shown) :]):
        yield _Group(f"  … {rest:,} more")


def _fate(group: _Group) -> Cell:
    candidate = group.first
    if candidate is None:
        return ""
    if candidate.evicted:
        return cell("rolled back", "cyan") if group.given_back else cell("evicted", "red")
    return "allowed" if candidate.evictable else cell("spared", "green")


def ballots(votes: Sequence[VoteOn]) -> str:
    """Return the votes as text, tier by tier if several tiers voted; in each tier, plugins that spare come first."""
    tiers = [(tier, list(group)) for tier, group in groupby(votes, lambda vote: vote.tier)]
    said = []
    for tier, group in tiers:
        spare = [f"spared by {vote.plugin}: {vote.reason}" for vote in group if not vote.evictable]
        taken = dict.fromkeys(vote.plugin for vote in group if vote.evictable)
        ballot = "; ".join([*spare, *([f"allowed by {', '.join(taken)}"] if taken else [])])
        said.append(f"tier {tier}: {ballot}" if len(tiers) > 1 else ballot)
    return "; ".join(said) or "no plugin votes"


# --- what is promised, and what is lost ------------------------------------------------------------------------------


def _promises(report: JobReport, *, everything: bool) -> Iterator[Part]:
    waiting = [task for task in report.tasks if task.status == "Pipelined"]
    if waiting:
        yield first_rows(
            RESERVED,
            waiting,
            None if everything else _SEARCHES,
            {
                Column("TASK"): lambda task: f"{task.namespace}/{task.name}",
                Column("NODE"): lambda task: task.node or "",
            },
            "WAITS FOR",
            says=lambda task: first_names(task.waits_for, None if everything else _NAMED),
        )


def _losses(report: JobReport, *, everything: bool) -> Iterator[Part]:
    def evictor(loss: TaskEviction) -> str:
        return loss.evictor + (f" of queue {loss.evictor_queue}" if loss.evictor_queue != report.job.queue else "")

    if report.evictions:
        yield first_rows(
            "Tasks that are evicted",
            report.evictions,
            None if everything else _SEARCHES,
            {
                Column("TASK"): lambda loss: loss.task,
                Column("NODE"): lambda loss: loss.node,
                Column("BY"): lambda loss: loss.action,
                Column("FOR"): evictor,
            },
            "VOTES",
            says=lambda loss: ballots(loss.votes),
        )
