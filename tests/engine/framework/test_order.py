"""Queues of things that are served in an order."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.build import gang, node, open_session, queue
from vqs.engine.framework.order import LiveQueue, PriorityQueue, sort_tasks, task_before


@given(st.lists(st.integers()))
def test_a_live_queue_sorts_what_does_not_change(numbers: list[int]) -> None:
    """As long as nothing changes, it is a queue like any other."""
    waiting = LiveQueue(lambda left, right: left < right, numbers)
    assert [waiting.pop() for _ in numbers] == sorted(numbers)
    assert not waiting


def test_a_live_queue_shows_what_has_changed() -> None:
    """What has become first while it waited is found where the way to it is compared anew."""
    keys = {"a": 1, "b": 2, "c": 3}
    waiting = LiveQueue(lambda left, right: keys[left] < keys[right], "abc")
    keys["c"] = 0
    assert waiting.pop() == "a"  # what is at the top is not compared again
    assert waiting.pop() == "c"


def test_a_copy_of_a_live_queue_is_a_queue_of_its_own() -> None:
    """What is taken out of the copy stays in the queue that it was made from."""
    waiting = LiveQueue(lambda left, right: left < right, [3, 1, 2])
    copy = waiting.copy()
    assert [copy.pop() for _ in range(3)] == [1, 2, 3]
    assert [waiting.pop() for _ in range(3)] == [1, 2, 3]


def test_a_priority_queue_does_not() -> None:
    """It sorts by what things were when they came in."""
    keys = {"a": 1, "b": 2, "c": 3}
    waiting = PriorityQueue(lambda item: (keys[item],), "abc")
    keys["c"] = 0
    assert [waiting.pop() for _ in range(3)] == ["a", "b", "c"]


def test_tasks_are_compared_as_they_are_sorted() -> None:
    """Of two tasks of a job, the one that comes before the other is sorted before it."""
    session = open_session([node("n1"), queue("default"), gang("j", 4)])
    tasks = list(session.jobs["ns/j"].tasks.values())
    random.Random(1).shuffle(tasks)
    waiting = sort_tasks(session, tasks)
    ordered = [waiting.pop() for _ in range(4)]
    for earlier, later in pairwise(ordered):
        assert task_before(earlier, session.plugins.task_key(earlier), later, session.plugins.task_key(later))
        assert not task_before(later, session.plugins.task_key(later), earlier, session.plugins.task_key(earlier))
