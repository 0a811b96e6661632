"""Main effects, the points that trade one figure for another, and the best ones, as they are defined."""

from __future__ import annotations

import statistics
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.diff.figures import Better
from vqs.sweep.domains import Value
from vqs.sweep.effects import Measure, best_points, divisions, main_effects, pareto_front

FIGURES = st.integers(-50, 50).map(float) | st.sampled_from([0.1, 0.25, 1 / 3, 2.0**40])
KNOWN = st.none() | FIGURES
VALUES = st.lists(
    st.one_of(st.integers(0, 5), st.floats(0, 9, allow_nan=False), st.sampled_from(["a", "b", "10"]), st.booleans()),
    min_size=1,
    max_size=60,
)
BETTER: st.SearchStrategy[Better] = st.sampled_from(["more", "less"])


@st.composite
def measures(draw: st.DrawFn) -> list[Measure]:
    """Draw one to three figures of up to forty points."""
    points = draw(st.integers(0, 40))
    column = st.lists(st.none() | st.integers(0, 5).map(float), min_size=points, max_size=points)
    return draw(st.lists(st.builds(Measure, column, BETTER), min_size=1, max_size=3))


def better(measure: Measure, one: int, other: int) -> float:
    """Return by how much one point is better than another; below zero, it is worse."""
    first, second = measure.values[one], measure.values[other]
    assert first is not None
    assert second is not None
    return first - second if measure.better == "more" else second - first


# --- main effects -----------------------------------------------------------------------------------------------------


def test_an_effect_can_be_worked_out_by_hand() -> None:
    """With weight 1, 2 and 4 pods are placed, with 3, 6 and 8: 4 more on average, and 16 of 20 squared pods."""
    weights, replicas = [1, 1, 3, 3], [5, 9, 5, 9]
    of_weight, of_replicas = main_effects({"weight": weights, "replicas": replicas}, {"placed": [2.0, 4.0, 6.0, 8.0]})
    assert [(level.value, level.mean, level.min, level.max, level.points) for level in of_weight.levels] == [
        (1, 3.0, 2.0, 4.0, 2),
        (3, 7.0, 6.0, 8.0, 2),
    ]
    assert (of_weight.difference, of_weight.variance_explained) == (4.0, 0.8)
    assert (of_replicas.difference, of_replicas.variance_explained) == (2.0, 0.2)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_effects_on_a_grid_share_the_variance(rows: int, columns: int, data: st.DataObject) -> None:
    """What two parameters of a full grid explain is never more than all, and all where nothing else takes part."""
    grid = [*product(range(rows), range(columns))]
    values = data.draw(st.lists(FIGURES, min_size=len(grid), max_size=len(grid)))
    parameters: dict[str, list[Value]] = {"row": [at for at, _ in grid], "column": [at for _, at in grid]}
    effects = main_effects(parameters, {"figure": values})
    shares = [effect.variance_explained for effect in effects]
    assert (shares == [None, None]) == (len(set(values)) == 1)
    assert sum(filter(None, shares)) <= 1 + 1e-9
    means = {at: statistics.mean(map(Fraction, values[at * columns : (at + 1) * columns])) for at in range(rows)}
    additive = [float(means[row]) for row, _ in grid]
    [of_row, _] = main_effects(parameters, {"figure": additive})
    assert of_row.variance_explained in (None, pytest.approx(1.0))


@given(VALUES, st.data())
def test_means_are_exact(values: list[Value], data: st.DataObject) -> None:
    """Each level has the mean, rounded once, of its known figures, and all known figures are in one level."""
    figures = data.draw(st.lists(KNOWN, min_size=len(values), max_size=len(values)))
    [effect] = main_effects({"parameter": values}, {"figure": figures})
    divided = divisions({"parameter": values})["parameter"]
    expected = []
    for level in range(len(divided.ends)):
        known = [value for at, value in zip(divided.at, figures, strict=True) if at == level and value is not None]
        if known:
            expected.append((len(known), min(known), max(known), statistics.mean(map(Fraction, known))))
    found = [(level.points, level.min, level.max, level.mean) for level in effect.levels]
    assert [each[:3] for each in found] == [each[:3] for each in expected]
    assert [each[3] for each in found] == [pytest.approx(float(each[3]), rel=1e-15, abs=1e-15) for each in expected]
    assert all(level.min <= level.mean <= level.max for level in effect.levels)


