"""What a queue can still take: the limits named are the ones that a task meets."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.engine.plugins.test_capacity import FLAT, TREE, child
from tests.properties import examples
from vqs.explain.queues.outcome import PendingRole
from vqs.explain.queues.report import UnknownQueue, explain_queues
from vqs.explain.simulate import SimulateOptions, simulate

GPU = "nvidia.com/gpu"


def roles(name: str, *objects: Any, conf: str = CONF) -> list[PendingRole]:
    """Return what is said of the pending tasks of a queue."""
    explanation = explain_queues(manifests(objects, conf), SimulateOptions(), name).explained
    assert explanation is not None
    return explanation.pending


def running(name: str, in_queue: str, cpu: int, on: str) -> list[Any]:
    """Make a running job."""
    return [group(name, queue=in_queue, phase="Running"), pod(f"{name}-0", name, cpu, "0", node=on)]


def test_every_limit_along_the_tree_is_named_and_the_strictest_counts() -> None:
    """The leaf has room for 10 more cores, the queue above for 3, the root has no limit, and the node has 6 idle."""
    [role] = roles(
        "leaf",
        node("n1", cpu=10),
        child("top", capability={"cpu": 7}),
        child("leaf", "top", capability={"cpu": 14}),
        child("other", "top"),
        running("r", "other", 4, "n1"),
        gang("j", 1, cpu=5, memory="0", queue="leaf"),
        conf=TREE,
    )
    bounds = {(bound.kind, bound.queue): (bound.room["cpu"], bound.tasks) for bound in role.limits}
    assert bounds == {
        ("realCapability", "leaf"): (7, 1),
        ("realCapability", "top"): (3, 0),
        ("realCapability", "root"): (None, None),
        ("nodes", ""): (6, 1),
    }
    assert role.strictest is not None
    assert role.limits[role.strictest].queue == "top"
    assert (role.fitting, role.largest_request, role.verdict) == (0, {"cpu": 3}, "queue-capability")


def test_under_proportion_tasks_are_held_against_what_the_queue_deserves() -> None:
    """The real capability is told as well, but no task is held against it."""
    [role] = roles(
        "a",
        node("n1", cpu=10),
        queue("a"),
        queue("b"),
        gang("k", 1, cpu=8, memory="0", queue="b"),
        gang("j", 1, cpu=6, memory="0", queue="a"),
    )
    assert [(bound.kind, bound.enforced, bound.room["cpu"]) for bound in role.limits] == [
        ("deserved", True, 5),
        ("realCapability", False, 10),
        ("nodes", True, 10),
    ]
    assert role.largest_request == {"cpu": 5}


def test_nodes_that_a_predicate_refuses_are_no_room() -> None:
    """The large node is cordoned, so that the small one sets the limit."""
    [role] = roles(
        "a", node("n1", cpu=4), node("n2", cpu=50, unschedulable=True), queue("a"), gang("j", 1, cpu=5, queue="a")
    )
    assert (role.limits[-1].room["cpu"], role.largest_request["cpu"]) == (4, 4)


def test_one_resource_cannot_make_up_for_another() -> None:
    """Where the memory asked for is nowhere, no amount of cpu fits; with the cpu asked for, 2Gi of memory do."""
    [role] = roles(
        "a", node("n1", cpu=4, memory="2Gi"), queue("a"), gang("j", 1, cpu=2, memory="3Gi", queue="a"), conf=FLAT
    )
    assert role.largest_request == {"cpu": 0, "memory": 2 * 2**30}


def test_tasks_that_ask_for_the_same_are_told_together() -> None:
    """Two of the five tasks found a place; three are left, and none fits."""
    [role] = roles("a", node("n1", cpu=4), queue("a"), gang("j", 5, 1, cpu=2, memory="0", queue="a"), conf=FLAT)
    assert (role.tasks, role.fitting, role.request["cpu"]) == (3, 0, 2)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 10**9))
def test_the_largest_task_fits_and_one_that_is_larger_does_not(seed: int) -> None:
    """Tried out: with as much as is said to fit the task is placed, and with a thousandth more it is not."""
    rnd = random.Random(seed)
    nodes = [node(f"n{i}", cpu=rnd.randint(2, 12), unschedulable=rnd.random() < 0.2) for i in range(rnd.randint(1, 4))]
    tree = [
        child("top", capability={"cpu": rnd.randint(4, 20)}),
        child("a", "top", **({"capability": {"cpu": rnd.randint(2, 20)}} if rnd.random() < 0.5 else {})),
        child("b", "top", guarantee={"resource": {"cpu": rnd.randint(0, 3)}}),
    ]
    load = [
        running(f"r{i}", rnd.choice(["a", "b"]), rnd.randint(0, 2), rnd.choice(nodes)["metadata"]["name"])
        for i in range(rnd.randint(0, 5))
    ]

    def status(cpu: str) -> str:
        want = gang("want", 1, cpu=cpu, memory="0", queue="a")
        result = simulate(manifests([*nodes, *tree, *load, want], TREE), SimulateOptions())
        return next(task.status for task in result.tasks if task.name == "want-worker-0")

    [role] = roles("a", *nodes, *tree, *load, gang("want", 1, cpu=1000, memory="0", queue="a"), conf=TREE)
    largest = role.largest_request["cpu"]
    assert largest is not None
    if largest > 0:
        assert status(f"{round(largest * 1000)}m") == "Binding"
    assert status(f"{round(largest * 1000) + 1}m") == "Pending"


def test_a_queue_that_does_not_exist_is_refused() -> None:
    """The one that was probably meant is named."""
    with pytest.raises(UnknownQueue, match=r"did you mean 'default'\?"):
        roles("defualt", node("n1"), queue("a"), gang("j", 1))


@pytest.mark.parametrize("conf", [CONF, "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n"])
def test_of_a_queue_that_no_plugin_looks_at_there_is_the_spec(conf: str) -> None:
    """What is not given is missing."""
    spec = {"capability": {"cpu": 4}, "guarantee": {"resource": {"memory": "1Gi"}}, "reclaimable": False}
    found = explain_queues(manifests([queue("a", 3, **spec), node("n1"), gang("j", 1)], conf), SimulateOptions(), "a")
    assert found.explained is None
    assert found.spec
    assert (found.spec.weight, found.spec.reclaimable) == (3, False)
    assert (found.spec.capability, found.spec.deserved, found.spec.guarantee) == ({"cpu": 4}, {}, {"memory": 2**30})


def test_what_is_short_is_what_the_verdict_on_the_task_names() -> None:
    """Of nodes that could take the task when they are empty, the closest decides, in both."""
    objects: list[Any] = [
        node("cpu", cpu=64),
        node("gpu-0", cpu=16, gpu=4),
        node("gpu-1", cpu=16, gpu=4),
        queue("default"),
        group("r", phase="Running"),
        *(pod(f"r-{number}", "r", 8, "0", node=f"gpu-{number}", requests={GPU: 4}) for number in range(2)),
        gang("j", 1, cpu=12, memory="0", requests={GPU: 2}),
    ]
    [role] = roles("default", *objects)
    [waiting] = [each for each in simulate(manifests(objects), SimulateOptions()).tasks if each.verdict]
    assert waiting.verdict is not None
    assert role.strictest is not None
    assert role.limits[role.strictest].resource == waiting.verdict.resource == GPU
