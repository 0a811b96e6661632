"""The page on session after session: a line for each, then how the last one ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from msgspec import structs

from vqs.explain.affected import Eviction
from vqs.explain.cycles import Cycle, Cycles
from vqs.explain.outcome import Simulation
from vqs.model.wording import count, first_names
from vqs.report.formats import Detail, View
from vqs.report.page import Cell, Column, Grid, Page, Part, table
from vqs.report.simulation import page as simulation
from vqs.report.simulation.extras import selected
from vqs.report.simulation.summary import PENDING, PIPELINED, summarize

_NAMED: Final = 3
"""After these, pairs of jobs, and evictions without progress, are counted and not named."""

_RARE: Final = ("CREATED", "NOT CREATED")
"""Columns that are shown only where there is anything to count."""


def page(result: Cycles, view: View, /) -> Page:
    """Return the page on all sessions and the last one in full; evictions without progress come first, and last."""
    about = _about(result, view)
    last, without_progress = simulation.page(final(result), view), warnings(about, view)
    if view.detail is Detail.SUMMARY:
        stops, answer = [*without_progress, *last.stops], [headline(result), *last.answer]
        return replace(last, stops=stops, answer=answer, closing=without_progress)
    sessions = Part(grid=cycles_grid(result, everything=view.everything))
    heading = Part(f"Session {len(result.cycles)}:", lines=[*last.stops, last.headline])
    return replace(
        last,
        stops=without_progress,
        headline=headline(result),
        parts=chain((sessions, heading), last.parts),
        closing=without_progress,
    )


def final(result: Cycles) -> Simulation:
    """Return the last session, with the first one's expectations and notes: only that one is of what was read."""
    first, last = result.cycles[0].simulation, result.cycles[-1].simulation
    new = [each for each in last.diagnostics if each not in first.diagnostics]
    return structs.replace(last, expectations=first.expectations, diagnostics=[*first.diagnostics, *new])


def _about(result: Cycles, view: View) -> Cycles:
    """Return the sessions with only those eviction loops and evictions without progress in which a job matches."""
    if not view.filters:
        return result
    simulations = (cycle.simulation for cycle in result.cycles)
    jobs = {job.uid for simulation in simulations for job in selected(simulation, view.filters).jobs}
    return structs.replace(
        result,
        eviction_loops=[each for each in result.eviction_loops if jobs.intersection(each.jobs)],
        evictions_without_progress=[each for each in result.evictions_without_progress if each.job in jobs],
    )


def warnings(result: Cycles, view: View) -> list[str]:
    """Name eviction loops and evictions without progress: the first ones, unless everything is asked for."""
    loops = [f"Eviction loop: {each.text}" for each in result.eviction_loops]
    found = [*loops, *(f"Evictions without progress: {each.text}" for each in result.evictions_without_progress)]
    if view.everything or len(found) <= _NAMED:
        return found
    return [*found[:_NAMED], f"{len(found) - _NAMED:,} more eviction loops or evictions without progress; -v shows all"]


def headline(result: Cycles) -> str:
    """Say how many sessions were run, and whether that is the end."""
    several = len(result.cycles) > 1
    ran = f"{count(len(result.cycles), 'session')} ran{', one second apart' if several else ''}"
    if not result.settled:
        return f"{ran}; the cluster is not stable yet"
    # Jobs that wait for a node, for pods that leave one, or for pods that are not created.
    last = result.cycles[-1].simulation
    tasks = {f"{task.namespace}/{task.job}" for task in last.tasks if task.status in (PENDING, PIPELINED)}
    waiting = sum(job.uid in tasks or job.awaited is not None for job in last.jobs)
    keep = f", and {count(waiting, 'job')} {'keeps' if waiting == 1 else 'keep'} waiting" if waiting else ""
    return f"{ran}; {'the last one' if several else 'it'} changed nothing: the cluster is stable{keep}"


def cycles_grid(result: Cycles, *, everything: bool) -> Grid:
    """Return a line for each session; pods that are created, or not yet, have a column only where there are any."""
    cycles = [(cycle, _figures(cycle)) for cycle in result.cycles]
    titles = [title for title in cycles[0][1] if title not in _RARE or any(own[title] for _, own in cycles)]

    def figure(title: str) -> Callable[[tuple[Cycle, dict[str, int]]], Cell]:
        return lambda each: each[1][title]

    columns: dict[Column, Callable[[tuple[Cycle, dict[str, int]]], Cell]] = {
        Column("CYCLE", numeric=True): lambda each: each[0].number,
        **{Column(each, numeric=True, dispensable=each in ("GONE", "BLOCKED")): figure(each) for each in titles},
    }
    return table(cycles, columns, "EVICTIONS", lambda each: _evictions(each[0].evictions, everything=everything))


def _figures(cycle: Cycle) -> dict[str, int]:
    summary = summarize(cycle.simulation)
    return {
        "BOUND": len(cycle.bound),
        "EVICTED": len(cycle.evictions),
        "GONE": len(cycle.gone),
        "CREATED": len(cycle.created),
        "RECREATED": len(cycle.recreated),
        "BLOCKED": len(cycle.awaiting_admission),
        "PIPELINED": summary.pipelined,
        "PENDING": summary.pending,
        "NOT CREATED": summary.not_created,
    }


def _evictions(evictions: Sequence[Eviction], *, everything: bool) -> str:
    pairs: dict[tuple[str, str, str], int] = {}
    for each in evictions:
        key = (each.evictor_display_name or each.evictor_job, each.action, each.called)
        pairs[key] = pairs.get(key, 0) + 1
    named = [f"{by} evicts {count(number, 'pod')} of {job} ({action})" for (by, action, job), number in pairs.items()]
    return first_names(named, None if everything else _NAMED)
