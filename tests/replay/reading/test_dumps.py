"""Workloads from dumps of a cluster."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.replay.reading.files import Files, errors_in, notes_of
from vqs.explain.simulate import SimulateOptions
from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Fixed, Recorded
from vqs.replay.engine import Engine, ReplayOptions
from vqs.replay.jobs import PodState
from vqs.replay.reading.options import ReadingOptions, WorkloadFormat
from vqs.replay.reading.recorded import whole_duration
from vqs.replay.workload import EVERY_ROLE, Gang, Policy

DUMPS = ReadingOptions(workload_format=WorkloadFormat.DUMPS)
Object = dict[str, Any]


def at(minute: int) -> str:
    """Return a time that is some minutes after noon."""
    return f"2026-03-02T{12 + minute // 60:02d}:{minute % 60:02d}:00Z"


def node(seen: int) -> Object:
    """Return a node whose condition changed at a minute: the dump is not older than that."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "uid": "n1", "creationTimestamp": at(0)},
        "status": {
            "allocatable": {"cpu": "32", "memory": "64Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at(seen)}],
        },
    }


def owner_of(job: str) -> Object:
    """Return the reference to a Volcano Job that its pods and its PodGroup have."""
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "name": job,
        "uid": f"uid-{job}",
        "controller": True,
    }


def pod(
    name: str,
    job: str,
    created: int,
    *,
    started: int | None = None,
    ended: int | None = None,
    by_condition: bool = False,
    task: str = "worker",
) -> Object:
    """Return a pod of a Volcano Job; it ended well where `ended` says when."""
    annotations = {"scheduling.k8s.io/group-name": f"{job}-uid-{job}", "volcano.sh/task-spec": task}
    status: Object = {"phase": "Pending"}
    if started is not None:
        status = {"phase": "Running", "startTime": at(started)}
    if ended is not None:
        status["phase"] = "Succeeded"
        status["conditions"] = [
            {"type": "Ready", "status": "False", "reason": "PodCompleted", "lastTransitionTime": at(ended)}
        ]
        if not by_condition:
            terminated = {"exitCode": 0, "startedAt": at(started or 0), "finishedAt": at(ended)}
            status["containerStatuses"] = [{"name": "c", "ready": False, "state": {"terminated": terminated}}]
            status["conditions"] = []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": f"uid-{name}",
            "creationTimestamp": at(created),
            "annotations": annotations,
            "ownerReferences": [owner_of(job)],
        },
        "spec": {
            "schedulerName": "volcano",
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
            **({"nodeName": "n1"} if started is not None else {}),
        },
        "status": status,
    }


def volcano_job(name: str, created: int, replicas: int = 1) -> Object:
    """Return a Volcano Job with one task."""
    template = {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml", "uid": f"uid-{name}", "creationTimestamp": at(created)},
        "spec": {
            "schedulerName": "volcano",
            "minAvailable": replicas,
            "queue": "default",
            "tasks": [{"name": "worker", "replicas": replicas, "template": template}],
            "policies": [{"event": "PodEvicted", "action": "RestartJob", "timeout": "1m"}],
            "maxRetry": 7,
        },
        "status": {"state": {"phase": "Running"}},
    }


def group(job: str, created: int, phase: str = "Running") -> Object:
    """Return the PodGroup of a Volcano Job."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": f"{job}-uid-{job}",
            "namespace": "ml",
            "uid": f"pg-{job}",
            "creationTimestamp": at(created),
            "ownerReferences": [owner_of(job)],
        },
        "spec": {"minMember": 1, "queue": "default"},
        "status": {"phase": phase},
    }


def dump(*objects: Object) -> str:
    """Return a List as kubectl prints it."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


FIRST = dump(
    node(30),
    volcano_job("old", 5),
    group("old", 5),
    pod("old-worker-0", "old", 5, started=10),
    volcano_job("long", 5),
    group("long", 5),
    pod("long-worker-0", "long", 5, started=10),
)
SECOND = dump(
    node(60),
    volcano_job("long", 5),
    group("long", 5),
    pod("long-worker-0", "long", 5, started=10),
    volcano_job("new", 40, 2),
    group("new", 40),
    pod("new-worker-0", "new", 41, started=42, ended=52),
    pod("new-worker-1", "new", 41, started=42, ended=47, by_condition=True),
)


