"""Means, percentiles, Jain's index and intervals: by hand, and for any numbers."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.replay.statistics import jain, paired_difference, spread, student_t, weighted_median

AMOUNTS = st.floats(0.0, 1e9)


def test_a_spread_by_hand() -> None:
    """Of 1 to 100 the 95th percentile is 95, and the median lies between 50 and 51."""
    found = spread([float(number) for number in range(100, 0, -1)])
    assert found is not None
    assert (found.count, found.mean, found.median, found.p95, found.p99, found.max) == (100, 50.5, 50.5, 95, 99, 100)


def test_nothing_has_no_spread() -> None:
    """Without numbers there is no mean."""
    assert spread([]) is None


@given(st.lists(AMOUNTS, min_size=1, max_size=50))
def test_percentiles_are_in_order(values: list[float]) -> None:
    """Each is at least the one before it, none is above the largest number, and the higher ones are observed."""
    found = spread(values)
    assert found is not None
    assert min(values) <= found.median <= found.p95 <= found.p99 <= found.max == max(values)
    assert {found.p95, found.p99} <= set(values)
    assert min(values) <= found.mean * (1 + 1e-12) <= max(values) * (1 + 1e-9)
    assert sum(value <= found.p95 for value in values) >= 0.95 * len(values)


@given(st.lists(st.tuples(AMOUNTS, st.integers(1, 5)), min_size=1, max_size=20))
def test_a_weighted_median_is_that_of_repeated_values(pairs: list[tuple[float, int]]) -> None:
    """A value with a weight of 3 counts as it would three times in the list."""
    repeated = [value for value, weight in pairs for _ in range(weight)]
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert weighted_median(values, weights) == pytest.approx(median(repeated))


@pytest.mark.parametrize(
    ("shares", "index"),
    [([3.0, 3.0, 3.0], 1.0), ([1.0, 0.0], 0.5), ([1.0, 2.0, 3.0], 36 / 42), ([0.0, 0.0], 1.0), ([], 1.0)],
)
def test_jains_index_by_hand(shares: list[float], index: float) -> None:
    """The square of the sum, over the number times the sum of the squares."""
    assert jain(shares) == pytest.approx(index)


@given(st.lists(AMOUNTS, min_size=1, max_size=20), st.floats(0.001, 1000))
def test_jains_index_is_a_part(shares: list[float], factor: float) -> None:
    """It lies between 1/n and 1, and stays what it is in another unit."""
    index = jain(shares)
    assert 1 / len(shares) <= index <= 1
    assert jain([share * factor for share in shares]) == pytest.approx(index, rel=1e-6)


@given(AMOUNTS, st.integers(1, 20))
def test_equal_shares_are_fair(share: float, number: int) -> None:
    """Whatever all have, the index is 1."""
    assert jain([share] * number) == pytest.approx(1)


@pytest.mark.parametrize(("freedom", "t"), [(2, 4.302653), (3, 3.182446), (4, 2.776445), (9, 2.262157), (29, 2.045230)])
def test_quantiles_of_students_t(freedom: int, t: float) -> None:
    """They are those of printed tables."""
    assert student_t(freedom) == pytest.approx(t, abs=2e-6)


def test_an_interval_by_hand() -> None:
    """Of the differences 1, 2 and 3 the mean is 2 and the standard deviation 1: 2 ± 4.3027 / √3."""
    found = paired_difference([10.0, 20.0, 30.0], [11.0, 22.0, 33.0])
    assert (found.mean, found.pairs) == (2.0, 3)
    assert found.low == pytest.approx(2 - 2.484138)
    assert found.high == pytest.approx(2 + 2.484138)
    assert not found.is_clear()


def test_two_pairs_have_no_interval() -> None:
    """Their mean is given, and nothing is called clear."""
    found = paired_difference([1.0, 1.0], [2.0, 2.0])
    assert (found.mean, found.low, found.high, found.is_clear()) == (1.0, None, None, False)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=3, max_size=12))
def test_an_interval_holds_the_mean(pairs: list[tuple[float, float]]) -> None:
    """It lies around the mean difference, and is mirrored where before and after change places."""
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found, mirrored = paired_difference(before, after), paired_difference(after, before)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.mean <= found.high
    assert mirrored.low == pytest.approx(-found.high)
