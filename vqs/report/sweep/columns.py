"""The columns of a sweep: values as people read them, rows for tables, and comma-separated values (RFC 4180)."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final, NamedTuple

from vqs import inert
from vqs.explain.amounts import ABSENT, amount, lasting, percent
from vqs.report.formats import View
from vqs.sweep.domains import Value, written
from vqs.sweep.effects import Level
from vqs.sweep.outcome import FigureInfo, Row, Scalar, Sweep

ERROR: Final = "error"

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
        yield Column(each.name, [_value(row, each.name, each.numeric) for row in rows], each.numeric)
    for figure in result.figures:
        yield Column(figure.name, [row.figures.get(figure.name) for row in rows], figure.unit != "text")
    yield Column("failures", ["; ".join(each.text for each in row.failures) for row in rows], is_numeric=False)
    yield Column(ERROR, [row.error.message if row.error else "" for row in rows], is_numeric=False)
    yield Column("edits", ["; ".join(row.edits) for row in rows], is_numeric=False)


def _value(row: Row, name: str, is_numeric: bool) -> Cell:
    value = row.parameters[name]
    return value if is_numeric else written(value)


def figure_of_row(figure: FigureInfo, row: Row) -> str:
    """Write a figure of a row for people; nothing where the point could not be run."""
    return "" if row.error is not None else figure_text(figure, row.figures.get(figure.name))


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


def loss_text(figure: FigureInfo, loss: float) -> str:
    """Write how far a figure is from its best on a snapshot; what never happens is as far as can be."""
    return percent(loss) if math.isfinite(loss) else figure.missing


def level_text(level: Level) -> str:
    """Write the value, or the range of values, that a level stands for.

    >>> level_text(Level(value=0.25, to=0.5, points=3, mean=1.0, least=0.0, most=2.0))
    '0.25 to 0.5'
    """
    return range_text(level.value, level.value if level.to is None else level.to)


def range_text(low: Value, high: Value) -> str:
    """Write the ends of a range; only one where they are the same."""
    return written(low) if low == high else f"{written(low)} to {written(high)}"


def settings_text(parameters: dict[str, Value]) -> str:
    """Write what a point sets, in one line.

    >>> settings_text({"weight": 4, "reclaim": True})
    'weight=4, reclaim=true'
    """
    return ", ".join(f"{name}={written(value)}" for name, value in parameters.items())
