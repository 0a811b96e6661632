"""Jobs of Kubernetes make further pods until all completions have succeeded, and fail after too many evictions."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any, Final

import pytest

from tests.replay.workloads import PREEMPT
from vqs.model import kubernetes as k8s
from vqs.replay.batch_job import BatchJob
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.outcome import PodRecord, Replay
from vqs.replay.reading.scenario import workload_of
from vqs.replay.workload import EVERY_ROLE, Present, Timing
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.reader import read_manifests

JOB: Final = """
nodes: [{{name: n, cpu: {cpu}, memory: 32Gi}}]
jobs: {jobs}
manifests:
- apiVersion: batch/v1
  kind: Job
  metadata: {{name: work, namespace: default}}
  spec:
{spec}
    template:
      spec:
        schedulerName: volcano
        priorityClassName: low
        restartPolicy: Never
        containers: [{{name: c, image: x, resources: {{requests: {{cpu: 1}}}}}}]
"""
URGENT: Final = "{{name: urgent-{number}, cpu: 2, priorityClass: high, arrival: {at}, duration: 1}}"


def replayed(spec: str, cpu: int = 2, evictions_at: list[int] | None = None, seconds: float = 30.0) -> Replay:
    """Replay a Job whose pods run for some seconds, and jobs that take all of the node for a second."""
    jobs = [URGENT.format(number=number, at=at) for number, at in enumerate(evictions_at or ())]
    lines = "\n".join(f"    {line}" for line in spec.splitlines())
    text = PREEMPT.replace("    - name: proportion\n", "") + JOB.format(
        cpu=cpu, jobs=f"[{', '.join(jobs)}]".replace("{{", "{").replace("}}", "}"), spec=lines
    )
    workload = workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test")
    group = complete(workload.start).pod_groups[0].metadata.key
    present = {**workload.present, group: Present({EVERY_ROLE: Timing(Fixed(seconds))})}
    return replay(replace(workload, present=present), ReplayOptions(until=2000))


def work(result: Replay) -> list[PodRecord]:
    """Return the lives of the Job's pods."""
    return [pod for pod in result.pods if result.jobs[pod.job].name.startswith("podgroup-")]


@pytest.mark.parametrize("mode", ["NonIndexed", "Indexed"])
def test_all_completions_are_made(mode: str) -> None:
    """As many pods run at a time as the Job says, until all of its completions have succeeded."""
    result = replayed(f"completions: 5\nparallelism: 2\ncompletionMode: {mode}")
    lives = work(result)
    assert [each.outcome for each in lives] == ["succeeded"] * 5
    assert len({each.pod for each in lives}) == 5
    assert sorted(round((each.started or 0.0) / 30) for each in lives) == [0, 0, 1, 1, 2]
    assert result.jobs[0].phase == "Completed"


def test_without_completions_the_first_success_is_the_last_start() -> None:
    """A Job with parallelism alone makes no pod after one has succeeded."""
    lives = work(replayed("parallelism: 3"))
    assert [each.outcome for each in lives] == ["succeeded"] * 2 + ["succeeded"]
    assert len(lives) == 3


def test_an_evicted_pod_is_made_again_after_a_while() -> None:
    """The controller waits ten seconds after a failure, and twice as long after the next."""
    lives = work(replayed("completions: 1", cpu=2, evictions_at=[5, 40], seconds=60.0))
    assert [each.outcome for each in lives] == ["evicted", "evicted", "succeeded"]
    first, second = (later.created - (before.ended or 0.0) for before, later in pairwise(lives))
    assert first == pytest.approx(10, abs=1)
    assert second == pytest.approx(20, abs=1)


def test_too_many_evictions_end_the_job() -> None:
    """A Job fails whose pods were evicted more often than its backoffLimit allows."""
    result = replayed("completions: 1\nbackoffLimit: 1", evictions_at=[5, 40], seconds=60.0)
    assert [each.outcome for each in work(result)] == ["evicted", "evicted"]
    assert result.jobs[0].phase == "Failed"


RULES: Final = (
    "podFailurePolicy: {{rules: [{{action: {action}, onExitCodes: {{operator: {operator}, values: {codes}}}}}]}}"
)


@pytest.mark.parametrize(
    ("action", "operator", "codes", "phase", "lives"),
    [
        ("FailJob", "In", "[143]", "Failed", 1),
        ("FailJob", "NotIn", "[143]", "Completed", 2),
        ("Ignore", "In", "[143]", "Completed", 2),
        ("Count", "In", "[143]", "Failed", 1),
    ],
)
def test_rules_for_exit_codes(action: str, operator: str, codes: str, phase: str, lives: int) -> None:
    """What the exit code of a stopped pod means is up to the podFailurePolicy."""
    limit = 1 if operator == "NotIn" else 0
    rules = RULES.format(action=action, operator=operator, codes=codes)
    result = replayed(f"completions: 1\nbackoffLimit: {limit}\n{rules}", evictions_at=[5], seconds=60.0)
    assert (result.jobs[0].phase, len(work(result))) == (phase, lives)


def job(**spec: Any) -> k8s.Job:
    """Make a Job."""
    return k8s.Job(metadata=k8s.ObjectMeta(name="work"), spec=k8s.JobSpec(**spec))


