"""Claims keep what a session gave them: the next one finds volumes and devices taken."""

from __future__ import annotations

import pytest

from tests.build import NOW, Object, group, manifests, node, pod, queue
from vqs.explain.aftermath import Aftermath
from vqs.explain.cycles import run_cycles
from vqs.explain.given import given_by, with_given
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.model.devices import ResourceClaimStatus
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

TEMPLATED = {"name": "c", "resourceClaimTemplateName": "t"}
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def volume(name: str) -> Object:
    """Make a free volume."""
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"phase": "Available"},
    }


def claim(name: str) -> Object:
    """Make a claim that waits for its pod."""
    asked = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]}
    metadata = {"name": name, "namespace": "ns", "uid": name}
    spec = {**asked, "storageClassName": "local"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def cluster(*pods: str, provisioner: str = NO_PROVISIONER) -> Manifests:
    """Make a node, a volume, and pods with a claim each, of which one has to be placed."""
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    made: list[Object] = [queue("default"), node("n1"), storage_class, group("j", 1)]
    for name in pods:
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
        made += [claim(name), pod(name, "j", spec={"volumes": volumes})]
    return manifests([*made, *([volume("pv")] if provisioner == NO_PROVISIONER else [])])


def left(read: Manifests) -> Manifests:
    """Return what a session leaves in claims and volumes."""
    finished = run_session(read, SimulateOptions())
    return with_given(finished.manifests, given_by(finished.session))


def test_a_volume_is_bound_to_its_claim() -> None:
    """Each names the other, and no other claim gets it in a later session."""
    read = cluster("a", "b")
    after = left(read)
    claims = {each.metadata.name: (each.spec.volume_name, each.status.phase) for each in after.claims}
    assert claims == {"a": ("pv", "Bound"), "b": ("", "")}
    (taken,) = after.volumes
    assert taken.spec.claim_ref is not None
    assert (taken.spec.claim_ref.name, taken.spec.claim_ref.uid, taken.status.phase) == ("a", "a", "Bound")
    assert [each.bound for each in run_cycles(read, SimulateOptions(), 4).cycles][:2] == [["ns/a"], []]


def test_a_volume_is_made_where_the_pod_went() -> None:
    """The claim names the node."""
    (after,) = left(cluster("a", provisioner="example.com/disks")).claims
    assert after.metadata.annotations["volume.kubernetes.io/selected-node"] == "n1"


def test_what_no_pod_is_bound_with_stays_free() -> None:
    """The volume of a gang that is not placed is as it was."""
    read = manifests([queue("default"), node("n1"), group("j", 1)])
    assert left(read).claims == []
    read = cluster("a", "b")
    read.pod_groups[0].spec.min_member = 2
    assert left(read).volumes == read.volumes


def test_devices_are_not_given_again() -> None:
    """A pod that finds none in one session finds none in the next one."""
    read = read_manifests(["scenarios/devices-claimed.yaml"])
    assert [len(each.bound) for each in run_cycles(read, SimulateOptions(), 4).cycles][:2] == [3, 0]
    held = {each.metadata.name: each.status.allocation for each in left(read).resource_claims}
    given = held["early-worker-1-gpu"]
    assert given is not None
    assert given.node_selector is not None
    (term,) = given.node_selector.node_selector_terms
    assert [(each.driver, each.pool, each.device) for each in given.devices.results] == [
        ("gpu.example.com", term.match_fields[0].values[0], given.devices.results[0].device)
    ]
    assert held["late-worker-0-gpu"] is None


@pytest.mark.parametrize("name", ["first-look.yaml", "numa-aware.yaml"])
def test_without_claims_nothing_changes(name: str) -> None:
    """The manifests stay what they are."""
    finished = run_session(read_manifests([f"scenarios/{name}"]), SimulateOptions())
    assert with_given(finished.manifests, given_by(finished.session)) is finished.manifests


def sharing(*names: str, reserved: tuple[str, ...] = (), users: int = 2) -> list[ResourceClaimStatus]:
    """Return what claims are left with after a session that evicts pods; those have shared one claim that exists."""
    version = "resource.k8s.io/v1"
    using = {"resourceClaims": [{"name": "c", "resourceClaimName": "shared"}]}
    pods = [pod(f"p{n}", "j", cpu=1, node=f"n{n}", phase="Running", spec=using) for n in range(1, users + 1)]
    held = {"devices": {"results": [{"request": "r", "driver": "d", "pool": "n1", "device": "dev0"}]}}
    entries = [{"resource": "pods", "name": name, "uid": name} for name in reserved]
    shared = {
        "apiVersion": version,
        "kind": "ResourceClaim",
        "metadata": {"name": "shared", "namespace": "ns"},
        "status": {"allocation": held, "reservedFor": entries},
    }
    evicting = [{"key": "k", "effect": "NoExecute"}]
    nodes = [node(name, taints=evicting if name in names else []) for name in ("n1", "n2")]
    read = manifests([queue("default"), *nodes, group("j", 1, "Running"), *pods, shared])
    return [each.status for each in Aftermath(read).of(run_session(read, SimulateOptions()), NOW).resource_claims]


@pytest.mark.parametrize("reserved", [(), ("p1", "p2")])
def test_a_shared_claim_is_free_when_its_last_pod_is_gone(reserved: tuple[str, ...]) -> None:
    """Kubernetes takes its devices back; as long as another pod runs with it, it keeps them for that one."""
    (kept,) = sharing("n1", reserved=reserved)
    assert kept.allocation is not None
    assert [each.name for each in kept.reserved_for] == list(reserved[1:])
    (free,) = sharing("n1", "n2", reserved=reserved)
    assert (free.allocation, free.reserved_for) == (None, [])


def test_a_claim_that_nobody_used_keeps_its_devices() -> None:
    """Only that the last user goes takes them away: something else may hold them."""
    (kept,) = sharing("n1", "n2", users=0)
    assert kept.allocation is not None
    (other,) = sharing("n1", "n2", reserved=("elsewhere",))
    assert (other.allocation is not None, [each.name for each in other.reserved_for]) == (True, ["elsewhere"])


def test_a_claim_goes_with_its_pod() -> None:
    """The pod that comes after an evicted one gets a claim of its own from the template."""
    version = "resource.k8s.io/v1"
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "low-0", "uid": "low-0-uid", "controller": True}
    made = {"name": "old", "namespace": "ns", "ownerReferences": [owner]}
    low = pod("low-0", "low", cpu=8, node="n1", phase="Running", spec={"resourceClaims": [TEMPLATED]})
    low["metadata"]["uid"] = "low-0-uid"
    low["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "low", "uid": "rs", "controller": True}
    ]
    low["status"]["resourceClaimStatuses"] = [{"name": "c", "resourceClaimName": "old"}]
    taint = {"key": "k", "effect": "NoExecute"}
    read = manifests(
        [
            queue("default"),
            node("n1", taints=[taint]),
            group("low", 1, "Running"),
            low,
            {"apiVersion": version, "kind": "ResourceClaim", "metadata": made},
            {"apiVersion": version, "kind": "ResourceClaimTemplate", "metadata": {"name": "t", "namespace": "ns"}},
        ]
    )
    following = Aftermath(read).of(run_session(read, SimulateOptions()), NOW)
    (again,) = following.pods
    (after,) = following.resource_claims
    assert again.metadata.name != "low-0"
    assert after.metadata.key == f"{again.metadata.key}-c"
    assert again.status.resource_claim_statuses[0].resource_claim_name == after.metadata.name
