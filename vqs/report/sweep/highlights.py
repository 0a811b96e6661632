"""What the points of a sweep say together, in sentences: where figures are best, and which parameters matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vqs.explain.amounts import percent
from vqs.model.wording import count, listed_names
from vqs.report.sweep.values import figure_text, settings_text
from vqs.sweep.analysis import Analysis, Best
from vqs.sweep.effects import Effect
from vqs.sweep.outcome import FigureInfo, Row, Sweep

_MOST_GROUPS: Final = 4
"""After these, groups of figures that are best together are counted and not told."""


def highlights(sweep: Sweep, analysis: Analysis) -> list[str]:
    """Return what the points say together, the most important sentence first; nothing where one point ran, or none."""
    if sum(row.error is None for row in sweep.rows) <= 1 or not analysis.figures:
        return []
    if not analysis.traded:
        return [_unmoved(analysis)]
    return [*(_one_choice if analysis.best_in_all else _trade_offs)(sweep, analysis), *_what_matters(analysis)]


def _unmoved(analysis: Analysis) -> str:
    if all(effect.explained is None for effect in analysis.effects):
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
        by_parameter.setdefault(effect.parameter, []).append(f"{figure} ({percent(effect.explained or 0.0)})")
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
    found = [each for each in analysis.effects if each.explained is not None and len(each.levels) > 1]
    return sorted(found, key=lambda each: (names.index(each.figure), -(each.explained or 0.0)))


def called(row: Row) -> str:
    """Name a point by its number and the values of its parameters."""
    settings = settings_text(row.parameters)
    return f"#{row.number} ({settings})" if settings else f"#{row.number}"


def _also(others: int) -> str:
    return f" and {count(others, 'other point')}" if others else ""
