"""Volumes that are reserved within a session, and the number of volumes that a node takes.

The rules are those of the tests of pkg/scheduler/capabilities/volumebinding/binder.go, and of Kubernetes' csi.go.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.build import CONF, NOW, Object, group, manifests, node, placements, pod, queue, run
from vqs.engine import scheduler
from vqs.engine.framework.session import SessionOptions
from vqs.snapshot.cluster.build import build_cluster

NOTHING = "node(s) didn't find available persistent volumes to bind"
CSI = "hostpath.csi.k8s.io"
"""A driver whose volumes Volcano does not count as a resource as well."""
ORDER = CONF.replace("  - name: binpack\n", "")


def volume(name: str, size: int = 1, on: str = "", **spec: Any) -> Object:
    """Make a volume that is free, of some Gi; `on` is the only node that reaches it."""
    made: Object = {"capacity": {"storage": f"{size}Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    if on:
        term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [on]}]}
        made["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {**made, **spec},
        "status": {"phase": "Available"},
    }


def claim(name: str, size: int = 1, **spec: Any) -> Object:
    """Make a claim that waits for its pod."""
    asked = {"resources": {"requests": {"storage": f"{size}Gi"}}, "accessModes": ["ReadWriteOnce"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "ns", "uid": name},
        "spec": {**asked, "storageClassName": "local", **spec},
        "status": {"phase": "Pending"},
    }


def bound(name: str, handle: str) -> list[Object]:
    """Make a claim that has its volume, and this."""
    made = claim(name, volumeName=f"pv-{name}")
    made["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    made["status"]["phase"] = "Bound"
    return [made, volume(f"pv-{name}", csi={"driver": CSI, "volumeHandle": handle})]


def storage_class(name: str = "local", provisioner: str = "kubernetes.io/no-provisioner") -> Object:
    """Make a storage class whose volumes wait for pods."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def csi_node(name: str, most: int | None) -> Object:
    """Make a CSINode that takes a number of volumes, any number where that is None."""
    driver = {"name": CSI, "nodeID": name, **({} if most is None else {"allocatable": {"count": most}})}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": [driver]},
    }


def attachment(of: str, to: str) -> Object:
    """Make the attachment of a volume to a node."""
    spec = {"attacher": CSI, "nodeName": to, "source": {"persistentVolumeName": of}}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": of}, "spec": spec}


