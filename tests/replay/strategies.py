"""Distributions that are drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from vqs.replay.distribution import (
    Distribution,
    Empirical,
    Exponential,
    Fixed,
    LogNormal,
    Uniform,
    Weibull,
)

seconds = st.floats(0, 1e6, allow_subnormal=False)


def _uniform(least: float, width: float) -> Distribution:
    return Uniform(least, least + width)


distributions: st.SearchStrategy[Distribution] = st.one_of(
    st.builds(Fixed, seconds),
    st.builds(_uniform, seconds, seconds),
    st.builds(Exponential, seconds),
    st.builds(LogNormal, seconds, st.floats(0, 3)),
    st.builds(Weibull, seconds, st.floats(0.2, 10)),
    st.builds(Empirical.of, st.dictionaries(seconds, st.floats(0.01, 100), min_size=1, max_size=20)),
)

shares = st.floats(0, 1, exclude_min=True, exclude_max=True)
