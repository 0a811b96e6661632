"""What a seed draws, each kind of chance by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from vqs.engine.framework.tie_breaking import TieBreaker

TEN = np.arange(10)


def test_a_list_is_drawn_once() -> None:
    """Every task walks the same one, also where only some of the nodes count."""
    tie_breaker = TieBreaker(1, 10)
    order = tie_breaker.in_list(TEN).tolist()
    assert tie_breaker.in_list(TEN).tolist() == order
    some = [0, 3, 8]
    assert tie_breaker.in_list(np.array(some)).tolist() == sorted(some, key=order.index)


def test_a_list_hangs_on_the_seed_alone() -> None:
    """Whatever else was drawn before, the list of nodes is the same, so that two configurations are compared on one."""
    one, other = TieBreaker(4, 10), TieBreaker(4, 10)
    other.pick([1, 2, 3])
    other.in_any_order("jobs", "abc")
    assert one.in_list(TEN).tolist() == other.in_list(TEN).tolist()


def test_a_list_has_nearly_the_order_of_names() -> None:
    """A node is overtaken by the next one half of the time, and few move far."""
    moved = Counter(
        int(place) - column
        for seed in range(300)
        for column, place in enumerate(np.argsort(TieBreaker(seed, 10).in_list(TEN)))
    )
    assert moved[-1] > moved[0] > moved[3]
    assert min(moved) == -1
    first = Counter(int(TieBreaker(seed, 10).in_list(TEN)[0]) for seed in range(300))
    assert set(first) == {0, 1}


def test_a_map_is_laid_out_once_and_walked_from_anywhere() -> None:
    """Each walk goes round the same circle."""
    tie_breaker = TieBreaker(2, 10)
    walks = {tuple(tie_breaker.in_map(TEN).tolist()) for _ in range(200)}
    assert len(walks) == 10
    assert len({tuple(np.roll(walk, -walk.index(0))) for walk in walks}) == 1


@pytest.mark.parametrize("number", [0, 1])
def test_nothing_is_drawn_for_less_than_two_nodes(number: int) -> None:
    """What there is comes first anyway."""
    tie_breaker = TieBreaker(3, 10)
    for walk in (tie_breaker.in_list, tie_breaker.in_map, tie_breaker.from_anywhere):
        assert walk(TEN[:number]).tolist() == list(range(number))
    assert not tie_breaker.has_drawn_nodes


def test_entries_of_a_map_are_shuffled_by_its_name() -> None:
    """Each map has an order of its own, the same whenever it is asked for."""
    tie_breaker = TieBreaker(5, 10)
    orders = {what: tie_breaker.in_any_order(what, range(20)) for what in ("jobs", "tasks of n1")}
    assert orders == {what: tie_breaker.in_any_order(what, range(20)) for what in orders}
    assert orders["jobs"] != orders["tasks of n1"]
    assert sorted(orders["jobs"]) == list(range(20))


def test_each_session_of_a_scheduler_breaks_ties_anew() -> None:
    """Under one seed; the list of nodes stays the same for all of them."""
    sessions = [TieBreaker(7, 10, turn) for turn in range(6)]
    assert len({tuple(each.pick(range(1000)) for _ in range(3)) for each in sessions}) == len(sessions)
    assert len({tuple(each.in_list(TEN)) for each in sessions}) == 1
