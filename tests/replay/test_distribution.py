"""Distributions: how they are written, what is drawn from them, and that draws depend on names and seeds alone."""

from __future__ import annotations

import math
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay.strategies import distributions, shares
from vqs.model.durations import LONGEST
from vqs.replay.distribution import (
    Distribution,
    DistributionError,
    Empirical,
    Exponential,
    Fixed,
    LogNormal,
    Recorded,
    Remaining,
    Together,
    Uniform,
    Weibull,
    draw,
    parse_distribution,
    share,
)

DRAWS = 4000


@pytest.mark.parametrize(
    ("written", "distribution"),
    [
        (90, Fixed(90.0)),
        ("10m", Fixed(600.0)),
        ("1d12h", Fixed(129_600.0)),
        ({"uniform": ["5m", 600]}, Uniform(300.0, 600.0)),
        ({"exponential": "10m"}, Exponential(600.0)),
        ({"lognormal": {"median": "1h", "sigma": 1.2}}, LogNormal(3600.0, 1.2)),
        ({"weibull": {"scale": "1h", "shape": 0.7}}, Weibull(3600.0, 0.7)),
        ({"empirical": ["1m", "1m", 120]}, Empirical((60.0, 120.0), (2 / 3, 1.0))),
        ({"empirical": {"1m": 3, "2m": 1}}, Empirical((60.0, 120.0), (0.75, 1.0))),
    ],
)
def test_distributions_are_read(written: Any, distribution: Distribution) -> None:
    """A number, a text and each kind of distribution stand for what they say."""
    assert parse_distribution(written) == distribution


@pytest.mark.parametrize(
    ("written", "path", "message"),
    [
        ("soon", (), "'soon' is no duration"),
        (-1, (), "-1 is out of range; expected 0 seconds to 100 years"),
        (math.inf, (), "inf is out of range; expected 0 seconds to 100 years"),
        (True, (), "expected a number of seconds, a text such as 10m, or a distribution such as {exponential: 10m}"),
        ({}, (), "expected one distribution: uniform, exponential, lognormal, weibull or empirical"),
        ({"normal": 3}, ("normal",), "there is no distribution 'normal'"),
        ({"uniform": [1]}, ("uniform",), "expected the least and the most: [5m, 15m]"),
        ({"uniform": [2, 1]}, ("uniform",), "the least, 2, is more than the most, 1"),
        ({"uniform": [1, "x"]}, ("uniform", 1), "'x' is no duration"),
        ({"lognormal": {"median": 3}}, ("lognormal",), "expected median and sigma"),
        ({"lognormal": {"median": 3, "sigma": 11}}, ("lognormal", "sigma"), "expected a number from 0 to 10"),
        ({"weibull": {"scale": 3, "shape": 0}}, ("weibull", "shape"), "expected a number from 0.1 to 100"),
        ({"empirical": {"1m": 0}}, ("empirical", "1m"), "expected a weight, a number greater than 0"),
        ({"empirical": [1, "y"]}, ("empirical", 1), "'y' is no duration"),
    ],
)
def test_what_stands_for_no_distribution_is_refused(written: Any, path: tuple[str | int, ...], message: str) -> None:
    """The error says what is wrong, and where in the value."""
    with pytest.raises(DistributionError) as caught:
        parse_distribution(written)
    assert (caught.value.path, caught.value.message) == (path, message)


def test_a_distribution_is_guessed() -> None:
    """A kind that is spelt wrong is answered with the one that it was probably meant to be."""
    with pytest.raises(DistributionError) as caught:
        parse_distribution({"exponentail": 3})
    assert caught.value.hint == "did you mean 'exponential'?"


@given(distributions, st.integers(0, 2**63), st.text(max_size=20))
def test_draws_are_durations(distribution: Distribution, seed: int, pod: str) -> None:
    """A draw is a time that a workload may speak of, and the same for the same names and seed."""
    seconds = draw(distribution, seed, "duration", pod)
    assert 0 <= seconds <= LONGEST
    assert draw(distribution, seed, "duration", pod) == seconds


@given(distributions, shares, shares)
def test_quantiles_ascend(distribution: Distribution, one: float, other: float) -> None:
    """A larger share of the draws is below a larger time."""
    assert distribution.quantile(min(one, other)) <= distribution.quantile(max(one, other))


@pytest.mark.parametrize(
    ("distribution", "mean"),
    [
        (Uniform(100, 300), 200),
        (Exponential(200), 200),
        (LogNormal(100, 0.5), 100 * math.exp(0.125)),
        (Weibull(100, 2), 100 * math.gamma(1.5)),
        (Empirical.of({10: 1, 20: 3}), 17.5),
    ],
)
def test_draws_have_the_mean_of_their_distribution(distribution: Distribution, mean: float) -> None:
    """The mean of many draws is close to the mean that theory gives."""
    assert fmean(draw(distribution, 1, f"pod-{index}") for index in range(DRAWS)) == pytest.approx(mean, rel=0.05)


def test_draws_of_different_names_differ() -> None:
    """Pods, seeds and purposes have numbers of their own, which fill the interval evenly."""
    numbers = {share(seed, what, f"pod-{index}") for seed in (1, 2) for what in "ab" for index in range(100)}
    assert len(numbers) == 400
    assert fmean(numbers) == pytest.approx(0.5, abs=0.05)


def test_recorded_pods_take_what_they_took() -> None:
    """A pod of the record takes its own time, and another one of the times of those pods."""
    recorded = Recorded({"ns/a": 10.0, "ns/b": 20.0})
    assert draw(recorded, 1, "duration", "ns/b") == 20.0
    assert {draw(recorded, 1, "duration", f"ns/{index}") for index in range(50)} == {10.0, 20.0}


@pytest.mark.parametrize("whole", [Exponential(100.0), LogNormal(100.0, 1.5), Weibull(100.0, 0.7), Uniform(0.0, 500.0)])
@pytest.mark.parametrize("age", [0.0, 30.0, 400.0])
def test_what_remains(whole: Distribution, age: float) -> None:
    """What is left of a time is that of the times that are longer than its age, in their order."""
    left = Remaining.after(whole, age)
    past = next(each / 10_000 for each in range(10_000) if whole.quantile((each + 0.5) / 10_000) > age)
    for part in (0.1, 0.5, 0.9):
        assert left.quantile(part) == pytest.approx(whole.quantile(past + (1 - past) * part) - age, rel=0.01)
    assert not left.is_overdue
    assert Remaining.after(whole, age, 5.0).quantile(0.99) == 5.0


@pytest.mark.parametrize("whole", [Fixed(100.0), Uniform(50.0, 100.0)])
def test_nothing_remains(whole: Distribution) -> None:
    """A time that is over leaves nothing."""
    left = Remaining.after(whole, 101.0)
    assert (left.is_overdue, left.quantile(0.5)) == (True, 0.0)


def test_an_age_beyond_all_numbers() -> None:
    """An age that no draw reaches leaves nothing, and is no error."""
    assert Remaining.after(LogNormal(1.0, 0.1), 1e6).quantile(0.999) == 0.0


def test_pods_of_a_job_draw_together() -> None:
    """They have one draw under a seed, and another job has another."""
    job, other = Together(Exponential(100.0), "ns/a"), Together(Exponential(100.0), "ns/b")
    assert draw(job, 1, "duration", "ns/a-0") == draw(job, 1, "duration", "ns/a-1")
    assert draw(job, 1, "duration", "ns/a-0") != draw(other, 1, "duration", "ns/a-0")
    assert draw(job, 1, "duration", "ns/a-0") != draw(job, 2, "duration", "ns/a-0")
