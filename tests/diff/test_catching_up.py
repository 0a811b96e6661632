"""What a change only brings forward or puts off is told apart from what it gives or takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, gang, group, node, pod
from tests.diff.sides import diff, jobs
from vqs.diff.outcome import JobChange
from vqs.diff.sentences import changes_of

EVICTS = CONF.replace("allocate, backfill", "allocate, preempt, backfill")
URGENT = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000}
FREE: list[Any] = [node("n", cpu=2), group("old", phase="Running"), *gang("new", 2)]
LEAVING: list[Any] = [*FREE, pod("old-0", "old", 2, node="n", deleted=True)]


@pytest.mark.parametrize(
    ("before", "after", "change", "said"),
    [
        (
            LEAVING,
            FREE,
            "placed-at-once",
            "placed instead of waiting with a reserved node (also without the change, 1 session later)",
        ),
        (FREE, LEAVING, "waits-instead", "waiting with a reserved node instead of placed (only until 1 session later)"),
    ],
)
def test_a_job_that_is_placed_a_session_later(
    before: list[Any], after: list[Any], change: JobChange, said: str
) -> None:
    """Once the pods that are terminating are gone, the side that was behind has caught up."""
    job = jobs(diff(before, after))["new"]
    assert (job.changes[0], job.caught_up_after, changes_of(job)) == (change, 1, said)


def test_a_gain_that_only_the_change_brings() -> None:
    """On a base that stays as it is, nothing is caught up with."""
    small, large = [node("n", cpu=1), *gang("new", 2)], [node("n", cpu=2), *gang("new", 2)]
    for sides in ((small, large), (large, small)):
        job = jobs(diff(*sides))["new"]
        assert job.caught_up_after is None
        assert "later" not in changes_of(job)


def test_an_eviction_that_lasts() -> None:
    """What is evicted only with the change, also in the sessions to come, is the change's doing."""
    low = [group("low", phase="Running"), *(pod(f"low-{number}", "low", node="n") for number in range(2))]
    objects = [URGENT, node("n", cpu=2), *low, *gang("high", 1, priorityClassName="urgent")]
    job = jobs(diff(objects, objects, CONF, EVICTS))["low"]
    assert (job.changes[0], job.caught_up_after) == ("evicted", None)


def test_other_seeds_are_not_looked_ahead() -> None:
    """Each seed would cost as much again: the first one tells."""
    job = jobs(diff(LEAVING, FREE, seeds=2))["new"]
    assert job.caught_up_after == 1


def test_a_reservation_that_no_session_keeps_is_no_gain() -> None:
    """Where preempt comes before allocate, a node is reserved in each session, and the job never starts."""
    objects: list[Any] = [node("n", cpu=4), *gang("job", 1)]
    first = CONF.replace("enqueue, allocate, backfill", "preempt, allocate")
    without = CONF.replace("enqueue, allocate, backfill", "enqueue")
    job = jobs(diff(objects, objects, without, first))["job"]
    assert (job.changes[0], job.effect, job.reserved_not_bound) == ("waits", "neither", True)
    assert "it does not start in the sessions that follow" in changes_of(job)
