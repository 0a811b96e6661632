"""The page on the cheapest change that reaches a goal: what it is, what shows that, and all changes that were run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vqs.explain.amounts import ABSENT
from vqs.model.wording import count, first_names
from vqs.report.again import NOWHERE
from vqs.report.formats import View
from vqs.report.page import MARK, Column, Grid, Line, Page, Part, cell, out_of
from vqs.report.page import Row as Cells
from vqs.report.sweep.commands import Commands
from vqs.report.sweep.points import figure_of_row
from vqs.sweep.domains import written
from vqs.sweep.outcome import Row
from vqs.sweep.tune.outcome import Change, Tune

_FEW: Final = 40
_BASE: Final = "base"
_BETWEEN: Final = " / "
"""Stands between the figures of several snapshots."""

_METHODS: Final[Mapping[str, str]] = {
    "exhaustive": "in the order of their costs",
    "bisection": "by bisection",
    "optuna": "by Optuna",
}


def page(result: Tune, view: View, /) -> Page:
    """Return the page on the cheapest change that reaches a goal."""
    shown = result.tried[: None if view.everything else _FEW]
    bases = [each.name for each in result.bases]
    nodes = first_names([f"{each.name} ({count(each.nodes, 'node')})" for each in result.bases])
    named = f"{result.name}: " if result.name else ""
    changes = "changes" if result.changes is None else count(result.changes, "change")
    run = f"{result.points:,} of at most {count(result.sessions, 'point')} run"
    change = result.change
    return Page(
        headline=f"{named}{changes} of {nodes}, searched {_METHODS[result.method]}; {run}",
        facts=[Line(text) for text in _facts(result)],
        parts=[
            Part(
                out_of("Changes that were run", len(shown), len(result.tried)),
                legend=f"Figures: {_BETWEEN.join(bases)}" if len(bases) > 1 else "",
                grid=_grid(result, shown),
            )
        ],
        answer=[result.answer, *_edits(result), *map(_fails, result.cheaper), *result.notes],
        next=Commands(result, view.again).next(change.rows[0], "this change") if change is not None else NOWHERE,
    )


def _facts(result: Tune) -> Iterator[str]:
    for each in result.parameters:
        yield f"{each.name}: {first_names([*each.options]) if each.options else '; '.join(each.edits)}"
    yield f"Goal: {', '.join(result.goal)}"
    yield f"Cost: {result.cost}"


def _edits(result: Tune) -> Iterator[str]:
    if result.change is not None and result.change.edits:
        yield f"Its edits: {'; '.join(result.change.edits)}"
    elif result.nearest is not None and result.nearest.unmet:
        yield f"What it lacks: {'; '.join(result.nearest.unmet)}"


def _fails(change: Change) -> str:
    """Say why a cheaper change is not the answer."""
    values = ", ".join(f"{name}={written(value)}" for name, value in change.parameters.items())
    return f"Cheaper is {values} at a cost of {change.cost:,.10g}: {'; '.join(change.unmet)}."


def _grid(result: Tune, shown: Sequence[Change]) -> Grid:
    columns = (
        Column("COST", numeric=True),
        *(Column(each.name, each.numeric, named=True, verbatim=True) for each in result.parameters),
        *(Column(each.name, each.unit != "text", verbatim=True) for each in result.figures),
    )
    base = ["", *(_BASE for _ in result.parameters[:1]), *("-" for _ in result.parameters[1:])]
    rows = [Cells(tuple(map(cell, (*base, *_figures(result, result.baseline)))))]
    for change in shown:
        texts = [
            f"{MARK if change == result.change else ''}{change.cost:,.10g}",
            *(written(change.parameters[each.name]) for each in result.parameters),
            *_figures(result, change.rows),
        ]
        rows.append(Cells(tuple(map(cell, texts)), "; ".join(change.unmet) or "reached"))
    return Grid(columns, rows, "GOAL")


def _figures(result: Tune, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the values of each figure, those of each snapshot for itself."""
    bases = dict.fromkeys(row.base for row in rows)
    for figure in result.figures:
        values = (dict.fromkeys(figure_of_row(figure, row) for row in rows if row.base == base) for base in bases)
        yield _BETWEEN.join(first_names([*each]) or (ABSENT if len(bases) > 1 else "") for each in values)
