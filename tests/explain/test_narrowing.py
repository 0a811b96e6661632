"""Halving between a step that fails and one that works."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.explain.narrowing import Bracket, BudgetExhausted


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.randoms())
def test_it_ends_between_two_steps(fails: int, works: int, chance: random.Random) -> None:
    """Whatever the steps between do, what works in the end was tried or given, and the next step is known to fail."""
    tried = {fails: False, works: True}

    def try_step(step: int) -> bool:
        assert step not in tried
        tried[step] = chance.random() < 0.5
        return tried[step]

    found = Bracket(fails, works)
    found.narrow(try_step)
    if fails != works:
        assert abs(found.fails - found.works) == 1
        assert (tried[found.fails], tried[found.works]) == (False, True)
    assert len(tried) < 40


@pytest.mark.parametrize(("fails", "works", "least"), [(0, 1000, 611), (1000, 0, 610), (0, 1000, 3)])
def test_a_threshold_is_found(fails: int, works: int, least: int) -> None:
    """Where steps work from one on, or up to one, that is found."""
    found = Bracket(fails, works)
    found.narrow(lambda step: (step >= least) if works > fails else (step <= least))
    assert found.works == least


def test_what_was_found_stays() -> None:
    """Where the budget ends the search, the two steps are those that were known by then."""
    left = [True, False]

    def try_step(_: int) -> bool:
        if not left:
            raise BudgetExhausted
        return left.pop(0)

    found = Bracket(0, 100)
    with pytest.raises(BudgetExhausted):
        found.narrow(try_step)
    assert (found.fails, found.works) == (25, 50)
