"""The page on session after session: a line for each, then how the last one ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from msgspec import structs

from vqs.explain.aftermath import Eviction
from vqs.explain.cycles import Cycle, Cycles
from vqs.explain.outcome import Simulation
from vqs.model.wording import count, first_names
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Page, Part
from vqs.report.simulation import page as simulation
from vqs.report.simulation.summary import summarize

_NAMED = 3
"""After these, pairs of jobs are counted and not named."""


def page(result: Cycles, view: View, /) -> Page:
    """Return the page on the last session, with all of them before it; what leads nowhere is said first, and last."""
    last, leading_nowhere = simulation.page(final(result), view), warnings(result)
    if view.detail is Detail.SUMMARY:
        stops, answer = [*leading_nowhere, *last.stops], [headline(result), *last.answer]
        return replace(last, stops=stops, answer=answer, closing=leading_nowhere)
    sessions = Part(grid=cycles_grid(result, everything=view.detail is Detail.EVERYTHING))
    heading = Part(f"Session {len(result.cycles)} is this:", lines=[*last.stops, last.headline])
    return replace(
        last,
        stops=leading_nowhere,
        headline=headline(result),
        parts=chain((sessions, heading), last.parts),
        closing=leading_nowhere,
    )


def final(result: Cycles) -> Simulation:
    """Return the last session, with the first one's expectations and notes: only that one is of what was read."""
    first, last = result.cycles[0].simulation, result.cycles[-1].simulation
    new = [each for each in last.diagnostics if each not in first.diagnostics]
    return structs.replace(last, expectations=first.expectations, diagnostics=[*first.diagnostics, *new])


def warnings(result: Cycles) -> list[str]:
    """Name evictions that lead nowhere."""
    without_progress = [f"In vain: {each.text}" for each in result.in_vain]
    return [*(f"Ping-pong: {each.text}" for each in result.ping_pong), *without_progress]


def headline(result: Cycles) -> str:
    """Say how many sessions were run, and whether that is the end."""
    several = len(result.cycles) > 1
    ran = f"{count(len(result.cycles), 'session')} ran{', one second apart' if several else ''}"
    if result.settled:
        return f"{ran}; {'the last one' if several else 'it'} changes nothing, so the next would be the same"
    return f"{ran}; whether it settles is not known"


def cycles_grid(result: Cycles, *, everything: bool) -> Grid:
    """Return a line for each session; pods that are created have a column only where there are any."""
    figures = [_figures(cycle) for cycle in result.cycles]
    titles = [title for title in figures[0] if title != "CREATED" or any(each[title] for each in figures)]
    columns = (
        Column("CYCLE", numeric=True),
        *(Column(title, numeric=True, dispensable=title in ("GONE", "HELD BACK")) for title in titles),
    )
    rows = [
        Row(
            (cell(f"{cycle.number:,}"), *(cell(f"{own[title]:,}") for title in titles)),
            _evictions(cycle.evictions, everything=everything),
        )
        for cycle, own in zip(result.cycles, figures, strict=True)
    ]
    return Grid(columns, rows, "WHO EVICTS WHOM")


def _figures(cycle: Cycle) -> dict[str, int]:
    summary = summarize(cycle.simulation)
    return {
        "BOUND": len(cycle.bound),
        "EVICTED": len(cycle.evictions),
        "GONE": len(cycle.gone),
        "CREATED": len(cycle.created),
        "CAME BACK": len(cycle.back),
        "HELD BACK": len(cycle.held_back),
        "PIPELINED": summary.pipelined,
        "PENDING": summary.pending,
    }


def _evictions(evictions: Sequence[Eviction], *, everything: bool) -> str:
    pairs: dict[tuple[str, str, str], int] = {}
    for each in evictions:
        key = (each.by_display_name or each.by, each.action, each.called)
        pairs[key] = pairs.get(key, 0) + 1
    named = [f"{by} takes {number} of {job} ({action})" for (by, action, job), number in pairs.items()]
    return first_names(named, None if everything else _NAMED)
