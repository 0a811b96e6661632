"""Jobs from kube-state-metrics, as text and as answers of Prometheus."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay.reading.files import Files, errors_in, notes_of
from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Fixed, Recorded
from vqs.replay.reading.faults import Faults
from vqs.replay.reading.metrics import samples
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.workload import Gang, Workload
from vqs.snapshot.reading.diagnostics import Problems
from vqs.snapshot.reading.sources import Source

BEGIN = 1_700_000_000
NODE = """\
# HELP kube_node_status_allocatable The allocatable amount of a node.
# TYPE kube_node_status_allocatable gauge
kube_node_status_allocatable{node="n1",resource="cpu",unit="core"} 7.5
kube_node_status_allocatable{node="n1",resource="memory",unit="byte"} 6.8719476736e+10
kube_node_status_allocatable{node="n1",resource="nvidia_com_gpu",unit="integer"} 4
kube_node_status_allocatable{node="n1",resource="pods",unit="integer"} 110
"""


def pod(name: str, created: float, started: float | None, completed: float | None, owner: str = "") -> str:
    """Return the metrics of a pod in the namespace ml; an owner is a Job."""
    labels = f'namespace="ml",pod="{name}",uid="uid-{name}"'
    kind = "Job" if owner else "<none>"
    lines = [
        f"kube_pod_created{{{labels}}} {BEGIN + created}",
        f'kube_pod_owner{{{labels},owner_kind="{kind}",owner_name="{owner or "<none>"}",owner_is_controller="true"}} 1',
        f'kube_pod_container_resource_requests{{{labels},container="a",resource="cpu",unit="core"}} 1.5',
        f'kube_pod_container_resource_requests{{{labels},container="b",resource="cpu",unit="core"}} 0.25',
        f'kube_pod_container_resource_requests{{{labels},container="a",resource="nvidia_com_gpu",unit="integer"}} 2',
    ]
    if started is not None:
        lines.append(f"kube_pod_start_time{{{labels}}} {BEGIN + started}")
    if completed is not None:
        lines.append(f"kube_pod_completion_time{{{labels}}} {BEGIN + completed}")
    return "\n".join(lines) + "\n"


VOLCANO_JOB = (
    pod("train-ps-0", 10, 20, 120, "train")
    + pod("train-worker-0", 10, 20, 70, "train")
    + pod("train-worker-1", 11, 21, 81, "train")
    + 'volcano_e2e_job_scheduling_start_time{job_name="train-0a1b2c3d-1111-2222-3333-444455556666",queue="research",'
    'job_namespace="ml"} 1\n'
)
KUBERNETES_JOB = (
    f'kube_job_created{{namespace="ml",job_name="etl"}} {BEGIN + 5}\n'
    'kube_job_spec_parallelism{namespace="ml",job_name="etl"} 2\n'
    'kube_job_spec_completions{namespace="ml",job_name="etl"} 3\n'
    + pod("etl-aaaaa", 6, 7, 17, "etl")
    + pod("etl-bbbbb", 6, 7, 27, "etl")
    + pod("etl-ccccc", 18, 19, 49, "etl")
)


def _read(files: Files, text: str, options: ReadingOptions | None = None) -> Workload:
    return files.read({"metrics.txt": NODE + text}, options or ReadingOptions())


def test_pods_of_volcano_jobs_are_a_gang(files: Files) -> None:
    """Pods of an owner that is no Job of Kubernetes become a Volcano Job, with tasks by their names, in its queue."""
    workload = _read(files, VOLCANO_JOB)
    [arrival] = workload.arrivals
    assert isinstance(arrival.job, k8s.VolcanoJob)
    spec = arrival.job.spec
    assert (arrival.time, arrival.job.metadata.key, spec.queue, spec.min_available) == (0, "ml/train", "research", 3)
    assert [(task.name, task.replicas) for task in spec.tasks] == [("ps", 1), ("worker", 2)]
    assert spec.tasks[0].template.spec.containers[0].resources.requests == {"cpu": "1750m", "nvidia.com/gpu": "2"}
    assert arrival.timing["ps"].duration == Fixed(100.0)
    assert arrival.timing["worker"].duration == Recorded({"ml/train-worker-0": 50.0, "ml/train-worker-1": 60.0})
    assert workload.begin == datetime.fromtimestamp(BEGIN + 10, UTC)
    assert workload.start.nodes[0].status.allocatable == {
        "cpu": "7500m",
        "memory": "68719476736",
        "nvidia.com/gpu": "4",
        "pods": "110",
    }


def test_jobs_of_kubernetes_run_some_pods_at_a_time(files: Files) -> None:
    """A Job with three pods, two at a time, is two pods, the first of which runs as long as the first and third did."""
    [arrival] = _read(files, KUBERNETES_JOB).arrivals
    assert isinstance(arrival.job, Gang)
    assert arrival.job.group.spec.min_member == 1
    assert [each.metadata.name for each in arrival.job.pods] == ["etl-0", "etl-1"]
    assert arrival.timing["worker"].duration == Recorded({"ml/etl-0": 40.0, "ml/etl-1": 20.0})


def test_pods_that_are_not_done_are_guessed(files: Files) -> None:
    """Pods that run on take twice their age, or what others of their task took; one that never ran takes the median."""
    text = (
        pod("a-w-0", 0, 0, 100, "a")
        + pod("a-w-1", 0, 50, None, "a")
        + pod("a-w-2", 0, None, None, "a")
        + pod("b-w-0", 0, 60, None, "b")
        + pod("c-w-0", 0, None, None, "c")
        + pod("d-w-0", 100, 100, 100, "d")
    )
    workload = _read(files, text)
    durations = {
        arrival.job.metadata.name: arrival.timing["w"].duration
        for arrival in workload.arrivals
        if isinstance(arrival.job, k8s.VolcanoJob)
    }
    assert durations == {"a": Fixed(100.0), "b": Fixed(80.0), "d": Fixed(0.0)}
    assert notes_of(workload) == ["1 job is left out: no pod of it ran"]


def test_pods_that_vanish_have_ended(files: Files) -> None:
    """A pod whose samples stop ended with the last of them; one that has the newest samples still runs."""
    lines = [
        f'{{__name__="kube_pod_start_time",namespace="ml",pod="gone"}} {BEGIN} {BEGIN + 600}000',
        f'{{__name__="kube_pod_start_time",namespace="ml",pod="gone"}} {BEGIN} {BEGIN + 1200}000',
        f'{{__name__="kube_pod_start_time",namespace="ml",pod="there"}} {BEGIN} {BEGIN + 2000}000',
    ]
    durations = [each.timing["worker"].duration for each in _read(files, "\n".join(lines)).arrivals]
    assert durations == [Fixed(1200.0), Fixed(4000.0)]


def test_pods_of_services_are_left_out(files: Files) -> None:
    """Pods of ReplicaSets and the like are no jobs; a note counts them."""
    text = VOLCANO_JOB + pod("web-1", 0, 1, None, "web").replace('owner_kind="Job"', 'owner_kind="ReplicaSet"')
    workload = _read(files, text)
    assert len(list(workload.arrivals)) == 1
    assert notes_of(workload) == ["1 pod is left out: of an owner that is no Job, such as a ReplicaSet or DaemonSet"]


def test_namespaces_can_name_queues(files: Files) -> None:
    """With --queue-by namespace, each namespace has a queue."""
    workload = _read(files, KUBERNETES_JOB + VOLCANO_JOB, ReadingOptions(queue_of=QueueOf.NAMESPACE))
    assert [queue.metadata.name for queue in workload.start.queues] == ["ml"]


def test_jobs_before_the_snapshot_are_left_out(files: Files) -> None:
    """With a snapshot beside the metrics, the replay begins at its time, and earlier jobs are taken to be in it."""
    snapshot = "apiVersion: vqs/v1\nkind: Scenario\nnow: 2023-11-14T22:13:28Z\nnodes: [{cpu: 8, gpu: 8}]\n"
    workload = files.read({"metrics.txt": KUBERNETES_JOB + VOLCANO_JOB, "snapshot.yaml": snapshot})
    assert [arrival.time for arrival in workload.arrivals] == [2.0]
    assert notes_of(workload) == ["1 job is left out: submitted before the snapshot was taken"]


def test_answers_of_prometheus_say_the_same(files: Files) -> None:
    """An answer to a range query in JSON is read as its samples in text are."""
    as_text = _read(files, VOLCANO_JOB + KUBERNETES_JOB)
    answer = _answer(samples(_faults(NODE + VOLCANO_JOB + KUBERNETES_JOB), _All()))
    as_json = files.read({"answer.json": json.dumps(answer)})
    assert list(as_json.arrivals) == list(as_text.arrivals)
    assert as_json.start.nodes == as_text.start.nodes


class _All(frozenset[str]):
    """All names."""

    def __contains__(self, _: object) -> bool:
        return True


def _faults(text: str) -> Faults:
    return Faults(Source("metrics.txt", text), Problems())


def _answer(found: Iterable[tuple[str, object, float, float | None]]) -> dict[str, object]:
    result = [
        {"metric": {"__name__": name, **dict(labels)}, "values": [[BEGIN + 200, repr(value)]]}  # type: ignore[call-overload]
        for name, labels, value, _ in found
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("kube_pod_created{", 1, "expected a sample such as kube_job_created{...} 1700000000"),
        ("kube_pod_created{pod=a} 1", 18, 'the labels are not of the form name="value"'),
        ('kube_pod_created{pod="a",uid=3} 1', 26, 'the labels are not of the form name="value"'),
        ('kube_pod_created{pod="a"} soon', 27, "expected a number, got 'soon'"),
        ('kube_pod_created{pod="a"} 1 now', 29, "expected a time in milliseconds since 1970, got 'now'"),
    ],
)
def test_wrong_lines_have_places(files: Files, line: str, column: int, message: str) -> None:
    """What is wrong with a sample is said with its line and column."""
    [error] = errors_in(files, {"metrics.txt": f"{NODE}{line}\n"})
    assert (error.line, error.column, error.message) == (7, column, message)


def test_long_lines_take_no_longer_than_they_are(files: Files) -> None:
    """Blanks and quotes without end do not make a line slow to refuse."""
    for line in ("kube_pod_created" + " " * 200_000 + "1 2 3", 'kube_pod_created{pod="' + 'a\\"' * 50_000):
        [error] = errors_in(files, {"metrics.txt": f"{NODE}{line}\n"})
        assert error.line == 7


def test_amounts_may_be_large(files: Files) -> None:
    """A terabyte of memory is no time, whose values end with the calendar; a time beyond it is refused."""
    text = VOLCANO_JOB + 'kube_node_status_allocatable{node="n2",resource="memory"} 1.099511627776e+12\n'
    nodes = {node.metadata.name: node for node in _read(files, text).start.nodes}
    assert nodes["n2"].status.allocatable["memory"] == "1099511627776"
    [error] = errors_in(files, {"metrics.txt": 'kube_pod_created{pod="a"} 1e300\n'})
    assert error.message == "kube_pod_created of 1e+300 at None is out of range"


def test_wrong_answers_have_places(files: Files) -> None:
    """An answer that is an error, or has no samples in the right form, is refused with its place."""
    [failed] = errors_in(files, {"a.json": '{"status": "error", "error": "query timed out"}'})
    assert failed.message == "this is no successful answer of Prometheus: query timed out"
    wrong = '{"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": 3}}]}}'
    first, *_ = errors_in(files, {"a.json": wrong})
    assert (first.path, first.message) == ("$.data.result[0].metric.__name__", "expected text, got 3")


def test_metrics_without_pods_are_refused(files: Files) -> None:
    """Metrics that speak of no pod say which ones are needed."""
    [error] = errors_in(files, {"metrics.txt": NODE})
    assert error.message == "there is no metric of a pod in the input"


names = st.text("abc_", min_size=1, max_size=8)
labels = st.dictionaries(names, st.text('ab"\\{},= é[]', max_size=12), max_size=4)


@given(names, labels, st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 10**13) | st.none())
def test_samples_survive_being_written(
    name: str, given_labels: dict[str, str], value: float, milliseconds: int | None
) -> None:
    """A sample that is written as exporters do is read as it was, whatever its labels hold."""
    quoted = {key: each.replace("\\", "\\\\").replace('"', '\\"') for key, each in given_labels.items()}
    written = ",".join(f'{key}="{each}"' for key, each in quoted.items())
    line = f"{name}{{{written}}} {value!r}" + ("" if milliseconds is None else f" {milliseconds}")
    [sample] = samples(_faults(line), {name})
    assert (sample.name, dict(sample.labels), sample.value) == (name, given_labels, value)
    assert sample.time == (None if milliseconds is None else milliseconds / 1000)
