"""The columns of a sweep as rows of values: for tables of people, and for files of programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vqs.report.sweep.values import figure_text
from vqs.sweep.domains import written
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
