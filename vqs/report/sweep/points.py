"""What a sweep says of its points: values and columns, CSV (RFC 4180) and Parquet, and sentences on all of them.

The sentences say where figures are best, and which parameters matter.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Final, NamedTuple

from vqs import inert
from vqs.explain.amounts import ABSENT, amount, lasting, percent
from vqs.model.wording import count, listed_names
from vqs.report.formats import View
from vqs.sweep.analysis import Analysis, Best
from vqs.sweep.domains import Value, written
from vqs.sweep.effects import Effect, Level
from vqs.sweep.outcome import FigureInfo, Row, Scalar, Sweep
from vqs.sweep.snapshots import Side, Sides

Cell = Scalar | None


class Column(NamedTuple):
    """A column: its name, its values in the order of the rows, and whether these are numbers."""

    name: str
    values: Sequence[Cell]
    is_numeric: bool


def columns(result: Sweep) -> Iterator[Column]:
    """Yield all columns, those of the parameters and figures between what was run and what went wrong."""
    rows = result.rows
    yield Column("number", [row.number for row in rows], is_numeric=True)
    yield Column("base", [row.base for row in rows], is_numeric=False)
    yield Column("release", [row.release for row in rows], is_numeric=False)
    yield Column("seed", [row.seed for row in rows], is_numeric=True)
    for each in result.parameters:
        values = [row.parameters[each.name] for row in rows]
        yield Column(each.name, values if each.numeric else [*map(written, values)], each.numeric)
    for figure in result.figures:
        yield Column(figure.name, [row.figures.get(figure.name) for row in rows], figure.unit != "text")
    yield Column("failures", ["; ".join(each.text for each in row.failures) for row in rows], is_numeric=False)
    yield Column("error", [row.error.message if row.error else "" for row in rows], is_numeric=False)
    yield Column("edits", ["; ".join(row.edits) for row in rows], is_numeric=False)


def figure_of_row(figure: FigureInfo, row: Row) -> str:
    """Write a figure of a row for people; nothing where the point could not be run."""
    if row.error is not None:
        return ""
    text, found = figure_text(figure, row.figures.get(figure.name)), row.intervals.get(figure.name)
    if found is not None and found.at_most is not None:
        return f"{text} (≤{figure_text(figure, found.at_most)})"
    return f"{text} ±{figure_text(figure, found.reach)}" if found is not None and found.reach else text


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet takes for a formula; an apostrophe before it makes it a text."""


def write_csv(result: Sweep, _view: View, /) -> str:
    """Write the rows; a figure without a value is empty."""
    found = [*columns(result)]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([inert.line(each.name) for each in found])
    for values in zip(*(each.values for each in found), strict=True):
        writer.writerow([*map(_cell, values)])
    return text.getvalue()


