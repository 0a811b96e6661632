"""The page on a sweep: a row for each point, main effects, best points, the Pareto front, and what must not be.

Of several snapshots, each has rows of its own in the tables of points together; those that do well on all have a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from rich.text import Text

from vqs.explain.amounts import percent
from vqs.model.wording import count, first_names, listed_names
from vqs.report.again import NOWHERE, Next
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, cell
from vqs.report.grid import Row as Cells
from vqs.report.page import Line, Page, Part, out_of
from vqs.report.sweep.columns import difference_text, figure_of_row, figure_text, level_text, loss_text
from vqs.report.sweep.commands import Commands
from vqs.report.sweep.highlights import called, called_everywhere, highlights, ordered_effects
from vqs.sweep.analysis import Best
from vqs.sweep.domains import written
from vqs.sweep.effects import Effect
from vqs.sweep.outcome import ConditionOutcome, FigureInfo, Row, Sweep
from vqs.sweep.snapshots import Compromise, Side, Sides

_FEW: Final = 40
_FEW_ERRORS: Final = 3
_NAMED: Final = 10
"""How many points are named for a condition."""
_BASE: Final = "base"


def page(result: Sweep, view: View, /) -> Page:
    """Return the page on a sweep."""
    most = None if view.detail is Detail.EVERYTHING else _FEW
    shown = result.rows[:most]
    sides = Sides(result)
    points = Part(out_of("Points", len(shown), len(result.rows)), grid=_grid(result, shown))
    return Page(
        headline=_headline(result),
        facts=[Line(f"{each.name}: {_edits(each.edits, each.options)}") for each in result.parameters],
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


def _headline(result: Sweep) -> str:
    bases = first_names([f"{each.name} ({count(each.nodes, 'node')})" for each in result.bases])
    named = f"{result.name}: " if result.name else ""
    how = "" if result.method == "grid" else f" chosen by {result.method}"
    return f"{named}{count(len(result.rows), 'point')}{how} of {bases}"


def _edits(edits: Sequence[str], options: dict[str, list[str]]) -> str:
    return first_names([*options]) if options else "; ".join(edits)


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


class _Side(NamedTuple):
    """A column that is shown only where points differ in it."""

    title: str
    text: Callable[[Row], str]
    numeric: bool = False


_SIDES: Final = (
    _Side("BASE", lambda row: row.base),
    _Side("RELEASE", lambda row: row.release),
    _Side("SEED", lambda row: "" if row.seed is None else str(row.seed), numeric=True),
)


def _grid(result: Sweep, shown: Sequence[Row]) -> Grid:
    sides = [side for side in _SIDES if len({side.text(row) for row in result.rows}) > 1]
    columns = (
        Column("#", numeric=True),
        *(Column(side.title, side.numeric, named=True) for side in sides),
        *(Column(each.name, each.numeric, named=True, verbatim=True) for each in result.parameters),
        *(Column(each.name, each.unit != "text", verbatim=True) for each in result.figures),
    )
    rows = [*_rows(result, result.baseline, sides), *_rows(result, shown, sides)]
    return Grid(columns, rows, "WHAT FAILS")


def _rows(result: Sweep, rows: Sequence[Row], sides: Sequence[_Side]) -> Iterator[Cells]:
    for row in rows:
        values = [written(row.parameters[each.name]) if row.number > 0 else "-" for each in result.parameters]
        texts = [
            str(row.number) if row.number > 0 else _BASE,
            *(side.text(row) for side in sides),
            *values,
            *(figure_of_row(each, row) for each in result.figures),
        ]
        yield Cells(tuple(map(cell, texts)), _remark(row))


def _remark(row: Row) -> str:
    if row.error is not None:
        return row.error.message
    return "; ".join(each.text for each in row.failures) if row.number > 0 else ""


_MOST_EFFECTS: Final = 12
_MOST_LEVELS: Final = 8
_MOST_FRONT: Final = 10


class SweepParts:
    """The parts, and what they are made of."""

    def __init__(self, sweep: Sweep, sides: Sides, view: View) -> None:
        self._sides = sides
        self._shows_all = view.detail is Detail.EVERYTHING
        self._figures = {each.name: each for each in sweep.figures}
        self._base = (Column("BASE", named=True),) if sides.are_several else ()

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
        shown = effects if self._shows_all else effects[:_MOST_EFFECTS]
        columns = (
            *self._base,
            Column("FIGURE", named=True),
            Column("PARAMETER", named=True),
            Column("DIFFERENCE", numeric=True),
            Column("EXPLAINS", numeric=True),
        )
        points = "all points of the snapshot" if self._base else "all points"
        yield Part(
            out_of("Main effects", len(shown), len(effects)),
            legend=f"Difference: highest minus lowest mean; explains: part of the variance between {points}",
            grid=Grid(columns, [self._effect(*each) for each in shown], "MEAN BY VALUE"),
        )

    def _named(self, side: Side) -> tuple[Text, ...]:
        """Return the cell with the name of a snapshot, where there are several."""
        return (cell(side.name),) if self._base else ()

    def _effect(self, side: Side, effect: Effect) -> Cells:
        figure = self._figures[effect.figure]
        cells = (
            *self._named(side),
            cell(effect.figure),
            cell(effect.parameter),
            cell(difference_text(figure, effect.difference)),
            cell(percent(effect.variance_explained or 0.0)),
        )
        return Cells(cells, self._means(effect, figure))

    def _means(self, effect: Effect, figure: FigureInfo) -> str:
        """Write the mean of each level; where there are many, those of the ends and some between."""
        levels = effect.levels
        if len(levels) > _MOST_LEVELS and not self._shows_all:
            last = len(levels) - 1
            levels = [levels[round(at * last / (_MOST_LEVELS - 1))] for at in range(_MOST_LEVELS)]
        return ", ".join(f"{level_text(each)}: {figure_text(figure, each.mean)}" for each in levels)

    def best(self) -> Iterator[Part]:
        """Yield where each figure is best."""
        rows = [
            self._best_row(side, each)
            for side in self._sides.all
            for each in side.analysis.best
            if each.figure in side.analysis.traded
        ]
        if rows:
            columns = (
                *self._base,
                Column("FIGURE", named=True),
                Column("BEST", numeric=True),
                Column("POINTS", numeric=True),
            )
            yield Part("Best points", grid=Grid(columns, rows, "FIRST OF THEM"))

    def _best_row(self, side: Side, best: Best) -> Cells:
        sign = "highest" if best.better == "more" else "lowest"
        value = figure_text(self._figures[best.figure], best.value)
        first = side.sweep.rows[best.places[0]]
        cells = (*self._named(side), cell(best.figure), cell(f"{sign} {value}"), cell(f"{len(best.places):,}"))
        return Cells(cells, called(first))

    def front(self) -> Iterator[Part]:
        """Yield how figures can be traded for one another: each combination of them that no point improves on."""
        combinations = [(side, places) for side in self._sides.all for places in side.analysis.combinations]
        if not combinations:
            return
        traded = {name for side, _ in combinations for name in side.analysis.traded}
        figures = [each for each in self._figures if each in traded]
        shown = combinations if self._shows_all else combinations[:_MOST_FRONT]
        columns = (
            *self._base,
            *(Column(name, numeric=True, verbatim=True) for name in figures),
            Column("POINTS", numeric=True),
        )
        rows = [
            Cells(
                (
                    *self._named(side),
                    *(self._figure(side, name, places[0]) for name in figures),
                    cell(f"{len(places):,}"),
                ),
                called(side.sweep.rows[places[0]]),
            )
            for side, places in shown
        ]
        measures = combinations[0][0].analysis.measures
        wanted = listed_names([f"{name} ({measures[name].better} is better)" for name in figures])
        other = "No other point of the snapshot" if self._base else "No other point"
        yield Part(
            out_of("Pareto front", len(shown), len(combinations)),
            legend=f"{other} is as good in all, and better in one, of {wanted}",
            grid=Grid(columns, rows, "FIRST OF THEM"),
        )

    def on_all(self) -> Iterator[Part]:
        """Yield the changes that do best on all snapshots together, figure by figure, where there are several."""
        if not self._base or not self._sides.compromises:
            return
        columns = (
            Column("FIGURE", named=True),
            *(Column(side.name, numeric=True, verbatim=True) for side in self._sides.all),
            Column("LOSS", numeric=True),
            Column("CHANGES", numeric=True),
        )
        yield Part(
            "Best on all snapshots",
            legend="Loss: how far from the best of a snapshot, as a part of what lies between its best and its worst, "
            "where that is most",
            grid=Grid(columns, [self._compromise(each) for each in self._sides.compromises], "FIRST OF THEM"),
        )

    def _compromise(self, found: Compromise) -> Cells:
        place = found.places[0]
        cells = (
            cell(found.figure),
            *(self._figure(side, found.figure, place) for side in self._sides.all),
            cell(loss_text(self._figures[found.figure], found.loss)),
            cell(f"{len(found.places):,}"),
        )
        return Cells(cells, called_everywhere(self._sides.rows(place)))

    def _figure(self, side: Side, name: str, place: int) -> Text:
        return cell(figure_text(self._figures[name], side.analysis.figures[name][place]))
