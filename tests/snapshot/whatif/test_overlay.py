"""Laying manifests over others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.build import CONF, NOW, gang, manifests, node, pod, queue, scheduler_conf
from tests.diff.sides import read_documents
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.run import Input
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.plain import plain_objects
from vqs.snapshot.whatif.overlay import denied, names, overlay

VCJOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ns", "uid": "j"},
    "spec": {
        "minAvailable": 2,
        "tasks": [{"name": "worker", "replicas": 3, "template": {"spec": {"containers": [{"name": "c"}]}}}],
    },
}


def test_an_object_takes_the_place_of_its_namesake() -> None:
    """The new queue stands where the old one stood, and all else stays."""
    under = manifests([node("n1"), queue("a"), queue("b")])
    laid = overlay(under, read_documents([queue("a", 5), queue("c")]))
    assert [(each.metadata.name, each.spec.weight) for each in laid.queues] == [("a", 5), ("b", 1), ("c", 1)]
    assert [each.spec.weight for each in under.queues] == [1, 1]
    assert laid.nodes[0] is under.nodes[0]
    assert len(laid.origins["queues"]) == 3


def test_a_configuration_takes_the_place_of_the_other() -> None:
    """The new configuration counts, and the ConfigMap with the old one is gone, whatever it is called."""
    other = scheduler_conf(CONF.replace("enqueue, ", ""))
    other["metadata"]["name"] = "mine"
    laid = overlay(manifests([node("n1")]), read_documents([other]))
    assert laid.conf is not None
    assert "enqueue" not in laid.conf.text
    assert [each.metadata.name for each in laid.config_maps] == ["mine"]


def test_the_newer_time_counts() -> None:
    """The session is no earlier than anything in it."""
    under, over = manifests([*gang("a", 1, created=5)]), read_documents([*gang("b", 1, created=9)])
    laid = overlay(under, over)
    assert laid.newest_timestamp is not None
    assert (laid.newest_timestamp - NOW).seconds == 9


def test_names() -> None:
    """Every object is named by its kind, and with its namespace where it has one."""
    read = read_documents([queue("a"), pod("p")])
    assert sorted(names(read)) == [("Pod", "ns/p"), ("Queue", "a")]


def of_job(name: str, **more: Any) -> dict[str, Any]:
    """Return a pod that the Job controls."""
    made = pod(name, "train-j", **more)
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "uid": "j", "controller": True}
    ]
    return made


@pytest.mark.parametrize(("phase", "minimum"), [("Running", 1), ("Pending", None)])
def test_a_volcano_job_changes_what_it_controls(phase: str, minimum: int | None) -> None:
    """Its PodGroup gets the new minimum, or is made again if it still waits, and surplus pods go; a file has no uid."""
    group: dict[str, Any] = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {**of_job("x")["metadata"], "name": "train-j"},
        "spec": {"minMember": 2},
        "status": {"phase": phase},
    }
    under = read_documents([node("n1"), VCJOB, group, *(of_job(f"train-worker-{number}") for number in range(3))])
    smaller = {**VCJOB, "spec": {**VCJOB["spec"], "minAvailable": 1}}
    smaller["spec"]["tasks"] = [{**VCJOB["spec"]["tasks"][0], "replicas": 1}]
    laid = overlay(under, read_documents([smaller]))
    assert [each.metadata.name for each in laid.pods] == ["train-worker-0"]
    of_git = {**smaller, "metadata": {"name": "train", "namespace": "ns"}}
    without_uid = overlay(under, read_documents([of_git]))
    assert (without_uid.pods, without_uid.pod_groups) == (laid.pods, laid.pod_groups)
    assert [each.spec.min_member for each in laid.pod_groups] == ([] if minimum is None else [minimum])
    assert len(list(plain_objects(under))) > len(list(plain_objects(laid)))


def test_a_volcano_job_that_stays_changes_nothing() -> None:
    """A Volcano Job that takes the place of its like leaves its PodGroup as it is."""
    group: dict[str, Any] = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {**of_job("x")["metadata"], "name": "train-j"},
        "spec": {"minMember": 3},
        "status": {"phase": "Running"},
    }
    under = read_documents([node("n1"), VCJOB, group])
    assert overlay(under, read_documents([VCJOB])).pod_groups == under.pod_groups


def test_what_only_the_cluster_knows_stays() -> None:
    """An object as people keep it has no status, no uid, and no node: it keeps those it has in the cluster."""
    closed = queue("q", state="Closed")
    closed["metadata"]["uid"] = "u"
    under = read_documents([node("n1", cpu=4), closed, *gang("a", 1, phase="Running"), pod("b", "a", node="n1")])
    bare = [queue("q", 5), node("n1", unschedulable=True), {**under_pod(), "spec": {"containers": [{"name": "c"}]}}]
    for each in bare:
        each.pop("status", None)
    laid = overlay(under, read_documents(bare))
    [kept] = laid.queues
    assert (kept.spec.weight, kept.status.state, kept.metadata.uid) == (5, "Closed", "u")
    assert (laid.nodes[0].spec.unschedulable, laid.nodes[0].status.allocatable) == (
        True,
        under.nodes[0].status.allocatable,
    )
    [moved] = [each for each in laid.pods if each.metadata.name == "b"]
    assert (moved.spec.node_name, moved.status.phase) == ("n1", "Running")
    assert laid.applied == {key_of(each) for each in (*laid.queues, *laid.nodes, moved)}


def under_pod() -> dict[str, Any]:
    """Return a pod as people would write it."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b", "namespace": "ns"}}


