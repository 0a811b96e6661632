"""What a rollout keeps from the pods that are to replace others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, group, manifests, node, owned, pod, queue, workload
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate

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
