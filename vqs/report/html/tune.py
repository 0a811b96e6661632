"""The page on the cheapest change that reaches a goal: the answer, what shows it, and every change that was run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import msgspec

from vqs.diff.outcome import Failure
from vqs.report.formats import Detail, View
from vqs.report.html.page import page
from vqs.report.html.sweep import MOST_ROWS, facts_of_runs, sweep_data
from vqs.report.tune import page as tune_page
from vqs.sweep.outcome import ParameterInfo, Row, Sweep
from vqs.sweep.snapshots import Sides
from vqs.sweep.tune.outcome import Change, Tune

_COST: Final = "cost"
_WORDS: Final = {"front": "reaches the goal", "failing": "does not reach the goal", "failed": "error", "": "other"}


def write(result: Tune, view: View, /) -> str:
    """Return the page, with all changes in it."""
    shown = tune_page(result, replace(view, detail=Detail.EVERYTHING))
    points = as_sweep(result)
    sides, reaching = Sides(points), {row.number for row in points.rows if _reaches(row)}
    is_varied = any(side.analysis.varied for side in sides.all)
    first, *more = shown.answer
    return page(
        "tune",
        sweep_data(points, sides, view.again, reaching, _WORDS),
        title=f"vqs tune {result.name or result.plan}",
        sentence=first,
        more=more,
        headline=shown.headline,
        next=shown.next,
        counts=list(_counts(points)),
        has_plot=is_varied and sides.are_measured,
        left_out=f"The first {MOST_ROWS:,} are on this page." if len(points.rows) > MOST_ROWS else "",
        facts=list(_facts(result, points)),
    )


def as_sweep(result: Tune) -> Sweep:
    """Return the points of a search as those of a sweep, the cheapest change first, with the cost as a parameter."""
    names = {each.name for each in result.parameters}
    costs = [] if _COST in names else [ParameterInfo(name=_COST, edits=[], options={}, numeric=True)]
    rows = [row for change in result.tried for row in _rows(change, has_cost=bool(costs))]
    return Sweep(
        name=result.name,
        plan=result.plan,
        method=result.method,
        bases=result.bases,
        parameters=[*result.parameters, *costs],
        figures=result.figures,
        fail_on=[],
        failed=False,
        errors=sum(row.error is not None for row in rows),
        assume_admitted=result.assume_admitted,
        replay=result.replay,
        baseline=result.baseline,
        rows=[msgspec.structs.replace(row, number=number) for number, row in enumerate(rows, 1)],
    )


def _rows(change: Change, *, has_cost: bool) -> Iterator[Row]:
    """Yield the points of a change, each with all that the change lacks."""
    cost = int(change.cost) if change.cost.is_integer() else change.cost
    parameters = {**change.parameters, **({_COST: cost} if has_cost else {})}
    lacks = [Failure(condition="", text=text) for text in change.unmet]
    yield from (msgspec.structs.replace(row, parameters=parameters, failures=lacks) for row in change.rows)


def _reaches(row: Row) -> bool:
    return row.error is None and not row.failures


def _counts(points: Sweep) -> Iterator[tuple[str, str, int, str]]:
    reaching = sum(map(_reaches, points.rows))
    yield "placed", "points run", len(points.rows), ""
    yield "gains", "reach the goal", reaching, "front"
    yield "loses", "do not reach the goal", len(points.rows) - reaching - points.errors, "failing"
    yield "pending", "could not be run", points.errors, "failed"


def _facts(result: Tune, points: Sweep) -> Iterator[tuple[str, str]]:
    """Yield how was searched, in pairs of a word and what it stands for."""
    yield "plan", result.plan
    yield "goal", ", ".join(result.goal)
    yield _COST, result.cost
    yield "search", f"{result.method}; {result.points:,} of at most {result.sessions:,} points"
    yield from facts_of_runs(points)
