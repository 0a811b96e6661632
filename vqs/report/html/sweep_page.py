"""The page on a sweep: what each parameter does, what is traded for what, and every point with its edits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vqs.model.wording import count, first_names, listed_names
from vqs.report.formats import Detail, View
from vqs.report.html.common import table
from vqs.report.html.page import page
from vqs.report.html.sweep_data import MOST_ROWS, state_of, sweep_data
from vqs.report.sweep.highlights import highlights
from vqs.report.sweep.page import answer, errors
from vqs.report.sweep.page import page as sweep_page
from vqs.report.sweep.parts import SweepParts
from vqs.sweep.outcome import Sweep
from vqs.sweep.snapshots import Sides

_SEVERAL = 2


def write(result: Sweep, view: View, /) -> str:
    """Return the page, with all points in it, or as many as a page can hold."""
    sides = Sides(result)
    analyses = [side.analysis for side in sides.all]
    shown = sweep_page(result, view)
    said = highlights(sides)
    is_gated = bool(result.fail_on or result.errors or not said)
    first, *more = [f"{answer(result)}.", *errors(result), *said] if is_gated else said
    parts = SweepParts(result, sides, replace(view, detail=Detail.EVERYTHING))
    varied = max(len(analysis.varied) for analysis in analyses)
    return page(
        "sweep",
        sweep_data(result, sides, view.again, sides.front),
        title=f"vqs sweep {result.name or result.plan}",
        sentence=first,
        more=more,
        headline=shown.headline,
        failures=shown.failures,
        counts=list(_counts(result, sides)),
        effects=[(part, table(part.grid)) for part in parts.effects()] if varied and sides.are_measured else [],
        has_plot=bool(varied) and sides.are_measured,
        has_trade_off=any(analysis.trade_off is not None for analysis in analyses),
        front=[(part, table(part.grid)) for part in (*parts.on_all(), *parts.best(), *parts.front())],
        has_heat=varied + sides.are_several >= _SEVERAL and sides.are_measured,
        left_out=_left_out(len(result.rows)),
        facts=list(_facts(result)),
    )


def _counts(sweep: Sweep, sides: Sides) -> Iterator[tuple[str, str, int, str]]:
    front = sides.front
    states = [state_of(row, is_best=row.number in front) for row in sweep.rows]
    yield "placed", "points", len(states), ""
    for colour, word, state in (
        ("gains", "on the Pareto front", "front"),
        ("loses", "fail --fail-on", "failing"),
        ("pending", "could not be run", "failed"),
    ):
        number = len(front) if state == "front" else states.count(state)
        yield colour, word, number, state


def _left_out(points: int) -> str:
    if points <= MOST_ROWS:
        return ""
    return f"{MOST_ROWS:,} of {count(points, 'point')} are on this page; CSV and JSON have all of them."


def _facts(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """Yield how the points were chosen and run, in pairs of a word and what it stands for."""
    yield "plan", sweep.plan
    yield "points", f"{len(sweep.rows):,} ({sweep.method})"
    yield from facts_of_runs(sweep)
    yield "--fail-on", ", ".join(each.condition for each in sweep.fail_on)


def facts_of_runs(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """Yield what was run: snapshots, parameters, releases and seeds."""
    for base in sweep.bases:
        sizes = f"{count(base.nodes, 'node')}, {count(base.pods, 'pod')}"
        files = "" if [base.name] == base.files else f"; {', '.join(base.files)}"
        yield "snapshot", f"{base.name}: {sizes}{files}"
    for parameter in sweep.parameters:
        options = [f"{name}: {', '.join(edits) or 'no edits'}" for name, edits in parameter.options.items()]
        yield parameter.name, "; ".join(options or parameter.edits)
    yield "release", listed_names([*dict.fromkeys(row.release for row in sweep.rows)])
    yield "seeds", first_names([*dict.fromkeys("none" if row.seed is None else str(row.seed) for row in sweep.rows)])
