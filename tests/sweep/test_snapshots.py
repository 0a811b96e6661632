"""What points of several snapshots say together."""

from __future__ import annotations

import math

import msgspec

from tests.report.sweeps import EVICTIONS, PLACED, START, WEIGHT, row, sweep, weights
from vqs.sweep.effects import Measure
from vqs.sweep.outcome import FigureInfo, PointError, Row, Sweep
from vqs.sweep.snapshots import Sides, losses, with_analysis


def on_two(
    figures: list[FigureInfo], small: list[dict[str, float | None]], large: list[dict[str, float | None]]
) -> Sweep:
    """Return a sweep of as many weights on two snapshots, of which each has figures for each weight."""
    rows = [
        row(number, {"weight": weight}, values, base=base)
        for number, (base, weight, values) in enumerate(
            (
                (base, weight, values)
                for base, of_base in (("small", small), ("large", large))
                for weight, values in enumerate(of_base, 1)
            ),
            1,
        )
    ]
    return sweep([WEIGHT], figures, rows)


def placed(*values: float | None) -> list[dict[str, float | None]]:
    """Return the figures of points at which as many tasks are placed."""
    return [{"placed": value} for value in values]


def traded(*values: tuple[float, float]) -> list[dict[str, float | None]]:
    """Return the figures of points at which as many tasks are placed and evicted."""
    return [{"placed": one, "evictions": other} for one, other in values]


def test_points_of_different_snapshots_are_not_compared() -> None:
    """Best points, the front and effects are those of each snapshot, which is named."""
    small, large = traded((1, 0), (2, 1), (1, 1)), traded((10, 0), (10, 1), (20, 3))
    document = with_analysis(on_two([PLACED, EVICTIONS], small, large))
    assert [(each.base, each.figure, each.value, each.first) for each in document.best] == [
        ("small", "placed", 2.0, [2]),
        ("small", "evictions", 0.0, [1]),
        ("large", "placed", 20.0, [6]),
        ("large", "evictions", 0.0, [4]),
    ]
    assert document.pareto_front is not None
    assert document.pareto_front.points == [1, 2, 4, 6]
    effects = [(each.base, each.parameter, each.figure, each.difference) for each in document.effects]
    assert effects[:2] == [("small", "weight", "placed", 1.0), ("small", "weight", "evictions", 1.0)]
    assert effects[2:] == [("large", "weight", "placed", 10.0), ("large", "weight", "evictions", 3.0)]


def test_a_change_may_be_good_on_all_snapshots() -> None:
    """It is on the front of each, or best in the only figure that differs; its points are named."""
    document = with_analysis(
        on_two([PLACED, EVICTIONS], traded((1, 0), (2, 1), (1, 1)), traded((5, 0), (6, 0), (5, 0)))
    )
    assert isinstance(document.across_snapshots, msgspec.Struct)
    assert (document.across_snapshots.on_every_front, document.across_snapshots.first) == (1, [[2, 5]])
    [most, least] = document.across_snapshots.best
    assert (most.figure, most.max_regret, most.changes, most.first) == ("placed", 0.0, 1, [[2, 5]])
    assert (least.figure, least.max_regret, least.changes, least.first) == ("evictions", 0.0, 1, [[1, 4]])


def test_a_compromise_loses_least_where_it_loses_most() -> None:
    """Where no change is best on each snapshot, losses are parts of what can be gained there."""
    sides = Sides(on_two([PLACED], placed(1, 2, 3), placed(300, 290, 100)))
    assert (sides.best, sides.good) == ([], [])
    [found] = sides.compromises
    assert (found.places, found.loss) == ([1], 0.5)


def test_snapshots_that_nothing_moves_do_not_count() -> None:
    """What is best on the others is good on all."""
    sides = Sides(on_two([PLACED], placed(4, 4, 4), placed(1, 3, 3)))
    assert (sides.best, sides.good) == ([1, 2], [1, 2])
    assert Sides(on_two([PLACED], placed(4, 4), placed(1, 1))).good == []


def test_a_change_that_is_not_known_everywhere_is_no_compromise() -> None:
    """One that fails on a snapshot is not good there; a figure that a snapshot does not have is that of the others."""
    assert [each.places for each in Sides(on_two([PLACED], placed(None, 2, 1), placed(9, 7, 8))).compromises] == [[1]]
    assert [each.places for each in Sides(on_two([PLACED], placed(None, None), placed(7, 8))).compromises] == [[1]]
    assert Sides(on_two([PLACED], placed(None, 2, 3), placed(1, 2, None))).compromises[0].places == [1]


def test_what_never_happens_is_the_greatest_loss() -> None:
    """Where no change makes it happen on each snapshot on which it can, the loss has no number."""
    first, second = ([{START.name: value} for value in values] for values in ((1.0, None), (None, 2.0)))
    document = with_analysis(on_two([START], first, second))
    assert isinstance(document.across_snapshots, msgspec.Struct)
    assert [(each.max_regret, each.changes) for each in document.across_snapshots.best] == [(None, 2)]
    assert losses(Measure([math.inf, math.inf], "less")) == [0.0, 0.0]


def test_one_snapshot_has_nothing_of_several() -> None:
    """Its document names no snapshot where there is only one."""
    said = msgspec.json.encode(with_analysis(weights()))
    assert b"acrossSnapshots" not in said
    assert b'"best":[{"figure":' in said


def test_a_snapshot_may_have_errors_only() -> None:
    """The other one is looked at alone."""
    error = PointError(code="wrong", message="no")
    rows: list[Row] = [
        row(1, {"weight": 1}, {}, base="a", error=error),
        row(2, {"weight": 2}, {}, base="a", error=error),
    ]
    rows += [row(number, {"weight": number - 2}, {"placed": float(number)}, base="b") for number in (3, 4)]
    sides = Sides(sweep([WEIGHT], [PLACED], rows))
    assert [(side.name, side.analysis.traded) for side in sides.all] == [("a", []), ("b", ["placed"])]
    assert sides.good == [1]
