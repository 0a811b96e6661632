"""What the API server takes of manifests that somebody applies."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import NOW, manifests, node, pod, queue, scheduler_conf
from tests.diff.sides import read_documents
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.whatif.applied import added, as_applied
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