@given(st.permutations(range(12)))
def test_the_order_of_points_does_not_matter(order: list[int]) -> None:
    """Effects of numbers are the same, to the last digit, whatever the order in which points stand."""
    weights = [place // 3 for place in range(12)]
    figures = [0.1 * 3**place for place in range(12)]
    shuffled = main_effects({"w": [weights[at] for at in order]}, {"f": [figures[at] for at in order]})
    assert shuffled == main_effects({"w": weights}, {"f": figures})


@given(VALUES, st.booleans())
def test_levels_divide_all_points(values: list[Value], is_alone: bool) -> None:
    """Each point is in the one level that its value lies in; numbers are in their order; true is not 1."""
    others: dict[str, list[Value]] = {} if is_alone else {"other": [*range(len(values))]}
    ends, at = divisions({"parameter": values, **others})["parameter"]
    assert set(at) == set(range(len(ends)))
    for value, level in zip(values, at, strict=True):
        low, high = ends[level]
        if isinstance(value, bool | str) or isinstance(low, bool | str):
            assert (type(low), low) == (type(high), high)
            assert value == low
            assert isinstance(value, bool) == isinstance(low, bool)
        else:
            assert not isinstance(high, bool | str)
            assert low <= value <= high
    if not any(isinstance(value, bool | str) for value in values):
        flat = [end for pair in ends for end in pair]
        assert flat == sorted(flat)


def test_many_numbers_are_ranges() -> None:
    """A hundred points with weights and memories of their own have ten ranges of ten; one parameter has its values."""
    weights: list[Value] = [place / 7 for place in range(100)]
    memories: list[Value] = [(place * 37) % 100 for place in range(100)]
    ends, at = divisions({"weight": weights, "memory": memories})["weight"]
    assert len(ends) == 10
    assert [at.count(level) for level in range(10)] == [10] * 10
    assert len(divisions({"weight": weights[:30], "fixed": ["same"] * 30})["weight"].ends) == 30


def test_one_point_has_no_effect() -> None:
    """Its level has its figure; where that is not known, there is no level."""
    [known, unknown] = main_effects({"weight": [3]}, {"placed": [7.0], "spread": [None]})
    assert (known.levels[0].mean, known.difference, known.variance_explained) == (7.0, 0.0, None)
    assert (unknown.levels, unknown.difference, unknown.variance_explained) == ([], 0.0, None)


# --- the best points --------------------------------------------------------------------------------------------------


@given(measures())
def test_the_front_is_what_nothing_dominates(columns: list[Measure]) -> None:
    """A point is on the front if, and only if, no other is as good in all figures and better in one."""
    points = range(len(columns[0].values))
    known = [at for at in points if all(column.values[at] is not None for column in columns)]

    def dominates(one: int, other: int) -> bool:
        by = [better(column, one, other) for column in columns]
        return min(by) >= 0 and max(by) > 0

    assert pareto_front(columns) == [at for at in known if not any(dominates(other, at) for other in known)]


@given(measures())
def test_a_front_of_one_figure_has_its_best_points(columns: list[Measure]) -> None:
    """It is the points where that figure is best, and the front of several figures has one of these."""
    best = best_points(columns[0])
    assert pareto_front(columns[:1]) == best
    known = [at for at in best if all(column.values[at] is not None for column in columns)]
    assert not known or set(known) & set(pareto_front(columns))


def test_there_is_no_front_without_figures() -> None:
    """Nor a best point where a figure is known nowhere."""
    assert pareto_front([]) == []
    assert best_points(Measure([None, None], "more")) == []
    assert pareto_front([Measure([None, 1.0], "more"), Measure([1.0, None], "less")]) == []
