"""A task that fits nowhere has a closest node."""

from __future__ import annotations

import numpy as np
import pytest

from tests.build import Object, gang, group, node, open_session, pod, queue, run
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.shortage import ClosestRefusal, Shortage, shortage

TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
GPU = "nvidia.com/gpu"


def shortfall(session: Session) -> Shortage | ClosestRefusal | None:
    """Return what keeps the first task of the job from the nodes."""
    return shortage(session.fit(session.jobs["ns/j"].tasks["j-worker-0"]), session.reasons)


def half_full(*nodes: str) -> list[Object]:
    """Make pods that hold 4 cores of each of some nodes."""
    return [group("busy", 1, "Running"), *(pod(f"on-{name}", "busy", cpu=4, node=name) for name in nodes)]


def refusal(*objects: Object | list[Object]) -> Refusal:
    """Return what a session says of the first task of the job."""
    return run([*objects, queue("default")]).trace.tasks["j-worker-0"][1]


def test_the_closest_node_lacks_the_smallest_part() -> None:
    """Of a node that lacks half the cpu and one that lacks a quarter of the memory, the second is closer."""
    session = open_session(
        [
            node("a", cpu=2, memory="64Gi"),
            node("b", cpu=9, memory="6Gi"),
            queue("default"),
            gang("j", 1, cpu=4, memory="8Gi"),
        ]
    )
    found = shortfall(session)
    assert isinstance(found, Shortage)
    assert (found.node, found.resource, found.need, found.have) == ("b", "memory", 8 * 2**30, 6 * 2**30)


def test_a_node_that_is_refused_for_another_reason_is_not_close() -> None:
    """A tainted node does not help, however little it lacks, as long as another is large enough."""
    nodes = [node("a", cpu=8, taints=[TAINT]), node("b", cpu=7)]
    found = shortfall(open_session([*nodes, queue("default"), *half_full("b"), gang("j", 1, cpu=6)]))
    assert isinstance(found, Shortage)
    assert found.node == "b"


def test_where_no_node_lacks_resources_there_is_no_shortage() -> None:
    """A task that every node refuses for its taint lacks nothing."""
    assert shortfall(open_session([node("a", taints=[TAINT]), queue("default"), gang("j", 1)])) is None


@pytest.mark.parametrize(("nodes", "in_total"), [(("a", "b"), True), (("a",), False)])
def test_room_in_pieces_is_told_from_no_room(nodes: tuple[str, ...], in_total: bool) -> None:
    """Two nodes with 4 idle cores have 6 together, though no single one; one node of them has not."""
    objects = [*(node(name) for name in nodes), queue("default"), *half_full(*nodes)]
    found = shortfall(open_session([*objects, gang("j", 1, cpu=6)]))
    assert isinstance(found, Shortage)
    assert (found.in_total, found.too_large) == (in_total, False)


def test_a_node_without_a_gpu_is_not_close_to_a_task_that_needs_one() -> None:
    """Only nodes that could take the task when they are empty are compared, as long as there are any."""
    nodes = [node("cpu", cpu=64), node("gpu", cpu=8, gpu=1)]
    found = shortfall(
        open_session([*nodes, queue("default"), *half_full("gpu"), gang("j", 1, cpu=8, requests={GPU: 1})]),
    )
    assert isinstance(found, Shortage)
    assert (found.node, found.resource) == ("gpu", "cpu")


def test_a_taint_in_the_way_is_told_rather_than_what_other_nodes_lack() -> None:
    """Without a toleration, the closest node is the one with GPUs, and the reason is its taint."""
    nodes = [node("cpu-0", cpu=64), node("gpu-0", cpu=8, gpu=8, taints=[TAINT])]
    said = refusal(*nodes, gang("j", 1, requests={GPU: 1}))
    assert (said.code, said.node, said.resource) == ("no-node-fits", "gpu-0", "")
    assert said.text == "node(s) had untolerated taint {k: v}"


@pytest.mark.parametrize("cpus", [(3, 1), (3, 3)])
def test_a_task_larger_than_any_node_is_neither_short_of_room_nor_fragmented(cpus: tuple[int, ...]) -> None:
    """A task of 4 cores fits on no node of 3, not even on an empty one, though all together have as much."""
    said = refusal(*(node(f"n{number}", cpu=cpu) for number, cpu in enumerate(cpus)), gang("j", 1, cpu=4))
    assert (said.code, said.node, said.resource, said.need, said.have) == (
        "larger-than-any-node",
        "n0",
        "cpu",
        4000,
        3000,
    )


def test_a_task_larger_than_any_node_is_so_whatever_predicates_say() -> None:
    """A node selector that no node matches does not hide that the task is larger than each of the nodes."""
    nodes = [node("n0", cpu=1), node("n1", cpu=3)]
    said = refusal(*nodes, group("j", 1), pod("j-worker-0", "j", 4, spec={"nodeSelector": {"pool": "gpu"}}))
    assert (said.code, said.node, said.resource, said.need, said.have) == (
        "larger-than-any-node",
        "n1",
        "cpu",
        4000,
        3000,
    )


def test_a_task_that_a_large_node_refuses_is_not_too_large() -> None:
    """Where a node is large enough, the node selector keeps the task from it, not the size of the others."""
    nodes = [node("n0", cpu=1), node("n1", cpu=8)]
    said = refusal(*nodes, group("j", 1), pod("j-worker-0", "j", 4, spec={"nodeSelector": {"pool": "gpu"}}))
    assert (said.code, said.node, said.resource) == ("no-node-fits", "n1", "")
    assert said.text == "node(s) didn't match Pod's node affinity/selector"


def test_the_trace_names_the_closest_node() -> None:
    """The refusal carries the figures that the verdict prints."""
    said = refusal(node("a"), node("b"), *half_full("a", "b"), gang("j", 1, cpu=6))
    assert (said.code, said.node, said.resource, said.need, said.have) == ("fragmented", "a", "cpu", 6000, 4000)


def test_only_the_nodes_that_were_asked_are_close() -> None:
    """Nodes that are too small when they are empty are not close, also where no others are asked."""
    nodes = [node("a", cpu=2), node("b", cpu=3), node("c", cpu=8)]
    session = open_session([*nodes, queue("default"), *half_full("c"), gang("j", 1, cpu=6)])
    fit = session.fit(session.jobs["ns/j"].tasks["j-worker-0"])
    closest, among = (shortage(fit, session.reasons, nodes) for nodes in (None, np.array([0, 1])))
    assert isinstance(closest, Shortage)
    assert (closest.node, closest.have) == ("c", 4000)
    assert among is None
