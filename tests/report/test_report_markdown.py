"""The report for an issue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.report.as_markdown import simulation
from vqs.report.formats import Detail, View

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from vqs.explain.outcome import Simulation


def test_markdown(result: Simulation, snapshot: SnapshotAssertion) -> None:
    """The markdown looks like this."""
    assert simulation(result, View()) == snapshot


def test_markdown_summary(result: Simulation) -> None:
    """Only the summary is written where only that is wanted."""
    assert (
        simulation(result, View(detail=Detail.SUMMARY))
        == "**2 placed, 0 pipelined, 2 still pending: 2 no-node-fits**\n"
    )


def test_messages_do_not_act_as_markup(result: Simulation) -> None:
    """A message cannot end its cell, start a tag or a link."""
    result.tasks[2].verdict = None
    result.tasks[2].message = "a|b <details> [x](y) *bold*"
    assert r"a\|b \<details> \[x](y) \*bold\*" in simulation(result, View())


def test_long_tables_are_cut(result: Simulation) -> None:
    """A table that nobody would read in a comment ends with the number of rows left out."""
    result.tasks = result.tasks[2:] * 150
    text = simulation(result, View())
    assert "… and 100 rows more; `-v` writes all of them." in text
    assert text.count("`ml/diffusion:warning:train-0`") == 100
    assert "more; `-v`" not in simulation(result, View(detail=Detail.EVERYTHING))
