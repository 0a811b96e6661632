"""What the API server takes of manifests that somebody applies."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.build import NOW, manifests, node, pod, queue, scheduler_conf
from tests.diff.sides import read_documents
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.whatif.applied import added, as_applied, merged_with, update_denials
from vqs.snapshot.whatif.overlay import overlay

GROUP: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "ns"},
    "spec": {"minMember": 1},
}


SPACE: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ns"},
    "spec": {
        "minAvailable": 1,
        "tasks": [
            {"name": "w", "replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "x"}]}}},
        ],
    },
}


def test_objects_that_are_there_are_updated() -> None:
    """An object of the snapshot that is added again takes what it says now, which is noted; the same is no news."""
    under = manifests([node("n1"), queue("a"), queue("same"), SPACE])
    labelled = {**SPACE, "metadata": {"name": "ns", "labels": {"team": "a"}}}
    laid = added(under, read_documents([queue("a", 3), queue("b"), queue("same"), labelled]))
    assert [(each.metadata.name, each.spec.weight) for each in laid.queues] == [("a", 3), ("same", 1), ("b", 1)]
    assert [each.message for each in laid.notes] == [
        "Queue a is there already, and is updated: spec.weight from 1 to 3",
    ]


def test_what_is_not_updated() -> None:
    """A node that is added again, and a second configuration in a file of its own, are errors."""
    under = manifests([node("n1"), queue("a")])
    with pytest.raises(InputErrors) as caught:
        added(under, read_documents([queue("a"), node("n1")]))
    assert [each.message for each in caught.value.diagnostics] == ["there is a Node n1 already"]


def test_a_configuration_that_is_applied() -> None:
    """The ConfigMap with the scheduler's configuration is updated as others are."""
    other = scheduler_conf("actions: allocate\ntiers: []\n")
    laid = added(manifests([node("n1")]), read_documents([other]))
    assert laid.conf is not None
    assert "enqueue" not in laid.conf.text


def test_an_update_that_is_denied() -> None:
    """What the webhook does not let be changed of a Job is an error, unless it is assumed to be admitted."""
    other = {**JOB, "spec": {**JOB["spec"], "queue": "b"}}
    under = manifests([node("n1"), SPACE, queue("b"), JOB])
    with pytest.raises(InputErrors, match="queue cannot be changed after creation"):
        added(under, read_documents([other]))
    laid = added(under, read_documents([other]), assume_admitted=True)
    assert laid.volcano_jobs[0].spec.queue == "b"


@pytest.mark.parametrize("known", [True, False])
def test_a_namespace_that_does_not_exist(*, known: bool) -> None:
    """It is an error; where the snapshot has no Namespaces, it is told once, and the objects come to be."""
    under = manifests([node("n1"), *([SPACE] if known else [])])
    jobs = [{**JOB, "metadata": {"name": name, "namespace": "elsewhere"}} for name in ("a", "b")]
    if known:
        with pytest.raises(InputErrors, match="namespace elsewhere does not exist"):
            added(under, read_documents(jobs))
        return
    laid = added(under, read_documents(jobs))
    assert len(laid.volcano_jobs) == 2
    assert [each.code for each in laid.notes] == ["namespace-missing"]


def test_a_namespace_that_comes_along() -> None:
    """A Namespace among what is added is there for the rest."""
    other = {**SPACE, "metadata": {"name": "new"}}
    job = {**JOB, "metadata": {"name": "a", "namespace": "new"}}
    assert len(added(manifests([node("n1"), SPACE]), read_documents([job, other])).volcano_jobs) == 1


def test_what_a_change_says_of_the_status() -> None:
    """Stored objects keep their status, whatever a change says of it."""
    under = read_documents(
        [node("n1", cpu=4), queue("q"), pod("p", "g"), {**GROUP, "status": {"phase": "Inqueue"}}],
    )
    change = [node("n1", cpu=400), queue("q", 3, state="Closed"), pod("p", "g", phase="Succeeded")]
    group = {**GROUP, "status": {"phase": "Running"}}
    laid = overlay(under, as_applied(read_documents([*change, group]), under))
    assert laid.nodes[0].status == under.nodes[0].status
    assert (laid.queues[0].spec.weight, laid.queues[0].status) == (3, under.queues[0].status)
    assert (laid.pods[0].status, laid.pod_groups[0].status.phase) == (under.pods[0].status, "Inqueue")


