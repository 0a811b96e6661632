"""What Volcano's webhook does not let in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import manifests, node, pod, queue
from tests.snapshot.controllers.objects import Object, read, task, volcano_job
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.admission import RuntimeClasses
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors

PARTS = {"totalPartitions": 2, "partitionSize": 2}
FAILED = {"event": "PodFailed", "action": "RestartJob"}


def job(*tasks: Object, **spec: Any) -> Object:
    """Make a Job, with one task unless others are given."""
    return volcano_job(*(tasks or [task()]), **spec)


@pytest.mark.parametrize(
    ("denied", "path", "reason"),
    [
        (volcano_job(), "$.spec", "no task is specified"),
        (job(minAvailable=3), "$.spec.minAvailable", "greater than the total of replicas"),
        (
            job(task(minAvailable=3), minAvailable=1),
            "$.spec.tasks[0].minAvailable",
            "greater than replicas in task worker",
        ),
        (job(task("a"), task("a")), "$.spec.tasks[1].name", "duplicated task name a"),
        (job(task("default1"), task("")), "$.spec.tasks[1]", "duplicated task name default1"),
        (job(task("a" * 60)), "$.spec.tasks[0].name", "cannot be the name of a pod"),
        (job({"name": "a", "replicas": 1}), "$.spec.tasks[0]", "has no containers"),
        (job(policies=[FAILED, FAILED]), "$.spec.policies[1].event", "duplicate event PodFailed"),
        (job(policies=[FAILED | {"event": "PodFaild"}]), "$.spec.policies[0].event", "invalid policy event 'PodFaild'"),
        (job(policies=[FAILED | {"action": "Restart"}]), "$.spec.policies[0].action", "invalid policy action"),
        (job(policies=[FAILED | {"exitCode": 3}]), "$.spec.policies[0]", "event and exitCode are both set"),
        (job(policies=[{"action": "RestartJob"}]), "$.spec.policies[0]", "neither event nor exitCode"),
        (job(policies=[{"exitCode": 0}]), "$.spec.policies[0].exitCode", "0 is not a valid error code"),
        (job(policies=[{"exitCode": 3}, {"exitCode": 3}]), "$.spec.policies[1].exitCode", "duplicate exitCode 3"),
        (job(policies=[FAILED, FAILED | {"event": "*"}]), "$.spec.policies", "no other can be"),
        (job(task(policies=[{}])), "$.spec.tasks[0].policies[0]", "neither event nor exitCode"),
        (job(plugins={"pytroch": []}), "$.spec.plugins.pytroch", "unable to find job plugin pytroch"),
        (job(plugins={"mpi": ["--worker=worker"]}), "$.spec.plugins.mpi", "the master task of plugin mpi"),
        (
            job(task("m"), task("w"), plugins={"mpi": ["--master=m", "--bogus=1", "--worker=w"]}),
            "$.spec.plugins.mpi",
            "the worker task of plugin mpi, 'worker', does not exist",
        ),
        (
            job(task("worker"), plugins={"mpi": ["--master="]}),
            "$.spec.plugins.mpi",
            "the master task of plugin mpi, ''",
        ),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "My_Data"}]),
            "$.spec.volumes[0].volumeClaimName",
            "My_Data cannot be the name",
        ),
        (job(volumes=[{"volumeClaimName": "a"}]), "$.spec.volumes[0]", "mountPath is required"),
        (job(volumes=[{"mountPath": "/a"}]), "$.spec.volumes[0]", "either volumeClaim or volumeClaimName"),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "a"}] * 2),
            "$.spec.volumes[1].mountPath",
            "duplicated mountPath /a",
        ),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "a", "volumeClaim": {"volumeName": "x"}}]),
            "$.spec.volumes[0]",
            "volumeClaim and volumeClaimName are both set",
        ),
        (
            job(networkTopology={"highestTierAllowed": 1, "highestTierName": "rack"}),
            "$.spec.networkTopology",
            "highestTierAllowed and highestTierName",
        ),
        (job(task(partitionPolicy=PARTS)), "$.spec.tasks[0].partitionPolicy", "is not totalPartitions times"),
        (
            job(task(replicas=4, minAvailable=4, partitionPolicy=PARTS | {"minPartitions": 1})),
            "$.spec.tasks[0].partitionPolicy",
            "is not minPartitions times",
        ),
        (job(task(partitionPolicy={"partitionSize": 1})), "$.spec.tasks[0].partitionPolicy", "totalPartitions is not"),
        (job(task(partitionPolicy={"totalPartitions": 1})), "$.spec.tasks[0].partitionPolicy", "partitionSize is not"),
        (job(task(topologyPolicy="restricted", cpu="500m")), "$.spec.tasks[0].template", "whole number"),
        (job(task("a", dependsOn={"name": ["a"]})), "$.spec.tasks", "cannot be put into an order"),
        (job(task("a", dependsOn={"name": ["b"]})), "$.spec.tasks", "cannot be put into an order"),
        (
            job(task("a"), task("b", dependsOn={"name": ["a", "a"]})),
            "$.spec.tasks[1].dependsOn.name",
            "task b names a task that it depends on more than once",
        ),
    ],
)
def test_denied(denied: Object, path: str, reason: str) -> None:
    """The error has the place of the value, and the reason."""
    with pytest.raises(InputErrors) as caught:
        read(denied)

    [error] = caught.value.diagnostics
    assert error.code == "job-denied"
    assert error.path.startswith(f"$.items[0]{path[1:]}")
    assert reason in error.message
    assert error.line


@pytest.mark.parametrize(
    "allowed",
    [
        job(minAvailable=2),
        job(policies=[FAILED, {"events": ["PodEvicted", "TaskFailed"], "action": "AbortJob"}, {"exitCode": 3}]),
        job(policies=[{"event": "PodFailed", "events": ["PodFailed"], "action": "AbortJob"}]),
        job(task("m"), task("w"), plugins={"mpi": ["--master=m", "-worker=w"], "ssh": [], "svc": []}),
        job(task("m"), task("w"), plugins={"mpi": ["--master", "m", "-port=2222", "--worker", "w"]}),
        job(task("master"), task("worker"), plugins={"mpi": ["master=m", "--worker=w"]}),
        job(task("master"), task("worker"), plugins={"mpi": ["--port=ssh", "--worker=w"]}),
        job(task("worker"), plugins={"mpi": None}),
        job(task("a"), task("b", dependsOn={"name": ["a"]}), task("c", dependsOn={"name": ["a", "b"]})),
        job(task(replicas=4, partitionPolicy=PARTS)),
        job(task(topologyPolicy="restricted", cpu="2")),
    ],
)
def test_allowed(allowed: Object) -> None:
    """A Job with nothing wrong is let in."""
    assert len(read(allowed).volcano_jobs) == 1


def test_a_cpu_request_that_is_no_amount_is_refused_once() -> None:
    """With a topologyPolicy, the request has to be whole; whether it is an amount at all is asked elsewhere."""
    with pytest.raises(InputErrors) as caught:
        read(job(task(topologyPolicy="restricted", cpu="two")))

    assert [error.code for error in caught.value.diagnostics] == ["invalid-quantity"]


def test_templates_are_looked_at() -> None:
    """What is wrong with the pods of a template is found in the Job, at its place."""
    with pytest.raises(InputErrors) as caught:
        read(job(task(cpu="two")))

    [error] = caught.value.diagnostics
    assert error.path == "$.items[0].spec.tasks[0].template.spec.containers[0].resources.requests.cpu"


TOLERATION = {"key": "sandbox", "operator": "Exists", "effect": "NoSchedule"}


def runtime_class(name: str = "kata", **more: Any) -> dict[str, Any]:
    """Make a class with an overhead of a core."""
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": name},
        "handler": name,
        "overhead": {"podFixed": {"cpu": 1, "memory": "64Mi"}},
        **more,
    }


def new_job(replicas: int = 1) -> dict[str, Any]:
    """Make a Volcano Job whose pods run in the class."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}
    spec = {"runtimeClassName": "kata", "containers": [container], "nodeSelector": {"zone": "a"}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns"},
        "spec": {"tasks": [{"name": "w", "replicas": replicas, "template": {"spec": spec}}]},
    }