def using(name: str, *claims: str, of: str = "j", **more: Any) -> Object:
    """Make a pod that uses some claims."""
    volumes = [{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in claims]
    return pod(name, of, spec={"volumes": volumes}, role=name, **more)


def placed(*objects: Any, minimum: int = 1, conf: str = CONF) -> dict[str, str | None]:
    """Return where pods of the job j go."""
    session = run([queue("default"), storage_class(), group("j", minimum), *objects], conf)
    return {name: where for name, (_, where) in placements(session).items()}


def test_a_volume_is_given_once() -> None:
    """The second pod finds none, and says so."""
    pods = [using("a", "c1"), using("b", "c2")]
    objects = [node("n1"), volume("pv"), claim("c1"), claim("c2"), *pods]
    session = run([queue("default"), storage_class(), group("j"), *objects])
    assert placements(session) == {"a": ("Binding", "n1"), "b": ("Pending", None)}
    assert session.jobs["ns/j"].fit_errors["b"].message() == f"0/1 nodes are unavailable: 1 {NOTHING}."


def test_a_claim_takes_the_smallest_volume_that_fits() -> None:
    """So that the larger one is left for the larger claim."""
    objects = [node("n1"), volume("a-large", 9), volume("small", 2), claim("c1", 1), claim("c2", 5)]
    assert placed(*objects, using("a", "c1"), using("b", "c2")) == {"a": "n1", "b": "n1"}


def test_two_claims_of_a_pod_take_two_volumes() -> None:
    """On a node that reaches both."""
    objects = [node("n1"), node("n2"), volume("a", on="n1"), volume("b", on="n2"), volume("c", on="n2")]
    assert placed(*objects, claim("c1"), claim("c2"), using("p", "c1", "c2")) == {"p": "n2"}


def test_volumes_of_a_gang_that_is_rolled_back_are_free_again() -> None:
    """For the next job."""
    objects = [node("n1"), volume("pv"), claim("c1"), claim("c2"), using("a", "c1"), pod("too-large", "j", cpu=99)]
    later = [group("k", created=5), using("b", "c2", of="k")]
    assert placed(*objects, *later, minimum=2)["b"] == "n1"


def test_a_volume_that_is_kept_for_a_claim_is_for_no_other() -> None:
    """And the claim gets no other, also where another one would be reached."""
    kept = volume("kept", on="n1", claimRef={"kind": "PersistentVolumeClaim", "namespace": "ns", "name": "c1"})
    objects = [node("n1"), node("n2"), kept, volume("free", on="n2"), claim("c1"), claim("c2")]
    assert placed(*objects, using("a", "c1"), using("b", "c2")) == {"a": "n1", "b": "n2"}


@pytest.mark.parametrize(
    "spec",
    [
        {"volumeMode": "Block"},
        {"accessModes": ["ReadWriteMany"]},
        {"selector": {"matchLabels": {"disk": "ssd"}}},
        {"volumeAttributesClassName": "gold"},
    ],
)
def test_a_volume_of_another_kind_does_not_suit(spec: Object) -> None:
    """Whatever its size is."""
    assert placed(node("n1"), volume("pv", 9), claim("c1", **spec), using("a", "c1")) == {"a": None}


def test_pods_that_share_a_claim_go_where_it_is_made() -> None:
    """The first one decides, though the second one would go elsewhere."""
    shared = claim("c1", storageClassName="made")
    objects = [node("n1", 2), node("n2", 8), storage_class("made", "csi.example"), shared]
    pods = [using("a", "c1", requests={"cpu": 2}), using("b", "c1", requests={"cpu": 1})]
    assert placed(*objects, *pods, conf=ORDER) == {"a": "n2", "b": "n2"}
    assert placed(objects[0], *objects[2:], *pods, conf=ORDER) == {"a": "n1", "b": None}


def test_a_claim_that_is_bound_to_nothing_opens_no_node() -> None:
    """Where zones are not checked, which would refuse it before."""
    conf = CONF.replace("name: predicates", "name: predicates\n    arguments: {predicate.VolumeZoneEnable: false}")
    gone = bound("c1", "h")[0]
    session = run([node("n1"), queue("default"), volume("other"), gone, group("j"), using("a", "c1")], conf)
    text = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
    assert session.jobs["ns/j"].fit_errors["a"].message() == f"0/1 nodes are unavailable: 1 {text}."


# --- room for volumes that have to be made ----------------------------------------------------------------------------

SHORT = "node(s) did not have enough free storage"


def room(size: str | None, *nodes: str, of: str = "made", **more: Any) -> Object:
    """Make the room that a driver has for volumes of a class, on some nodes."""
    hostnames = {"key": "kubernetes.io/hostname", "operator": "In", "values": list(nodes)}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIStorageCapacity",
        "metadata": {"name": f"{of}-{size}-{'-'.join(nodes)}".lower(), "namespace": "ns"},
        "storageClassName": of,
        "nodeTopology": {"matchExpressions": [hostnames]},
        **({} if size is None else {"capacity": size}),
        **more,
    }


def driver(*, says: bool | None = True) -> Object:
    """Make a driver that says how much room it has, or does not."""
    spec = {} if says is None else {"storageCapacity": says}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": CSI}, "spec": spec}


def asked_for_room(*objects: Any, flag: bool = True, claims: tuple[Object, ...] = ()) -> tuple[str | None, str]:
    """Return where a pod goes that has a volume of 10Gi made, and why no node takes it."""
    claims = claims or (claim("c1", 10, storageClassName="made"),)
    everything = [queue("default"), storage_class("made", CSI), group("j"), node("n1"), node("n2"), *objects, *claims]
    read = replace(
        manifests([*everything, using("a", *(each["metadata"]["name"] for each in claims))]), csi_storage_flag=flag
    )
    session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW))
    job = scheduler.run_actions(session).jobs["ns/j"]
    errors = job.fit_errors.get("a")
    return job.tasks["a"].node, errors.message() if errors else ""


