"""What the points of a sweep say together, in sentences: where figures are best, and which parameters matter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vqs.explain.amounts import percent
from vqs.model.wording import count, listed_names
from vqs.report.sweep.columns import figure_text, settings_text
from vqs.sweep.analysis import Analysis, Best
from vqs.sweep.effects import Effect
from vqs.sweep.outcome import FigureInfo, Row, Sweep
from vqs.sweep.snapshots import Compromise, Side, Sides

_MOST_GROUPS: Final = 4
"""After these, groups of figures that are best together are counted and not told."""


def highlights(sides: Sides) -> list[str]:
    """Return what the points say together, the most important sentence first; nothing where one point ran, or none.

    Of several snapshots, each has one sentence, after what is said of all.
    """
    if not sides.are_several:
        return [*_of_side(sides.all[0])]
    found = [(side, said) for side in sides.all for said in [*_of_side(side)][:1]]
    return [
        *(_on_all(sides) if sides.compromises else ()),
        *(f"On {side.name}: {said[0].lower()}{said[1:]}" for side, said in found),
    ]


def _of_side(side: Side) -> Iterator[str]:
    sweep, analysis = side.sweep, side.analysis
    if sum(row.error is None for row in sweep.rows) <= 1 or not analysis.figures:
        return
    if not analysis.traded:
        yield _unmoved(analysis)
        return
    yield from (_one_choice if analysis.best_in_all else _trade_offs)(sweep, analysis)
    yield from _what_matters(analysis)


def _on_all(sides: Sides) -> Iterator[str]:
    """Say which changes are good on all snapshots; where none is, which come nearest."""
    if sides.best:
        where = " in every figure" if len(sides.compromises) > 1 else ""
        yield _good(sides, sides.best, f"best{where} on every snapshot")
        return
    if sides.good:
        yield _good(sides, sides.good, "on the Pareto front of every snapshot")
    else:
        yield "No change is on the Pareto front of every snapshot, or best there."
    figures = {each.name: each for side in sides.all for each in side.sweep.figures}
    for each in [each for each in sides.compromises if each.loss > 0][:_MOST_GROUPS]:
        yield f"No change is best in {each.figure} on every snapshot: {_nearest(sides, figures[each.figure], each)}."


def _good(sides: Sides, places: Sequence[int], what: str) -> str:
    return f"{_changes(sides, places)} {'is' if len(places) == 1 else 'are'} {what}."


def _nearest(sides: Sides, figure: FigureInfo, found: Compromise) -> str:
    """Say which changes come nearest to the best of a figure on all snapshots."""
    if not math.isfinite(found.loss):
        return f"with each, it is {figure.missing} on one of them"
    verb = "comes" if len(found.places) == 1 else "come"
    return f"{_changes(sides, found.places)} {verb} nearest, with a loss of {percent(found.loss)} at most"


def _changes(sides: Sides, places: Sequence[int]) -> str:
    return f"{called_everywhere(sides.rows(places[0]))}{_also(len(places) - 1, 'change')}"


def _unmoved(analysis: Analysis) -> str:
    if all(effect.variance_explained is None for effect in analysis.effects):
        return "No figure differs between the points."
    return "No figure that is better higher or lower differs between the points."


def _one_choice(sweep: Sweep, analysis: Analysis) -> Iterator[str]:
    """Say which points are best in every figure."""
    places = analysis.best_in_all
    others = len(places) - 1
    verb = f"{'are' if others else 'is'} best{' in every figure' if len(analysis.traded) > 1 else ''}"
    said = _bests(sweep, [each for each in analysis.best if each.figure in analysis.traded])
    yield f"{called(sweep.rows[places[0]])}{_also(others)} {verb}: {said}."


def _trade_offs(sweep: Sweep, analysis: Analysis) -> Iterator[str]:
    """Say that figures have to be traded for one another, and where each is best."""
    combinations = count(len(analysis.combinations), "combination")
    points = f"{len(analysis.front):,} of {count(len(sweep.rows), 'point')}"
    yield f"No point is best in every figure: the Pareto front has {combinations} of figures, at {points}."
    groups: dict[tuple[int, ...], list[Best]] = {}
    for best in analysis.best:
        if best.figure in analysis.traded:
            groups.setdefault(tuple(best.places), []).append(best)
    for places, bests in [*groups.items()][:_MOST_GROUPS]:
        yield f"At {called(sweep.rows[places[0]])}{_also(len(places) - 1)}, {_bests(sweep, bests)}."


def _bests(sweep: Sweep, bests: Sequence[Best]) -> str:
    figures = {each.name: each for each in sweep.figures}
    base = sweep.baseline[0] if len(sweep.baseline) == 1 else None
    return listed_names([_best(figures[best.figure], best, base) for best in bests])


def _best(figure: FigureInfo, best: Best, base: Row | None) -> str:
    end = "highest" if best.better == "more" else "lowest"
    was = f"; {figure_text(figure, base.figures.get(figure.name))} without edits" if base else ""
    return f"{figure.name} is {end} ({figure_text(figure, best.value)}{was})"


def _what_matters(analysis: Analysis) -> Iterator[str]:
    """Say which parameter explains most of each figure, where there are several."""
    strongest = strongest_effects(analysis)
    if len(analysis.varied) <= 1:
        return
    by_parameter: dict[str, list[str]] = {}
    for figure, effect in strongest.items():
        by_parameter.setdefault(effect.parameter, []).append(f"{figure} ({percent(effect.variance_explained or 0.0)})")
    for parameter, named in by_parameter.items():
        yield f"Among the parameters, {parameter} explains most of {listed_names(named)}."


def strongest_effects(analysis: Analysis) -> Mapping[str, Effect]:
    """Return of each figure that differs the effect that explains most of it."""
    found: dict[str, Effect] = {}
    for effect in ordered_effects(analysis):
        found.setdefault(effect.figure, effect)
    return found


def ordered_effects(analysis: Analysis) -> list[Effect]:
    """Return the effects on figures that differ: figure by figure, the parameter that explains most first."""
    names = list(analysis.figures)
    found = [each for each in analysis.effects if each.variance_explained is not None and len(each.levels) > 1]
    return sorted(found, key=lambda each: (names.index(each.figure), -(each.variance_explained or 0.0)))


def called(row: Row) -> str:
    """Name a point by its number and the values of its parameters."""
    settings = settings_text(row.parameters)
    return f"#{row.number} ({settings})" if settings else f"#{row.number}"


def called_everywhere(rows: Sequence[Row]) -> str:
    """Name a change by the numbers of its points, one of each snapshot, and the values of its parameters."""
    numbers = "/".join(f"#{row.number}" for row in rows)
    settings = settings_text(rows[0].parameters)
    return f"{numbers} ({settings})" if settings else numbers


def _also(others: int, of: str = "point") -> str:
    return f" and {count(others, f'other {of}')}" if others else ""
