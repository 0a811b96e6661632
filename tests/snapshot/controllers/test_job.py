"""What jobs of a dump are called."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

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
from tests.snapshot.controllers.objects import BATCH, Object, completed, make, names, read, task
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job import job_names, next_runs, unknown_job
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_leniently, read_manifests

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


def read_job(path: Path, *items: Item | list[Item]) -> Manifests:
    """Return what a dump of a cluster with some more objects says."""
    return read_manifests([write_dump(path / "dump.json", cluster(*items))])


def names_job(manifests: Manifests) -> list[str]:
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
    assert names_job(read_job(tmp_path, items)) == [name]


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
    assert names_job(read_job(tmp_path, items)) == [name]


def test_a_bare_pod(tmp_path: Path) -> None:
    """The PodGroup that the controller has made for a pod is called after the pod."""
    bare = pod("debug", "", None, namespace="a", cpu=1)
    group = f"podgroup-{bare['metadata']['uid']}"
    bare["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": group}
    assert names_job(read_job(tmp_path, [bare, pod_group(group, bare, namespace="a")])) == ["a/debug"]


def test_an_owner_that_is_not_marked_as_controller(tmp_path: Path) -> None:
    """Some operators mark no owner as the controller, and mean the first."""
    group = pod_group("ray-pg", RAY_CLUSTER, namespace="a")
    del group["metadata"]["ownerReferences"][0]["controller"]
    assert names_job(read_job(tmp_path, group)) == ["a/tune-raycluster-x7k2p"]


def test_owners_in_a_circle(tmp_path: Path) -> None:
    """The search for the topmost controller ends."""
    one = item(("ray.io/v1", "RayJob"), "one", namespace="a")
    other = item(("ray.io/v1", "RayCluster"), "other", namespace="a", owner=one)
    one["metadata"]["ownerReferences"] = [owned_by(other)]
    [name] = names_job(read_job(tmp_path, one, other, pod_group("pg", one, namespace="a")))
    assert name == "a/other"


def test_each_owner_in_a_circle_counts_once(tmp_path: Path) -> None:
    """The chain ends where it comes back to a controller."""
    one = item(("ray.io/v1", "RayJob"), "one", namespace="a")
    other = item(("ray.io/v1", "RayCluster"), "other", namespace="a", owner=one)
    one["metadata"]["ownerReferences"] = [owned_by(other)]
    manifests = read_job(tmp_path, one, other, pod_group("pg", one, namespace="a"))
    assert [owner.name for owner in job_names(manifests)["a/pg"].owners] == ["other", "one"]


def test_jobs_without_a_queue_have_names(tmp_path: Path) -> None:
    """The cluster knows what a job is called whose queue does not exist."""
    group = pod_group("ray-pg", RAY_CLUSTER, namespace="a", queue="reserach")
    built = build_cluster(complete(read_job(tmp_path, queue("research"), group)))
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
    known = job_names(read_job(tmp_path, volcano_job("mpi-allreduce", namespace="a", cpu=1)))
    assert unknown_job(name, known.values()) == hint


FLOW = "flow.volcano.sh/v1alpha1"


def template(name: str, **spec: Any) -> Object:
    """Make a JobTemplate of two workers."""
    return make("JobTemplate", name, FLOW, spec={"tasks": [task()], **spec})


def flow(*flows: Object, **metadata: Any) -> Object:
    """Make a JobFlow named daily."""
    return make("JobFlow", "daily", FLOW, metadata=metadata, spec={"flows": list(flows)})


def cron(**spec: Any) -> Object:
    """Make a CronJob named nightly, whose Jobs have two workers."""
    job = {"metadata": {"labels": {"team": "a"}}, "spec": {"tasks": [task()], **spec}}
    return make("CronJob", "nightly", BATCH, spec={"schedule": "0 3 * * *", "jobTemplate": job})


def found(*objects: Object) -> dict[str, str]:
    """Return the messages of lint by the code of the rule."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions())
    return {each.code: each.message for each in result.findings}


def test_a_flow_creates_the_jobs_that_wait_for_none() -> None:
    """They are named after the flow and the template, called after the flow, and the others are not there."""
    made = completed(template("a"), template("b"), flow({"name": "a"}, {"name": "b", "dependsOn": {"targets": ["a"]}}))
    assert names(made.pods) == ["daily-a-worker-0", "daily-a-worker-1"]
    assert [each.display for each in job_names(made).values()] == ["ns/daily"]
    told = {note.message for note in made.notes}
    assert "added what controllers would create: 1 Job for JobFlow ns/daily" in told
    assert "Jobs that wait for others of their JobFlow were not added: daily-b" in told
    assert next(note for note in made.notes if note.code == "ignored-kinds").message == "not used: 1 JobTemplate"


def test_a_flow_stops_at_a_template_that_is_missing() -> None:
    """The Jobs before it are created, those after it are not."""
    made = completed(template("a"), template("c"), flow({"name": "a"}, {"name": "b"}, {"name": "c"}))
    assert names(made.pods) == ["daily-a-worker-0", "daily-a-worker-1"]


def test_a_flow_of_a_cluster_has_created_its_jobs() -> None:
    """Nothing is added to what a cluster has seen."""
    assert completed(template("a"), flow({"name": "a"}, uid="1")).pods == []


def test_a_job_that_would_be_denied_is_not_created() -> None:
    """A warning says which, and why."""
    manifests = read(template("a", minAvailable=3), flow({"name": "a"}))
    [warning] = [note for note in manifests.notes if note.severity == "warning"]
    assert manifests.volcano_jobs == []
    assert warning.message.startswith("JobFlow ns/daily cannot create Job daily-a: Volcano's webhook denies this Job")


def test_a_cron_job_runs_when_it_is_asked_for() -> None:
    """It adds nothing by itself; its next run has the labels of the template, and the minute in its name."""
    manifests = read(cron())
    [run] = next_runs(manifests)
    assert (complete(manifests).pods, run.maker) == ([], "CronJob ns/nightly")
    assert (run.typed.metadata.name, run.typed.metadata.labels) == ("nightly-00000000", {"team": "a"})


def test_what_makes_jobs_is_judged_by_them() -> None:
    """What the webhook would deny of a Job is found where it stands, and so is a queue that does not exist."""
    queue = make("Queue", "q", "scheduling.volcano.sh/v1beta1", spec={})
    templates = found(template("a", minAvailable=3, queue="no"), queue)
    assert "JobTemplate ns/a, spec.minAvailable: Volcano's webhook denies" in templates["job-denied"]
    assert "no" in templates["workload-on-unknown-queue"]
    runs = found(cron(minAvailable=3, queue="no"), queue)
    assert "CronJob ns/nightly, spec.minAvailable: Volcano's webhook denies" in runs["job-denied"]
    assert "no" in runs["workload-on-unknown-queue"]


def test_a_template_with_a_value_of_the_wrong_type_makes_no_job() -> None:
    """The schema finds it, and nothing else is said of a Job."""
    codes = found(template("a", minAvailable="two"))
    assert "refused-by-schema" in codes
    assert "job-denied" not in codes
