"""The report for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from rich.text import Text

from vqs.report.as_table import simulation
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from vqs.explain.outcome import Simulation

COLOR = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("width", [80, 200, None])
def test_table(result: Simulation, snapshot: SnapshotAssertion, width: int | None) -> None:
    """The tables look like this on a narrow terminal, on a wide one, and in a pipe."""
    assert simulation(result, View(width=width)) == snapshot


def test_everything(result: Simulation, snapshot: SnapshotAssertion) -> None:
    """With all details a queue's table has every figure."""
    assert simulation(result, View(detail=Detail.EVERYTHING)) == snapshot


def test_summary_is_the_last_line(result: Simulation) -> None:
    """The most important line comes last, and alone when only that is wanted."""
    summary = "2 placed, 0 pipelined, 2 still pending: 2 no-node-fits"
    assert simulation(result, View()).splitlines()[-1] == summary
    assert simulation(result, View(detail=Detail.SUMMARY)) == f"{summary}\n"


def test_names_are_neither_markup_nor_emoji(result: Simulation) -> None:
    """Brackets and colons in a name come out as they went in, coloured or not."""
    for color in (False, True):
        text = COLOR.sub("", simulation(result, View(color=color)))
        assert "  [gpu] " in text
        assert "ml/diffusion:warning:train-0" in text


def test_colour_only_repeats_the_words(result: Simulation) -> None:
    """Without its colours the coloured report is the plain one, so nobody needs to see them."""
    colored = simulation(result, View(color=True))
    assert COLOR.search(colored)
    assert COLOR.sub("", colored) == simulation(result, View())


def test_piped_lines_are_not_broken(result: Simulation) -> None:
    """In a pipe each task is one line with all that is said about it."""
    lines = [
        line for line in simulation(result, View()).splitlines() if line.startswith("ml/diffusion:warning:train-0")
    ]
    assert len(lines) == 1
    assert lines[0].endswith("had untolerated taint {dedicated: infra}.")


def test_names_are_never_shortened(result: Simulation) -> None:
    """A name that is longer than the terminal is wide is written out."""
    name = "worker-" + "x" * 100
    result.tasks[0].name = name
    assert f"ml/{name} " in simulation(result, View(width=80))


def test_long_lists_show_what_has_no_place(result: Simulation) -> None:
    """Of many tasks only those without a place are shown, summed up, with the way to see the others."""
    result.tasks = [task for task in result.tasks for _ in range(100)]
    text = simulation(result, View())
    assert "Tasks without a place: 200 of 400, by job and reason; -v shows every task" in text
    assert re.search(r"^  200  diffusion:warning:train  Pending  no-node-fits: no node has 4", text, re.MULTILINE)
    assert "llama-finetune-worker-0" not in text
    assert simulation(result, View(detail=Detail.EVERYTHING)).count("llama-finetune-worker-0") == 100


def test_long_lists_show_jobs_that_are_not_ready(result: Simulation) -> None:
    """Of many jobs only those that are not ready are shown, and of very many of these the first hundred."""
    result.jobs = [job for job in result.jobs for _ in range(101)]
    text = simulation(result, View())
    assert "Jobs that are not ready: 101 of 202; -v shows every job (the first 100 here)" in text
    assert text.count("ml/diffusion:warning:train ") == 100


def test_remarks_that_are_alike_are_said_once() -> None:
    """Where remarks stand below their rows, rows that follow each other and have the same one share it."""
    rows = [Row((Text("a"),), "because " * 9), Row((Text("b" * 60),), "because " * 9), Row((Text("c"),))]
    lines = [line.plain for line in Grid((Column("NAME"),), rows, "REASON").lines(80)]
    assert lines == ["NAME", "a", "b" * 60, "    " + "because " * 8 + "because", "c"]


def test_dispensable_columns_give_way() -> None:
    """A column that can be spared is left out where the line would be longer than the terminal is wide."""
    columns = (Column("NAME"), Column("JOB", dispensable=True), Column("READY", numeric=True))
    grid = Grid(columns, [Row((Text("n" * 40), Text("j" * 40), Text("1/1")))])
    assert [line.plain for line in grid.lines(80)][1] == "n" * 40 + "    1/1"
    assert [line.plain for line in grid.lines(100)][1] == "n" * 40 + "  " + "j" * 40 + "    1/1"
