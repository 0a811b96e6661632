"""The sentences and parts that tell of all points of a sweep together."""

from __future__ import annotations

import pytest

from tests.report.sweeps import EVICTIONS, PLACED, WEIGHT, mixed, on_two_snapshots, row, sample, single, sweep, weights
from tests.report.writers import as_markdown, as_table
from vqs.replay.statistics import estimate
from vqs.report.formats import Detail, View
from vqs.report.sweep.points import difference_text, figure_text, highlights
from vqs.sweep.outcome import FigureInfo, PointError, Sweep
from vqs.sweep.snapshots import Sides


def said(result: Sweep) -> list[str]:
    """Return the sentences."""
    return highlights(Sides(result))


def test_trade_offs_are_told() -> None:
    """First that there is a choice, then where each figure is best, beside what it is without edits."""
    assert said(weights()) == [
        "No point is best in every figure: the Pareto front has 3 combinations of figures, at 3 of 5 points.",
        "At #4 (weight=4) and 1 other point, placed is highest (8; 3 without edits).",
        "At #1 (weight=1) and 1 other point, evictions is lowest (0; 0 without edits).",
    ]


def test_one_choice_is_told() -> None:
    """The points that are best in every figure, and which of several parameters matters most for each."""
    first, *others = said(mixed())
    assert first.startswith("#7 (weight=2, replicas=8, policy=as it is) and 1 other point are best in every figure: ")
    assert "queue:b.allocated.memory is highest (16Gi)" in first
    assert others[-1] == "Among the parameters, policy explains most of evictions (63%)."


def test_what_chance_may_explain_is_told() -> None:
    """A best point is not sold as better than those whose intervals overlap its own."""
    rows = [
        row(number, {"weight": number}, {"placed": sum(runs) / 3}, intervals={"placed": estimate(runs)})
        for number, runs in enumerate([[8.0, 9.0, 10.0], [8.5, 9.5, 10.5]], 1)
    ]
    assert said(sweep([WEIGHT], [PLACED], rows))[1:] == [
        "Chance may explain how placed at #2 (weight=2) differs from 1 other point: the 95% intervals overlap."
    ]


def test_there_may_be_nothing_to_tell() -> None:
    """Of one point nothing; of points that do not differ, that."""
    assert said(single()) == []
    rows = [row(number, {"weight": number}, {"placed": 1.0, "evictions": None}) for number in (1, 2)]
    assert said(sweep([WEIGHT], [PLACED, EVICTIONS], rows)) == ["No figure differs between the points."]


def test_a_figure_without_direction_is_not_best_anywhere() -> None:
    """It differs, and neither more nor less of it is better."""
    tasks = FigureInfo(name="job:ns/train.tasks", unit="count", resource="", missing="unknown")
    rows = [row(number, {"weight": number}, {tasks.name: float(number)}) for number in (1, 2)]
    assert said(sweep([WEIGHT], [tasks], rows)) == [
        "No figure that is better higher or lower differs between the points."
    ]


def test_each_snapshot_is_told_of() -> None:
    """After the changes that are good on all, or come nearest to what is best on each."""
    on_all, small, large = said(on_two_snapshots())
    assert on_all == "#3/#6 (weight=3) is on the Pareto front of every snapshot."
    assert small.startswith(
        "On small.json: #3 (weight=3) is best in every figure: placed is highest (2; 1 without edits)"
    )
    assert large.startswith("On large.json: no point is best in every figure: the Pareto front has 3 combinations")


@pytest.mark.parametrize("write", [as_table, as_markdown])
def test_effects_are_told_where_several_parameters_change(write: object) -> None:
    """Of one parameter the table of points says as much."""
    assert callable(write)
    assert "Main effects" in write(mixed(), View(width=120))
    assert "Main effects" not in write(weights(), View(width=120))
    assert "Pareto front" in write(weights(), View(width=120))


def test_effects_are_written() -> None:
    """Figure by figure, the parameter that explains most first, with the mean at each of its values."""
    lines = as_table(mixed(), View(width=120)).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("FIGURE"))
    assert [" ".join(line.split()) for line in lines[at + 1 : at + 4]] == [
        "placed replicas 2.67 48% 4: 4, 8: 6.67",
        "placed weight 2.67 35% 1: 4, 2: 6.67, 4: 6",
        "placed policy 0.27 0.5% as it is: 5.33, preempt: 5.6",
    ]


def test_long_lists_are_cut() -> None:
    """Points, effects and fronts have few rows unless all are asked for."""
    usual, everything = (as_table(sample(200), View(detail=detail)) for detail in (Detail.USUAL, Detail.EVERYTHING))
    assert "Points (40 of 200 here; -v shows all)" in usual
    assert len(everything.splitlines()) > 200
    assert len(usual.splitlines()) < 90


def test_the_next_command_shows_one_point() -> None:
    """The first that fails and can be run; else one on the front, that is best in the first figure."""
    assert as_table(weights(), View()).splitlines()[-1] == (
        "Next: vqs diff-configs cluster.json --set queue/b.spec.weight=5 shows #5 job by job"
    )
    result = weights()
    result.rows[4].error = PointError(code="queue-denied", message="queue b: weight 5 is denied")
    assert "--set queue/b.spec.weight=4 shows #4 job by job" in as_table(result, View())
    assert "Next" not in as_table(single(), View())


@pytest.mark.parametrize(
    ("unit", "resource", "value", "text"),
    [
        ("count", "", 12345.0, "12,345"),
        ("count", "", 2.0 / 3, "0.67"),
        ("part", "cpu", 0.714285, "71.43%"),
        ("amount", "memory", 2.0**33, "8Gi"),
        ("amount", "cpu", 2.5, "2.5"),
        ("amount", "memory", None, "never"),
        ("text", "", "queue-limit", "queue-limit"),
        ("text", "", "", "-"),
    ],
)
def test_figures_are_written(unit: str, resource: str, value: float | str | None, text: str) -> None:
    """Parts as percentages, amounts with their unit, and what null means in its word."""
    figure = FigureInfo(name="figure", unit=unit, resource=resource, missing="never")  # type: ignore[arg-type]
    assert figure_text(figure, value) == text


def test_differences_of_parts_are_points() -> None:
    """From 50% to 75% is 25 percentage points."""
    part = FigureInfo(name="utilisation.cpu", unit="part", resource="cpu", missing="unknown")
    assert difference_text(part, 0.25) == "25 points"
