"""What holds of every replay."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties import examples
from tests.replay.workloads import Job, job_lists, preempting, with_queues, workload
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.journal import Header, Journal, identity
from vqs.replay.outcome import PodRecord, Replay
from vqs.replay.timing import Latencies
from vqs.replay.workload import Lifecycle, Workload

EXAMPLES = settings(
    max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CLOSE = 1e-6


def run(asked: Workload, **options: object) -> Replay:
    """Replay a workload up to its end."""
    return replay(asked, replace(ReplayOptions(until=2000.0), **options))  # type: ignore[arg-type]


def crowded(jobs: list[Job], action: str) -> Workload:
    """Put jobs on two small nodes on which those of a high priority evict others."""
    return workload(jobs, nodes=2, cpu=5, start=preempting(), action=action)


@EXAMPLES
@given(job_lists(priorities=("low", "high")), st.sampled_from(["", "RestartJob", "RestartPod", "RestartTask"]))
def test_waiting_jobs_keep_to_littles_law(jobs: list[Job], action: str) -> None:
    """The mean number of jobs that wait, times the time, is the sum of their waits."""
    result = run(crowded(jobs, action))
    area = sum(sample.seconds * each.waiting_jobs for sample in result.samples for each in sample.queues.values())
    waits = sum((result.end if job.started is None else job.started) - job.arrival for job in result.jobs)
    assert area == pytest.approx(waits, abs=CLOSE)
    assert sum(sum(job.waited.values()) for job in result.jobs) == pytest.approx(waits, abs=CLOSE)


@EXAMPLES
@given(job_lists(priorities=("low", "high")), st.sampled_from(["", "RestartJob", "RestartPod", "RestartTask"]))
def test_pods_and_work_are_conserved(jobs: list[Job], action: str) -> None:
    """Each pod that starts ends, is told to go, or still runs, in this order, and no work is lost twice."""
    result = run(crowded(jobs, action))
    for pod in result.pods:
        times = [each for each in (pod.created, pod.bound, pod.started, pod.ended) if each is not None]
        assert times == sorted(times)
        assert (pod.outcome == "") == (pod.ended is None)
        assert pod.outcome != "succeeded" or pod.started is not None
        assert 0 <= pod.work_lost <= (pod.ended or 0) - (pod.started or 0) + CLOSE
    for index, job in enumerate(result.jobs):
        lives = [pod for pod in result.pods if pod.job == index]
        worked = sum((pod.ended or result.end) - pod.started for pod in lives if pod.started is not None)
        running = sum(result.end - pod.started for pod in lives if pod.started is not None and pod.ended is None)
        assert job.work == pytest.approx(worked - running, abs=CLOSE)
        assert job.work_lost == pytest.approx(sum(pod.work_lost for pod in lives), abs=CLOSE)
        assert job.evictions == sum(pod.outcome == "evicted" for pod in lives)
    assert result.evictions == sum(job.evictions for job in result.jobs)


@EXAMPLES
@given(job_lists(priorities=("low", "high")), st.sampled_from(["", "RestartJob", "RestartPod", "RestartTask"]))
def test_nodes_are_never_overcommitted(jobs: list[Job], action: str) -> None:
    """At no event do the pods on a node hold more than it has, those included that are about to go."""
    result = run(crowded(jobs, action))
    cpu = {f"{job.name}-worker-{number}": job.cpu for job in jobs for number in range(job.pods)}
    for name, changes in changes_of(result.pods, cpu).items():
        held = 0
        for _, change in sorted(changes):
            held += change
            assert 0 <= held <= 5, name
    for sample in result.node_samples:
        assert all(0 <= part <= 1 for parts in sample.used for part in parts)


def changes_of(pods: list[PodRecord], cpu: dict[str, int]) -> dict[str, list[tuple[float, int]]]:
    """Return when how much is taken and given back on each node."""
    changes: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for pod in pods:
        if pod.bound is not None:
            changes[pod.node].append((pod.bound, cpu[pod.pod]))
            if pod.ended is not None:
                told_to_go = pod.outcome in ("evicted", "killed", "lost")
                gone = pod.ended + (Latencies().usual().removal.quantile(0.5) if told_to_go else 0.0)
                changes[pod.node].append((gone, -cpu[pod.pod]))
    return changes


@EXAMPLES
@given(st.lists(st.tuples(st.floats(0, 20), st.floats(0.1, 20)), min_size=1, max_size=9), st.integers(1, 3))
def test_another_node_never_makes_it_take_longer(times: list[tuple[float, float]], nodes: int) -> None:
    """Jobs of one queue and one pod, each of which fills a node, are done no later on one more node."""
    jobs = [Job(f"j{number}", arrival, cpu=8, seconds=seconds) for number, (arrival, seconds) in enumerate(times)]
    few, more = (run(workload(jobs, nodes=number), write=0.0) for number in (nodes, nodes + 1))
    assert few.makespan is not None
    assert more.makespan is not None
    assert more.makespan <= few.makespan + CLOSE


@EXAMPLES
@given(job_lists(priorities=("low", "high")))
def test_sessions_that_are_left_out_change_nothing_for_those_that_evict(jobs: list[Job]) -> None:
    """Where jobs evict others, a replay that leaves out sessions has the same records as one that runs all of them."""
    some, every = (run(crowded(jobs, "RestartPod"), skip_quiet=skips) for skips in (True, False))
    assert some.sessions <= every.sessions
    assert records(some) == records(every)


@EXAMPLES
@given(job_lists(queues=("default", "a", "b")), st.booleans())
def test_sessions_that_are_left_out_change_nothing(jobs: list[Job], controlled: bool) -> None:
    """With gates and shares of queues, too, of Volcano Jobs and of others."""

    def given_jobs() -> Workload:
        lifecycle = Lifecycle() if controlled else None
        return workload(jobs, nodes=2, cpu=5, start=with_queues(), lifecycle=lifecycle, controlled=controlled)

    some, every = (run(given_jobs(), skip_quiet=skips) for skips in (True, False))
    assert some.sessions <= every.sessions
    assert records(some) == records(every)


def records(result: Replay) -> bytes:
    """Return what became of jobs and pods, without why jobs waited, which sessions tell that may be left out."""
    jobs = [msgspec.structs.replace(job, waited={}) for job in result.jobs]
    return msgspec.json.encode([jobs, result.pods, result.makespan])


@EXAMPLES
@given(job_lists(priorities=("low", "high"), most=5), st.floats(0, 1))
def test_a_replay_goes_on_from_any_byte_of_its_journal(
    tmp_path_factory: pytest.TempPathFactory, jobs: list[Job], part: float
) -> None:
    """Wherever its journal is cut off, a replay that goes on has the same bytes as one that was never stopped."""
    path = tmp_path_factory.mktemp("journal") / "journal"
    whole = msgspec.json.encode(journalled(path, jobs))
    written = path.read_bytes()
    path.write_bytes(written[: int(len(written) * part)])
    assert msgspec.json.encode(journalled(path, jobs)) == whole
    assert path.read_bytes() == written


def journalled(path: Path, jobs: list[Job]) -> Replay:
    """Replay jobs with a journal."""
    asked = crowded(jobs, "RestartJob")
    with Journal(path, Header(vqs="test", workload=identity(asked), settings="")) as journal:
        return run(asked, journal=journal)
