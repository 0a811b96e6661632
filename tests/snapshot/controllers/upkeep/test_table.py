"""What the API server and controllers make of a change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.build import manifests, node
from tests.diff.sides import read_documents, with_edits
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.upkeep.admission import admitted
from vqs.snapshot.controllers.upkeep.table import UPKEEP, found
from vqs.snapshot.reading.kinds import KIND_OF
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.overlay import overlay

BUDGET = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "ns"}}
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "ns"}}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
CONTAINER = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}


def running(name: str) -> dict[str, Any]:
    """Make a pod that runs."""
    labels = {"app": "web"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ns", "uid": name, "labels": labels},
        "spec": {"nodeName": "n1", "schedulerName": "volcano", "containers": [CONTAINER]},
        "status": {"phase": "Running"},
    }


def snapshot() -> Manifests:
    """Make a snapshot with three pods that run."""
    return manifests([node("n1"), NAMESPACE, *map(running, ("p1", "p2", "p3"))])


def test_every_kind_has_a_row() -> None:
    """No kind that is read passes unless the table says what becomes of it."""
    assert UPKEEP.keys() == KIND_OF.keys()


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [({"minAvailable": 0}, 3), ({"minAvailable": 2}, 1), ({"minAvailable": 9}, 0), ({}, 0)],
)
def test_a_new_budget_is_counted(limit: dict[str, Any], allowed: int) -> None:
    """What a budget without a status allows follows from the pods that it selects."""
    budget = {**BUDGET, "spec": {"selector": {"matchLabels": {"app": "web"}}, **limit}}
    laid = overlay(snapshot(), read_documents([budget]))
    assert laid.disruption_budgets[0].status.disruptions_allowed == allowed


def test_budgets_and_quotas_of_an_edit_are_counted() -> None:
    """What an edit adds is counted as what a file adds is."""
    budget = {**BUDGET, "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2}}
    quota = {**QUOTA, "spec": {"hard": {"pods": "9"}}}
    made = complete(with_edits(snapshot(), *(f"add {json.dumps(each)}" for each in (budget, quota))))
    assert made.disruption_budgets[0].status.disruptions_allowed == 1
    assert made.resource_quotas[0].status.used == {"pods": "3"}


OWNER = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "uid": "u", "controller": True}
CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7}
RUNTIME = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "r"}, "handler": "h"}


def group(minimum: int, **metadata: Any) -> dict[str, Any]:
    """Make a PodGroup."""
    about = {"name": "g", "namespace": "ns", **metadata}
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": about,
        "spec": {"minMember": minimum, "queue": "default"},
    }


def told(before: Manifests, *change: dict[str, Any]) -> list[str]:
    """Return the codes of what there is to say of a change."""
    over = read_documents(change)
    after = overlay(before, over)
    proposed = frozenset((type(each), each.metadata.key.strip("/")) for each in over.pod_groups)
    new = [each for each in after.notes if each not in before.notes]
    return [each.code for each in (*new, *found(before, after, proposed))]


def test_what_a_controller_writes_back() -> None:
    """A PodGroup of a Volcano Job is its controller's, and a change of it is told; any other is whoever writes it."""
    owned = manifests([node("n1"), NAMESPACE, group(3, uid="g", ownerReferences=[OWNER])])
    assert told(owned, group(1)) == ["written-back"]
    assert told(owned, group(3)) == []
    assert told(manifests([node("n1"), NAMESPACE, group(3, uid="g")]), group(1)) == []


def test_an_object_that_is_given_to_another_owner() -> None:
    """Its new owner may change or delete it, which is told."""
    before = manifests([node("n1"), NAMESPACE, group(3, uid="g")])
    assert told(before, group(3, ownerReferences=[OWNER])) == ["owner-changed"]


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({**CLASS, "globalDefault": True}, ["new-pods-differ"]),
        (CLASS, []),
        ({**CLASS, "metadata": {"name": "named"}}, ["new-pods-differ"]),
        (RUNTIME, []),
        ({**RUNTIME, "metadata": {"name": "named"}}, ["new-pods-differ"]),
        (
            {**NAMESPACE, "metadata": {"name": "ns", "labels": {"pod-security.kubernetes.io/enforce": "baseline"}}},
            ["new-pods-differ"],
        ),
        ({**NAMESPACE, "metadata": {"name": "ns", "labels": {"team": "a"}}}, []),
    ],
)
def test_pods_that_are_made_again(given: dict[str, Any], codes: list[str]) -> None:
    """A class or policy of a change is told where pods that are there would not be made again as they are."""
    pod = running("p1")
    pod["spec"] |= {"priorityClassName": "named", "runtimeClassName": "named"}
    assert told(manifests([node("n1"), NAMESPACE, pod]), given) == codes


def test_the_status_of_a_quota_follows() -> None:
    """A quota that is applied limits what it says, and counts the pods that are there."""
    laid = complete(overlay(snapshot(), read_documents([{**QUOTA, "spec": {"hard": {"pods": "1"}}}])))
    status = laid.resource_quotas[0].status
    assert (status.hard, status.used) == ({"pods": "1"}, {"pods": "3"})


@pytest.mark.parametrize(("pods", "codes"), [("0", ["quota-refuses-pods"]), ("9", [])])
def test_a_quota_that_refuses_pods(pods: str, codes: list[str]) -> None:
    """A quota below what the namespace has is a finding, and one above it is none."""
    before = snapshot()
    after = overlay(before, read_documents([{**QUOTA, "spec": {"hard": {"pods": pods}}}]))
    assert [each.code for each in found(before, after, frozenset())] == codes


@pytest.mark.parametrize(
    ("namespace", "spec", "codes", "left"),
    [
        ("ns", {}, [], 1),
        ("elsewhere", {}, ["namespace-missing"], 0),
        ("ns", {"priority": 5}, ["pods-refused"], 0),
        ("ns", {"overhead": {"cpu": "1"}}, ["pods-refused"], 0),
        ("ns", {"containers": [{**CONTAINER, "image": "i "}]}, ["pods-refused"], 0),
        ("ns", {"serviceAccountName": "unknown"}, ["pods-refused"], 1),
    ],
)
def test_pods_that_are_refused(namespace: str, spec: dict[str, Any], codes: list[str], left: int) -> None:
    """A pod that the API server refuses is not there; one of which that is not known is, and both are told."""
    new = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "new", "namespace": namespace},
        "spec": {"schedulerName": "volcano", "containers": [CONTAINER], **spec},
    }
    under = snapshot()
    comes = admitted(read_documents([new]), under, under, manifests([]))
    assert [each.code for each in comes.notes] == codes
    assert len(comes.manifests.pods) == left
