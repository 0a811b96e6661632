"""The jobs that are the same under other PodGroups."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.build import Object, node, stored_job
from tests.diff.sides import side
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.run import SideJobs, same_jobs
from vqs.model.job import named_after_owners
from vqs.model.kubernetes import OwnerReference
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.overlay import keys

WEB = OwnerReference("apps/v1", "Deployment", "web")
SETS = [OwnerReference("apps/v1", "ReplicaSet", f"web-{number}") for number in range(3)]
MPI = OwnerReference("kubeflow.org/v1", "MPIJob", "web")
NODES = [node("n1", cpu=8)]


def side_jobs(*ages: str, **owners: tuple[OwnerReference, ...]) -> SideJobs:
    """Return jobs by PodGroup with their owners, the topmost first; the PodGroups by their ages, the oldest first."""
    created = {f"a/{group}": datetime(2026, 1, number + 1, tzinfo=UTC) for number, group in enumerate(ages)}
    return SideJobs(named_after_owners({f"a/{group}": each for group, each in owners.items()}), created)


def same(before: SideJobs, after: SideJobs) -> dict[str, str]:
    """Return the same jobs of two snapshots."""
    return same_jobs(before, after, Manifests(), frozenset())


def test_a_namesake_of_another_kind() -> None:
    """A job stays the same where one of another kind makes its display name longer."""
    assert same(side_jobs(old=(WEB,)), side_jobs(new=(WEB,), other=(MPI,))) == {"a/new": "a/old"}


def test_a_controller_of_another_kind() -> None:
    """A job of another kind of controller is another job."""
    assert same(side_jobs(old=(WEB,)), side_jobs(new=(MPI,))) == {}


def test_one_against_several() -> None:
    """The newest PodGroup of a controller takes the place of its only one, and the reverse."""
    one, several = side_jobs(old=(WEB, SETS[0])), side_jobs("y", "x", x=(WEB, SETS[1]), y=(WEB, SETS[2]))
    assert same(one, several) == {"a/x": "a/old"}
    assert same(several, one) == {"a/old": "a/x"}


def test_the_nearest_controller_counts_first() -> None:
    """The PodGroup of the same ReplicaSet is the same job, though the Deployment has a newer one."""
    before = side_jobs(old=(WEB, SETS[0]))
    assert same(before, side_jobs("x", "y", x=(WEB, SETS[0]), y=(WEB, SETS[1]))) == {"a/x": "a/old"}


def test_several_against_several() -> None:
    """Which jobs are the same is unknown where a controller has several on both sides."""
    assert same(side_jobs(a=(WEB,), b=(WEB,)), side_jobs(c=(WEB,), d=(WEB,))) == {}


def test_a_rollout_beside_the_old_pod_group() -> None:
    """A PodGroup that is still there is its own job."""
    old = (WEB, SETS[0])
    assert same(side_jobs(old=old), side_jobs(old=old, new=(WEB, SETS[1]))) == {}


def remade(uid: str) -> list[Object]:
    """Return a Volcano Job, in a dump, with a uid; its PodGroup is called after it."""
    [of_job, job, *pods] = stored_job("train", minimum=2)
    reference = {**of_job["metadata"]["ownerReferences"][0], "uid": uid}
    of_job["metadata"] |= {"name": f"train-{uid}", "ownerReferences": [reference]}
    job["metadata"]["uid"] = uid
    return [of_job, job, *pods]


def changes(before: list[Any], after: list[Any], change: list[Any]) -> list[list[str]]:
    """Return what becomes of the jobs where a part of the candidate is a change of files."""
    candidate = side([*NODES, *after])
    proposed = frozenset(keys(side([*NODES, *change]).manifests)) - frozenset(keys(side(NODES).manifests))
    result = compare(side([*NODES, *before]), replace(candidate, proposed=proposed), DiffOptions(lint=False))
    return sorted([*each.changes] for each in result.jobs if {"added", "removed"} & {*each.changes})


def test_a_dump_that_is_a_change() -> None:
    """A PodGroup that a change has with its controller, by uid, is the same job; with another uid, a new one."""
    before, after = remade("1"), remade("2")
    assert changes(before, after, after) == []
    assert changes(before, after, after[:1]) == [["added"], ["removed"]]
    forged = remade("3")
    forged[0]["metadata"]["ownerReferences"][0]["uid"] = "1"
    assert changes(before, forged, forged) == [["added"], ["removed"]]
