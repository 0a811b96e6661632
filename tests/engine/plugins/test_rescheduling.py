"""rescheduling moves pods from busy nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import group, node, pod, queue, run
from tests.engine.crowds import evicted

PARAMS = "params: {thresholds: {cpu: 50, memory: 50}, targetThresholds: {cpu: 80, memory: 80}}"


def conf(params: str = PARAMS, period: str = "10m", name: str = "lowNodeUtilization") -> str:
    """Write a configuration of shuffle and rescheduling."""
    return (
        'actions: "shuffle"\ntiers:\n- plugins:\n  - name: rescheduling\n    arguments:\n'
        f"      metricsPeriod: {period}\n      strategies:\n      - name: {name}\n        {params}\n"
    )


def used(name: str, cpu: float, memory: float = 0, **more: Any) -> Any:
    """Make a node of 10 cores that says how busy it is."""
    made = node(name, cpu=10, memory="100Gi", **more)
    made["metadata"]["annotations"] = {"vqs.volcano.sh/cpu-usage": str(cpu), "vqs.volcano.sh/memory-usage": str(memory)}
    return made


def pods(of: str, on: str, *cpus: int, **more: Any) -> list[Any]:
    """Make a running job with pods of some cores on a node."""
    return [group(of, phase="Running"), *[pod(f"{of}-{i}", of, cpu, node=on, **more) for i, cpu in enumerate(cpus)]]


def test_pods_leave_a_busy_node_until_it_is_busy_no_more() -> None:
    """Each takes with it what it asks for: from 95 percent, two of 10 percent go to be below 80."""
    session = run([used("busy", 95), used("idle", 10), queue("default"), pods("j", "busy", 1, 1, 1, 1)], conf())
    assert evicted(session) == ["j-0", "j-1"]


@pytest.mark.parametrize(
    "nodes",
    [
        [used("busy", 95), used("middle", 60)],
        [used("busy", 70), used("idle", 10)],
        [used("busy", 40), used("idle", 10)],
        [used("busy", 95), used("idle", 10, unschedulable=True)],
    ],
)
def test_there_have_to_be_both_kinds_of_nodes(nodes: list[Any]) -> None:
    """Without a low node or without a high one nobody goes; a node that is unschedulable is not low."""
    assert evicted(run([*nodes, queue("default"), pods("j", "busy", 1, 1)], conf())) == []


def test_memory_counts_as_well() -> None:
    """One of both above its target is enough to be high."""
    session = run([used("busy", 10, 99), used("idle", 10), queue("default"), pods("j", "busy", 1)], conf())
    assert evicted(session) == ["j-0"]


def test_low_priority_goes_first_and_then_who_asks_for_least() -> None:
    """A pod without a priority before one with any; best effort before burstable before guaranteed."""
    sure = pod("sure", "j", 1, node="busy")
    sure["spec"]["containers"][0]["resources"]["limits"] = {"cpu": 1, "memory": "1Gi"}
    objects = [
        used("busy", 115),
        used("idle", 10),
        queue("default"),
        pods("j", "busy"),
        sure,
        pod("none", "j", node="busy", best_effort=True),
        pod("some", "j", 1, node="busy"),
        pod("low", "j", 1, node="busy", spec={"priority": -5}),
        pod("high", "j", 1, node="busy", spec={"priority": 5}),
    ]
    assert evicted(run(objects, conf())) == ["none", "some", "sure", "low", "high"]


def test_all_thresholds_are_100_by_default() -> None:
    """So only a node that is used beyond what it has is high."""
    objects = [used("idle", 10), queue("default"), pods("j", "busy", 1)]
    assert evicted(run([used("busy", 100), *objects], conf(""))) == []
    assert evicted(run([used("busy", 101), *objects], conf(""))) == ["j-0"]


def test_a_period_that_is_not_collected_leaves_all_nodes_idle() -> None:
    """The scheduler knows the use of nodes over 10 minutes only."""
    objects = [used("busy", 95), used("idle", 10), queue("default"), pods("j", "busy", 1)]
    assert evicted(run(objects, conf(period="5m"))) == []


def test_an_unknown_strategy_does_nothing() -> None:
    """There is but one."""
    objects = [used("busy", 95), used("idle", 10), queue("default"), pods("j", "busy", 1)]
    assert evicted(run(objects, conf(name="highNodeUtilization"))) == []


def test_a_snapshot_that_does_not_say_how_busy_nodes_are_is_told() -> None:
    """Then all count as idle."""
    session = run([node("n1"), queue("default")], conf())
    assert [notice.code for notice in session.notices] == ["usage-unknown"]
    assert "--usage FILE" in session.notices[0].message
