"""What the API server takes of manifests that somebody applies."""

from __future__ import annotations

from typing import Any

from tests.build import NOW, manifests, node, pod, queue
from tests.diff.sides import read_documents
from vqs.snapshot.whatif.applied import as_applied
from vqs.snapshot.whatif.overlay import overlay

GROUP: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "ns"},
    "spec": {"minMember": 1},
}


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
