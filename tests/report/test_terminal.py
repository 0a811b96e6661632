"""Tables at a terminal: names in headings and cells of several words are broken where the rows then fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.report.page import Column, Grid, Row, cell
from vqs.report.terminal import laid_out

NAMES = st.lists(st.text("ab.:/-", min_size=1, max_size=30), min_size=1, max_size=6)


def lines(names: list[str], width: int | None) -> list[str]:
    """Return the lines of a table with a row of numbers below names."""
    columns = tuple(Column(name, numeric=True, verbatim=True) for name in names)
    grid = Grid(columns, [Row(tuple(cell(str(number)) for number in range(len(names))))])
    return [line.plain for line in laid_out(grid, width)]


def test_headings_take_as_few_lines_as_make_the_rows_fit() -> None:
    """Where all fits, a heading is one line; else names are broken after a colon, a dot or a slash."""
    names = ["placed", "queue:default.deserved.cpu", "job:ns/train.pending"]
    assert len(lines(names, None)) == len(lines(names, 56)) == 2
    assert lines(names, 40) == [
        "        queue:default.  job:ns/train.",
        "placed    deserved.cpu        pending",
        "     0               1              2",
    ]


@given(NAMES, st.integers(20, 90))
def test_no_letter_of_a_heading_is_lost(names: list[str], width: int) -> None:
    """However names are broken, their letters are all there, and the row is below them."""
    shown = "".join(lines(names, width)).replace(" ", "")
    assert sorted(shown) == sorted("".join([*names, *map(str, range(len(names)))]))


@pytest.mark.parametrize("width", [10, 30])
def test_names_that_cannot_be_broken_enough(width: int) -> None:
    """Where the row fits in no way, it takes several lines, and names stay whole."""
    shown = lines(["a" * 20, "b" * 20, "c.d"], width)
    assert any("a" * 20 in line for line in shown)
    assert any("c.d" in line for line in shown)


def test_columns_of_words_take_several_lines_where_a_row_then_fits() -> None:
    """The widest column of text gives way; what stands before its first word stands before its next lines, too."""
    columns = (Column("CHANGE"), Column("FROM", numeric=True), Column("RESULT"))
    grid = Grid(columns, [Row((cell("  enablePreemptable of the plugin gang"), cell("true"), cell("starts")))])
    assert [line.plain for line in laid_out(grid, 36)] == [
        "CHANGE                  FROM  RESULT",
        "  enablePreemptable of  true  starts",
        "  the plugin gang",
    ]
