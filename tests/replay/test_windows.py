"""Areas and means of numbers that change at events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.replay.windows import MOST_WINDOWS, means, totals, windows

SAMPLES = st.lists(st.tuples(st.integers(1, 50), st.integers(0, 9)), min_size=1, max_size=20)


def test_areas_by_hand() -> None:
    """Two for ten seconds and four for five more, in windows of five seconds, of which the first is before all."""
    values = np.array([2.0, 4.0])
    assert totals([5.0, 15.0], values, [0, 5, 10, 15, 20]).tolist() == [0, 10, 10, 20]
    assert means([5.0, 15.0], values, [0, 10, 20]).tolist() == [1, 3]


def test_areas_of_several_numbers() -> None:
    """Each column is summed up by itself."""
    values = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert totals([0.0, 4.0], values, [0.0, 6.0]).tolist() == [[4, 4]]


@given(SAMPLES, st.integers(1, 40))
def test_areas_add_up(samples: list[tuple[int, int]], length: int) -> None:
    """However time is cut into windows, their areas come to what a walk over the samples comes to."""
    times = np.cumsum([0, *(after for after, _ in samples[:-1])]).tolist()
    values = np.array([float(value) for _, value in samples])
    end = times[-1] + samples[-1][0]
    edges = [*range(0, end, length), end]
    walked = sum(value * (after - at) for at, after, value in zip(times, [*times[1:], end], values, strict=True))
    assert totals(times, values, edges).sum() == pytest.approx(walked)


@given(st.floats(0.01, 1e8))
def test_windows_cover_all_of_the_time(end: float) -> None:
    """They begin at 0, end at the end, have one length but for the last, and are not too many."""
    edges = windows(end)
    lengths = np.diff(edges)
    assert (edges[0], edges[-1]) == (0, end)
    assert len(lengths) <= MOST_WINDOWS + 1
    assert (lengths > 0).all()
    assert len(set(lengths[:-1])) <= 1