def _cell(value: Cell) -> str | int | float | None:
    """Return a value as a cell: a whole number looks like one, no text is a command to a runner, or a formula."""
    if isinstance(value, str):
        return inert.line(f"'{value}" if value.startswith(_FORMULA) else value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def write_parquet(result: Sweep, _view: View, /) -> bytes:
    """Write the rows as a Parquet file, with the same columns as CSV; a figure without a value is null."""
    import pyarrow as pa  # noqa: PLC0415 - nothing else needs it
    from pyarrow import parquet  # noqa: PLC0415

    arrays = {}
    for each in columns(result):
        is_whole = all(isinstance(value, int) for value in each.values if value is not None)
        kind = (pa.int64() if is_whole else pa.float64()) if each.is_numeric else pa.string()
        arrays[each.name] = pa.array(each.values, type=kind)
    data = BytesIO()
    parquet.write_table(pa.table(arrays), data)
    return data.getvalue()


def figure_text(figure: FigureInfo, value: float | str | None) -> str:
    """Write a value of a figure: a part of a whole as a percentage, amounts and times with their units.

    >>> used = FigureInfo(name="utilisation.cpu", unit="part", resource="cpu", missing="unknown")
    >>> figure_text(used, 0.71428), figure_text(used, None)
    ('71.43%', 'unknown')
    """
    if value is None:
        return figure.missing
    if isinstance(value, str):
        return value or ABSENT
    match figure.unit:
        case "part":
            return f"{value * 100:.4g}%"
        case "amount":
            return amount(figure.resource, value)
        case "seconds":
            return lasting(value)
        case _:
            return f"{round(value, 2):,.10g}"


def difference_text(figure: FigureInfo, difference: float) -> str:
    """Write by how much a figure differs: parts of a whole in percentage points."""
    return f"{difference * 100:.4g} points" if figure.unit == "part" else figure_text(figure, difference)


def level_text(level: Level) -> str:
    """Write the value, or the range of values, that a level stands for.

    >>> level_text(Level(value=0.25, to=0.5, points=3, mean=1.0, least=0.0, most=2.0))
    '0.25 to 0.5'
    """
    return range_text(level.value, level.value if level.to is None else level.to)


def range_text(low: Value, high: Value) -> str:
    """Write the ends of a range; only one where they are the same."""
    return written(low) if low == high else f"{written(low)} to {written(high)}"


# --- sentences --------------------------------------------------------------------------------------------------------

_MOST_GROUPS: Final = 4
"""After these, groups of figures that are best together are counted and not told."""


def highlights(sides: Sides) -> list[str]:
    """What the points say together, the most important sentence first; nothing where one point ran, or none.

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
        unmoved = all(effect.variance_explained is None for effect in analysis.effects)
        which = "figure" if unmoved else "figure that is better higher or lower"
        yield f"No {which} differs between the points."
        return
    yield from (_one_choice if analysis.best_in_all else _trade_offs)(sweep, analysis)
    for best in analysis.best:
        if best.figure in analysis.traded and best.alike:
            point = called(sweep.rows[best.places[0]])
            others = count(len(best.alike), "other point")
            yield f"Chance may explain how {best.figure} at {point} differs from {others}: the 95% intervals overlap."
    if len(analysis.varied) <= 1:
        return
    by_parameter: dict[str, list[str]] = {}
    strongest = {each.figure: each for each in reversed(ordered_effects(analysis))}
    for effect in reversed(strongest.values()):
        said = f"{effect.figure} ({percent(effect.variance_explained or 0.0)})"
        by_parameter.setdefault(effect.parameter, []).append(said)
    for parameter, named in by_parameter.items():
        yield f"Among the parameters, {parameter} explains most of {listed_names(named)}."


def _on_all(sides: Sides) -> Iterator[str]:
    """Say which changes are good on all snapshots; where none is, which come nearest."""
    if sides.best:
        where = " in every figure" if len(sides.compromises) > 1 else ""
        yield f"{_changes(sides, sides.best)} {_are(sides.best)} best{where} on every snapshot."
        return
    if sides.good:
        yield f"{_changes(sides, sides.good)} {_are(sides.good)} on the Pareto front of every snapshot."
    else:
        yield "No change is on the Pareto front of every snapshot, or best there."
    figures = {each.name: each for side in sides.all for each in side.sweep.figures}
    for each in [each for each in sides.compromises if each.loss > 0][:_MOST_GROUPS]:
        nearest = f"with each, it is {figures[each.figure].missing} on one of them"
        if math.isfinite(each.loss):
            verb = "comes" if len(each.places) == 1 else "come"
            loss = f"with a loss of {percent(each.loss)} at most"
            nearest = f"{_changes(sides, each.places)} {verb} nearest, {loss}"
        yield f"No change is best in {each.figure} on every snapshot: {nearest}."


def _are(places: Sequence[int]) -> str:
    return "is" if len(places) == 1 else "are"


def _changes(sides: Sides, places: Sequence[int]) -> str:
    return f"{called_everywhere(sides.rows(places[0]))}{_also(len(places) - 1, 'change')}"


def _one_choice(sweep: Sweep, analysis: Analysis) -> Iterator[str]:
    """Say which points are best in every figure."""
    places = analysis.best_in_all
    others = len(places) - 1
    verb = f"{_are(places)} best{' in every figure' if len(analysis.traded) > 1 else ''}"
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
    """Say where each figure is best, and what it is without edits."""
    figures = {each.name: each for each in sweep.figures}
    said = []
    for best in bests:
        figure, end = figures[best.figure], "highest" if best.better == "more" else "lowest"
        before = [base.figures.get(figure.name) for base in sweep.baseline]
        was = f"; {figure_text(figure, before[0])} without edits" if len(before) == 1 else ""
        said.append(f"{figure.name} is {end} ({figure_text(figure, best.value)}{was})")
    return listed_names(said)


def ordered_effects(analysis: Analysis) -> list[Effect]:
    """The effects on figures that differ: figure by figure, the parameter that explains most first."""
    names = list(analysis.figures)
    found = [each for each in analysis.effects if each.variance_explained is not None and len(each.levels) > 1]
    return sorted(found, key=lambda each: (names.index(each.figure), -(each.variance_explained or 0.0)))


def called(row: Row) -> str:
    """Name a point by its number and the values of its parameters."""
    return called_everywhere([row])


def called_everywhere(rows: Sequence[Row]) -> str:
    """Name a change by the numbers of its points, one of each snapshot, and the values of its parameters."""
    numbers = "/".join(f"#{row.number}" for row in rows)
    settings = ", ".join(f"{name}={written(value)}" for name, value in rows[0].parameters.items())
    return f"{numbers} ({settings})" if settings else numbers


def _also(others: int, of: str = "point") -> str:
    return f" and {count(others, f'other {of}')}" if others else ""