def test_what_is_new_has_no_status() -> None:
    """It starts empty, but for nodes, of which nothing else says how large they are."""
    under = read_documents([node("n1")])
    change = [node("n2", cpu=8), queue("q", state="Closed"), pod("p", "g", phase="Succeeded", deleted=True)]
    applied = as_applied(read_documents(change), under)
    assert (applied.queues[0].status.state, applied.pods[0].status.phase) == ("", "")
    assert applied.pods[0].metadata.deletion_timestamp is None
    assert applied.nodes[0].status.allocatable["cpu"] == 8


def test_what_only_the_server_writes() -> None:
    """Uid and timestamps of a stored object stay, and a change does not tell what time it is."""
    under = manifests([node("n1"), pod("p", "g", node="n1")])
    under.newest_timestamp = NOW
    change = pod("p", "g", deleted=True)
    change["metadata"] |= {"uid": "other", "creationTimestamp": "2099-01-01T00:00:00Z"}
    laid = overlay(under, as_applied(read_documents([change]), under))
    [kept] = laid.pods
    assert (kept.metadata.uid, kept.metadata.deletion_timestamp) == ("p", None)
    assert kept.metadata.creation_timestamp == under.pods[0].metadata.creation_timestamp
    assert (kept.spec.node_name, kept.status.phase, laid.newest_timestamp) == ("n1", "Running", NOW)


# --- updates ----------------------------------------------------------------------------------------------------------

STORED = pod(
    "p",
    cpu=2,
    node="n1",
    spec={
        "priority": 5,
        "nodeSelector": {"pool": "a", "zone": "z"},
        "tolerations": [{"key": "injected", "operator": "Exists"}],
        "containers": [
            {"name": "sidecar"},
            {"name": "c", "image": "a", "resources": {"requests": {"cpu": 2}}, "ports": [{"containerPort": 8}]},
        ],
    },
)
STORED["spec"]["containers"][1]["ports"][0]["protocol"] = "TCP"


def written(**spec: Any) -> dict[str, Any]:
    """Return the pod as people keep it."""
    own = {"name": "c", "image": "a", "resources": {"requests": {"cpu": "2000m"}}, "ports": [{"containerPort": 8}]}
    bare: dict[str, Any] = {"nodeSelector": {"pool": "a"}, "containers": [own]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {**bare, **spec},
    }


def denials(stored: dict[str, Any], new: dict[str, Any], before: dict[str, Any] | None) -> list[Diagnostic]:
    """Return what is denied of a change of one object."""
    under = read_documents([node("n1"), stored])
    own = read_documents([before]) if before else None
    return list(update_denials(under, under, as_applied(read_documents([new]), under), own))


def container(**fields: Any) -> dict[str, Any]:
    """Return what a spec says of the pod's own container."""
    return {"containers": [{"name": "c", **fields}]}


@pytest.mark.parametrize(
    ("spec", "minded"),
    [
        ({}, ""),
        ({"schedulingGates": [{"name": "a"}]}, "$.spec.schedulingGates"),
        ({"nodeSelector": {"pool": "b"}}, "$.spec.nodeSelector.pool"),
        ({"nodeSelector": {}}, "$.spec"),
        ({"nodeName": "n2"}, "$.spec.nodeName"),
        ({"priority": 9}, "$.spec.priority"),
        (container(resources={"requests": {"cpu": 1}}), "$.spec.containers[0].resources.requests.cpu"),
        (container(image="b", resources={"requests": {"cpu": 2}}, ports=[{"containerPort": 8}]), ""),
        (container(), "$.spec.containers[0].resources"),
        ({"tolerations": [{"key": "more", "operator": "Exists"}]}, ""),
        ({"terminationGracePeriodSeconds": 5}, ""),
    ],
)
def test_what_cannot_be_changed_of_a_pod(spec: dict[str, Any], minded: str) -> None:
    """A pod keeps what it asks for; other images and more tolerations are fine, and so is what others filled in."""
    found = denials(STORED, written(**spec), written())
    assert [each.path.startswith(minded) for each in found] == ([True] if minded else [])
    assert all(each.message.startswith("denied by the API server: ") and each.line for each in found)


