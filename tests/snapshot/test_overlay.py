"""Laying manifests over others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, NOW, gang, manifests, node, pod, queue, scheduler_conf
from tests.diff.sides import read_documents
from vqs.snapshot.diagnostics import InputErrors
from vqs.snapshot.overlay import added, names, overlay
from vqs.snapshot.plain import plain_objects

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


def test_more_objects() -> None:
    """Objects that are there already are refused, each with its place."""
    under = manifests([node("n1"), queue("a")])
    assert [each.metadata.name for each in added(under, read_documents([queue("b")])).queues] == ["a", "b"]
    with pytest.raises(InputErrors) as caught:
        added(under, read_documents([queue("a"), node("n1"), scheduler_conf()]))
    assert [each.message for each in caught.value.diagnostics] == [
        "there is a Node n1 already",
        "there is a Queue a already",
        "there is a ConfigMap volcano-system/volcano-scheduler-configmap already",
        "there is a scheduler configuration already",
    ]


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
