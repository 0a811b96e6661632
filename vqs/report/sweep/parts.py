"""The parts of a report on a sweep that tell of all points together: main effects, best points, the Pareto front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from vqs.explain.amounts import percent
from vqs.model.wording import listed_names
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part, out_of
from vqs.report.sweep.highlights import called, ordered_effects
from vqs.report.sweep.values import difference_text, figure_text, level_text
from vqs.sweep.analysis import Analysis, Best
from vqs.sweep.effects import Effect
from vqs.sweep.outcome import FigureInfo, Sweep

_MOST_EFFECTS: Final = 12
_MOST_LEVELS: Final = 8
_MOST_FRONT: Final = 10


class SweepParts:
    """The parts, and what they are made of."""

    def __init__(self, sweep: Sweep, analysis: Analysis, view: View) -> None:
        self._sweep = sweep
        self._analysis = analysis
        self._shows_all = view.detail is Detail.EVERYTHING
        self._figures = {each.name: each for each in sweep.figures}

    def all(self) -> Iterator[Part]:
        """Yield the parts that say more than the table of points and the sentences of the answer."""
        if len(self._analysis.varied) > 1:
            yield from self.effects()
        if not self._analysis.best_in_all:
            yield from self.best()
            yield from self.front()

    def effects(self) -> Iterator[Part]:
        """Yield what each parameter does to each figure."""
        effects = ordered_effects(self._analysis)
        if not effects:
            return
        shown = effects if self._shows_all else effects[:_MOST_EFFECTS]
        columns = (
            Column("FIGURE", named=True),
            Column("PARAMETER", named=True),
            Column("DIFFERENCE", numeric=True),
            Column("EXPLAINS", numeric=True),
        )
        yield Part(
            out_of("Main effects", len(shown), len(effects)),
            legend="Difference: highest minus lowest mean; explains: part of the variance between all points",
            grid=Grid(columns, [self._effect(each) for each in shown], "MEAN BY VALUE"),
        )

    def _effect(self, effect: Effect) -> Row:
        figure = self._figures[effect.figure]
        cells = (
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
        rows = [self._best_row(each) for each in self._analysis.best if each.figure in self._analysis.traded]
        if rows:
            columns = (Column("FIGURE", named=True), Column("BEST", numeric=True), Column("POINTS", numeric=True))
            yield Part("Best points", grid=Grid(columns, rows, "FIRST OF THEM"))

    def _best_row(self, best: Best) -> Row:
        sign = "highest" if best.better == "more" else "lowest"
        value = figure_text(self._figures[best.figure], best.value)
        first = self._sweep.rows[best.places[0]]
        cells = (cell(best.figure), cell(f"{sign} {value}"), cell(f"{len(best.places):,}"))
        return Row(cells, called(first))

    def front(self) -> Iterator[Part]:
        """Yield how figures can be traded for one another: each combination of them that no point improves on."""
        figures, combinations = self._analysis.traded, self._analysis.combinations
        if not combinations:
            return
        shown = combinations if self._shows_all else combinations[:_MOST_FRONT]
        columns = (*(Column(name, numeric=True, verbatim=True) for name in figures), Column("POINTS", numeric=True))
        rows = [
            Row(
                (*(self._figure(name, places[0]) for name in figures), cell(f"{len(places):,}")),
                called(self._sweep.rows[places[0]]),
            )
            for places in shown
        ]
        wanted = listed_names([f"{name} ({self._analysis.measures[name].better} is better)" for name in figures])
        yield Part(
            out_of("Pareto front", len(shown), len(combinations)),
            legend=f"No other point is as good in all, and better in one, of {wanted}",
            grid=Grid(columns, rows, "FIRST OF THEM"),
        )

    def _figure(self, name: str, place: int) -> Text:
        return cell(figure_text(self._figures[name], self._analysis.figures[name][place]))
