"""What the scheduler would export of its queues, where the reference writes it down. Units are the scheduler's own."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.build import gang, group, manifests, node, pod, queue
from tests.engine.plugins.test_capacity import FLAT, TREE, child
from vqs.engine.plugins.capacity.plugin import CapacityPlugin
from vqs.explain.queues.outcome import QueueMetrics
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions

PROPORTION = FLAT.replace("capacity", "proportion")
RECLAIM = FLAT.replace("enqueue, allocate, backfill", "reclaim")
WITHOUT = FLAT.replace("capacity", "nodeorder")


def exported(*objects: Any, conf: str) -> dict[str, QueueMetrics]:
    """Run a session on a node of 10 cores, and return the metrics by queue."""
    read = manifests([node("n1", cpu=10, memory="100Gi"), *objects], conf)
    return {each.queue: each for each in explain_queues(read, SimulateOptions()).metrics}


def job(name: str, in_queue: str, pods: int = 1, **more: Any) -> list[Any]:
    """Make a job in its queue that waits for cores only."""
    return gang(name, pods, cpu=1, memory="0", queue=in_queue, **more)


def test_proportion_exports_all_but_limits_of_queues_with_jobs() -> None:
    """Cores are told in thousandths, the weight is there, and allocate's last question is answered: it is full."""
    metrics = exported(queue("a", 3), job("x", "a", 2), conf=PROPORTION)["a"]
    assert metrics.allocated == {"cpu": 2000, "memory": 0, "pods": 2}
    assert metrics.request == {"cpu": 2000, "memory": 0, "pods": 2}
    assert metrics.deserved
    assert metrics.deserved["cpu"] == 2000
    assert (metrics.share, metrics.weight, metrics.overused) == (1, 3, True)
    assert (metrics.capacity, metrics.real_capacity) == (None, None)


def test_proportion_exports_nothing_held_by_queues_without_jobs() -> None:
    """Of a queue that nobody uses, there is what it holds and asks for, and no more."""
    metrics = exported(queue("a"), queue("idle"), job("x", "a"), conf=PROPORTION)["idle"]
    assert (metrics.allocated, metrics.request) == ({"cpu": 0, "memory": 0}, {"cpu": 0, "memory": 0})
    assert (metrics.deserved, metrics.share, metrics.weight, metrics.overused) == (None, None, None, None)


def test_only_queues_that_allocate_asked_about_are_overused_or_not() -> None:
    """A queue whose jobs all run is never asked about; one that has less than it deserves is told not to be full."""
    running = [group("run", queue="busy", phase="Running"), pod("run-0", "run", 1, "0", node="n1")]
    wide = gang("wide", 1, cpu=11, memory="0", queue="wants")
    metrics = exported(queue("busy"), queue("wants"), running, wide, conf=PROPORTION)
    assert (metrics["busy"].overused, metrics["wants"].overused) == (None, False)


def test_capacity_exports_a_missing_capability_as_nothing_and_half_of_one_as_unlimited() -> None:
    """Without a tree, none is 0; one of cores only has no limit of memory; weights and overused are not there."""
    half = queue("half", capability={"cpu": 4})
    metrics = exported(queue("none"), half, job("x", "none"), job("y", "half"), conf=FLAT)
    assert metrics["none"].capacity == {"cpu": 0, "memory": 0}
    assert metrics["half"].capacity == {"cpu": 4000, "memory": None}
    assert metrics["half"].real_capacity
    assert metrics["half"].real_capacity["cpu"] == 4000
    assert (metrics["half"].weight, metrics["half"].overused) == (None, None)


def test_capacity_exports_the_spec_of_queues_without_jobs() -> None:
    """There the capability is taken as it stands, so one of cores only leaves no memory, and there is no share."""
    idle = queue("idle", deserved={"cpu": 3}, capability={"cpu": 4})
    bare = queue("bare")
    metrics = exported(queue("a", guarantee={"resource": {"cpu": 1}}), idle, bare, job("x", "a"), conf=FLAT)
    assert metrics["idle"].deserved == {"cpu": 3000, "memory": 0}
    assert metrics["idle"].capacity == {"cpu": 4000, "memory": 0}
    assert metrics["idle"].real_capacity == {"cpu": 4000, "memory": 0, "pods": 110}
    assert metrics["bare"].capacity is None
    assert metrics["bare"].real_capacity
    assert metrics["bare"].real_capacity["cpu"] == 9000
    assert metrics["idle"].share is None