def test_a_gated_pod() -> None:
    """Gates can be removed, and as long as there are some, a pod may ask for fewer nodes."""
    gated = deepcopy(STORED)
    del gated["spec"]["nodeName"]
    gated["spec"]["schedulingGates"] = [{"name": "a"}]
    before = written(schedulingGates=[{"name": "a"}])
    assert denials(gated, written(), before) == []
    fewer = {"pool": "a", "disk": "ssd"}
    assert denials(gated, written(nodeSelector=fewer), before) == []
    assert len(denials(gated, written(nodeSelector={"pool": "b"}), before)) == 1
    terms = [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    assert denials(gated, written(affinity={"nodeAffinity": required}), before) == []
    assert len(denials(STORED, written(affinity={"nodeAffinity": required}), written())) == 1


def test_a_pod_that_was_placed_since() -> None:
    """A later dump of a pod may say where it runs; a manifest that people keep may not."""
    waiting, placed = pod("p"), pod("p", node="n1")
    under, later = read_documents([node("n1"), waiting]), read_documents([placed])
    assert list(update_denials(under, under, later, None)) == []
    [found] = denials(waiting, placed, waiting)
    assert found.path == "$.spec.nodeName"


def test_what_a_change_leaves_out_stays() -> None:
    """A file that is new says nothing of what it leaves out; gates that it had before are gone."""
    gated = deepcopy(STORED)
    gated["spec"]["schedulingGates"] = [{"name": "a"}, {"name": "others"}]
    under, bare = read_documents([gated]), read_documents([written(**container())])
    [kept] = merged_with(under, bare, read_documents([node("n1")])).pods
    assert kept.spec == under.pods[0].spec
    had = read_documents([written(schedulingGates=[{"name": "a"}])])
    [freed] = merged_with(under, read_documents([written()]), had).pods
    assert [each.name for each in freed.spec.scheduling_gates] == ["others"]


def test_what_cannot_be_changed_of_others() -> None:
    """A priority, a selector, a provisioner and the template of a Job are what they were from the first."""
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "x"}, "value": 5}
    [found] = denials(priority, {**priority, "value": 6}, priority)
    assert (found.code, found.path) == ("update-denied", "$.value")
    assert len(denials(priority, {**priority, "value": 0}, priority)) == 1
    storage = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "x"}}
    storage |= {"provisioner": "a", "volumeBindingMode": "Immediate"}
    assert len(denials(storage, {**storage, "provisioner": "b"}, storage)) == 1
    unsaid = {key: value for key, value in storage.items() if key != "volumeBindingMode"}
    assert denials(storage, unsaid, unsaid) == []
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x", "namespace": "ns"}}
    template = {"spec": {"schedulerName": "volcano", "restartPolicy": "Never", **container()}}
    job["spec"] = {"parallelism": 2, "template": template}
    small = {**template, "spec": {**template["spec"], **container(resources={"requests": {"cpu": 1}})}}
    assert denials(job, {**job, "spec": {"parallelism": 3, "template": template}}, job) == []
    assert len(denials(job, {**job, "spec": {"template": small}}, job)) == 1


def claim(bound: bool = True, **spec: Any) -> dict[str, Any]:
    """Return a claim, and where it is bound, the size of its volume."""
    made: dict[str, Any] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    made["metadata"] = {"name": "data", "namespace": "ns"}
    made["spec"] = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "volumeName": "v",
        "resources": {"requests": {"storage": "10Gi"}},
        **spec,
    }
    return made | ({"status": {"phase": "Bound", "capacity": {"storage": "10Gi"}}} if bound else {})


def storage(size: str) -> dict[str, Any]:
    """Return what a claim says of its size."""
    return {"resources": {"requests": {"storage": size}}}


