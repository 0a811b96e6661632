"""Moments at which jobs of a template arrive."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model import kubernetes as k8s
from vqs.replay.generator import HOUR, Every, Poisson, Process, Template, Window

DAY = 24 * HOUR


windows = st.builds(
    lambda start, length, most: Window(start, start + length, most),
    st.floats(0, DAY),
    st.floats(1, DAY),
    st.integers(1, 50),
)


@given(st.integers(0, 1000), st.lists(st.floats(0, 50), min_size=24, max_size=24), st.floats(0, DAY), windows)
def test_moments_are_in_their_window(seed: int, rates: list[float], midnight: float, window: Window) -> None:
    """Moments ascend from the start of the window to its end, and there are no more than it allows."""
    process = Poisson(tuple(rates), midnight, window)
    moments = list(process.moments(seed, "train"))
    assert all(window.start <= each < window.until for each in moments)
    assert all(one <= other for one, other in pairwise(moments))
    assert len(moments) <= window.most
    assert list(process.moments(seed, "train")) == moments


def test_a_fixed_interval_has_fixed_moments() -> None:
    """The first job arrives when the window begins, and none when it ends."""
    assert list(Every(10, Window(5, 35)).moments(1, "")) == [5, 15, 25]
    assert list(Every(10, Window(5, 1e9, 2)).moments(1, "")) == [5, 15]


@pytest.mark.parametrize(
    ("process", "expected"),
    [
        (Every(10, Window(5, 36)), 4),
        (Every(10, Window(0, 1e9, 7)), 7),
        (Every(10, Window(0, math.inf, 7)), 7),
        (Poisson((12.0,) * 24, 0, Window(0, math.inf, 7)), 7),
        (Poisson((12.0,) * 24, 0, Window(0, DAY)), 288),
        (Poisson((0.0, 4.0) * 12, 0, Window(0, DAY)), 96),
    ],
)
def test_the_expected_number_is_an_upper_bound(process: Process, expected: float) -> None:
    """The number that is expected is exact for constant rates, and not too small for others."""
    assert process.expected == expected


def test_a_process_stops_at_the_end_of_its_window_or_after_the_last_moment() -> None:
    """Without an end of the window, the number of moments says when that is."""
    assert Every(10, Window(5, 36)).end == 36
    assert Every(10, Window(5, math.inf, 7)).end == 75
    assert Poisson((12.0,) * 24, 0, Window(0, math.inf, 24)).end == 2 * HOUR
    assert Poisson((12.0,) * 24, 0, Window(0, HOUR, 24)).end == HOUR


def test_rates_hold_on_average() -> None:
    """In a month, about as many jobs arrive in each hour of the day as its rate says."""
    process = Poisson((0.0,) * 12 + (10.0,) * 12, 6 * HOUR, Window(0, 30 * DAY))
    moments = list(process.moments(3, "train"))
    assert len(moments) == pytest.approx(30 * 12 * 10, rel=0.05)
    assert all(((each / HOUR) + 6) % 24 >= 12 for each in moments)


def test_jobs_of_a_template_are_numbered() -> None:
    """Jobs of a template differ in their names and times alone, and share their specs."""
    job = k8s.VolcanoJob(metadata=k8s.ObjectMeta(name="train", namespace="ns"))
    template = Template(job, Every(60, Window(0, 120)), {}, datetime(2026, 1, 1, tzinfo=UTC))
    first, second = template.arrivals(1)
    assert isinstance(second.job, k8s.VolcanoJob)
    assert second.job.metadata.key == "ns/train-1"
    assert second.job.metadata.creation_timestamp == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    assert (first.time, second.time) == (0, 60)
    assert second.job.spec is job.spec
