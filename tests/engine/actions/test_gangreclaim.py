"""gangreclaim makes room for whole gangs by evicting tasks of other queues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, node, queue
from tests.engine.crowds import evicted, promised, running
from tests.engine.gangs import TIERS, run_for_gangs
from vqs.engine.framework.session import Session

RICH = running("r", *["n1"] * 4, *["n2"] * 4, queue="rich", min_member=0)


def session_of(*objects: Any, tiers: str = TIERS) -> Session:
    """Run a session on two nodes of four cores."""
    return run_for_gangs([node("n1", cpu=4), node("n2", cpu=4), *objects], "gangreclaim", tiers)


@pytest.mark.parametrize(("plugin", "evictions"), [("proportion", 8), ("capacity", 4)])
def test_a_queue_takes_back_room_for_a_gang(plugin: str, evictions: int) -> None:
    """All that can be spared goes, where the plugin capacity has no vote; it spares what the other queue deserves."""
    deserved = {"cpu": 4, "memory": "16Gi"}
    objects = [queue("rich", deserved=deserved), queue("poor", deserved=deserved), RICH]
    one_tier = TIERS.replace("- plugins:\n  - name: predicates", "  - name: predicates").replace("proportion", plugin)
    session = session_of(*objects, gang("w", 2, cpu=2, queue="poor"), tiers=one_tier)
    assert sorted(promised(session)) == ["w-worker-0", "w-worker-1"]
    assert len(evicted(session)) == evictions


def test_a_queue_that_may_not_reclaim_for_the_whole_gang_reclaims_nothing() -> None:
    """A part of it would be within what it deserves."""
    session = session_of(queue("rich"), queue("poor"), RICH, gang("w", 2, cpu=4, queue="poor", min_member=1))
    assert evicted(session) == []
    [search] = session.trace.victim_searches
    assert search.refusal is not None
    assert search.refusal.code == "queue-limit"


def test_a_queue_that_may_not_be_reclaimed_from_is_left_alone() -> None:
    """Its tasks are no candidates."""
    session = session_of(queue("rich", reclaimable=False), queue("poor"), RICH, gang("w", 1, queue="poor"))
    assert evicted(session) == []
    assert session.trace.victim_searches[0].candidates == 0


def test_an_overused_queue_reclaims_nothing() -> None:
    """That is noted of the queue."""
    machine = node("n1", cpu=4, memory="4Gi", pods=4)
    jobs = [running(name, *["n1"] * 2, queue=name, min_member=0) for name in ("rich", "poor")]
    objects = [machine, queue("rich"), queue("poor"), *jobs, gang("w", 1, queue="poor")]
    session = run_for_gangs(objects, "gangreclaim")
    assert evicted(session) == []
    assert session.trace.excluded_queues["gangreclaim"]["poor"].code == "queue-overused"


def test_jobs_that_can_spare_tasks_lose_them_before_a_gang_is_broken() -> None:
    """Though the gang is of the same queue, and was created later."""
    spare = running("a", *["n1"] * 4, queue="rich", min_member=0)
    whole = running("b", *["n2"] * 4, queue="rich", min_member=4)
    session = session_of(queue("rich"), queue("poor"), spare, whole, gang("w", 1, cpu=4, queue="poor"))
    assert {name[0] for name in evicted(session)} == {"a"}
