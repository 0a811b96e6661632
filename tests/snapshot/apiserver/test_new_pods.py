"""What a RuntimeClass adds to new pods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import manifests, node, pod, queue
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.new_pods import RuntimeClasses
from vqs.snapshot.controllers.complete import complete

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


def job(replicas: int = 1) -> dict[str, Any]:
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
    objects = [node("n1", cpu=4, labels={"zone": "a"}), queue("default"), job(3)]
    assert statuses(*objects) == ["Binding"] * 3
    assert statuses(*objects, runtime_class()) == ["Pending"] * 3


def test_a_job_asks_for_no_overhead_when_it_enters() -> None:
    """Its controller sums up what the templates say, which the API server has not touched."""
    completed = complete(manifests([node("n1"), job(), runtime_class()]))
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
    completed = complete(manifests([job(), runtime_class(scheduling=scheduling)]))
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
