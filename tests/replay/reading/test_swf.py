"""Logs in the Standard Workload Format."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay.reading.files import Files, errors_in, notes_of
from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Fixed
from vqs.replay.reading.faults import Faults
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.reading.swf import read_swf
from vqs.replay.workload import Arrival
from vqs.snapshot.reading.diagnostics import Problems
from vqs.snapshot.reading.sources import Source

HEAD = """\
; Version: 2.2
; MaxNodes: 3
; MaxProcs: 12 (of which 4 are special)
; Queue: 1 Batch (long)
"""
#        job submit wait run alloc cpu mem req time reqmem status user group app queue partition before think
JOBS = """\
1 0 10 3600 10 -1 1024 -1 7200 -1 1 5 2 -1 1 1 -1 -1
2 60.5 -1 0 -1 -1 -1 4 -1 2048 0 6 2 -1 2 1 -1 -1
"""


def _job(arrival: Arrival) -> k8s.VolcanoJob:
    assert isinstance(arrival.job, k8s.VolcanoJob)
    return arrival.job


def _tasks(arrival: Arrival) -> list[tuple[str, int, object]]:
    tasks = _job(arrival).spec.tasks
    return [(task.name, task.replicas, task.template.spec.containers[0].resources.requests) for task in tasks]


def test_processors_become_pods(files: Files) -> None:
    """A job has a pod for as many processors as a node has, and one more for the rest; all of them at once."""
    workload = files.read({"log.swf": HEAD + JOBS})
    first, second = workload.arrivals
    assert _tasks(first) == [("worker", 2, {"cpu": "4"}), ("rest", 1, {"cpu": "2"})]
    assert _tasks(second) == [("worker", 1, {"cpu": "4"})]
    assert (first.time, second.time, _job(first).spec.min_available) == (0.0, 60.5, 3)
    assert [arrival.timing["worker"].duration for arrival in (first, second)] == [Fixed(3600.0), Fixed(0.0)]
    assert [node.status.allocatable["cpu"] for node in workload.start.nodes] == ["4", "4", "4"]


def test_queues_have_the_names_of_the_comments(files: Files) -> None:
    """A queue is called as a comment calls it, else by its number; other fields name queues when asked to."""
    workload = files.read({"log.swf": HEAD + JOBS})
    assert [_job(each).spec.queue for each in workload.arrivals] == ["batch-long", "queue-2"]
    by_user = files.read({"log.swf": HEAD + JOBS}, ReadingOptions(queue_of=QueueOf.USER))
    assert [queue.metadata.name for queue in by_user.start.queues] == ["user-5", "user-6"]
    by_nothing = files.read({"log.swf": HEAD + JOBS}, ReadingOptions(queue_of=QueueOf.NONE))
    assert by_nothing.start.queues == []


def test_memory_counts_where_nodes_have_some(files: Files) -> None:
    """A log says nothing of the nodes' memory, so that memory is requested only on nodes of a snapshot."""
    scenario = "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{count: 2, cpu: 8, memory: 1Gi}]\n"
    workload = files.read({"log.swf": HEAD + JOBS, "nodes.yaml": scenario}, ReadingOptions(processors_per_pod=8))
    first, second = workload.arrivals
    assert _tasks(first)[0] == ("worker", 1, {"cpu": "8", "memory": "8192Ki"})
    assert _tasks(second) == [("worker", 1, {"cpu": "4", "memory": "8192Ki"})]
    assert len(workload.start.nodes) == 2


def test_a_compressed_log_is_read(files: Files) -> None:
    """A log is recognised in a gzip file, as archives have them."""
    path = files.folder / "log.swf.gz"
    path.write_bytes(gzip.compress((HEAD + JOBS).encode()))
    assert len(list(files.of_paths([str(path)]).arrivals)) == 2