@pytest.mark.parametrize(
    ("rooms", "where"),
    [
        ((room("5Gi", "n1"), room("10Gi", "n2")), "n2"),
        ((room("20Gi", "n1", maximumVolumeSize="9Gi"), room("1Gi", "n2", maximumVolumeSize="10Gi")), "n2"),
        ((room("20Gi", "n1", of="other"), room("20Gi", "n2")), "n2"),
        ((room(None, "n1"), room("20Gi", "n2")), "n2"),
        ((room("10737418239", "n1"),), None),
        ((room("10737418239.5", "n2"),), "n2"),
        ((room("20Gi", nodeTopology=None),), None),
        ((room("5Gi", "n1", "n2"), room("10Gi", "n1")), "n1"),
    ],
)
def test_a_volume_is_made_where_there_is_room_for_it(rooms: tuple[Object, ...], where: str | None) -> None:
    """One room has to have enough; the largest volume counts before what is free, and both in whole bytes."""
    session = asked_for_room(driver(), *rooms)
    refused = "" if where else f"0/2 nodes are unavailable: 2 {SHORT}."
    assert session == (where, refused)


def test_room_that_all_nodes_reach() -> None:
    """A topology without labels is every node's."""
    assert asked_for_room(driver(), room("20Gi", nodeTopology={}))[1] == ""
    assert asked_for_room(driver(), room("5Gi", nodeTopology={}))[0] is None


@pytest.mark.parametrize("objects", [(), (driver(says=False),), (driver(says=None),), (room("1Gi", "n1", "n2"),)])
def test_a_driver_that_does_not_say_has_any_room(objects: tuple[Object, ...]) -> None:
    """So has one that is no CSI driver."""
    assert asked_for_room(*objects)[1] == ""


def test_without_the_flag_no_room_is_looked_at() -> None:
    """As a scheduler that is started as Volcano's charts do."""
    assert asked_for_room(driver(), room("1Gi", "n1", "n2"), flag=False)[1] == ""


def test_the_first_claim_that_cannot_be_satisfied_gives_the_reason() -> None:
    """The smaller one is asked about first, and nodes that have no volume for it are not asked about the other."""
    large, small = claim("c1", 10, storageClassName="made"), claim("c2", 1)
    local = storage_class()
    _, text = asked_for_room(driver(), local, volume("pv", on="n1"), claims=(large, small))
    assert text == f"0/2 nodes are unavailable: 1 {SHORT}, 1 {NOTHING}."


def test_room_is_not_used_up_within_a_session() -> None:
    """The scheduler takes no note of what it gives away; the driver refuses later."""
    claims = [claim(name, 10, storageClassName="made") for name in ("c1", "c2")]
    objects = [queue("default"), storage_class("made", CSI), driver(), room("10Gi", "n1"), node("n1"), group("j")]
    read = replace(manifests([*objects, *claims, using("a", "c1"), using("b", "c2")]), csi_storage_flag=True)
    session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW))
    assert placements(scheduler.run_actions(session)) == {"a": ("Binding", "n1"), "b": ("Binding", "n1")}


# --- the number of volumes --------------------------------------------------------------------------------------------


def test_a_node_takes_no_more_volumes_than_its_limit() -> None:
    """Also of those that are placed in the session."""
    objects: list[Any] = [
        node("n1"),
        csi_node("n1", 1),
        bound("c1", "h1"),
        bound("c2", "h2"),
        using("a", "c1"),
        using("b", "c2"),
    ]
    session = run([queue("default"), group("j"), *objects])
    assert placements(session) == {"a": ("Binding", "n1"), "b": ("Pending", None)}
    assert session.jobs["ns/j"].fit_errors["b"].message() == (
        "0/1 nodes are unavailable: 1 node(s) exceed max volume count."
    )


def test_a_volume_that_pods_share_counts_once() -> None:
    """On a node where one of them is."""
    objects = [node("n1"), csi_node("n1", 1), bound("c1", "h1"), using("a", "c1"), using("b", "c1")]
    assert placed(*objects) == {"a": "n1", "b": "n1"}


def test_a_volume_that_is_attached_for_no_pod_counts() -> None:
    """Until it is detached."""
    objects = [node("n1"), csi_node("n1", 1), bound("c1", "h1"), bound("c2", "h2"), using("a", "c1")]
    assert placed(*objects) == {"a": "n1"}
    assert placed(*objects, attachment("pv-c2", "n1")) == {"a": None}
    assert placed(*objects, attachment("pv-c2", "n2")) == {"a": "n1"}


def test_a_node_without_a_limit_takes_any_number() -> None:
    """So does one of which no CSINode is known."""
    objects = [node("n1"), csi_node("n2", 0), csi_node("n1", None), bound("c1", "h1"), using("a", "c1")]
    assert placed(*objects) == {"a": "n1"}
