"""Jobs from the metrics of kube-state-metrics, as Prometheus keeps them.

A pod runs from `kube_pod_start_time`, when the kubelet takes it, to `kube_pod_completion_time`; where the latter is
missing, to its last sample, if that is some minutes older than the newest one of the file; else it still runs, see
`vqs.replay.reading.recorded`. A job arrives at `kube_job_created`, or when its first pod was created. Jobs of
Kubernetes are those that `kube_job_created` knows; pods of other owners of the kind Job are from Volcano Jobs, which
need all of their pods to start. Reference: docs/metrics/workload in https://github.com/kubernetes/kube-state-metrics

Files are the text of exporters and of ``promtool tsdb dump``, or answers of Prometheus in JSON. A line of text is
``name{label="value"} 12.5 1700000000000``, or has the name as the label ``__name__``; the time, in milliseconds, may be
missing. An answer is what ``/api/v1/query`` and ``/api/v1/query_range`` return. Reference:
https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/prometheus/latest/querying/api/
The parser of `prometheus_client` names no places and takes no lines without a name, so that lines are taken apart here.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, NamedTuple

import msgspec

from vqs.model.durations import LONGEST
from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.quantity import finite_number
from vqs.replay.reading.faults import WRONG_FORM, Faults
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.reading.recorded import RecordedJob, RecordedNode, RecordedTask, Recording, Requests, whole_duration
from vqs.snapshot.reading import json_text
from vqs.snapshot.reading.documents import Origin, documents
from vqs.snapshot.reading.json_text import decode

# No quantifier gives back what it took, so that a line takes no longer than its length.
_SAMPLE: Final = re.compile(
    r"""\s*+(?P<name>[A-Za-z_:][\w:]*+)?+\s*+
        (?:\{(?P<labels>(?:[^"{}]|"(?:[^"\\]|\\.)*+")*+)\})?+\s*+
        (?P<value>(?<=[\s}])\S++)(?:[ \t]++(?P<time>\S++))?+\s*+$""",
    re.VERBOSE | re.ASCII,
)
_LABEL: Final = re.compile(r'\s*([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n"}
_NAME: Final = "__name__"
_LOOKS_LIKE_SAMPLES: Final = re.compile(r'\s*(?:# (?:HELP|TYPE) |(?:kube|volcano)_\w+\{|\{__name__=")', re.ASCII)
_LOOKS_LIKE_ANSWER: Final = re.compile(r'[\s\[]*\{\s*"(?:status|data|resultType)"\s*:', re.ASCII)


class Sample(NamedTuple):
    """What a metric was: its name, labels and value, and the time in seconds since 1970, None where there is none."""

    name: str
    labels: Mapping[str, str]
    value: float
    time: float | None


class _Series(msgspec.Struct):
    metric: dict[str, str]
    values: list[tuple[float, str]] = []
    value: tuple[float, str] | None = None


class _Data(msgspec.Struct, rename="camel"):
    result_type: str = ""
    result: list[_Series] = []


class _Answer(msgspec.Struct):
    status: str = ""
    error: str = ""
    data: _Data | None = None


def are_samples(text: str) -> bool:
    """Tell samples, as text or as an answer, from other files by their beginning."""
    return bool(_LOOKS_LIKE_SAMPLES.match(text) or _LOOKS_LIKE_ANSWER.match(text))


def samples(faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    """Yield the samples of some metrics; those of others are passed over."""
    if json_text.looks_like_json(faults.source.text):
        for document in documents(faults.source, faults.problems):
            for path, value in document.values(faults.problems, lambda _: None):
                answers = enumerate(value) if isinstance(value, list) else [(None, value)]
                for index, answer in answers:
                    origin = Origin(document, path if index is None else (*path, index))
                    yield from _of_answer(answer, origin, faults, wanted)
    else:
        known: dict[str, Mapping[str, str]] = {}
        for number, line in enumerate(io.StringIO(faults.source.text), 1):
            if line.startswith("#") or not line.strip():
                continue
            try:
                sample = _sample(line, wanted, known)
            except _Fault as fault:
                faults.refuse(str(fault), number, fault.column, code=WRONG_FORM)
            else:
                if sample is not None:
                    yield sample


# --- text -------------------------------------------------------------------------------------------------------------


class _Fault(Exception):  # noqa: N818 - it is caught where the line is known
    """What is wrong with a line, and the column."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.column = offset + 1


def _sample(line: str, wanted: Collection[str], known: dict[str, Mapping[str, str]]) -> Sample | None:
    """Return the sample of a line; None where it is of no metric that is wanted, or its value is no finite number.

    `known` has the labels that were read before, by their text.
    """
    match = _SAMPLE.match(line)
    if match is None:
        raise _Fault("expected a sample such as kube_job_created{...} 1700000000", 0)
    name = match["name"]
    if name is not None and name not in wanted:
        return None
    written = match["labels"] or ""
    labels = known.get(written)
    if labels is None:
        labels = known[written] = _labels(written, match.start("labels"))
    name = name or labels.get(_NAME, "")
    if name not in wanted:
        return None
    try:
        value = float(match["value"])
    except ValueError:
        raise _Fault(f"expected a number, got {match['value']!r}", match.start("value")) from None
    time = finite_number(match["time"]) if match["time"] is not None else None
    if time is None and match["time"] is not None:
        message = f"expected a time in milliseconds since 1970, got {match['time']!r}"
        raise _Fault(message, match.start("time"))
    return Sample(name, labels, value, None if time is None else time / 1000) if math.isfinite(value) else None


def _labels(written: str, begin: int) -> Mapping[str, str]:
    """Return labels by name; `begin` is their offset in the line."""
    found: dict[str, str] = {}
    at, end = 0, len(written.rstrip())
    while at < end:
        match = _LABEL.match(written, at)
        if match is None:
            raise _Fault('the labels are not of the form name="value"', begin + at)
        value = match[2]
        found[match[1]] = (
            _ESCAPED.sub(lambda letter: _ESCAPES.get(letter[1], letter[1]), value) if "\\" in value else value
        )
        at = match.end()
    return found


# --- answers ----------------------------------------------------------------------------------------------------------


def _of_answer(value: Any, origin: Origin, faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    answer, errors = decode(value, _Answer)
    for error in errors:
        faults.problems.add(origin.diagnostic("wrong-type", error.message, error.path, hint=error.hint))
    if answer is None:
        return
    if answer.data is None:
        why = f": {answer.error}" if answer.error else ""
        faults.problems.add(origin.diagnostic(WRONG_FORM, f"this is no successful answer of Prometheus{why}"))
        return
    for index, series in enumerate(answer.data.result):
        name = series.metric.get(_NAME, "")
        if name not in wanted:
            continue
        for time, written in [*series.values, *([series.value] if series.value else [])]:
            number = finite_number(written)
            if number is not None:
                yield Sample(name, series.metric, number, time)
            elif written not in ("NaN", "+Inf", "-Inf"):
                message = f"expected a number in a text, got {written!r}"
                faults.problems.add(origin.diagnostic(WRONG_FORM, message, ("data", "result", index)))
                return


_STALE: Final = 300.0
"""After how many seconds without a sample Prometheus takes a series to have ended."""

_LATEST: Final = 253_402_300_799.0
"""The last second of the year 9999, counted from 1970."""

_MOST: Final = 2.0**63
_TIMES: Final = ("_created", "_time")
"""How the names of metrics end whose values are points in time."""

_WORKER: Final = "worker"
_JOB: Final = "Job"
_BARE: Final = ("", "<none>")
_UUID: Final = re.compile(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_NUMBER_AT_END: Final = re.compile(r"-[0-9]+$")
_VENDOR: Final = re.compile(r"(?P<domain>[a-z0-9]+(?:_[a-z0-9]+)*?)_(?P<top>com|io|sh|ai|cn|org|net)_(?P<rest>.+)")
_PLAIN: Final = {"cpu": "cpu", "memory": "memory", "ephemeral_storage": "ephemeral-storage", "pods": "pods"}

Key = tuple[str, str]
"""The namespace and name of an object."""


@dataclass(slots=True)
class _Pod:
    """What the metrics say of a pod; times are in seconds since 1970, 0 where they do not say."""

    namespace: str
    name: str
    created: float = 0.0
    scheduled: float = 0.0
    started: float = 0.0
    completed: float = 0.0
    last_seen: float = 0.0
    owner_kind: str = ""
    owner_name: str = ""
    priority_class: str = ""
    queue: str = ""
    task: str = ""
    requests: dict[tuple[str, str], float] = field(default_factory=dict)

    @property
    def began(self) -> float:
        """When it began to run, as far as that is known; 0 where it did not."""
        return self.started or self.scheduled


@dataclass(slots=True)
class _Job:
    """What the metrics say of a Job of Kubernetes."""

    created: float = 0.0
    parallelism: int = 0
    completions: int = 0


_TIMES_OF_A_POD: Final = {
    "kube_pod_created": "created",
    "kube_pod_status_scheduled_time": "scheduled",
    "kube_pod_start_time": "started",
    "kube_pod_completion_time": "completed",
}
_OF_A_JOB: Final = {
    "kube_job_created": "created",
    "kube_job_spec_parallelism": "parallelism",
    "kube_job_spec_completions": "completions",
}
_QUEUE_AND_TASK: Final = {
    "kube_pod_labels": ("label_volcano_sh_queue_name", "label_volcano_sh_task_spec"),
    "kube_pod_annotations": ("annotation_scheduling_volcano_sh_queue_name", "annotation_volcano_sh_task_spec"),
}
_METRICS: Final = frozenset(
    {
        *_TIMES_OF_A_POD,
        *_OF_A_JOB,
        *_QUEUE_AND_TASK,
        "kube_pod_owner",
        "kube_pod_info",
        "kube_pod_container_resource_requests",
        "kube_pod_status_phase",
        "kube_node_status_allocatable",
        "volcano_e2e_job_scheduling_start_time",
    }
)
"""The metrics that are read."""


def read_metrics(recorded: Sequence[Faults], options: ReadingOptions) -> Recording:
    """Read files with metrics as one record; the time of the recording's start is that of its first job."""
    reader = _Reader(options)
    for faults in recorded:
        for sample in samples(faults, _METRICS):
            most = _LATEST if sample.name.endswith(_TIMES) else _MOST
            if not (0 <= sample.value <= most and (sample.time is None or 0 <= sample.time <= _LATEST)):
                message = f"{sample.name} of {sample.value:g} at {sample.time} is out of range"
                faults.refuse(message, code=WRONG_FORM)
                break
            reader.take(sample)
    if not reader.pods and not any(faults.problems.has_errors for faults in recorded):
        hint = "it needs kube_pod_created, kube_pod_start_time and kube_pod_completion_time at least"
        recorded[0].refuse("there is no metric of a pod in the input", hint=hint, code=WRONG_FORM)
    return reader.finish(recorded[0])


class _Reader:
    def __init__(self, options: ReadingOptions) -> None:
        self.options = options
        self.pods: dict[tuple[str, str, str], _Pod] = {}
        self.jobs: defaultdict[Key, _Job] = defaultdict(_Job)
        self.queues: dict[Key, str] = {}
        self.nodes: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.newest = 0.0
        self.left_out: Counter[tuple[str, str]] = Counter()

    def take(self, sample: Sample) -> None:
        """Take in what a sample says."""
        if sample.time is not None and sample.time > self.newest:
            self.newest = sample.time
        labels = sample.labels
        match sample.name:
            case "kube_node_status_allocatable":
                self.nodes[labels.get("node", "")][resource_name(labels.get("resource", ""))] = sample.value
            case "volcano_e2e_job_scheduling_start_time":
                # The name of a PodGroup is that of the Volcano Job and its uid.
                name = _UUID.sub("", labels.get("job_name", ""))
                self.queues[labels.get("job_namespace", ""), name] = labels.get("queue", "")
            case name if name in _OF_A_JOB:
                job = self.jobs[labels.get("namespace", ""), labels.get("job_name", "")]
                attribute = _OF_A_JOB[name]
                setattr(job, attribute, type(getattr(job, attribute))(sample.value))
            case name if sample.value or name != "kube_pod_status_phase":
                self._take_of_pod(self.pod(sample), sample)

    def _take_of_pod(self, pod: _Pod, sample: Sample) -> None:
        labels = sample.labels
        match sample.name:
            case "kube_pod_owner":
                pod.owner_kind, pod.owner_name = labels.get("owner_kind", ""), labels.get("owner_name", "")
            case "kube_pod_info":
                pod.priority_class = labels.get("priority_class", "")
                if not pod.owner_kind:
                    pod.owner_kind = labels.get("created_by_kind", "")
                    pod.owner_name = labels.get("created_by_name", "")
            case "kube_pod_container_resource_requests":
                resource = resource_name(labels.get("resource", ""))
                pod.requests[labels.get("container", ""), resource] = sample.value
            case name if name in _TIMES_OF_A_POD:
                attribute = _TIMES_OF_A_POD[name]
                setattr(pod, attribute, max(getattr(pod, attribute), sample.value))
            case name if name in _QUEUE_AND_TASK:
                queue, task = _QUEUE_AND_TASK[name]
                pod.queue, pod.task = labels.get(queue, pod.queue), labels.get(task, pod.task)

    def pod(self, sample: Sample) -> _Pod:
        """Return the pod that a sample is about."""
        labels = sample.labels
        namespace, name = labels.get("namespace", ""), labels.get("pod", "")
        key = namespace, name, labels.get("uid", "")
        pod = self.pods.get(key)
        if pod is None:
            pod = self.pods[key] = _Pod(namespace, name)
        if sample.time is not None and sample.time > pod.last_seen:
            pod.last_seen = sample.time
        return pod

    # --- jobs --------------------------------------------------------------------------------------------------------

    def finish(self, faults: Faults) -> Recording:
        """Return the jobs that the pods belong to."""
        times = (max(pod.created, pod.began, pod.completed) for pod in self.pods.values())
        self.newest = max(self.newest, max(times, default=0.0))
        found = [job for key, pods in self._owned().items() for job in self._recorded(key, pods)]
        begin = min((job.arrival for job in found), default=0.0)
        jobs = [job._replace(arrival=job.arrival - begin) for job in found]
        late = [job for job in jobs if job.arrival > LONGEST]
        if late:
            faults.refuse(f"job {late[0].name} arrives more than 100 years after the first", code=WRONG_FORM)
        for (what, why), number in self.left_out.items():
            faults.leave_out(number, what, why)
        jobs.sort(key=lambda job: job.arrival)
        known = () if self.options.has_nodes else sorted(name for name, amounts in self.nodes.items() if amounts)
        return Recording(jobs, [RecordedNode(name, _quantities(self.nodes[name])) for name in known], begin)

    def _owned(self) -> dict[tuple[str, str, str], list[_Pod]]:
        """Return the pods by what they belong to: namespace, kind and name of it; each pod in its last life."""
        last: dict[Key, _Pod] = {}
        for pod in self.pods.values():
            other = last.get((pod.namespace, pod.name))
            if other is None or pod.created >= other.created:
                last[pod.namespace, pod.name] = pod
        owned: defaultdict[tuple[str, str, str], list[_Pod]] = defaultdict(list)
        for pod in last.values():
            if pod.owner_kind == _JOB:
                owned[pod.namespace, _JOB, pod.owner_name].append(pod)
            elif pod.owner_kind in _BARE:
                owned[pod.namespace, "", pod.name].append(pod)
            else:
                self.left_out["pod", "of an owner that is no Job, such as a ReplicaSet or DaemonSet"] += 1
        return owned

    def _recorded(self, key: tuple[str, str, str], pods: list[_Pod]) -> Iterator[RecordedJob]:
        """Yield the job of some pods; none where no pod of it ever ran."""
        namespace, kind, name = key
        job = self.jobs.get((namespace, name)) if kind else None
        ran = [pod for pod in pods if pod.began]
        if not ran:
            self.left_out["job", "no pod of it ran"] += 1
            return
        submits_pods = job is not None
        roles: defaultdict[str, list[_Pod]] = defaultdict(list)
        for pod in sorted(pods, key=lambda each: (len(each.name), each.name)):
            roles[_task(pod, name) if kind and not submits_pods else _WORKER].append(pod)
        tasks = tuple(self._task(role, members, job) for role, members in roles.items())
        created = [pod.created or pod.began for pod in pods]
        queue = next((pod.queue for pod in pods if pod.queue), self.queues.get((namespace, name), DEFAULT_QUEUE))
        if self.options.queue_of is QueueOf.NAMESPACE:
            queue = namespace or DEFAULT_QUEUE
        yield RecordedJob(
            namespace=namespace or "default",
            name=name,
            queue=queue,
            arrival=job.created if job is not None and job.created else min(created),
            tasks=tasks,
            min_available=1 if submits_pods else sum(task.replicas for task in tasks),
            priority_class=next((pod.priority_class for pod in pods if pod.priority_class), ""),
            submits_pods=submits_pods,
        )

    def _task(self, name: str, pods: Sequence[_Pod], job: _Job | None) -> RecordedTask:
        """Return pods that are alike.

        A Job of Kubernetes that has fewer pods at a time than in all becomes that many pods, each of which runs as long
        as the pods that it stands for. Those of its pods count that were created last: others were tried again.
        """
        seconds = self._seconds(pods)
        if job is not None and 0 < job.completions < len(pods):
            last = sorted(range(len(pods)), key=lambda index: pods[index].created)[-job.completions :]
            seconds = [seconds[index] for index in sorted(last)]
        if job is not None and 0 < job.parallelism < len(seconds):
            seconds = [sum(seconds[index :: job.parallelism]) for index in range(job.parallelism)]
        amounts: defaultdict[str, float] = defaultdict(float)
        said = next((pod.requests for pod in pods if pod.requests), {})
        for (_, resource), value in said.items():
            amounts[resource] += value
        return RecordedTask(name, len(seconds), _quantities(amounts), tuple(seconds))

    def _seconds(self, pods: Sequence[_Pod]) -> list[float]:
        """Return how long each pod runs; one that never ran, as long as the others by their median."""
        # A pod that has no samples any more although others have is gone.
        ends = [pod.completed or (pod.last_seen if 0 < pod.last_seen < self.newest - _STALE else 0.0) for pod in pods]
        ended = [max(end - pod.began, 0.0) for pod, end in zip(pods, ends, strict=True) if pod.began and end]
        known: list[float | None] = []
        for pod, end in zip(pods, ends, strict=True):
            if not pod.began:
                known.append(None)
            elif end:
                known.append(max(end - pod.began, 0.0))
            else:
                known.append(whole_duration(self.newest - pod.began, ended))
        usual = median([each for each in known if each is not None] or [0.0])
        return [min(usual if each is None else each, LONGEST) for each in known]


def _task(pod: _Pod, job: str) -> str:
    """Return the task of a Volcano Job's pod: what its label says, or what is between the job's name and the index."""
    middle = _NUMBER_AT_END.sub("", pod.name.removeprefix(f"{job}-"))
    return pod.task or (middle if middle != pod.name else "") or _WORKER


def _quantities(amounts: Mapping[str, float]) -> Requests:
    """Return amounts in base units as quantities."""
    return tuple(
        (resource, f"{round(value * 1000)}m" if resource == "cpu" else str(round(value)))
        for resource, value in sorted(amounts.items())
    )


def resource_name(label: str) -> str:
    """Return the name of a resource from a label, in which kube-state-metrics writes all signs as ``_``.

    >>> resource_name("nvidia_com_gpu"), resource_name("ephemeral_storage")
    ('nvidia.com/gpu', 'ephemeral-storage')
    """
    match = _VENDOR.fullmatch(label)
    if label in _PLAIN or match is None:
        return _PLAIN.get(label, label.replace("_", "-"))
    return f"{match['domain'].replace('_', '.')}.{match['top']}/{match['rest'].replace('_', '-')}"