def statuses(*objects: Any) -> list[str]:
    """Return what becomes of each task in a session."""
    return [task.status for task in simulate(manifests(objects), SimulateOptions()).tasks]


def test_overhead_counts_for_pods_that_are_made() -> None:
    """Three pods of a core each do not fit on four cores with an overhead of another core each."""
    objects = [node("n1", cpu=4, labels={"zone": "a"}), queue("default"), new_job(3)]
    assert statuses(*objects) == ["Binding"] * 3
    assert statuses(*objects, runtime_class()) == ["Pending"] * 3


def test_a_job_asks_for_no_overhead_when_it_enters() -> None:
    """Its controller sums up what the templates say, which the API server has not touched."""
    completed = complete(manifests([node("n1"), new_job(), runtime_class()]))
    assert completed.pods[0].spec.overhead == {"cpu": 1, "memory": "64Mi"}
    assert completed.pod_groups[0].spec.min_resources == {
        "cpu": "1",
        "requests.cpu": "1",
        "pods": "1",
        "count/pods": "1",
    }


def test_pods_go_where_their_class_says() -> None:
    """Its node selector and tolerations are added to those of the pod."""
    scheduling = {"nodeSelector": {"sandbox": "yes"}, "tolerations": [TOLERATION]}
    completed = complete(manifests([new_job(), runtime_class(scheduling=scheduling)]))
    spec = completed.pods[0].spec
    assert spec.node_selector == {"zone": "a", "sandbox": "yes"}
    assert spec.tolerations == [k8s.Toleration("sandbox", "Exists", "", "NoSchedule")]
    assert complete(completed).pods[0].spec == spec


