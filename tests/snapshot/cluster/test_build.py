"""From objects to a cluster: which pods are tasks, of which priority, and what they ask for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, group, hyper_node, manifests, node, pod, queue
from vqs.model.codes import VerdictCode
from vqs.model.hypernode import HyperNodes
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.cluster.build import attach_limit_name, build_cluster, hyper_nodes
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests

DRIVER = "disk.example"
LIMIT = attach_limit_name(DRIVER)


def claim(class_name: str = "fast", **metadata: Any) -> dict[str, Any]:
    """Make a claim that waits for its pod."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ns", **metadata},
        "spec": {"storageClassName": class_name},
    }


def storage_class(name: str, provisioner: str) -> dict[str, Any]:
    """Make a storage class."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
    }


CSI_NODE = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSINode",
    "metadata": {"name": "n1"},
    "spec": {"drivers": [{"name": DRIVER, "nodeID": "n1", "allocatable": {"count": 3}}]},
}
WITH_CLAIM = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
WITH_EPHEMERAL = {"volumes": [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]}


def read(*objects: Any, spec: dict[str, Any] = WITH_CLAIM) -> Manifests:
    """Read a cluster of one node and one pod with volumes."""
    return manifests([node("n1"), queue("default"), group("j"), pod("p", "j", spec=spec), *objects])


def volumes_of_the_pod(*objects: Any, spec: dict[str, Any] = WITH_CLAIM) -> float:
    """Return how many attached volumes the pod asks for."""
    cluster = build_cluster(read(*objects, spec=spec))
    return cluster.jobs["ns/j"].tasks["p"].request.get(LIMIT)


def test_attached_volumes_are_a_resource() -> None:
    """A claim counts for the driver of its class, and a node has as many as its CSINode says."""
    objects = [CSI_NODE, storage_class("fast", DRIVER), claim()]
    assert volumes_of_the_pod(*objects) == 1
    assert build_cluster(read(*objects)).nodes[0].allocatable.get(LIMIT) == 3


def test_the_old_annotation_of_the_class_comes_first() -> None:
    """A claim may name its class in an annotation, which wins over its spec."""
    named = claim("other", annotations={"volume.beta.kubernetes.io/storage-class": "fast"})
    assert volumes_of_the_pod(CSI_NODE, storage_class("fast", DRIVER), named) == 1


@pytest.mark.parametrize("driver", ["rancher.io/local-path", "hostpath.csi.k8s.io"])
def test_volumes_that_are_local_to_a_node_are_not_counted(driver: str) -> None:
    """Nothing is attached for them, so that no limit holds."""
    cluster = build_cluster(read(CSI_NODE, storage_class("fast", driver), claim()))
    assert cluster.jobs["ns/j"].tasks["p"].request.get(attach_limit_name(driver)) == 0


@pytest.mark.parametrize(("owner", "number"), [("p", 1), ("another", 0)])
def test_an_ephemeral_claim_counts_for_its_own_pod_only(owner: str, number: int) -> None:
    """A claim of the right name that belongs to somebody else is not the pod's."""
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": owner, "controller": True}
    made = claim(name="p-data", ownerReferences=[reference])
    assert volumes_of_the_pod(CSI_NODE, storage_class("fast", DRIVER), made, spec=WITH_EPHEMERAL) == number


def test_without_any_csi_node_volumes_are_not_counted() -> None:
    """A snapshot that was taken without them says nothing about limits."""
    cluster = build_cluster(read(storage_class("fast", DRIVER), claim()))
    assert cluster.jobs["ns/j"].tasks["p"].request.get(LIMIT) == 0
    assert not cluster.volumes_counted


@pytest.mark.parametrize(
    ("bound", "most", "message"),
    [
        ("MOST_OF_NODES", 15, "Node n3 names a resource too many: with 4 nodes and distinct pod requests"),
        ("MOST_OF_QUEUES", 15, "Node n3 names a resource too many: with 4 queues, no more than 3 resources"),
    ],
)
def test_too_many_amounts_of_resources(bound: str, most: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More resources than there is room for in the tables of nodes or queues are an error at one of the objects."""
    nodes = [node(f"n{i}") for i in (1, 2, 3)]
    for number, each in enumerate(nodes):
        each["status"]["allocatable"][f"example.com/r{number}"] = "1"
    given = manifests([*nodes, queue("default"), queue("q"), queue("r"), group("j"), pod("p", "j")])
    build_cluster(given)
    monkeypatch.setattr(f"vqs.snapshot.cluster.build.{bound}", most)
    with pytest.raises(InputErrors, match=message) as raised:
        build_cluster(given)
    [error] = raised.value.diagnostics
    assert (error.code, error.line > 0) == ("too-large", True)


@pytest.mark.parametrize("nodes", [0, 1])
def test_too_many_resources_in_overheads(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resource that only the overhead of a pod names counts, and the error is at that pod."""
    pods = [pod(f"p{number}", "j") for number in range(4)]
    for number, each in enumerate(pods):
        each["spec"]["overhead"] = {f"example.com/r{number}": "1"}
    given = manifests([*(node(f"n{number}") for number in range(nodes)), queue("default"), group("j"), *pods])
    monkeypatch.setattr("vqs.snapshot.cluster.build.MOST_OF_NODES", 15)
    with pytest.raises(InputErrors, match="Pod p2 names a resource too many") as raised:
        build_cluster(given)
    [error] = raised.value.diagnostics
    assert (error.code, error.line > 0) == ("too-large", True)


def test_too_many_resources_of_no_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the resources are in no object that is searched for them, the error is without a place."""
    given = manifests([queue("default"), group("j"), pod("p", "j")])
    monkeypatch.setattr("vqs.snapshot.cluster.build.MOST_OF_NODES", 0)
    monkeypatch.setattr("vqs.snapshot.cluster.build._growth", lambda _: iter(()))
    with pytest.raises(InputErrors, match="the input names too many resources") as raised:
        build_cluster(given)
    [error] = raised.value.diagnostics
    assert (error.code, error.line) == ("too-large", 0)


# --- claims on devices ------------------------------------------------------------------------------------------------


def claiming(name: str, **reference: str) -> Object:
    """Make a pending pod of job j that claims devices."""
    return pod(name, "j", spec={"resourceClaims": [{"name": "gpu", **reference}]})


@pytest.mark.parametrize(
    ("release", "known"), [(Release.V1_14, ["a", "b", "c", "d"]), (Release.V1_15, ["a", "c", "d"])]
)
def test_a_pod_whose_claim_does_not_exist_is_left_out(release: Release, known: list[str]) -> None:
    """Since v1.15, it is not in the scheduler's cache, unless its claim is made from a template; else it is refused."""
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "x", "namespace": "ns"}}
    pods = [
        claiming("a", resourceClaimName="x"),
        claiming("b", resourceClaimName="y"),
        claiming("c", resourceClaimTemplateName="y"),
        pod("d", "j"),
    ]
    given = manifests([queue("default"), node("n1"), group("j"), *pods, claim])
    given.release = ReleaseChoice(Build(release))
    cluster = build_cluster(given)
    assert [task.name for task in cluster.jobs["ns/j"].tasks.values()] == known
    left_out = [(each.task.name, each.queue, each.code) for each in cluster.orphans]
    assert left_out == ([] if "b" in known else [("b", "default", VerdictCode.UNKNOWN_DEVICE_CLAIM)])


