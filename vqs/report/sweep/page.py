"""The page on a sweep: a row for each point, main effects, best points, the Pareto front, and what must not be.

Of several snapshots, each has rows of its own in the tables of points together; those that do well on all have a part.
The page on the cheapest change that reaches a goal says what it is, what shows that, and names all changes that were
run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from vqs.explain.amounts import ABSENT, percent
from vqs.model.wording import count, first_names, listed_names
from vqs.report.formats import NOWHERE, Next, View
from vqs.report.page import MARK, Cell, Column, Grid, Item, Line, Page, Part, cell, first_rows, out_of, table
from vqs.report.page import Row as Cells
from vqs.report.sweep.commands import Commands
from vqs.report.sweep.points import (
    called,
    called_everywhere,
    difference_text,
    figure_of_row,
    figure_text,
    highlights,
    level_text,
    ordered_effects,
)
from vqs.sweep.analysis import Best
from vqs.sweep.domains import written
from vqs.sweep.effects import Effect
from vqs.sweep.figures import conditions_of
from vqs.sweep.outcome import ConditionOutcome, Row, Sweep
from vqs.sweep.snapshots import Compromise, Side, Sides

if TYPE_CHECKING:  # a sweep does not need it
    from vqs.sweep.tune.outcome import Change, Tune

_FEW: Final = 40
_FEW_ERRORS: Final = 3
_NAMED: Final = 10
"""How many points are named for a condition."""
_BASE: Final = "base"


def page(result: Sweep, view: View, /) -> Page:
    """Return the page on a sweep."""
    shown = result.rows[: None if view.everything else _FEW]
    sides = Sides(result)
    bases = first_names([f"{each.name} ({count(each.nodes, 'node')})" for each in result.bases])
    named = f"{result.name}: " if result.name else ""
    how = "" if result.method == "grid" else f" chosen by {result.method}"
    points = Part(out_of("Points", len(shown), len(result.rows)), grid=_grid(result, shown))
    return Page(
        headline=f"{named}{count(len(result.rows), 'point')}{how} of {bases}",
        facts=[
            Line(f"{each.name}: {first_names([*each.options]) if each.options else '; '.join(each.edits)}")
            for each in result.parameters
        ],
        parts=[points, *SweepParts(result, sides, view).all()],
        answer=[f"{answer(result)}.", *errors(result), *highlights(sides)],
        failures=[_failure(each, result) for each in result.fail_on if each.points or each.unknown],
        next=_next(result, sides, view),
    )


def _next(result: Sweep, sides: Sides, view: View) -> Next:
    """Name the command that repeats one point: the first that fails, else the best, or one on the front.

    Of several snapshots, it is the first one with a change that is good on all, if there is one.
    """
    failing = (row for row in result.rows if row.failures and row.error is None)
    first = sides.all[0]
    good = [*sides.best, *sides.good] if sides.are_several else []
    best = (first.sweep.rows[place] for place in good or first.analysis.preferred)
    for row in (*islice(failing, 1), *islice(best, 1)):
        return Commands(result, view.again).next(row, f"#{row.number}")
    return NOWHERE


def answer(result: Sweep) -> str:
    """Say in a sentence what came of a sweep."""
    points = f"{count(len(result.rows) - result.errors, 'point')} run"
    errors = f", {result.errors:,} with an error" if result.errors else ""
    if not result.fail_on:
        return f"{points}{errors}"
    held, unknown = (_conditions(result, unknown=unknown) for unknown in (False, True))
    if held:
        met = f"{held} of {count(len(result.fail_on), 'condition')} of --fail-on met"
    else:
        met = f"no condition of --fail-on is met{' at a point that ran' if result.errors else ''}"
    return f"{points}{errors}: {met}{f', and {unknown} not known at points that ran' if unknown else ''}"


def _conditions(result: Sweep, *, unknown: bool) -> int:
    """Return how many conditions hold at points that ran, or are not known there."""
    failures = (each for row in result.rows if row.error is None for each in row.failures)
    found = {each.condition for each in failures if each.unknown is unknown}
    return sum(each.condition in found for each in result.fail_on)


def errors(result: Sweep) -> Iterator[str]:
    """Say why points could not be run: the first of each kind of error, and at how many points there is one."""
    kinds: dict[str, list[Row]] = {}
    for row in result.rows:
        if row.error is not None:
            kinds.setdefault(row.error.code, []).append(row)
    for code, (first, *others) in islice(kinds.items(), _FEW_ERRORS):
        also = f"; {code} at {count(len(others), 'other point')}, too" if others else ""
        yield f"{called(first)} could not be run: {first.error.message if first.error else ''}{also}."
    if len(kinds) > _FEW_ERRORS:
        yield f"There are {len(kinds) - _FEW_ERRORS:,} other kinds of errors."


def _failure(outcome: ConditionOutcome, result: Sweep) -> str:
    """Say at which points a condition holds, of those that were judged, and at which it is not known."""
    failing = [(row, each) for row in result.rows for each in row.failures if each.condition == outcome.condition]
    held = [row for row, failure in failing if not failure.unknown]
    unknown = [row for row, failure in failing if failure.unknown]
    said = [f"at {len(held):,} of {count(len(result.rows) - len(unknown), 'point')}: {_named(held)}"] if held else []
    if unknown:
        why = ", which could not be run" if all(row.error for row in unknown) else ""
        said.append(f"unknown at {count(len(unknown), 'other point' if held else 'point')}{why}: {_named(unknown)}")
    return f"{outcome.condition} {'; '.join(said)}"


def _named(rows: Sequence[Row]) -> str:
    more = len(rows) - _NAMED
    return f"{'; '.join(map(called, rows[:_NAMED]))}{f' and {more:,} more' if more > 0 else ''}"


_SIDES: Final[Mapping[Column, Callable[[Row], str]]] = {
    Column("BASE", named=True): lambda row: row.base,
    Column("RELEASE", named=True): lambda row: row.release,
    Column("SEED", numeric=True, named=True): lambda row: "" if row.seed is None else str(row.seed),
}
"""Columns that are shown only where points differ in them."""


def _grid(result: Sweep, shown: Sequence[Row]) -> Grid:
    sides = {column: text for column, text in _SIDES.items() if len(set(map(text, result.rows))) > 1}
    columns = (
        Column("#", numeric=True),
        *sides,
        *(Column(each.name, each.numeric, named=True, verbatim=True) for each in result.parameters),
        *(Column(each.name, each.unit != "text", verbatim=True) for each in result.figures),
    )
    rows = []
    for row in (*result.baseline, *shown):
        is_base = row.number <= 0
        texts = [
            _BASE if is_base else str(row.number),
            *(text(row) for text in sides.values()),
            *("-" if is_base else written(row.parameters[each.name]) for each in result.parameters),
            *(figure_of_row(each, row) for each in result.figures),
        ]
        failures = "" if is_base else "; ".join(each.text for each in row.failures)
        rows.append(Cells(tuple(map(cell, texts)), row.error.message if row.error else failures))
    return Grid(columns, rows, "WHAT FAILS")


_MOST_EFFECTS: Final = 12
_MOST_LEVELS: Final = 8
_MOST_FRONT: Final = 10

_OfSide = tuple[Side, Item]
"""A snapshot, and something that is said of it."""


class SweepParts:
    """The parts, and what they are made of."""

    def __init__(self, sweep: Sweep, sides: Sides, view: View) -> None:
        self._sides = sides
        self._shows_all = view.everything
        self._figures = {each.name: each for each in sweep.figures}
        self._are_several = sides.are_several

    def all(self) -> Iterator[Part]:
        """Yield the parts that say more than the table of points and the sentences of the answer."""
        if any(len(side.analysis.varied) > 1 for side in self._sides.all):
            yield from self.effects()
        if not all(side.analysis.best_in_all for side in self._sides.all):
            yield from self.best()
            yield from self.front()
        yield from self.on_all()

    def effects(self) -> Iterator[Part]:
        """Yield what each parameter does to each figure."""
        effects = [(side, each) for side in self._sides.all for each in ordered_effects(side.analysis)]
        if not effects:
            return
        columns: dict[Column, Callable[[_OfSide[Effect]], Cell]] = {
            Column("FIGURE", named=True): lambda each: each[1].figure,
            Column("PARAMETER", named=True): lambda each: each[1].parameter,
            Column("DIFFERENCE", numeric=True): lambda each: difference_text(
                self._figures[each[1].figure], each[1].difference
            ),
            Column("EXPLAINS", numeric=True): lambda each: percent(each[1].variance_explained or 0.0),
        }
        points = "all points of the snapshot" if self._are_several else "all points"
        yield first_rows(
            "Main effects",
            effects,
            None if self._shows_all else _MOST_EFFECTS,
            self._by_side(columns),
            "MEAN BY VALUE",
            says=lambda each: self._means(each[1]),
            legend=f"Difference: highest minus lowest mean; explains: part of the variance between {points}",
        )

    def _by_side(self, columns: Mapping[Column, Callable[[_OfSide[Item]], Cell]]) -> Mapping[Column, Any]:
        """Put a column with the name of the snapshot before others, where there are several."""
        return {Column("BASE", named=True): lambda each: each[0].name, **columns} if self._are_several else columns

    def _means(self, effect: Effect) -> str:
        """Write the mean of each level; where there are many, those of the ends and some between."""
        levels, figure = effect.levels, self._figures[effect.figure]
        if len(levels) > _MOST_LEVELS and not self._shows_all:
            last = len(levels) - 1
            levels = [levels[round(at * last / (_MOST_LEVELS - 1))] for at in range(_MOST_LEVELS)]
        return ", ".join(f"{level_text(each)}: {figure_text(figure, each.mean)}" for each in levels)

    def best(self) -> Iterator[Part]:
        """Yield where each figure is best."""

        def best(found: _OfSide[Best]) -> str:
            sign = "highest" if found[1].better == "more" else "lowest"
            return f"{sign} {figure_text(self._figures[found[1].figure], found[1].value)}"

        shown = [
            (side, each)
            for side in self._sides.all
            for each in side.analysis.best
            if each.figure in side.analysis.traded
        ]
        if shown:
            columns: dict[Column, Callable[[_OfSide[Best]], Cell]] = {
                Column("FIGURE", named=True): lambda each: each[1].figure,
                Column("BEST", numeric=True): best,
                Column("POINTS", numeric=True): lambda each: len(each[1].places),
            }
            if any(each.alike is not None for _, each in shown):
                columns[Column("MAY BE AS GOOD", numeric=True)] = lambda each: len(each[1].alike or ())
            grid = table(
                shown,
                self._by_side(columns),
                "FIRST OF THEM",
                lambda each: called(each[0].sweep.rows[each[1].places[0]]),
            )
            yield Part("Best points", grid=grid)

    def front(self) -> Iterator[Part]:
        """Yield how figures can be traded for one another: each combination of them that no point improves on."""
        combinations = [(side, places) for side in self._sides.all for places in side.analysis.combinations]
        if not combinations:
            return
        traded = {name for side, _ in combinations for name in side.analysis.traded}
        figures = [each for each in self._figures if each in traded]
        measures = combinations[0][0].analysis.measures
        wanted = listed_names([f"{name} ({measures[name].better} is better)" for name in figures])
        other = "No other point of the snapshot" if self._are_several else "No other point"

        def figure(name: str) -> Callable[[_OfSide[Sequence[int]]], Cell]:
            return lambda each: self._figure(each[0], name, each[1][0])

        columns: dict[Column, Callable[[_OfSide[Sequence[int]]], Cell]] = {
            **{Column(name, numeric=True, verbatim=True): figure(name) for name in figures},
            Column("POINTS", numeric=True): lambda each: len(each[1]),
        }
        yield first_rows(
            "Pareto front",
            combinations,
            None if self._shows_all else _MOST_FRONT,
            self._by_side(columns),
            "FIRST OF THEM",
            says=lambda each: called(each[0].sweep.rows[each[1][0]]),
            legend=f"{other} is as good in all, and better in one, of {wanted}",
        )

    def on_all(self) -> Iterator[Part]:
        """Yield the changes that do best on all snapshots together, figure by figure, where there are several."""
        if not self._are_several or not self._sides.compromises:
            return

        def figure(side: Side) -> Callable[[Compromise], Cell]:
            return lambda each: self._figure(side, each.figure, each.places[0])

        def loss(each: Compromise) -> str:
            """How far a figure is from its best on a snapshot; what never happens is as far as can be."""
            return percent(each.loss) if math.isfinite(each.loss) else self._figures[each.figure].missing

        columns: dict[Column, Callable[[Compromise], Cell]] = {
            Column("FIGURE", named=True): lambda each: each.figure,
            **{Column(side.name, numeric=True, verbatim=True): figure(side) for side in self._sides.all},
            Column("LOSS", numeric=True): loss,
            Column("CHANGES", numeric=True): lambda each: len(each.places),
        }
        yield Part(
            "Best on all snapshots",
            legend="Loss: how far from the best of a snapshot, as a part of what lies between its best and its worst, "
            "where that is most",
            grid=table(
                self._sides.compromises,
                columns,
                "FIRST OF THEM",
                lambda each: called_everywhere(self._sides.rows(each.places[0])),
            ),
        )

    def _figure(self, side: Side, name: str, place: int) -> str:
        return figure_text(self._figures[name], side.analysis.figures[name][place])


# --- the cheapest change that reaches a goal --------------------------------------------------------------------------

_BETWEEN: Final = " / "
"""Stands between the figures of several snapshots."""

_METHODS: Final[Mapping[str, str]] = {
    "exhaustive": "in the order of their costs",
    "bisection": "by bisection",
    "optuna": "by Optuna",
}


def page_of_tune(result: Tune, view: View, /) -> Page:
    """Return the page on the cheapest change that reaches a goal."""
    shown = result.tried[: None if view.everything else _FEW]
    bases = [each.name for each in result.bases]
    nodes = first_names([f"{each.name} ({count(each.nodes, 'node')})" for each in result.bases])
    named = f"{result.name}: " if result.name else ""
    changes = "changes" if result.changes is None else count(result.changes, "change")
    run = f"{result.points:,} of at most {count(result.sessions, 'point')} run"
    change, more = result.change, list[str]()
    if change is not None and change.edits:
        more.append(f"Its edits: {'; '.join(change.edits)}")
    elif result.nearest is not None and result.nearest.unmet:
        more.append(f"What it lacks: {'; '.join(result.nearest.unmet)}")
    cheaper = [
        f"Cheaper is {', '.join(f'{name}={written(value)}' for name, value in each.parameters.items())} at a cost of "
        f"{each.cost:,.10g}: {'; '.join(each.unmet)}."
        for each in result.cheaper
    ]
    return Page(
        headline=f"{named}{changes} of {nodes}, searched {_METHODS[result.method]}; {run}",
        facts=[
            *(
                Line(f"{each.name}: {first_names([*each.options]) if each.options else '; '.join(each.edits)}")
                for each in result.parameters
            ),
            Line(f"Goal: {', '.join(result.goal)}"),
            Line(f"Cost: {result.cost}"),
        ],
        parts=[
            Part(
                out_of("Changes that were run", len(shown), len(result.tried)),
                legend=f"Figures: {_BETWEEN.join(bases)}" if len(bases) > 1 else "",
                grid=_grid_of_tune(result, shown),
            )
        ],
        answer=[
            f"{result.answer}{_reached(result)}",
            *more,
            *cheaper,
            *result.notes,
        ],
        next=Commands(result, view.again).next(change.rows[0], "this change") if change is not None else NOWHERE,
    )


def _reached(result: Tune) -> str:
    """Name the figures of the goal that the change has, as far as they have an interval."""
    if result.change is None:
        return ""
    row = result.change.rows[0]
    goal = {each.figure.text for text in result.goal for each in conditions_of(text)}
    named = (each for each in result.figures if each.name in goal and each.name in row.intervals)
    told = [f"{each.name} {figure_of_row(each, row)}" for each in named]
    return f" With it: {', '.join(told)}." if told else ""


def _grid_of_tune(result: Tune, shown: Sequence[Change]) -> Grid:
    columns = (
        Column("COST", numeric=True),
        *(Column(each.name, each.numeric, named=True, verbatim=True) for each in result.parameters),
        *(Column(each.name, each.unit != "text", verbatim=True) for each in result.figures),
    )
    base = ["", *(_BASE for _ in result.parameters[:1]), *("-" for _ in result.parameters[1:])]
    rows = [Cells(tuple(map(cell, (*base, *_figures_of_change(result, result.baseline)))))]
    for change in shown:
        texts = [
            f"{MARK if change == result.change else ''}{change.cost:,.10g}",
            *(written(change.parameters[each.name]) for each in result.parameters),
            *_figures_of_change(result, change.rows),
        ]
        rows.append(Cells(tuple(map(cell, texts)), "; ".join(change.unmet) or "reached"))
    return Grid(columns, rows, "GOAL")


def _figures_of_change(result: Tune, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the values of each figure, those of each snapshot for itself."""
    bases = dict.fromkeys(row.base for row in rows)
    for figure in result.figures:
        values = (dict.fromkeys(figure_of_row(figure, row) for row in rows if row.base == base) for base in bases)
        yield _BETWEEN.join(first_names([*each]) or (ABSENT if len(bases) > 1 else "") for each in values)
