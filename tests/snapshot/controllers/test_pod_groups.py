"""The PodGroups of pods that name none."""

from __future__ import annotations

import pytest

from tests.snapshot.controllers.objects import completed, make, names, notes, only_group, pod, pod_group, template

GROUP_NAME = "scheduling.k8s.io/group-name"
MIN_MEMBER = "scheduling.volcano.sh/group-min-member"


def replica_set(**metadata: object) -> dict[str, object]:
    """Make a replica set whose pods are for another scheduler."""
    return make("ReplicaSet", "web", "apps/v1", metadata=metadata, spec={"replicas": 0, "template": template()})


def test_a_bare_pod_gets_a_pod_group() -> None:
    """It has the pod's uid in its name, needs the one pod and what that needs, and the pod names it."""
    made = completed(pod("shell", uid="123"))

    group = only_group(made)
    assert group.metadata.name == "podgroup-123"
    assert (group.spec.min_member, group.spec.queue) == (1, "default")
    assert group.spec.min_resources == {"count/pods": "1", "cpu": "1", "pods": "1", "requests.cpu": "1"}
    assert [(owner.kind, owner.name) for owner in group.metadata.owner_references] == [("Pod", "shell")]
    assert made.pods[0].metadata.annotations == {GROUP_NAME: "podgroup-123"}
    assert made.created_from == {"pod_groups": {"ns/podgroup-123": "Pod ns/shell"}}
    assert notes(made) == ["added what the controllers would create: 1 PodGroup from 1 Pod"]


def test_without_uid() -> None:
    """A pod that no API server has seen has a PodGroup named after it."""
    assert names(completed(pod("shell")).pod_groups) == ["podgroup-pod-shell"]


def test_which_pods_get_none() -> None:
    """A pod that names a PodGroup, be it missing, and one of another scheduler get no PodGroup."""
    other = pod("other")
    other["spec"]["schedulerName"] = "default-scheduler"
    made = completed(pod("named", annotations={GROUP_NAME: "missing"}), other)

    assert made.pod_groups == []
    assert made.created_from == {}


def test_an_existing_pod_group_is_used() -> None:
    """A pod whose PodGroup is there, and was not yet written on it, names it."""
    made = completed(pod_group("podgroup-123"), pod("shell", uid="123"))

    assert names(made.pod_groups) == ["podgroup-123"]
    assert made.pods[0].metadata.annotations == {GROUP_NAME: "podgroup-123"}


def test_pods_of_one_controller_share_a_pod_group() -> None:
    """It has the controller's uid in its name, and the owners of the pods."""
    owner = replica_set(uid="456")
    made = completed(owner, pod("web-a", owner=owner), pod("web-b", owner=owner))

    group = only_group(made)
    assert group.metadata.name == "podgroup-456"
    assert [(owner.kind, owner.name) for owner in group.metadata.owner_references] == [("ReplicaSet", "web")]
    assert {each.metadata.annotations[GROUP_NAME] for each in made.pods} == {"podgroup-456"}


def test_what_the_pod_says() -> None:
    """Queue, priority class, network topology and some annotations and labels are the pod's."""
    shell = pod(
        "shell",
        annotations={
            "scheduling.volcano.sh/queue-name": "research",
            "volcano.sh/preemptable": "true",
            "volcano.sh/jdb-max-unavailable": "1",
            "volcano.sh/network-topology-mode": "Soft",
            "volcano.sh/network-topology-highest-tier": "2",
            "volcano.sh/other": "x",
        },
        labels={"volcano.sh/cooldown-time": "5m", "app": "x"},
    )
    shell["spec"]["priorityClassName"] = "high"
    group = only_group(completed(shell))

    assert (group.spec.queue, group.spec.priority_class_name) == ("research", "high")
    assert group.metadata.annotations == {"volcano.sh/preemptable": "true", "volcano.sh/jdb-max-unavailable": "1"}
    assert group.metadata.labels == {"volcano.sh/cooldown-time": "5m"}
    assert group.spec.network_topology is not None
    assert (group.spec.network_topology.mode, group.spec.network_topology.highest_tier_allowed) == ("soft", 2)


def test_what_the_owner_says() -> None:
    """The owner's annotations of Volcano's are the PodGroup's, and one says how many pods it needs."""
    owner = replica_set(annotations={MIN_MEMBER: "3", "volcano.sh/sla-waiting-time": "1h", "other": "x"})
    group = only_group(completed(owner, pod("web-a", owner=owner)))

    assert group.spec.min_member == 3
    assert group.spec.min_resources == {"count/pods": "3", "cpu": "3", "pods": "3", "requests.cpu": "3"}
    assert group.metadata.annotations == {"volcano.sh/sla-waiting-time": "1h"}


@pytest.mark.parametrize("number", ["many", "-1", "99999999999"])
def test_a_number_that_is_none(number: str) -> None:
    """A PodGroup needs one pod where the owner's annotation makes no sense."""
    owner = replica_set(annotations={MIN_MEMBER: number})

    assert only_group(completed(owner, pod("web-a", owner=owner))).spec.min_member == 1


def test_limits_stand_in_for_requests() -> None:
    """A stored pod requests its limits where it requests nothing, and its PodGroup counts that."""
    shell = pod("shell")
    shell["spec"] |= template("", limit="500m")["spec"]

    assert only_group(completed(shell)).spec.min_resources == {
        "count/pods": "1",
        "cpu": "500m",
        "limits.cpu": "500m",
        "pods": "1",
        "requests.cpu": "500m",
    }


def test_an_ended_pod_needs_nothing() -> None:
    """Of a pod that has ended, only its existence is counted."""
    assert only_group(completed(pod("shell", "Succeeded"))).spec.min_resources == {"count/pods": "1"}
