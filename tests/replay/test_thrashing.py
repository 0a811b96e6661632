"""Evictions to and fro are found, between queues and inside one, and others are left in peace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vqs.replay.thrashing import Taking, thrashing


def to_and_fro(start: float, end: float, *pairs: tuple[str, str], step: float = 10.0) -> list[Taking]:
    """Return an eviction by each pair in turn, every few seconds, each of which costs five seconds of work."""
    number = int((end - start) / step) + 1
    return [Taking(start + at * step, *pairs[at % len(pairs)], 5.0) for at in range(number)]


def test_two_queues_take_from_each_other() -> None:
    """From the first eviction to the last, with what they cost; a queue that only loses is not one of them."""
    takings = [*to_and_fro(100, 300, ("a", "b"), ("b", "a")), *to_and_fro(105, 200, ("c", "a"))]
    [found] = thrashing(takings)
    assert (found.queues, found.start, found.end, found.evictions, found.work_lost) == (["a", "b"], 100, 300, 21, 105)


def test_three_queues_take_in_a_circle() -> None:
    """None gives back what it took, and all are back where they were."""
    [found] = thrashing(to_and_fro(0, 300, ("a", "b"), ("b", "c"), ("c", "a")))
    assert found.queues == ["a", "b", "c"]


def test_one_way_is_no_thrashing() -> None:
    """A queue that gets back its share is as it should be."""
    assert thrashing(to_and_fro(0, 600, ("a", "b"))) == []


def test_pods_are_evicted_again_and_again_inside_a_queue() -> None:
    """One that comes back each time, for a job that gets nothing of it; a pod that goes once is not one of them."""
    loop = [Taking(start, "a", "a", 5.0, "ns/loop", "ns/poor", "preempt") for start in range(100, 300, 10)]
    once = [Taking(start + 5.0, "a", "a", 5.0, f"ns/{start}", "ns/poor", "preempt") for start in range(100, 300, 10)]
    [found] = thrashing([*loop, *once])
    assert (found.queues, found.start, found.end, found.evictions, found.work_lost) == (["a"], 100, 290, 20, 100)
    assert found.action == "preempt"
    assert thrashing(once) == thrashing(loop[:6]) == []


def test_a_short_exchange_is_no_thrashing() -> None:
    """Within a minute queues find their shares."""
    assert thrashing(to_and_fro(0, 59, ("a", "b"), ("b", "a"))) == []


def test_a_long_pause_ends_it() -> None:
    """What happens an hour later is found by itself, after what cost more evictions."""
    pairs = (("a", "b"), ("b", "a"))
    first, second = thrashing([*to_and_fro(0, 100, *pairs), *to_and_fro(3600, 3900, *pairs)])
    assert (first.start, first.end, second.start, second.end) == (3600, 3900, 0, 100)


@given(st.lists(st.tuples(st.integers(0, 500), st.sampled_from("abc"), st.sampled_from("abc"))))
def test_no_eviction_counts_twice(evictions: list[tuple[int, str, str]]) -> None:
    """All that is found together has no more evictions than there were."""
    takings = [Taking(float(time), victim, taker, 1.0) for time, victim, taker in evictions]
    found = thrashing(takings)
    between = [each for each in found if len(each.queues) > 1]
    assert sum(each.evictions for each in between) <= sum(each.victim != each.taker for each in takings)
    assert sum(each.evictions for each in found) <= len(takings)
    assert all(each.end - each.start >= 60 for each in found)