def read_hyper_nodes(*objects: Object) -> HyperNodes:
    """Return the HyperNodes of some objects."""
    found = manifests(objects)
    return hyper_nodes(found.hyper_nodes, found.nodes)


def test_nodes_are_members_by_name_pattern_and_label() -> None:
    """A name counts whether the node exists or not; a pattern need not match from the beginning."""
    found = read_hyper_nodes(
        node("rack1-a", labels={"rack": "1"}),
        node("rack2-b", labels={"rack": "2"}),
        node("c"),
        hyper_node("by-name", 1, nodes=["c", "gone"]),
        hyper_node("by-pattern", 1, pattern="k[[:digit:]]-"),
        hyper_node("by-label", 1, labels={"rack": "2"}),
        hyper_node("by-nothing", 1, labels={}),
        hyper_node("unreadable", 1, pattern="rack["),
    )
    assert {name: each.nodes for name, each in found.by_name.items()} == {
        "by-name": {"c", "gone"},
        "by-pattern": {"rack1-a", "rack2-b"},
        "by-label": {"rack2-b"},
        "by-nothing": set(),
        "unreadable": set(),
    }


def test_a_hyper_node_has_the_nodes_of_those_below_it() -> None:
    """Whatever the order of names, and also where one has nodes of its own."""
    found = read_hyper_nodes(
        hyper_node("a-top", 3, members=["z-leaf", "m-spine"]),
        hyper_node("m-spine", 2, members=["b-leaf"], nodes=["n3"]),
        hyper_node("b-leaf", 1, nodes=["n1"]),
        hyper_node("z-leaf", 1, nodes=["n2"]),
    )
    assert found.by_name["a-top"].nodes == {"n1", "n2", "n3"}
    assert found.by_name["m-spine"].nodes == {"n1", "n3"}
    assert found.by_name["b-leaf"].parent == "m-spine"
    assert not found.fault


def test_of_two_of_one_name_the_last_counts() -> None:
    """The scheduler's cache has one entry for a name, which what comes later replaces."""
    found = read_hyper_nodes(hyper_node("s", 1, nodes=["n1"]), hyper_node("s", 2, nodes=["n2"]))
    assert (found.by_name["s"].tier, found.by_name["s"].nodes) == (2, {"n2"})


def test_a_member_without_an_object_is_known_by_name() -> None:
    """It has no nodes, and nothing is wrong with it."""
    found = read_hyper_nodes(hyper_node("top", 2, members=["missing"]))
    assert not found.by_name["missing"].defined
    assert found.by_name["missing"].parent == "top"
    assert not found.fault


def test_two_parents_are_a_fault() -> None:
    """The message names both."""
    found = read_hyper_nodes(hyper_node("a", 2, members=["x"]), hyper_node("b", 2, members=["x"]), hyper_node("x", 1))
    assert found.fault == "HyperNode x is a member of both a and b"


def test_a_circle_is_a_fault() -> None:
    """Also one of a single HyperNode."""
    assert (
        "member of itself"
        in read_hyper_nodes(hyper_node("a", 1, members=["b"]), hyper_node("b", 2, members=["a"])).fault
    )
    assert "member of itself" in read_hyper_nodes(hyper_node("a", 1, members=["a"])).fault


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12))
def test_what_is_read_is_always_a_forest(edges: list[tuple[int, int]]) -> None:
    """Following parents ends, and each HyperNode has all nodes of its children."""
    members: dict[int, list[str]] = {}
    for parent, child in edges:
        members.setdefault(parent, []).append(f"h{child}")
    made = [hyper_node(f"h{at}", at, nodes=[f"n{at}"], members=members.get(at, [])) for at in range(8)]
    found = read_hyper_nodes(*made).by_name
    for each in found.values():
        name, steps = each.name, 0
        while name:
            name, steps = found[name].parent, steps + 1
            assert steps <= len(found)
        below = [found[child] for child in each.children]
        assert all(child.parent == each.name and child.nodes <= each.nodes for child in below)