def test_what_cannot_be_replayed_is_counted(files: Files) -> None:
    """Parts of runs and jobs of unknown time or size are left out, and notes say how many."""
    lines = [
        "3 70 -1 -1 -1 -1 -1 4 -1 -1 5 6 2 -1 2 1 -1 -1",
        "4 70 -1 9 -1 -1 -1 -1 -1 -1 1 6 2 -1 2 1 -1 -1",
        "5 -1 -1 9 1 -1 -1 1 -1 -1 1 6 2 -1 2 1 -1 -1",
        "1 70 -1 9 4 -1 -1 4 -1 -1 2 6 2 -1 2 1 -1 -1",
        "1 80 -1 9 4 -1 -1 4 -1 -1 3 6 2 -1 2 1 -1 -1",
    ]
    workload = files.read({"log.swf": HEAD + JOBS + "\n".join(lines)})
    assert len(list(workload.arrivals)) == 2
    assert notes_of(workload) == [
        "1 line is left out: without a run time, such as those cancelled before they started",
        "1 line is left out: without a number of processors",
        "1 line is left out: without a submit time",
        "2 lines are left out: a part of a run, which has a line as a whole too",
    ]


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("1 0 10 3600", 12, "expected 18 fields, found 4"),
        ("1 0 10 x 10 -1 1024 -1 7200 -1 1 5 2 -1 1 1 -1 -1", 8, "expected a number for the run time, got 'x'"),
        ("1 0 10 9 10 -1 1024 -1 7200 -1 1 5 2 -1 1 1 -1 nan", 48, "expected a number for field 18, got 'nan'"),
        ("1 0 10 1e300 10 -1 1024 -1 7200 -1 1 5 2 -1 1 1 -1 -1", 8, "the run time is more than 100 years"),
        (
            "1 0 10 9 10 -1 1024 1000000000 7200 -1 1 5 2 -1 1 1 -1 -1",
            21,
            "the requested number of processors is more than 250,000",
        ),
        ("-1 0 10 9 10 -1 1024 -1 7200 -1 1 5 2 -1 1 1 -1 -1", 1, "expected a job number of at least 0"),
    ],
)
def test_wrong_lines_have_places(files: Files, line: str, column: int, message: str) -> None:
    """What is wrong in a log is said with its line and column."""
    [error] = errors_in(files, {"log.swf": f"{HEAD}{line}\n"})
    assert (error.line, error.column, error.message) == (5, column, message)


def test_errors_end(files: Files) -> None:
    """After a thousand errors a file is not read on, however long it is."""
    assert len(errors_in(files, {"log.swf": HEAD + "1 2 3\n" * 5000})) == 1000


def test_repeated_jobs_and_huge_systems_are_refused(files: Files) -> None:
    """A job number that comes twice is an error, and so is a header that tells of a million nodes."""
    [twice] = errors_in(files, {"log.swf": HEAD + JOBS + JOBS.splitlines()[0]})
    assert (twice.line, twice.message) == (7, "job 1 is given twice")
    [huge] = errors_in(files, {"log.swf": f"; MaxNodes: 1000000\n{JOBS}"})
    assert huge.message == "the comments tell of 1,000,000 nodes, more than the 50,000 that are made"


def test_a_log_without_a_size_needs_nodes(files: Files) -> None:
    """A log whose comments do not say how large the system was needs a snapshot beside it."""
    [error] = errors_in(files, {"log.swf": f"; Version: 2\n{JOBS}"})
    assert (error.message, error.help) == (
        "the recording has no nodes",
        "give a snapshot or a scenario with nodes beside it",
    )


jobs = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 10**5), st.integers(1, 500), st.integers(0, 5)), max_size=20
)


@given(jobs, st.integers(1, 64))
def test_nothing_is_lost_between_a_log_and_its_jobs(written: list[tuple[int, int, int, int]], per_pod: int) -> None:
    """Each job keeps its submit time, run time and processors, whatever number of these a pod has."""
    lines = [
        f"{number} {submitted} -1 {seconds} {processors} -1 -1 -1 -1 -1 1 1 1 -1 {queue} -1 -1 -1"
        for number, (submitted, seconds, processors, queue) in enumerate(written, 1)
    ]
    problems = Problems()
    faults = Faults(Source("log.swf", "\n".join(lines)), problems)
    read = read_swf(faults, ReadingOptions(processors_per_pod=per_pod)).jobs
    assert problems.diagnostics == []
    assert [job.arrival for job in read] == sorted(submitted for submitted, *_ in written)
    by_number = {int(job.name.removeprefix("job-")): job for job in read}
    for number, (submitted, seconds, processors, queue) in enumerate(written, 1):
        job = by_number[number]
        assert (job.arrival, job.queue) == (submitted, f"queue-{queue}")
        assert sum(task.replicas * int(dict(task.requests)["cpu"]) for task in job.tasks) == processors
        assert {task.seconds for task in job.tasks} == {(float(seconds),)}
        assert all(int(dict(task.requests)["cpu"]) <= per_pod for task in job.tasks)
