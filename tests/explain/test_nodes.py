"""What every node has, and how much of it is used, for those who ask."""

from __future__ import annotations

from typing import Any

from tests.build import CONF, gang, manifests, node, queue
from vqs.explain.outcome import NodeResult
from vqs.explain.simulate import SimulateOptions, simulate


def nodes(*, asked: bool) -> list[NodeResult]:
    """Simulate a gang of two on two nodes, one with a GPU."""
    objects: list[Any] = [node("b", cpu=4), node("a", cpu=8, gpu=1), queue("default"), gang("j", 2, cpu=2)]
    return simulate(manifests(objects, CONF), SimulateOptions(nodes=asked)).nodes


def test_nodes_come_by_name_with_what_the_session_used() -> None:
    """Only resources that a node has are named."""
    first, second = nodes(asked=True)
    assert (first.name, second.name) == ("a", "b")
    assert first.allocatable == {"cpu": 8.0, "memory": 16 * 2.0**30, "nvidia.com/gpu": 1.0}
    assert set(second.allocatable) == {"cpu", "memory"}
    assert sum(each.used["cpu"] or 0 for each in (first, second)) == 4
    assert first.used_before["cpu"] == 0
    assert (first.pods + second.pods, first.max_pods) == (2, 110)


def test_nodes_are_left_out_unless_asked_for() -> None:
    """A big cluster's result stays small."""
    assert nodes(asked=False) == []


def test_tasks_say_what_they_ask_for_where_nodes_were_asked_for() -> None:
    """In the user's units; only then, as it is long."""
    objects: list[Any] = [node("a", cpu=8, gpu=1), queue("default"), gang("j", 1, cpu="500m")]
    [asked], [bare] = (simulate(manifests(objects, CONF), SimulateOptions(nodes=each)).tasks for each in (True, False))
    assert asked.request == {"cpu": 0.5, "memory": 2.0**30, "pods": 1}
    assert bare.request == {}


def test_nodes_belong_to_groups() -> None:
    """Labels of pools, zones and racks are told under words; a node without them is in none."""
    labels = {"karpenter.sh/nodepool": "large", "topology.kubernetes.io/zone": "z1", "rack": "r7", "other": "x"}
    objects: list[Any] = [node("a", cpu=8, labels=labels), node("b", cpu=8)]
    first, second = simulate(manifests(objects, CONF), SimulateOptions(nodes=True)).nodes
    assert first.groups == {"pool": "large", "zone": "z1", "rack": "r7"}
    assert second.groups == {}


def test_a_node_is_in_a_hyper_node_of_each_tier() -> None:
    """The picture of the nodes can stand by these: `groups` names the HyperNode of a tier that a node is in."""

    def hyper(name: str, tier: int, kind: str, member: str) -> dict[str, object]:
        members = [{"type": kind, "selector": {"exactMatch": {"name": member}}}]
        api, metadata = "topology.volcano.sh/v1alpha1", {"name": name}
        spec = {"tier": tier, "members": members}
        return {"apiVersion": api, "kind": "HyperNode", "metadata": metadata, "spec": spec}

    racks = [hyper("rack", 1, "Node", "n1"), hyper("spine", 2, "HyperNode", "rack")]
    given = manifests([node("n1"), node("n2"), *racks])
    found = simulate(given, SimulateOptions(nodes=True)).nodes
    assert [each.groups for each in found] == [{"HyperNode of tier 1": "rack", "HyperNode of tier 2": "spine"}, {}]
