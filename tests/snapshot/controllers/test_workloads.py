"""The pods of Kubernetes' own workloads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, manifests
from tests.build import pod as member
from tests.snapshot.controllers.objects import Object, completed, make, names, notes, only_group, pod, template
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reach import Limits, Reach, enforced

APP = {"app": "web"}


def workload(kind: str, scheduler: str = "volcano", metadata: Object | None = None, **spec: Any) -> Object:
    """Make a workload named web."""
    made = template(labels=APP, schedulerName=scheduler)
    fields = {"selector": {"matchLabels": APP}, "template": made, **spec}
    return make(kind, "web", "apps/v1", metadata=metadata or {}, spec=fields)


def job(status: Object | None = None, **spec: Any) -> Object:
    """Make a Job of Kubernetes named sum."""
    fields = {"template": template(schedulerName="volcano"), **spec}
    return make("Job", "sum", "batch/v1", spec=fields, status=status or {})


# --- deployments and replica sets -------------------------------------------------------------------------------------


def test_a_deployment_is_a_replica_set_and_pods() -> None:
    """Names and labels chain up, the pods share a PodGroup, and all are made from the deployment."""
    made = completed(workload("Deployment", replicas=2, metadata={"annotations": {"volcano.sh/x": "y"}}))

    [replica_set] = made.workloads
    mark = replica_set.metadata.labels["pod-template-hash"]
    assert replica_set.metadata.name == f"web-{mark}"
    assert [each.metadata.labels for each in made.pods] == [{"app": "web", "pod-template-hash": mark}] * 2
    assert all(name.startswith(f"web-{mark}-") for name in names(made.pods))
    assert len(set(names(made.pods))) == 2
    assert only_group(made).metadata.name == f"podgroup-replicaset-web-{mark}"
    assert only_group(made).metadata.annotations == {"volcano.sh/x": "y"}
    assert {maker for makers in made.created_from.values() for maker in makers.values()} == {"Deployment ns/web"}
    assert notes(made) == ["added what controllers would create: 1 PodGroup, 2 Pods and 1 ReplicaSet for 1 Deployment"]
    assert made.deployments == []


def test_names_are_always_the_same() -> None:
    """The same deployment gives the same names, another template others."""
    one, same = completed(workload("Deployment")), completed(workload("Deployment"))
    other = completed(workload("Deployment", template=template(cpu="2", schedulerName="volcano")))

    assert names(one.pods) == names(same.pods)
    assert names(one.workloads) != names(other.workloads)


def test_many_pods_have_different_names() -> None:
    """No two of many pods share a name."""
    assert len(set(names(completed(workload("ReplicaSet", replicas=5000)).pods))) == 5000


def test_a_deployment_with_pods() -> None:
    """Nothing is made of a deployment whose pods are there, with or without the replica set between."""
    replica_set = make("ReplicaSet", "web-5c", "apps/v1", metadata={"labels": APP})
    made = completed(workload("Deployment"), pod("web-5c-a", owner=replica_set, labels=APP))

    assert names(made.pods) == ["web-5c-a"]
    assert made.workloads == []


def test_a_deployment_with_its_replica_set() -> None:
    """A deployment whose replica set is there gets no other; that one gets its pods."""
    deployment = workload("Deployment", replicas=2)
    owned = {"ownerReferences": pod("x", owner=deployment)["metadata"]["ownerReferences"]}
    made = completed(deployment, workload("ReplicaSet", replicas=2, metadata={"name": "web-5c", **owned}))

    assert names(made.workloads) == ["web-5c"]
    assert len(made.pods) == 2
    assert set(made.created_from["pods"].values()) == {"ReplicaSet ns/web-5c"}


def test_a_replica_set_gets_what_is_missing() -> None:
    """Pods that have ended or are going away do not count."""
    replica_set = workload("ReplicaSet", replicas=3)
    gone = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    made = completed(
        replica_set,
        pod("web-a", "Running", replica_set),
        pod("web-b", "Failed", replica_set),
        pod("web-c", "Running", replica_set, **gone),
    )

    assert len(made.created_from["pods"]) == 2


def test_a_stateful_set_in_a_cluster_starts_with_its_first_pod() -> None:
    """Of a StatefulSet that a cluster has seen, the first pod is made alone, as the others wait for it to run."""
    made = completed(workload("StatefulSet", replicas=3, metadata={"uid": "1"}))
    assert names(made.pods) == ["web-0"]
    [awaited] = made.awaited.values()
    assert (awaited.controller, awaited.number_waiting_for("order")) == ("StatefulSet controller", 2)
    parallel = workload("StatefulSet", replicas=3, podManagementPolicy="Parallel", metadata={"uid": "1"})
    assert len(completed(parallel).pods) == 3


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_other_schedulers(kind: str) -> None:
    """Nothing is made of a workload for another scheduler; a deployment is then not used at all, and a note says so."""
    made = completed(make("Node", "n", metadata={"namespace": ""}), workload(kind, "default-scheduler"))

    assert made.pods == []
    assert made.ignored == ({"Deployment for another scheduler": 1} if kind == "Deployment" else {})


# --- stateful sets ----------------------------------------------------------------------------------------------------


def test_a_stateful_set_is_numbered_pods_and_claims() -> None:
    """Each pod has a number, and claims of its own."""
    claims = [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast"}}]
    made = completed(workload("StatefulSet", replicas=2, ordinals={"start": 5}, volumeClaimTemplates=claims))

    assert names(made.pods) == ["web-5", "web-6"]
    assert names(made.claims) == ["data-web-5", "data-web-6"]
    assert made.pods[1].metadata.labels["apps.kubernetes.io/pod-index"] == "6"
    [volume] = made.pods[1].spec.volumes
    assert volume.persistent_volume_claim is not None
    assert volume.persistent_volume_claim.claim_name == "data-web-6"
    assert "all pods were added at once, although they wait for one another: StatefulSet ns/web" in notes(made)


@pytest.mark.parametrize(
    ("policy", "phase", "number"),
    [("", "Running", 2), ("", "Pending", 1), ("Parallel", "Pending", 3)],
)
def test_a_stateful_set_that_has_pods(policy: str, phase: str, number: int) -> None:
    """The next pod is made once those before it run, or all are if none waits."""
    stateful_set = workload("StatefulSet", replicas=3, podManagementPolicy=policy)

    assert len(completed(stateful_set, pod("web-0", phase, stateful_set)).pods) == number


# --- Jobs of Kubernetes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({}, 1),
        ({"parallelism": 3}, 3),
        ({"parallelism": 3, "completions": 2}, 2),
        ({"completions": 5}, 1),
        ({"parallelism": 3, "suspend": True}, 0),
        ({"parallelism": 3, "status": {"succeeded": 1}}, 0),
        ({"parallelism": 3, "completions": 4, "status": {"succeeded": 2}}, 2),
        ({"parallelism": 3, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}, 0),
        ({"parallelism": 3, "status": {"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]}}, 0),
        ({"parallelism": 3, "completions": 4, "completionMode": "Indexed", "status": {"failedIndexes": "1-2"}}, 2),
    ],
)
def test_a_job_runs_so_many_pods(fields: Object, number: int) -> None:
    """As many as may run at a time, no more than are left to be completed, none if it is over or suspended."""
    assert len(completed(job(**fields)).pods) == number


def test_the_pods_of_a_job_count() -> None:
    """Those that run or have succeeded are not made again; one that failed is."""
    mine = job(parallelism=3, completions=4)
    made = completed(mine, pod("sum-a", "Running", mine), pod("sum-b", "Succeeded", mine), pod("sum-c", "Failed", mine))

    assert len(made.created_from["pods"]) == 2


def test_an_indexed_job() -> None:
    """Its pods are numbered with what is neither completed nor being worked on."""
    mine = job({"succeeded": 3, "completedIndexes": "0-1,3"}, parallelism=3, completions=9, completionMode="Indexed")
    index = "batch.kubernetes.io/job-completion-index"
    made = completed(mine, pod("sum-2-x", "Running", mine, annotations={index: "2"}))

    assert [each.metadata.annotations[index] for each in made.pods] == ["2", "4", "5"]
    assert [name.rpartition("-")[0] for name in names(made.pods)] == ["sum-2", "sum-4", "sum-5"]


# --- limits -----------------------------------------------------------------------------------------------------------


def test_too_many_replicas() -> None:
    """A number of replicas that would take all memory is an error."""
    with pytest.raises(InputErrors, match=r"replicas: 2000000000 is out of range; expected 0 to 250000"):
        completed(workload("ReplicaSet", replicas=2_000_000_000))


def test_as_many_replicas_as_are_allowed() -> None:
    """A limit for all objects that is higher than that of one allows as many for one."""
    with enforced(Reach(Limits(max_pods=3_000_000))), pytest.raises(InputErrors, match="expected 0 to 3000000"):
        completed(workload("ReplicaSet", replicas=2_000_000_000))


def test_too_many_pods() -> None:
    """So are many workloads that ask for too many pods together; the error names the one and the option."""
    asked = (workload("ReplicaSet", replicas=2), workload("StatefulSet", replicas=2))

    with enforced(Reach(Limits(max_pods=3))), pytest.raises(InputErrors) as raised:
        completed(*asked)
    [error] = raised.value.diagnostics
    assert (error.code, error.help) == ("too-many-pods", "allow more with --max-pods")
    assert "StatefulSet ns/web asks for 2 pods: no more than 3 pods are created" in error.message
    with enforced(Reach(Limits(max_pods=4))):
        assert len(completed(*asked).pods) == 4


def test_too_many_pods_to_come() -> None:
    """Pods that wait for others of their set count from the beginning, and so do the claims of a set."""
    stored = {"uid": "u"}
    waiting = workload("StatefulSet", replicas=4, metadata=stored)
    with enforced(Reach(Limits(max_pods=3))), pytest.raises(InputErrors, match="asks for 4 pods"):
        completed(waiting)
    claims = [{"metadata": {"name": name}, "spec": {}} for name in ("data", "logs")]
    with enforced(Reach(Limits(max_pods=3))), pytest.raises(InputErrors, match="2 pods with 2 claims each"):
        completed(workload("StatefulSet", replicas=2, volumeClaimTemplates=claims))


def test_existing_pods_are_not_too_many() -> None:
    """Pods that are there are not created, however many they are."""
    there = [pod(f"web-{number}", labels=APP) for number in range(4)]
    with enforced(Reach(Limits(max_pods=1))):
        assert len(completed(workload("StatefulSet", replicas=4), *there).pods) == 4


TEMPLATE: Object = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t", "namespace": "ns"},
    "spec": {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
    },
}


def new_pod(name: str, *templates: str) -> Object:
    """Return a pod that no cluster has stored, with a claim from each template."""
    claims = [{"name": f"c{at}", "resourceClaimTemplateName": each} for at, each in enumerate(templates)]
    made = member(name, "j", spec={"resourceClaims": claims})
    del made["metadata"]["uid"]
    return made


def test_a_new_pod_gets_its_claims() -> None:
    """Each has the spec of its template, is owned by the pod, and is named in its status; twice is the same as once."""
    completed = complete(manifests([TEMPLATE, *gang("other", 1), new_pod("p", "t", "t", "gone")]))
    claims = completed.resource_claims
    assert [each.metadata.name for each in claims] == ["p-c0", "p-c1"]
    assert [each.metadata.labels for each in claims] == [{"a": "b"}] * 2
    assert claims[0].spec.devices.requests[0].name == "r"
    assert claims[0].metadata.owner_references[0].name == "p"
    statuses = completed.pods[-1].status.resource_claim_statuses
    assert [(each.name, each.resource_claim_name) for each in statuses] == [("c0", "p-c0"), ("c1", "p-c1")]
    again = complete(completed)
    assert again.resource_claims == claims
    assert again.pods == completed.pods


def test_a_stored_pod_is_left_as_it_is() -> None:
    """Its controller is about to make the claim, and the scheduler waits for that."""
    stored = member("p", "j", spec={"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]})
    assert complete(manifests([TEMPLATE, stored])).resource_claims == []


def test_no_more_claims_are_made_than_pods() -> None:
    """A stranger's pod may name its template many times."""
    with pytest.raises(InputErrors) as caught:
        complete(manifests([TEMPLATE, *(new_pod(f"p{at}", *["t"] * 600) for at in range(100))]))
    assert "no more than 50,000 pods and claims are created" in caught.value.diagnostics[0].message
