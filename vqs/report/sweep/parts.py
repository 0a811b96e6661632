"""The parts of a report on a sweep that tell of points together: main effects, best points, the Pareto front.

Of several snapshots, each has rows of its own in them; changes that do well on all have a part of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from vqs.explain.amounts import percent
from vqs.model.wording import listed_names
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part, out_of
from vqs.report.sweep.highlights import called, called_everywhere, ordered_effects
from vqs.report.sweep.values import difference_text, figure_text, level_text, loss_text
from vqs.sweep.analysis import Best
from vqs.sweep.effects import Effect
from vqs.sweep.outcome import FigureInfo, Sweep
from vqs.sweep.snapshots import Compromise, Side, Sides

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

    def _effect(self, side: Side, effect: Effect) -> Row:
        figure = self._figures[effect.figure]
        cells = (
            *self._named(side),
            cell(effect.figure),
            cell(effect.parameter),
            cell(difference_text(figure, effect.difference)),
            cell(percent(effect.explained or 0.0)),
        )
        return Row(cells, self._means(effect, figure))

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

    def _best_row(self, side: Side, best: Best) -> Row:
        sign = "highest" if best.better == "more" else "lowest"
        value = figure_text(self._figures[best.figure], best.value)
        first = side.sweep.rows[best.places[0]]
        cells = (*self._named(side), cell(best.figure), cell(f"{sign} {value}"), cell(f"{len(best.places):,}"))
        return Row(cells, called(first))

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
            Row(
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

    def _compromise(self, found: Compromise) -> Row:
        place = found.places[0]
        cells = (
            cell(found.figure),
            *(self._figure(side, found.figure, place) for side in self._sides.all),
            cell(loss_text(self._figures[found.figure], found.loss)),
            cell(f"{len(found.places):,}"),
        )
        return Row(cells, called_everywhere(self._sides.rows(place)))

    def _figure(self, side: Side, name: str, place: int) -> Text:
        return cell(figure_text(self._figures[name], side.analysis.figures[name][place]))
