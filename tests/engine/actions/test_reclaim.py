"""reclaim makes room for starving jobs by evicting tasks of other queues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, node, pod, queue, run, switched
from tests.engine.crowds import RECLAIM, evicted, promised, running
from vqs.engine.framework.trace import Op

FREE = RECLAIM.replace("  - name: gang", "  - name: gang\n    enableReclaimable: false")
"""Tasks that their gang needs may be evicted."""

FULL: list[Any] = [node("n1", cpu=4), queue("rich"), queue("poor"), running("r", *["n1"] * 4, queue="rich")]


@pytest.mark.parametrize("queues", ["proportion", "capacity"])
def test_a_queue_takes_back_what_it_deserves(queues: str) -> None:
    """From a queue that holds more than it deserves, one task after the other, the last of a job first."""
    objects: list[Any] = [
        node("n1", cpu=4),
        queue("rich", deserved={"cpu": 2, "memory": "8Gi"}),
        queue("poor", deserved={"cpu": 2, "memory": "8Gi"}),
        running("r", *["n1"] * 4, queue="rich"),
        gang("w", 2, 2, queue="poor"),
    ]
    session = run(objects, FREE.replace("proportion", queues))
    assert sorted(evicted(session)) == ["r-worker-2", "r-worker-3"]
    assert promised(session) == {"w-worker-0": "n1", "w-worker-1": "n1"}


def test_a_queue_that_may_not_be_reclaimed_from_is_left_alone() -> None:
    """Its tasks are no candidates."""
    objects: list[Any] = [
        node("n1", cpu=4),
        queue("rich", reclaimable=False),
        queue("poor"),
        *FULL[3:],
        gang("w", 1, queue="poor"),
    ]
    session = run(objects, FREE)
    assert evicted(session) == []
    assert session.trace.victim_searches[0].candidates == 0


def test_a_queue_that_holds_all_it_deserves_takes_nothing() -> None:
    """That is noted of the queue, and no task of it is looked at."""
    objects: list[Any] = [
        node("n1", cpu=4, memory="4Gi", pods=4),
        queue("rich"),
        queue("poor"),
        running("r", *["n1"] * 2, queue="rich"),
        running("p", *["n1"] * 2, queue="poor"),
        gang("w", 1, queue="poor"),
    ]
    session = run(objects, FREE)
    assert evicted(session) == []
    assert session.trace.excluded_queues["reclaim"]["poor"].code == "queue-overused"
    assert session.trace.victim_searches == []


def test_what_a_queue_deserves_is_left_to_it() -> None:
    """The plugin that spared the last candidates is counted."""
    objects: list[Any] = [
        node("n1", cpu=4),
        queue("rich", 3),
        queue("poor", 1),
        running("r", *["n1"] * 3, queue="rich"),
        running("p", "n1", queue="other"),
        queue("other", 9),
        gang("w", 1, cpu=1, queue="poor"),
    ]
    session = run(objects, FREE)
    assert evicted(session) == []
    assert [dict(search.spared_by) for search in session.trace.victim_searches if search.asked] in (
        [],
        [{"proportion": 1}],
    )


def test_one_task_is_evicted_even_where_there_is_room() -> None:
    """As in Volcano, which looks at the room only after it has evicted somebody."""
    objects: list[Any] = [node("n1", cpu=5), queue("rich"), queue("poor"), *FULL[3:], gang("w", 1, queue="poor")]
    assert len(evicted(run(objects, FREE))) == 1


def test_a_node_without_candidates_is_passed_over() -> None:
    """Even where there is room."""
    objects: list[Any] = [node("n0", cpu=1), *FULL, gang("w", 1, queue="poor")]
    assert promised(run(objects, FREE)) == {"w-worker-0": "n1"}


def test_the_first_node_that_helps_is_taken() -> None:
    """Nodes are not compared; without a seed, the order is that of their names, with one that of a list drawn once."""
    objects: list[Any] = [
        node("n1", cpu=2),
        node("n2", cpu=2),
        queue("rich"),
        queue("poor"),
        running("r", "n1", "n1", "n2", "n2", queue="rich"),
        gang("w", 1, queue="poor"),
    ]
    assert promised(run(objects, FREE)) == {"w-worker-0": "n1"}
    assert {promised(run(objects, FREE, seed))["w-worker-0"] for seed in range(9)} == {"n1", "n2"}


@pytest.mark.parametrize("seed", range(5))
def test_all_tasks_walk_the_same_list_of_nodes(seed: int) -> None:
    """A node is emptied before the next one is come to, whatever the seed, as it is for all tasks of a real session."""
    names = [f"n{number}" for number in range(6)]
    objects: list[Any] = [
        *[node(name, cpu=2) for name in names],
        queue("rich"),
        queue("poor"),
        running("r", *[name for name in names for _ in range(2)], queue="rich"),
        gang("w", 4, queue="poor"),
    ]
    session = run(objects, FREE, seed)
    nodes = [promised(session)[f"w-worker-{number}"] for number in range(4)]
    assert nodes[0] == nodes[1] != nodes[2] == nodes[3]
    assert session.tie_breaker is not None
    assert session.tie_breaker.has_drawn_nodes


def test_no_order_of_nodes_is_drawn_where_one_node_helps() -> None:
    """Nothing hangs on it then."""
    session = run([*FULL, queue("poor"), gang("w", 1, queue="poor")], FREE, seed=1)
    assert session.tie_breaker is not None
    assert not session.tie_breaker.has_drawn_nodes


def test_a_gang_that_stays_incomplete_gives_back() -> None:
    """What was evicted for two tasks runs on, as their queue deserves no third one."""
    objects: list[Any] = [*FULL, gang("w", 3, queue="poor")]
    session = run(objects, FREE)
    assert evicted(session) == []
    assert all(record.result.value == "discard" for record in session.trace.statements)
    assert any(step.op is Op.EVICT for record in session.trace.statements for step in record.operations)


def test_bound_tasks_are_not_reclaimed() -> None:
    """Only running ones are, unlike in preempt."""
    bound = [pod(f"r-{n}", "r", node="n1", phase="Pending") for n in range(4)]
    objects: list[Any] = [*FULL[:3], running("r", queue="rich"), *bound, gang("w", 1, queue="poor")]
    assert evicted(run(objects, FREE)) == []


def test_who_may_not_reclaim_is_told_why() -> None:
    """A preemptionPolicy of Never, and a queue that would hold more than it deserves."""
    never = [*gang("w", 1, queue="poor")]
    never[1]["spec"]["preemptionPolicy"] = "Never"
    assert [search.refusal and search.refusal.code for search in run([*FULL, never], FREE).trace.victim_searches] == [
        "preemption-policy-never"
    ]
    objects: list[Any] = [*FULL, gang("w", 1, cpu=3, queue="poor")]
    session = run(objects, FREE)
    assert [search.refusal and search.refusal.code for search in session.trace.victim_searches] == ["queue-limit"]


BY_TASK = switched(reclaim_unit="task")


def test_evictions_for_a_gang_that_stays_incomplete_stand_where_tasks_are_served() -> None:
    """There is room for two tasks of three once what may be evicted is gone; only where gangs are served, none is."""
    objects: list[Any] = [*FULL, gang("w", 3, 3, queue="poor")]
    assert evicted(run(objects, FREE)) == []
    session = run(objects, FREE, profile=BY_TASK)
    assert sorted(evicted(session)) == ["r-worker-2", "r-worker-3"]
    assert promised(session) == {"w-worker-0": "n1", "w-worker-1": "n1"}


def test_a_job_that_has_enough_ends_its_queue_where_tasks_are_served() -> None:
    """It comes once more, starves no longer, and no other job of the queue is looked at."""
    objects: list[Any] = [*FULL, gang("w", 1, queue="poor"), gang("x", 1, queue="poor", created=9)]
    conf = FREE.replace("  - name: drf\n", "")
    assert promised(run(objects, conf)) == {"w-worker-0": "n1", "x-worker-0": "n1"}
    assert promised(run(objects, conf, profile=BY_TASK)) == {"w-worker-0": "n1"}


def test_victims_may_have_to_hold_all_that_is_asked_for() -> None:
    """A core is idle and two are asked for: one victim is enough only where what is idle counts."""
    objects: list[Any] = [
        node("n1", cpu=5),
        *FULL[1:],
        gang("w", 1, cpu=2, queue="poor"),
    ]
    assert len(evicted(run(objects, FREE))) == 1
    assert len(evicted(run(objects, FREE, profile=switched(room_after_reclaim="victims-only")))) == 2