@pytest.mark.parametrize(("uid", "overhead"), [("", {"cpu": 1, "memory": "64Mi"}), ("a-b", {})])
def test_a_pod_that_a_cluster_has_let_in_stays_as_it_is(uid: str, overhead: dict[str, Any]) -> None:
    """The API server has added to it what there was to add; to one that somebody wrote, it would."""
    written = pod("p", "j", spec={"runtimeClassName": "kata"})
    written["metadata"]["uid"] = uid
    completed = complete(manifests([written, runtime_class()]))
    assert completed.pods[0].spec.overhead == overhead


def test_an_unknown_class_adds_nothing() -> None:
    """Nor does one that says nothing."""
    spec = k8s.PodSpec(runtime_class_name="kata")
    assert RuntimeClasses([]).admitted(spec) == spec
    assert RuntimeClasses([k8s.RuntimeClass(k8s.ObjectMeta(name="kata"))]).admitted(spec) == spec


def merged(own: list[k8s.Toleration], of_class: list[k8s.Toleration]) -> list[k8s.Toleration]:
    """Return the tolerations of a pod of a class."""
    scheduling = k8s.RuntimeClassScheduling(tolerations=of_class)
    classes = RuntimeClasses([k8s.RuntimeClass(k8s.ObjectMeta(name="kata"), scheduling=scheduling)])
    return classes.admitted(k8s.PodSpec(runtime_class_name="kata", tolerations=own)).tolerations


EQUAL = k8s.Toleration("k", "Equal", "v", "NoSchedule")
OTHER = k8s.Toleration("k", "Equal", "w", "NoSchedule")
SOON = k8s.Toleration("k", "Exists", "", "NoExecute", 10)
LATE = k8s.Toleration("k", "Exists", "", "NoExecute", 60)


@pytest.mark.parametrize(
    ("own", "of_class", "stays"),
    [
        ([EQUAL], [EQUAL], [EQUAL]),
        ([EQUAL], [k8s.Toleration("k", "Exists")], [k8s.Toleration("k", "Exists")]),
        ([k8s.Toleration(operator="Exists")], [EQUAL, SOON], [k8s.Toleration(operator="Exists")]),
        ([EQUAL], [k8s.Toleration("other", "Exists")], [EQUAL, k8s.Toleration("other", "Exists")]),
        ([EQUAL], [OTHER], [EQUAL, OTHER]),
        ([SOON], [LATE], [LATE]),
        ([LATE], [SOON], [LATE]),
        ([EQUAL], [SOON], [EQUAL, SOON]),
    ],
)
def test_a_toleration_that_another_includes_is_left_out(
    own: list[k8s.Toleration], of_class: list[k8s.Toleration], stays: list[k8s.Toleration]
) -> None:
    """Of equal ones, the first stays."""
    assert merged(own, of_class) == stays


def test_amounts_and_tolerations_of_a_class_are_checked() -> None:
    """As those of pods are."""
    broken = runtime_class(overhead={"podFixed": {"cpu": "one"}}, scheduling={"tolerations": [{"operator": "Is"}]})
    with pytest.raises(Exception, match=r"overhead\.podFixed\.cpu") as caught:
        manifests([broken])
    assert "scheduling.tolerations[0].operator" in str(caught.value)