def test_jobs_arrive_between_two_dumps(files: Files) -> None:
    """The first dump is the state at the start; what only the second one has arrives when it was created."""
    workload = files.read({"b.json": SECOND, "a.json": FIRST}, DUMPS)
    [arrival] = workload.arrivals
    assert isinstance(arrival.job, k8s.VolcanoJob)
    assert (arrival.time, arrival.job.metadata.key) == (600.0, "ml/new")
    assert (arrival.job.metadata.uid, arrival.job.status) == ("", k8s.VolcanoJobStatus())
    assert arrival.timing["worker"].duration == Recorded({"ml/new-worker-0": 600.0, "ml/new-worker-1": 300.0})
    assert len(workload.start.pods) == 2


def test_running_pods_have_time_left(files: Files) -> None:
    """A pod that is gone ended half-way between two dumps; one that runs on runs as long again as it has so far."""
    workload = files.read({"a.json": FIRST, "b.json": SECOND}, DUMPS)
    present = workload.present
    assert present["ml/old-uid-old"].remaining == {"ml/old-worker-0": 15 * 60.0}
    assert present["ml/long-uid-long"].remaining == {"ml/long-worker-0": (2 * 50 - 20) * 60.0}


def test_one_dump_is_a_history(files: Files) -> None:
    """A dump on its own has all of its jobs arrive on empty nodes, from the oldest one on."""
    workload = files.read({"b.json": SECOND}, DUMPS)
    assert [arrival.time for arrival in workload.arrivals] == [0.0, 2100.0]
    assert workload.start.pods == []
    assert [each.metadata.name for each in workload.start.nodes] == ["n1"]


def test_a_dump_is_the_state_at_the_start(files: Files) -> None:
    """Unless it is said to be a history, a dump is the start of the replay, and its running pods have time left."""
    workload = files.read({"a.json": FIRST})
    assert list(workload.arrivals) == []
    assert workload.present["ml/old-uid-old"].remaining == {"ml/old-worker-0": 20 * 60.0}
    assert workload.present["ml/old-uid-old"].timing[EVERY_ROLE].duration == Fixed(40 * 60.0)


WAITS = volcano_job("waits", 29, 2) | {"status": {"state": {"phase": "Pending"}, "retryCount": 2}}


def test_volcano_jobs_without_a_pod_group_are_submitted_at_the_start(files: Files) -> None:
    """Their PodGroups and their pods have yet to be made."""
    workload = files.read({"a.json": dump(*json.loads(FIRST)["items"], WAITS)})
    [arrival] = workload.arrivals
    assert isinstance(arrival.job, k8s.VolcanoJob)
    assert (arrival.time, arrival.job.metadata.name) == (0.0, "waits")
    assert [job.metadata.name for job in workload.start.volcano_jobs] == ["old", "long"]
    assert [each.metadata.name for each in workload.start.pod_groups] == ["old-uid-old", "long-uid-long"]


@pytest.mark.parametrize("phase", ["Pending", "Inqueue"])
def test_pods_that_are_not_made_yet_come_to_the_pod_group_that_is_there(files: Files, phase: str) -> None:
    """A Volcano Job without pods keeps its PodGroup, the age and the phase of that, and how often it was restarted."""
    workload = files.read({"a.json": dump(*json.loads(FIRST)["items"], WAITS, group("waits", 29, phase))})
    assert list(workload.arrivals) == []
    assert "nothing says how long 2 pods will run: without end" in notes_of(workload)
    engine = Engine(workload, ReplayOptions(until=10.0))
    [job] = [each for each in engine.jobs.values() if each.uid == "ml/waits-uid-waits"]
    assert (len(job.slots), job.retries) == (2, 2)
    engine.run()
    assert engine.world.groups[job.uid].metadata.creation_timestamp == datetime(2026, 3, 2, 12, 29, tzinfo=UTC)
    assert job.number(frozenset({PodState.RUNNING})) == 2
    assert (job.record.started or 0) < (2.5 if phase == "Pending" else 1.5)


