"""What jobs of a dump are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubectl_dumps import (
    Item,
    cluster,
    group_of,
    item,
    owned_by,
    pod,
    pod_group,
    queue,
    uid_of,
    volcano_job,
    write_dump,
)
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job_names import job_names, unknown_job
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

TEMPLATE = {"spec": {"schedulerName": "volcano", "containers": []}}
DEPLOYMENT = item(
    ("apps/v1", "Deployment"), "web", namespace="a", spec={"replicas": 1, "selector": {}, "template": TEMPLATE}
)
REPLICA_SET = item(
    ("apps/v1", "ReplicaSet"),
    "web-7d9f",
    namespace="a",
    owner=DEPLOYMENT,
    spec={"replicas": 1, "selector": {}, "template": TEMPLATE},
)
RAY_JOB = item(("ray.io/v1", "RayJob"), "tune", namespace="a", spec={})
RAY_CLUSTER = item(("ray.io/v1", "RayCluster"), "tune-raycluster-x7k2p", namespace="a", owner=RAY_JOB, spec={})
CRON_JOB = item(("batch/v1", "CronJob"), "nightly", namespace="a", spec={})
BATCH_JOB = item(
    ("batch/v1", "Job"),
    "nightly-29384",
    namespace="a",
    owner=CRON_JOB,
    spec={"parallelism": 1, "template": TEMPLATE},
)


def read(path: Path, *items: Item | list[Item]) -> Manifests:
    """Return what a dump of a cluster with some more objects says."""
    return read_manifests([write_dump(path / "dump.json", cluster(*items))])


def names(manifests: Manifests) -> list[str]:
    """Return what the jobs are called, before and after controllers have completed the snapshot."""
    before = [name.display for name in job_names(manifests).values()]
    after = [name.display for name in job_names(complete(manifests)).values()]
    assert before == after
    return before


@pytest.mark.parametrize(
    ("items", "name"),
    [
        (volcano_job("mpi-allreduce", namespace="a", cpu=1), "a/mpi-allreduce"),
        ([DEPLOYMENT, REPLICA_SET, *group_of(REPLICA_SET, f"podgroup-{uid_of('web')}", cpu=1)], "a/web"),
        ([RAY_JOB, RAY_CLUSTER, *group_of(RAY_CLUSTER, "ray-tune-pg", cpu=1)], "a/tune"),
        ([CRON_JOB, BATCH_JOB, *group_of(BATCH_JOB, "podgroup-1", cpu=1)], "a/nightly"),
        ([pod_group("by-hand", None, namespace="a")], "a/by-hand"),
    ],
    ids=["volcano-job", "deployment", "ray-job", "cron-job", "pod-group"],
)
def test_kinds_of_controllers(tmp_path: Path, items: list[Item], name: str) -> None:
    """A job is called what its topmost controller is called, whatever the kind; a PodGroup without one, as it is."""
    assert names(read(tmp_path, items)) == [name]


@pytest.mark.parametrize(
    ("items", "name"),
    [
        ([REPLICA_SET, *group_of(REPLICA_SET, "podgroup-1", cpu=1)], "a/web"),
        (group_of(REPLICA_SET, "podgroup-1", cpu=1), "a/web-7d9f"),
        (group_of(RAY_CLUSTER, "podgroup-1", cpu=1), "a/tune-raycluster-x7k2p"),
    ],
)
def test_a_controller_that_is_not_in_the_dump(tmp_path: Path, items: list[Item], name: str) -> None:
    """The reference to it names it all the same."""
    assert names(read(tmp_path, items)) == [name]


def test_a_bare_pod(tmp_path: Path) -> None:
    """The PodGroup that the controller has made for a pod is called after the pod."""
    bare = pod("debug", "", None, namespace="a", cpu=1)
    group = f"podgroup-{bare['metadata']['uid']}"
    bare["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": group}
    assert names(read(tmp_path, [bare, pod_group(group, bare, namespace="a")])) == ["a/debug"]


def test_an_owner_that_is_not_marked_as_controller(tmp_path: Path) -> None:
    """Some operators mark no owner as the controller, and mean the first."""
    group = pod_group("ray-pg", RAY_CLUSTER, namespace="a")
    del group["metadata"]["ownerReferences"][0]["controller"]
    assert names(read(tmp_path, group)) == ["a/tune-raycluster-x7k2p"]


def test_owners_in_a_circle(tmp_path: Path) -> None:
    """The search for the topmost controller ends."""
    one = item(("ray.io/v1", "RayJob"), "one", namespace="a")
    other = item(("ray.io/v1", "RayCluster"), "other", namespace="a", owner=one)
    one["metadata"]["ownerReferences"] = [owned_by(other)]
    [name] = names(read(tmp_path, one, other, pod_group("pg", one, namespace="a")))
    assert name == "a/other"


def test_each_owner_in_a_circle_counts_once(tmp_path: Path) -> None:
    """The chain ends where it comes back to a controller."""
    one = item(("ray.io/v1", "RayJob"), "one", namespace="a")
    other = item(("ray.io/v1", "RayCluster"), "other", namespace="a", owner=one)
    one["metadata"]["ownerReferences"] = [owned_by(other)]
    manifests = read(tmp_path, one, other, pod_group("pg", one, namespace="a"))
    assert [owner.name for owner in job_names(manifests)["a/pg"].owners] == ["other", "one"]


def test_jobs_without_a_queue_have_names(tmp_path: Path) -> None:
    """The cluster knows what a job is called whose queue does not exist."""
    group = pod_group("ray-pg", RAY_CLUSTER, namespace="a", queue="reserach")
    built = build_cluster(complete(read(tmp_path, queue("research"), group)))
    assert (built.jobs, built.display_name("a/ray-pg")) == ({}, "a/tune-raycluster-x7k2p")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mpi-alreduce", "did you mean 'mpi-allreduce'?"),
        ("a/mpi-alreduce", "did you mean 'a/mpi-allreduce'?"),
        ("b/mpi-allreduce", "it is in another namespace: a/mpi-allreduce"),
        ("nothing-like-it", ""),
    ],
)
def test_a_name_that_there_is_not(tmp_path: Path, name: str, hint: str) -> None:
    """What was meant is suggested, with its namespace where it is in another one."""
    known = job_names(read(tmp_path, volcano_job("mpi-allreduce", namespace="a", cpu=1)))
    assert unknown_job(name, known.values()) == hint