@pytest.mark.parametrize(
    ("spec", "succeeded", "active", "waiting"),
    [({"completions": 5}, 1, 2, 2), ({"parallelism": 3}, 0, 3, 0), ({}, 0, 1, 0), ({"completions": 2}, 2, 1, 0)],
)
def test_what_has_no_pod_yet(spec: dict[str, int], succeeded: int, active: int, waiting: int) -> None:
    """Of the completions, those are left that have neither succeeded nor a pod."""
    phases = ["Succeeded"] * succeeded + ["Running"] * active
    pods = [k8s.Pod(status=k8s.PodStatus(phase=phase)) for phase in phases]
    assert len(BatchJob.of(job(**spec), pods).pending) == waiting


def test_a_success_ends_the_back_off() -> None:
    """After a pod has succeeded, the next one may be made at once."""
    batch = BatchJob.of(job(completions=9), [])
    pod = k8s.Pod()
    assert [batch.fails(pod, None, 100.0) for _ in range(3)] == [""] * 3
    assert batch.next_pod(pod) == 140.0
    batch.succeeds(pod)
    assert batch.next_pod(pod) == 100.0


# --- indexes ----------------------------------------------------------------------------------------------------------

INDEXED: Final = "completionMode: Indexed\n"


def indexes(lives: list[PodRecord]) -> list[int]:
    """Return the indexes that pods work on, by their names."""
    return [int(each.pod.split("-")[1]) for each in lives]


def test_each_index_has_its_pod() -> None:
    """The pods that follow others work on the indexes that none has worked on."""
    lives = work(replayed(INDEXED + "completions: 5\nparallelism: 2"))
    assert indexes(lives) == [0, 1, 2, 3, 4]


FAIL_INDEX: Final = "podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [143]}}]}\n"


@pytest.mark.parametrize(
    ("limit", "more", "phase", "worked"),
    [
        (0, "", "Failed", [0, 1, 2]),
        (1, "", "Completed", [0, 0, 1, 2]),
        (1, FAIL_INDEX, "Failed", [0, 1, 2]),
        (0, FAIL_INDEX.replace("FailIndex", "Ignore"), "Completed", [0, 0, 1, 2]),
        (0, "maxFailedIndexes: 0\n", "Failed", [0]),
        (0, "maxFailedIndexes: 1\n", "Failed", [0, 1, 2]),
        (1, "backoffLimit: 0\n", "Failed", [0]),
    ],
)
def test_an_index_that_fails_too_often_is_given_up(limit: int, more: str, phase: str, worked: list[int]) -> None:
    """The others go on, and the Job fails at the end; sooner where more than maxFailedIndexes have failed."""
    spec = f"{INDEXED}completions: 3\nparallelism: 1\nbackoffLimitPerIndex: {limit}\n{more}"
    result = replayed(spec, evictions_at=[5])
    assert (result.jobs[0].phase, indexes(work(result))) == (phase, worked)


def test_indexes_wait_for_themselves() -> None:
    """After a failure, the controller waits with this index only, and counts on from what its pods say."""
    limited = job(completions=2, completion_mode="Indexed", backoff_limit_per_index=3)
    batch = BatchJob.of(limited, [])
    pods = [
        k8s.Pod(metadata=k8s.ObjectMeta(annotations={"batch.kubernetes.io/job-completion-index": each}))
        for each in ("0", "1")
    ]
    assert [batch.fails(pods[0], None, 100.0) for _ in range(2)] == [""] * 2
    assert [batch.next_pod(each) for each in pods] == [120.0, -inf]
    batch.succeeds(pods[1])
    assert batch.next_pod(pods[0]) == 120.0
    pods[1].metadata.annotations["batch.kubernetes.io/job-index-failure-count"] = "3"
    known = BatchJob.of(limited, pods)
    assert (known.fails(pods[0], None, 5.0), known.fails(pods[1], None, 5.0)) == ("", "index")


@pytest.mark.parametrize(
    ("rules", "worked", "succeeded"),
    [
        ("[{succeededIndexes: 0-1, succeededCount: 1}]", [0, 1], 1),
        ("[{succeededIndexes: 0-1}]", [0, 1], 2),
        ("[{succeededCount: 3}]", [0, 1, 2, 3], 3),
        ("[{succeededIndexes: '2'}, {succeededCount: 4}]", [0, 1, 2, 3], 3),
    ],
)
def test_a_success_policy_ends_the_job(rules: str, worked: list[int], succeeded: int) -> None:
    """Once a rule is met, the pods that still run are stopped, and the Job is completed."""
    result = replayed(f"{INDEXED}completions: 4\nparallelism: 2\nsuccessPolicy: {{rules: {rules}}}")
    lives = work(result)
    assert result.jobs[0].phase == "Completed"
    assert indexes(lives) == worked
    assert [each.outcome for each in lives].count("succeeded") == succeeded


def test_failed_indexes_stay_so() -> None:
    """What a dump says to have failed gets no pod, and the Job fails at the end."""
    status = k8s.JobStatus(completed_indexes="0", failed_indexes="2-3", succeeded=1)
    spec = k8s.JobSpec(completions=6, completion_mode="Indexed", backoff_limit_per_index=0)
    batch = BatchJob.of(k8s.Job(spec=spec, status=status), [])
    assert batch.pending == [1, 4, 5]
    assert batch.failed == {2, 3}
