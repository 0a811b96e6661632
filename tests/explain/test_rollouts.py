"""What a rollout keeps from the pods that are to replace others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, gang, group, manifests, node, owned, pod, queue, workload
from tests.report.writers import as_table
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import View

OLD, NEW = "ns/old", "ns/new"


def rolling(
    *, cpu: int = 4, new_cpu: int = 1, revisions: tuple[str, str] = ("", ""), waits: str = "new", **strategy: Any
) -> Simulation:
    """Run a session in which the pods of one ReplicaSet fill a node, and one of the other waits."""
    deployment = workload("Deployment", "web", cpu)
    deployment["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}, **strategy}
    objects = [node("n", cpu=cpu), queue("default"), deployment]
    for day, (name, revision) in enumerate(zip(("old", "new"), revisions, strict=True), 1):
        runs = name != waits
        made = owned(workload("ReplicaSet", f"web-{name}", cpu if runs else 1), "Deployment", "web")
        made["metadata"]["creationTimestamp"] = f"2026-01-0{day}T00:00:00Z"
        if revision:
            made["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": revision}
        pods = [pod(f"{name}-{each}", name, node="n") for each in range(cpu)] if runs else [pod(name, name, new_cpu)]
        objects += [made, owned(group(name, 1, "Running" if runs else "Inqueue"), "ReplicaSet", f"web-{name}")]
        objects += [owned(each, "ReplicaSet", f"web-{name}") for each in pods]
    return simulate(manifests(objects, CONF), SimulateOptions())


def first_blocker(result: Simulation, job: str = NEW) -> str:
    """Return what keeps a job waiting first."""
    return next(each for each in result.jobs if each.uid == job).blockers[0].text


def test_a_rollout_that_keeps_its_older_pods() -> None:
    """The room of a new pod is taken by those that it replaces, which stay until it runs."""
    text = first_blocker(rolling())
    lead = "the rollout of Deployment ns/web keeps 4 older pods until a new one runs (maxUnavailable 0 of 4), and "
    assert text.startswith(lead)


def test_a_template_that_is_rolled_back_to() -> None:
    """The new pods are those of the highest revision, though their ReplicaSet is the older one."""
    assert first_blocker(rolling(revisions=("3", "2"), waits="old"), OLD).startswith("the rollout of Deployment ns/web")
    assert "rollout" not in first_blocker(rolling(revisions=("1", "2"), waits="old"), OLD)


@pytest.mark.parametrize(
    "given", [{"new_cpu": 3}, {"type": "Recreate", "rollingUpdate": None}], ids=["older pods are too small", "Recreate"]
)
def test_a_rollout_that_does_not_keep_the_room(given: dict[str, Any]) -> None:
    """Nothing is said of older pods where one of them less would not do, or where they end first."""
    assert "rollout" not in first_blocker(rolling(**given))


def test_they_are_named_and_deleted() -> None:
    """The answer says how much is kept for them, and as few as are enough are deleted, those first that keep most."""
    stale = [group(f"old-{number}", 1, "Inqueue", minResources={"cpu": 2 + number}) for number in range(3)]
    waits = gang("job", 1, cpu=3, phase="Pending", minResources={"cpu": 3})
    read = manifests([node("n", cpu=8), *stale, *waits], CONF)
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=None)
    assert (
        "; 9 cpu of what they request is kept for 3 PodGroups without pods: ns/old-2, ns/old-1 and ns/old-0"
        in report.answer
    )
    assert report.fix_search is not None
    first = report.fix_search.fixes[0]
    assert first.parameter == "PodGroups without pods"
    assert first.commands == ["kubectl delete podgroup old-2 -n ns"]
    assert (first.from_value, first.to, first.lines) == (3, 2, [])
    text = " ".join(as_table(report, View()).split())
    assert "Fix 1: run kubectl delete podgroup old-2 -n ns" in text
    assert "delete PodGroup ns/old-2 (no pods)" in text


def test_those_whose_pods_are_yet_to_come_are_not_meant() -> None:
    """A PodGroup that has pods keeps what these wait for."""
    waits = gang("job", 1, cpu=4, phase="Pending", minResources={"cpu": 4})
    busy = gang("busy", 1, cpu=8, phase="Inqueue", minResources={"cpu": 8})
    read = manifests([node("n", cpu=8), *busy, *waits], CONF)
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=None)
    assert "without pods" not in report.answer
    assert report.fix_search is not None
    tried = (*report.fix_search.fixes, *report.fix_search.ineffective)
    assert "PodGroups without pods" not in {each.parameter for each in tried}


def test_those_that_a_controller_keeps_up_are_not_meant() -> None:
    """Whatever owns a PodGroup may be about to create its pods; nor does one count that was not admitted before."""
    waits = gang("job", 1, cpu=4, phase="Pending", minResources={"cpu": 4})
    kept = group("ray", 1, "Inqueue", minResources={"cpu": 8})
    kept["metadata"]["ownerReferences"] = [
        {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": "ray", "uid": "u", "controller": True}
    ]
    new = group("new", 1, "Pending", minResources={"cpu": 2})
    read = manifests([node("n", cpu=8), kept, new, *waits], CONF)
    assert "without pods" not in explain_job(read, SimulateOptions(), "ns/job").answer