def test_what_an_object_says_of_itself_counts() -> None:
    """In a snapshot of its own, an object has a status, and keeps that."""
    there, other = queue("q", state="Closed"), queue("q", state="Open")
    for each in (there, other):
        each["metadata"]["uid"] = "u"
    laid = overlay(read_documents([there]), read_documents([other]))
    assert (laid.queues[0].status.state, laid.applied) == ("Open", frozenset())


def test_what_is_from_another_cluster_stays_as_it_is() -> None:
    """A pod that waits there does not run as its namesake here does."""
    under = read_documents([node("n1"), *gang("a", 1, phase="Running"), pod("b", "a", node="n1", deleted=True)])
    [kept] = [each for each in overlay(under, read_documents([pod("b", "a")])).pods if each.metadata.name == "b"]
    assert (kept.spec.node_name, kept.status.phase, kept.metadata.deletion_timestamp) == ("", "Pending", None)


def test_a_deployment_that_asks_for_fewer_pods_loses_some() -> None:
    """Its ReplicaSet is brought up to date, also by a file that has no uid."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"schedulerName": "volcano", "containers": [{"name": "c"}]},
    }
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "ns"}}

    def owned(kind: str, name: str) -> list[dict[str, Any]]:
        return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}]

    replicas = {**deployment, "kind": "ReplicaSet", "spec": spec}
    replicas["metadata"] = {**deployment["metadata"], "name": "web-1", "uid": "web-1"}  # type: ignore[dict-item]
    replicas["metadata"]["ownerReferences"] = owned("Deployment", "web")  # type: ignore[index]
    pods = [pod(f"web-1-{number}", "podgroup-web-1", node="n1") for number in range(3)]
    for each in pods:
        each["metadata"]["ownerReferences"] = owned("ReplicaSet", "web-1")
    there = {**deployment, "spec": spec, "metadata": {**deployment["metadata"], "uid": "web"}}  # type: ignore[dict-item]
    under = read_documents([node("n1"), there, replicas, *pods])
    laid = overlay(under, read_documents([{**deployment, "spec": {**spec, "replicas": 1}}]))
    assert (len(laid.pods), laid.workloads[0].spec.replicas, laid.notes) == (1, 1, [])  # type: ignore[union-attr]
    old_set = {**replicas, "metadata": {**replicas["metadata"], "name": "web-0", "uid": "web-0"}}  # type: ignore[dict-item]
    old_set["spec"] = {**spec, "replicas": 0}
    under = read_documents([node("n1"), there, replicas, old_set, *pods])
    assert len(overlay(under, read_documents([{**deployment, "spec": {**spec, "replicas": 2}}])).pods) == 2
    container = {"name": "c", "resources": {"limits": {"cpu": "100"}}}
    for field, value in (
        ("nodeSelector", {"pool": "a"}),
        ("containers", [container]),
        ("schedulingGates", [{"name": "a.b/c"}]),
        ("runtimeClassName", "kata"),
        ("nodeName", "n9"),
        ("volumes", [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]),
    ):
        other = {**template, "spec": {**template["spec"], field: value}}  # type: ignore[dict-item]
        warned = overlay(under, read_documents([{**deployment, "spec": {**spec, "template": other}}]))
        assert [each.code for each in warned.notes] == ["template-changed"], field
        assert "Deployment ns/web has another pod template" in warned.notes[0].message
    for key, codes in (("volcano.sh/preemptable", ["template-changed"]), ("kubectl.kubernetes.io/restartedAt", [])):
        metadata = {"labels": {"app": "web"}, "annotations": {key: "false"}}
        other = {**template, "metadata": metadata}
        warned = overlay(under, read_documents([{**deployment, "spec": {**spec, "template": other}}]))
        assert [each.code for each in warned.notes] == codes


@pytest.mark.parametrize(("change", "left"), [({"suspend": True}, 1), ({"suspend": False}, 3), ({"parallelism": 0}, 1)])
def test_a_suspended_job_loses_its_pods(change: dict[str, Any], left: int) -> None:
    """The Job controller deletes the active pods of a Job that is suspended, and keeps those that have ended."""
    template = {"spec": {"schedulerName": "volcano", "restartPolicy": "Never", "containers": [{"name": "c"}]}}
    there = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "calc", "namespace": "ns", "uid": "calc"}}
    there["spec"] = {"parallelism": 3, "template": template}
    ended = pod("calc-2", "podgroup-calc", node="n1", phase="Succeeded")
    pods = [*(pod(f"calc-{number}", "podgroup-calc", node="n1") for number in range(2)), ended]
    for each in pods:
        each["metadata"]["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "calc", "uid": "calc", "controller": True}
        ]
    over = {**there, "metadata": {"name": "calc", "namespace": "ns"}, "spec": {**there["spec"], **change}}  # type: ignore[dict-item]
    laid = overlay(read_documents([there, *pods]), read_documents([over]))
    assert len(laid.pods) == left
    assert len(complete(laid).pods) == left


def test_a_stateful_set_gives_up_its_last_pods() -> None:
    """Those with the highest numbers go, wherever they are."""
    spec = {"replicas": 11, "selector": {"matchLabels": {"app": "db"}}, "serviceName": "db"}
    spec["template"] = {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "c"}]}}
    there = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "ns", "uid": "db"}}
    there["spec"] = spec
    pods = [pod(f"db-{number}", "podgroup-db", node="n1") for number in range(11)]
    for each in pods:
        each["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "db", "controller": True}
        ]
    laid = overlay(read_documents([there, *pods]), read_documents([{**there, "spec": {**spec, "replicas": 9}}]))
    assert [each.metadata.name for each in laid.pods] == [f"db-{number}" for number in range(9)]


def test_what_others_set_of_nodes_and_claims_stays() -> None:
    """A node keeps its other labels, its taints and its cordon, a claim the volume that it was given."""
    there = node("n1", labels={"zone": "z"}, unschedulable=True, taints=[{"key": "k", "effect": "NoSchedule"}])
    claim: dict[str, Any] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    claim["metadata"] = {"name": "data", "namespace": "ns"}
    bound = {**claim, "spec": {"volumeName": "v", "storageClassName": "fast"}, "status": {"phase": "Bound"}}
    bare = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"pool": "a"}}}
    laid = overlay(read_documents([there, bound]), read_documents([bare, {**claim, "spec": {}}]))
    [kept] = laid.nodes
    assert {"zone", "pool", "kubernetes.io/hostname"} <= set(kept.metadata.labels)
    assert (kept.spec.unschedulable, [each.key for each in kept.spec.taints]) == (True, ["k"])
    assert (laid.claims[0].spec.volume_name, laid.claims[0].status.phase) == ("v", "Bound")


def test_a_config_map_that_has_no_configuration_any_more() -> None:
    """Where its key is another one, the scheduler does not find it, runs with the default, and that is told."""
    there, renamed = scheduler_conf(), scheduler_conf()
    renamed["data"] = {"volcano-scheduler.yaml": CONF}
    laid = overlay(read_documents([node("n1"), there]), read_documents([renamed]))
    assert (laid.conf, laid.notes[-1].code) == (None, "configuration-gone")


def test_what_the_webhook_denies() -> None:
    """A change of a started Job that Volcano does not take is told with its place; one that it takes is fine."""
    running = {**VCJOB, "metadata": {**VCJOB["metadata"]}}
    group_of_it = gang("train-j", 1, phase="Running")
    for each in group_of_it:
        reference = {"apiVersion": VCJOB["apiVersion"], "kind": "Job", "name": "train", "uid": "j", "controller": True}
        each["metadata"]["ownerReferences"] = [reference]
    before = read_documents([node("n1"), running, *group_of_it])
    other = {**VCJOB, "spec": {**VCJOB["spec"], "queue": "other"}}
    [found] = denied(before, read_documents([queue("other"), other]))
    assert (found.code, found.path) == ("job-denied", "$.spec.queue")
    assert found.excerpt.splitlines()[0].strip() == "queue: other"
    assert "spec.queue cannot be changed after creation" in found.message
    assert denied(before, read_documents([{**VCJOB, "spec": {**VCJOB["spec"], "minAvailable": 1}}])) == []
    assert denied(read_documents([node("n1")]), read_documents([other])) == []
    assert len(denied(read_documents([running]), read_documents([other]))) == 1


@pytest.mark.parametrize(
    ("path", "value", "minded"),
    [
        (("tasks", 0, "template", "spec", "containers", 0, "resources"), {"requests": {"cpu": "1000m"}}, ""),
        (
            ("tasks", 0, "template", "spec", "containers", 0, "resources"),
            {"requests": {"cpu": 2}},
            "$.spec.tasks[0].template.spec.containers[0].resources.requests.cpu",
        ),
        (("tasks", 0, "template", "spec", "nodeSelector"), {"a": "b"}, "$.spec.tasks[0].template.spec.nodeSelector"),
        (("tasks", 0, "name"), "other", "$.spec.tasks[0].name"),
        (("volumes",), [{"mountPath": "/d", "volumeClaim": {}, "volumeClaimName": "made"}], ""),
    ],
)
def test_the_field_that_is_minded(path: tuple[Any, ...], value: Any, minded: str) -> None:
    """A refused change names the field; what means the same, and what the controller fills in, is no change."""
    stored: dict[str, Any] = deepcopy(VCJOB)
    stored["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": 1}}
    stored["spec"]["volumes"] = [{"mountPath": "/d", "volumeClaim": {}}]
    new = deepcopy(stored)
    at: Any = new["spec"]
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    found = denied(read_documents([stored]), read_documents([new]))
    assert [each.path for each in found] == ([minded] if minded else [])
    assert all(each.line > 1 for each in found)


def test_another_job_of_the_same_name() -> None:
    """A Job with another uid was made anew: nothing is denied, what the old one controls goes, and that is told."""
    group_of_it = gang("train-j", 2, phase="Running")
    for each in group_of_it:
        reference = {"apiVersion": VCJOB["apiVersion"], "kind": "Job", "name": "train", "uid": "j", "controller": True}
        each["metadata"]["ownerReferences"] = [reference]
    before = read_documents([node("n1"), VCJOB, *group_of_it])
    other = {**VCJOB, "metadata": {**VCJOB["metadata"], "uid": "k"}, "spec": {**VCJOB["spec"], "queue": "other"}}
    over = read_documents([other])
    assert denied(before, over) == []
    laid = overlay(before, over)
    assert (laid.pods, laid.pod_groups, laid.volcano_jobs[0].spec.queue) == ([], [], "other")
    assert laid.notes[-1].code == "job-made-anew"
    assert len(complete(laid).pod_groups) == 1


def test_a_mistake_in_what_is_applied_is_found() -> None:
    """That the cluster has the object already does not hide what its new manifest says."""
    there = queue("q")
    there["metadata"]["uid"] = "u"
    bare = {**queue("q"), "metadata": {"name": "q"}, "spec": {"wieght": 5}}
    under = read_documents([node("n1"), there])
    sides = [Input("side", overlay(under, read_documents([each]))) for each in (there, bare)]
    found = compare(sides[0], sides[1], DiffOptions()).findings
    assert [(each.change, each.finding.code) for each in found] == [("new", "unknown-field")]


@pytest.mark.parametrize(
    ("field", "value", "minded"),
    [
        ("mountPath", "/other", "mountPath"),
        ("volumeClaimName", "mine", ""),
        ("volumeClaim", {"resources": {"requests": {"storage": "2Gi"}}}, "volumeClaim.resources.requests.storage"),
        ("volumeClaim", {"resources": {"requests": {"storage": "1024Mi"}}}, ""),
        ("volumeClaim", {"storageClassName": "fast"}, "volumeClaim.resources"),
    ],
)
def test_volumes_of_a_volcano_job(field: str, value: Any, minded: str) -> None:
    """The volumes of a Volcano Job stay as they are, but for the names of claims, which the controller gives."""
    volume = {"mountPath": "/data", "volumeClaim": {"resources": {"requests": {"storage": "1Gi"}}}}
    known = {**VCJOB, "spec": {**VCJOB["spec"], "volumes": [volume]}}
    new = {**VCJOB, "spec": {**VCJOB["spec"], "volumes": [{**volume, field: value}]}}
    found = denied(read_documents([known]), read_documents([new]), all_stored=True)
    assert [each.path for each in found] == ([f"$.spec.volumes[0].{minded}"] if minded else [])


def test_a_config_map_with_another_configuration_beside() -> None:
    """A ConfigMap that takes the place of the stored one is there with all its configurations, for others to judge."""
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system", "uid": "u"}
    stored = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"volcano-scheduler.conf": CONF}}
    data = {"volcano-scheduler.conf": CONF, "volcano-scheduler-ci.conf": CONF.replace("backfill", "preempt")}
    new = {**stored, "metadata": {**metadata, "uid": ""}, "data": data}
    [laid] = overlay(read_documents([node("n1"), stored]), read_documents([new])).config_maps
    assert laid.data.keys() == data.keys()
