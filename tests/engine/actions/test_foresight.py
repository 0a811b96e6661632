"""What a try in a HyperNode would come to is known without it where that is certain."""

from __future__ import annotations

import pytest

from tests.build import CONF, Object, gang, group, hyper_node, node, open_session, pod, queue, run
from vqs.engine.actions.foresight import Foresight
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, Operation
from vqs.model.task import Task

NEAR = CONF + "  - name: network-topology-aware\n"
LEAVES: list[Object | list[Object]] = [
    *(node(f"n{at}", cpu=4) for at in range(6)),
    hyper_node("a", 1, nodes=["n0", "n1"]),
    hyper_node("b", 1, nodes=["n2", "n3"]),
    hyper_node("c", 1, nodes=["n4", "n5"]),
    queue("default"),
    group("r", phase="Running"),
]
OTHERS = ["b", "c"]


def placed(session: Session, op: Op = Op.ALLOCATE) -> list[Operation]:
    """Return the steps that give the tasks of a job the first leaf, in turns."""
    tasks: list[Task] = list(session.jobs["ns/j"].tasks.values())
    return [Operation(op, task, f"n{at % 2}") for at, task in enumerate(tasks)]


def alike(*objects: Object | list[Object], op: Op = Op.ALLOCATE) -> set[str]:
    """Return which of the other leaves would certainly take all pending tasks, too."""
    session = open_session([*LEAVES, *objects], NEAR)
    return Foresight(session).alike(placed(session, op), OTHERS)


def test_a_hyper_node_with_as_many_open_nodes_as_tasks_takes_them() -> None:
    """Whatever their classes are; one that is full counts as no node."""
    small, large = pod("j-w-0", "j", cpu=1), pod("j-w-1", "j", cpu=3)
    assert alike(group("j", 2), small, large) == {"b", "c"}
    assert alike(group("j", 2), small, large, pod("r-0", "r", cpu=2, node="n2")) == {"c"}


def test_one_with_fewer_nodes_has_to_have_the_room_for_tasks_of_one_class() -> None:
    """Of several classes, that would hang on which goes where."""
    assert alike(gang("j", 6)) == {"b", "c"}
    assert alike(gang("j", 6), pod("r-0", "r", cpu=3, node="n2")) == {"c"}
    assert alike(gang("j", 9)) == set()
    assert alike(group("j", 3), *(pod(f"j-w-{at}", "j", cpu=1 + at) for at in range(3))) == set()


def test_nodes_that_have_tasks_of_the_try_count_for_no_other_hyper_node() -> None:
    """They are in two HyperNodes only where these are no tree."""
    session = open_session([*LEAVES, gang("j", 2)], NEAR)
    assert Foresight(session).alike(placed(session), ["a"]) == set()


def test_a_promise_is_not_foreseen() -> None:
    """Neither is where a node was chosen for a task before."""
    assert alike(gang("j", 2), op=Op.PIPELINE) == set()
    assert alike(group("j"), pod("j-w-0", "j", status={"nominatedNodeName": "n0"})) == set()


def test_nothing_is_foreseen_where_nodes_matter_to_one_another() -> None:
    """A task that keeps away from others in its zone may be refused by nodes that it is not placed on."""
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"x": "y"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert alike(group("j"), pod("j-w-0", "j", labels={"x": "y"}, spec={"affinity": affinity})) == set()


@pytest.mark.parametrize("pods", [2, 3])
def test_what_is_foreseen_is_not_tried(pods: int) -> None:
    """A gang stands in the first leaf that takes it, also where some of its tasks are left."""
    session = run([*LEAVES, gang("j", pods, 2, networkTopology={"mode": "hard", "highestTierAllowed": 1})], NEAR)
    assert [each.hyper_node for each in session.trace.hyper_nodes["ns/j"] if each.placed] == ["a"]
    assert {task.node for task in session.jobs["ns/j"].tasks.values()} <= {"n0", "n1"}


def test_hyper_nodes_whose_nodes_take_none_of_the_tasks_are_known() -> None:
    """Room that is being released counts, as a task may be promised that; a HyperNode without nodes is not tried."""
    full = [pod(f"r-{at}", "r", cpu=4, node=f"n{at}") for at in range(4)]
    leaving = pod("r-4", "r", cpu=4, node="n4", deleted=True)
    objects = [*LEAVES, *full, leaving, hyper_node("d", 1), pod("r-5", "r", cpu=3, node="n5"), gang("j", 2, cpu=2)]
    session = open_session(objects, NEAR)
    foresight, tasks = Foresight(session), list(session.jobs["ns/j"].tasks.values())
    assert foresight.refusing(tasks, ["b", "d", "c", "a"]) == ["b", "a"]


def test_of_tries_in_vain_the_last_one_is_made() -> None:
    """Its reasons are those that a task is left with; of the others it is noted that they took nothing."""
    full = [pod(f"r-{at}", "r", cpu=4, node=f"n{at}") for at in range(6)]
    topology = {"mode": "hard", "highestTierAllowed": 1}
    gang_of_two = gang("j", 2, networkTopology=topology, minResources={})
    session = run([*LEAVES, *full, node("apart"), gang_of_two], NEAR)
    job = session.jobs["ns/j"]
    tried = [(each.hyper_node, each.placed) for each in session.trace.hyper_nodes["ns/j"] if each.refusal is None]
    assert tried == [("a", 0), ("b", 0), ("c", 0)]
    assert {errors.hyper_node for errors in job.fit_errors.values()} == {"c"}