@pytest.mark.parametrize(
    ("stored", "new", "minded"),
    [
        (claim(), claim(accessModes=["ReadWriteMany"]), "$.spec.accessModes[0]"),
        (claim(), claim(storageClassName="slow"), "$.spec.storageClassName"),
        (claim(), claim(storageClassName=None), "$.spec.storageClassName"),
        (claim(), claim(volumeName="other"), "$.spec.volumeName"),
        (claim(), claim(volumeMode="Block"), "$.spec.volumeMode"),
        (claim(), claim(volumeMode="Filesystem"), ""),
        (claim(), claim(**storage("20Gi")), ""),
        (claim(), claim(**storage("10240Mi")), ""),
        (claim(), claim(**storage("5Gi")), "$.spec.resources.requests.storage"),
        (claim(bound=False), claim(bound=False, **storage("20Gi")), "$.spec.resources.requests.storage"),
        (claim(bound=False, volumeName="", storageClassName=None), claim(bound=False), ""),
        (claim(**storage("30Gi")), claim(**storage("20Gi")), ""),
        (claim(**storage("30Gi")), claim(**storage("10Gi")), "$.spec.resources.requests.storage"),
    ],
)
def test_what_cannot_be_changed_of_a_claim(stored: dict[str, Any], new: dict[str, Any], minded: str) -> None:
    """A claim that is bound may grow, and what did not grow may shrink again; a volume and a class are found once."""
    found = denials(stored, new, stored)
    assert [each.path for each in found] == ([minded] if minded else [])
    assert all(each.code == "update-denied" and each.line for each in found)


def affinity(key: str, zone: str = "a") -> dict[str, Any]:
    """Return the nodes that a volume can be used on."""
    expressions = [{"key": key, "operator": "In", "values": [zone]}]
    return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}


BETA, ZONE = "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"
TERM = "$.spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0]"


@pytest.mark.parametrize(
    ("stored", "new", "minded"),
    [
        ({}, affinity(ZONE), ""),
        (affinity(ZONE), affinity(ZONE, "b"), f"{TERM}.values[0]"),
        (affinity(BETA), affinity(ZONE), ""),
        (affinity(ZONE), affinity(BETA), f"{TERM}.key"),
        (affinity(ZONE), {}, "$.spec"),
        ({"csi": {"driver": "d", "volumeHandle": "1"}}, {"csi": {"driver": "d"}}, "$.spec.csi.volumeHandle"),
        ({}, {"volumeMode": "Block"}, "$.spec.volumeMode"),
        ({"capacity": {"storage": 1}}, {"capacity": {"storage": 2}, "storageClassName": "slow"}, ""),
    ],
)
def test_what_cannot_be_changed_of_a_volume(stored: dict[str, Any], new: dict[str, Any], minded: str) -> None:
    """A volume stays what it is and where it is; labels that are no longer in beta may be called by their new names."""
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}}
    was = {**volume, "spec": stored}
    found = denials(was, {**volume, "spec": new}, was)
    assert [each.path.startswith(minded) for each in found] == ([True] if minded else [])


def test_what_cannot_be_changed_of_claim_templates() -> None:
    """The claims that a stateful set makes stay as they are, whatever is left to the API server to fill in."""
    workload: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "StatefulSet"}
    workload["metadata"] = {"name": "db", "namespace": "ns"}
    template = {"metadata": {"name": "data"}, "spec": storage("10Gi")}
    filled = {**template, "spec": {**template["spec"], "volumeMode": "Filesystem"}, "status": {"phase": "Pending"}}
    larger = {**template, "spec": storage("20Gi")}
    stored, same, other, none = (
        {**workload, "spec": {"serviceName": "db", "volumeClaimTemplates": each}}
        for each in ([filled], [template], [larger], [])
    )
    assert denials(stored, same, same) == []
    [found] = denials(stored, other, same)
    assert found.path == "$.spec.volumeClaimTemplates[0].spec.resources.requests.storage"
    assert found.line
    assert denials(stored, none, none) == []
    [gone] = denials(stored, none, same)
    assert gone.path == "$.spec.volumeClaimTemplates"


def test_what_the_api_server_fills_in() -> None:
    """To write what the API server filled in is no change, nor is to leave it out again."""
    bare = pod("p", cpu=2, spec={"containers": [{"name": "c", "resources": {"limits": {"cpu": 2}}, "ports": [{}]}]})
    full = deepcopy(bare)
    full["spec"]["containers"][0] |= {"ports": [{"protocol": "TCP"}]}
    full["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "2"}
    assert denials(bare, full, bare) == denials(full, bare, full) == []
    classes: dict[str, Any] = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "x"}}
    immediate = {**classes, "volumeBindingMode": "Immediate"}
    assert denials(classes, immediate, classes) == denials(immediate, classes, immediate) == []
