"""The rows of a sweep as comma-separated values (RFC 4180): one line for each point, in their order."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Final

from vqs import inert
from vqs.report.formats import View
from vqs.report.sweep.columns import Cell, columns
from vqs.sweep.outcome import Sweep

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet takes for a formula; an apostrophe before it makes it a text."""


def write(result: Sweep, _view: View, /) -> str:
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