def test_queues_above_others_keep_what_they_held_when_the_session_opened() -> None:
    """With a tree, what is allocated is told of the queue itself only; limits of the root are unlimited."""
    metrics = exported(queue("root"), child("team"), child("leaf", "team"), job("x", "leaf", 2), conf=TREE)
    found = [metrics[name] for name in ("root", "team", "leaf")]
    assert [(each.allocated or {})["cpu"] for each in found] == [0, 0, 2000]
    assert [(each.request or {})["cpu"] for each in found] == [2000, 2000, 2000]
    assert metrics["root"].capacity == {"cpu": None, "memory": None, "pods": None}
    assert metrics["default"].share == 1


def running(name: str, in_queue: str, pods: int) -> list[Any]:
    """Make a job that runs and may be evicted."""
    return [
        group(name, 1, "Running", queue=in_queue),
        *(pod(f"{name}-{number}", name, 1, "0", node="n1", preemptable=True) for number in range(pods)),
    ]


def test_with_capacity_reclaim_alone_tells_whether_a_queue_is_overused() -> None:
    """The last task that it is asked for decides: hungry gets its place, full holds what it deserves."""
    queues = [queue("greedy"), queue("hungry", deserved={"cpu": 2}), queue("full", deserved={"cpu": 1})]
    jobs = [running("g", "greedy", 9), running("f", "full", 1), job("x", "hungry"), job("y", "full")]
    metrics = exported(*queues, *jobs, conf=RECLAIM)
    found = {name: each.overused for name, each in metrics.items()}
    assert found == {"default": None, "full": True, "greedy": None, "hungry": False, "root": None}


def test_with_proportion_reclaim_asks_as_allocate_does() -> None:
    """It asks about every queue with jobs that are in it, also where nothing waits."""
    jobs = [running("f", "full", 5), job("x", "hungry")]
    metrics = exported(queue("full"), queue("hungry"), *jobs, conf=RECLAIM.replace("capacity", "proportion"))
    assert (metrics["full"].overused, metrics["hungry"].overused) == (True, False)


def test_evictions_are_counted_for_the_queue_that_wins_and_the_one_that_loses() -> None:
    """One task of greedy makes room for the one of hungry."""
    jobs = [running("g", "greedy", 10), job("x", "hungry")]
    objects: list[Any] = [
        node("n1", cpu=10, memory="100Gi"),
        queue("greedy"),
        queue("hungry", deserved={"cpu": 2}),
        *jobs,
    ]
    reports = [explain_queues(manifests(objects, RECLAIM), SimulateOptions(), name) for name in ("greedy", "hungry")]
    counts = [
        (each.explained.reclaim.evicted_for_queue, each.explained.reclaim.evicted_from_queue)
        for each in reports
        if each.explained
    ]
    assert counts == [(0, 1), (1, 0)]


def test_nothing_is_exported_where_nobody_can_or_does_divide_the_cluster() -> None:
    """A tree that is broken has no metrics, and neither has a scheduler without a queue plugin."""
    assert exported(queue("root"), child("lost", "nowhere"), conf=TREE) == {}
    assert exported(queue("a"), job("x", "a"), conf=WITHOUT) == {}


def test_figures_are_made_once_for_all_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make them again for each queue takes a square of the time, which thousands of queues do not have."""
    calls: Counter[str] = Counter()
    for name in ("closed", "derivation"):
        original = getattr(CapacityPlugin, name)

        def counted(plugin: CapacityPlugin, name: str = name, original: Any = original) -> Any:
            calls[name] += 1
            return original(plugin)

        monkeypatch.setattr(CapacityPlugin, name, counted)
    queues = [child(f"q{number}") for number in range(30)]
    assert len(exported(*queues, job("x", "q1"), conf=TREE)) == 32
    assert max(calls.values()) < 10