def test_a_pod_that_a_restart_has_taken_is_made_again(files: Files) -> None:
    """The PodGroup of a Volcano Job that is restarted is made anew, and so it is the youngest; all pods come back."""
    restarts = volcano_job("old", 0, 2) | {"status": {"state": {"phase": "Restarting"}, "retryCount": 1}}
    text = dump(node(60), restarts, pod("old-worker-0", "old", 1, started=2))
    engine = Engine(files.read({"a.json": text}), ReplayOptions(until=10.0))
    engine.run()
    [job] = engine.jobs.values()
    assert [slot.state for slot in job.slots] == [PodState.RUNNING] * 2
    born = engine.world.groups[job.uid].metadata.creation_timestamp
    assert born is not None
    assert born >= datetime(2026, 3, 2, 13, tzinfo=UTC)


def test_pods_began_somewhere_in_the_second_that_is_written(files: Files) -> None:
    """A seed says where, for all that began in one second: a session bound them together."""
    workload = files.read({"a.json": FIRST})
    parts = []
    for seed in (None, 1, 2, 3):
        jobs = Engine(workload, ReplayOptions(session=SimulateOptions(seed=seed))).jobs.values()
        parts.append({round((slot.needed or 0) - 20 * 60, 6) for job in jobs for slot in job.slots})
    assert parts[0] == {0.0}
    assert all(len(each) == 1 and 0 < min(each) < 1 for each in parts[1:])
    assert len({*map(min, parts)}) == 4


def test_volcano_jobs_at_the_start_have_their_policies(files: Files) -> None:
    """What the controller of a Volcano Job acts on is read from the Job in the dump."""
    lifecycle = files.read({"a.json": FIRST}).present["ml/old-uid-old"].lifecycle
    assert lifecycle is not None
    assert lifecycle.policies == (Policy(frozenset({"PodEvicted"}), "RestartJob", timeout=60.0),)
    assert lifecycle.max_retry == 7


def test_pods_without_a_job_arrive_with_their_pod_group(files: Files) -> None:
    """Where the Job is no longer there, its pods arrive as they were created, with their PodGroup."""
    text = dump(node(60), group("gone", 40), pod("gone-worker-0", "gone", 41, started=42, ended=52))
    [arrival] = files.read({"a.json": text}, DUMPS).arrivals
    assert isinstance(arrival.job, Gang)
    [member] = arrival.job.pods
    assert (arrival.job.group.metadata.name, arrival.job.group.status.phase) == ("gone-uid-gone", "Pending")
    assert (member.spec.node_name, member.status) == ("", k8s.PodStatus(phase="Pending"))
    assert arrival.timing["worker"].duration == Fixed(600.0)


def test_a_finished_pod_that_does_not_say_when_ended_with_the_dump(files: Files) -> None:
    """The time of the dump is the latest at which a finished pod can have ended."""
    finished = pod("a-worker-0", "a", 41, started=42, ended=52, by_condition=True)
    del finished["status"]["conditions"]
    [arrival] = files.read({"a.json": dump(node(60), finished)}, DUMPS).arrivals
    assert arrival.timing["worker"].duration == Fixed(18 * 60.0)


def test_pods_of_other_schedulers_stay(files: Files) -> None:
    """In a history, running pods that Volcano did not place take their room from the start."""
    other = pod("daemon-1", "d", 1, started=2)
    other["spec"]["schedulerName"] = "default-scheduler"
    workload = files.read({"b.json": dump(*json.loads(SECOND)["items"], other)}, DUMPS)
    assert [each.metadata.name for each in workload.start.pods] == ["daemon-1"]
    assert len(list(workload.arrivals)) == 2


def test_a_dump_without_jobs_is_no_history(files: Files) -> None:
    """A dump in which nothing could arrive is refused."""
    [error] = errors_in(files, {"a.json": dump(node(60))}, DUMPS)
    assert error.message == "there is no job in the dump that could arrive"


@pytest.mark.parametrize(
    ("age", "ended", "seconds"), [(10, [], 20), (10, [5, 40, 30], 30), (35, [5, 40, 30], 70), (0, [], 0)]
)
def test_the_rule_for_running_pods(age: float, ended: list[float], seconds: float) -> None:
    """A pod runs as long as others did by their median, or as long again where it has run longer than that."""
    assert whole_duration(age, ended) == seconds
