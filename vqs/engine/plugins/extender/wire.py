"""What an extender is sent, the session's objects as Go encodes Volcano's, and what it answers, as Go reads JSON.

The names of fields are those of Volcano's structs; pods, nodes, queues and PodGroups are written as in manifests, with
the fields that vqs reads. What vqs does not know has the value that Go gives it.
References: pkg/scheduler/api (TaskInfo, NodeInfo, JobInfo, QueueInfo, Resource) and pkg/scheduler/plugins/extender,
argument.go.

Of an answer, upper case does not count in the names of fields, unknown fields are ignored, null is a field's zero, and
a value of the wrong type makes the whole of it an error.
"""

from __future__ import annotations

import json
import re
from datetime import UTC
from typing import Any, TypeVar

import msgspec

from vqs.engine.framework.session import Session
from vqs.engine.nodes.table import Floats
from vqs.engine.plugins.sla import waiting_time
from vqs.model.cluster import Queue
from vqs.model.hypernode import TopologyConstraint
from vqs.model.job import COMPLETED_STATUSES, Job, SubJob, Task, TaskStatus
from vqs.model.keys import MAX_UNAVAILABLE, MIN_AVAILABLE, NUMA_POLICY, OFFLINE_EVICTING, PREEMPTABLE, REVOCABLE_ZONE
from vqs.model.kubernetes import ObjectMeta
from vqs.model.quantity import canonical
from vqs.model.resource import Resource
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS

Written = dict[str, Any]

_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_OVERSUBSCRIPTION = "volcano.sh/oversubscription"
_AMOUNTS = frozenset(
    (
        *("allocatable", "allocatedResources", "capability", "capacity", "deserved", "hard", "limits"),
        *("minResources", "overhead", "requests", "resource", "used"),
    )
)
"""The fields that are lists of resources."""
_LARGEST_PLAIN = 1e21
"""From here on, Go writes a float with an exponent."""
_NANOSECONDS = 1_000_000_000
_NO_TIME = "0001-01-01T00:00:00Z"
_NOTHING = Resource()


class Wire:
    """Writes the objects of a session, as they are at the moment."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._on_node: list[dict[str, Task]] = [{} for _ in session.nodes.names]
        self._bound_names: dict[str, str] = {}
        self._pods: dict[tuple[str, str], msgspec.Raw] = {}
        self._nodes = [_manifest(node.object) for node in session.nodes.nodes]
        for task in (*session.tasks(), *session.cluster.other_tasks):
            node = session.nodes.index.get(task.node or "")
            if node is not None and task.status not in COMPLETED_STATUSES:
                self._on_node[node][f"{task.namespace}/{task.name}"] = task

    def given(self, task: Task) -> None:
        """Take note of the node that a task has got, or has again."""
        self._on_node[self._session.nodes.index[task.node or ""]][f"{task.namespace}/{task.name}"] = task
        if task.status is TaskStatus.Allocated:
            self._bound_names[task.uid] = task.node or ""  # as in the reference, it stays in the pod

    def taken(self, task: Task) -> None:
        """Take note that a task has lost its node; one that is being evicted is still there."""
        node = self._session.nodes.index.get(task.node or "")
        if node is not None and task.status is TaskStatus.Pending:
            self._on_node[node].pop(f"{task.namespace}/{task.name}", None)

    # --- requests ----------------------------------------------------------------------------------------------------

    def cluster(self) -> Written:
        """Write all that a session is opened on."""
        session = self._session
        names = session.nodes.names
        zones = [
            node for node, each in enumerate(session.nodes.nodes) if each.object.metadata.labels.get(REVOCABLE_ZONE)
        ]
        quotas: dict[str, Written] = {}
        for quota in session.cluster.quotas:
            namespace = quota.metadata.namespace
            info = quotas.setdefault(namespace, {"Name": namespace, "QuotaStatus": {}})
            info["QuotaStatus"][quota.metadata.name] = _manifest(quota.status)
        return {
            "Jobs": {job.uid: self.job(job) for job in session.jobs.values()},
            "Nodes": {name: self.node(node) for node, name in enumerate(names)},
            "Queues": {queue.name: self.queue(queue) for queue in session.queues.values()},
            "NamespaceInfo": quotas,
            "RevocableNodes": {names[node]: self.node(node) for node in zones},
            "NodeList": None,
        }

    def task(self, task: Task, *, on_node: bool = False) -> Written:
        """Write a task; `on_node` is how its node knows it, which does not hear of its binding."""
        metadata = task.pod.metadata
        status = task.status
        if on_node and status is TaskStatus.Binding and task.status_before is not TaskStatus.Binding:
            status = TaskStatus.Allocated
        last = task.last_transaction
        # The pod is the longest part of a task, and the same most of the time.
        name = self._bound_names.get(task.uid, task.pod.spec.node_name)
        raw = self._pods.get((task.uid, name))
        if raw is None:
            written = {"metadata": {}, "spec": {}, "status": {}, **_manifest(task.pod)}
            if name:
                written["spec"]["nodeName"] = name
            raw = self._pods[task.uid, name] = msgspec.Raw(msgspec.json.encode(written))
        return {
            "UID": task.uid,
            "Job": task.job,
            "Name": task.name,
            "Namespace": task.namespace,
            "TaskRole": task.role,
            "Resreq": _resource(task.request),
            "InitResreq": _resource(task.request),
            **_transaction(task.node, status, eviction_occurred=task.eviction_occurred and not on_node),
            "LastTransaction": last and _transaction(last.node, last.status, eviction_occurred=last.eviction_occurred),
            "Priority": task.priority,
            "VolumeReady": False,
            "Preemptable": task.preemptable,
            "BestEffort": task.best_effort,
            "HasRestartableInitContainer": any(
                each.restart_policy == "Always" for each in task.pod.spec.init_containers
            ),
            "SchGated": task.scheduling_gated,
            "RevocableZone": _revocable_zone(metadata),
            "NumaInfo": {"Policy": metadata.annotations.get(NUMA_POLICY, ""), "ResMap": {}},
            "Pod": raw,
            "CustomBindErrHandlerSucceeded": False,
        }

    def node(self, node: int) -> Written:
        """Write a node with the tasks on it."""
        table = self._session.nodes
        info = table.nodes[node]
        metadata = info.object.metadata
        tasks = self._on_node[node]

        def held(status: TaskStatus) -> Written:
            return _resource(Resource.total(task.request for task in tasks.values() if task.status is status))

        plain = Resource.from_quantities(info.object.status.allocatable)
        more = Resource(info.allocatable.milli_cpu - plain.milli_cpu, info.allocatable.memory - plain.memory)
        return {
            "Name": info.name,
            "Node": self._nodes[node],
            "State": {"Phase": 1, "Reason": ""},
            "Releasing": held(TaskStatus.Releasing),
            "Pipelined": held(TaskStatus.Pipelined),
            "Idle": _resource(self._amounts(table.idle[:, node], info.allocatable), info.max_tasks),
            "Used": _resource(self._amounts(table.used[:, node], _NOTHING)),
            "Allocatable": _resource(info.allocatable, info.max_tasks),
            "Capacity": _resource(info.capacity, info.max_tasks),
            "ResourceUsage": {"MetricsTime": _NO_TIME, "CPUUsageAvg": {}, "MEMUsageAvg": {}},
            "Tasks": {key: self.task(task, on_node=True) for key, task in sorted(tasks.items())},
            "NumaInfo": None,
            "NumaChgFlag": 0,
            "NumaSchedulerInfo": None,
            "RevocableZone": metadata.labels.get(REVOCABLE_ZONE, ""),
            "Others": {},
            "OversubscriptionNode": metadata.labels.get(_OVERSUBSCRIPTION) in _TRUE,
            "OfflineJobEvicting": metadata.annotations.get(OFFLINE_EVICTING) in _TRUE,
            "OversubscriptionResource": _resource(more),
            "ImageStates": {},
            "Generation": 0,
            "BindGeneration": 0,
        }

    def job(self, job: Job) -> Written:
        """Write a job with its tasks."""
        metadata = job.pod_group.metadata
        annotations = metadata.annotations
        tasks = {uid: self.task(task) for uid, task in job.tasks.items()}
        by_status = self._by_status(job, tasks)
        topology, waits = _topology(job.topology), waiting_time(job.pod_group)
        return {
            "UID": job.uid,
            "PgUID": metadata.uid,
            "Name": job.name,
            "Namespace": job.namespace,
            "Queue": job.queue,
            "Priority": job.priority,
            "MinAvailable": job.min_available,
            "WaitingTime": None if waits is None else round(waits * _NANOSECONDS),
            "JobFitErrors": "",
            "NodesFitErrors": {uid: {} for uid in job.fit_errors},
            "AllocatedHyperNode": job.allocated_hyper_node,
            "NetworkTopology": topology,
            "SubJobs": self._sub_jobs(job, tasks, by_status, topology),
            "TaskToSubJob": {uid: job.sub_job_uid(task) for uid, task in job.tasks.items()},
            "MinSubJobs": job.min_sub_groups,
            "TaskStatusIndex": by_status,
            "Tasks": tasks,
            "TaskMinAvailable": job.min_task_member,
            "TaskMinAvailableTotal": job.min_task_total,
            "Allocated": _resource(job.allocated),
            "TotalRequest": _resource(Resource.total(task.request for task in job.tasks.values())),
            "CreationTimestamp": None
            if metadata.creation_timestamp is None
            else metadata.creation_timestamp.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "PodGroup": {**self._pod_group(job), "Version": "v1beta1"},
            "ScheduleStartTimestamp": None,
            "Preemptable": annotations.get(PREEMPTABLE, metadata.labels.get(PREEMPTABLE)) in _TRUE,
            "RevocableZone": _revocable_zone(metadata),
            "Budget": {
                "MinAvailable": annotations.get(MIN_AVAILABLE, ""),
                "MaxUnavailable": "" if MIN_AVAILABLE in annotations else annotations.get(MAX_UNAVAILABLE, ""),
            },
        }

    def queue(self, queue: Queue) -> Written:
        """Write a queue."""
        annotations = queue.object.metadata.annotations
        written = _manifest(queue.object)
        written["spec"] = {"weight": queue.weight, **written.get("spec", {})}
        written["status"] = {"state": queue.state, **written.get("status", {}), "reservation": {}}
        return {
            "UID": queue.name,
            "Name": queue.name,
            "Weight": queue.weight,
            "Weights": annotations.get(WEIGHTS, ""),
            "Hierarchy": annotations.get(PATH, ""),
            "Queue": written,
        }

    # --- parts -------------------------------------------------------------------------------------------------------

    def _amounts(self, vector: Floats, has: Resource) -> Resource:
        """Amounts on a node: those of the resources that it has any of, or that are not zero."""
        row = self._session.nodes.row
        scalars = {
            name: float(vector[at]) for name, at in row.items() if at > 1 and (name in has.scalars or vector[at])
        }
        return Resource(float(vector[0]), float(vector[1]), scalars)

    def _sub_jobs(self, job: Job, tasks: Written, by_status: Written, topology: Written | None) -> Written:
        """Write the sub-jobs; one that is not cut into any is its own."""
        whole: Written = {
            "GID": job.uid,
            "UID": job.uid,
            "Job": job.uid,
            "MinAvailable": job.min_available,
            "Priority": max((0, *(task.priority for task in job.tasks.values()))),
            "MatchIndex": 0,
            "Tasks": tasks,
            "TaskStatusIndex": by_status,
            "AllocatedHyperNode": "",
            "NetworkTopology": topology,
        }
        if not job.sub_jobs:
            return {job.uid: whole} if tasks else {}
        written: Written = {}
        for uid, part in job.sub_jobs.items():
            own = {task.uid: self.task(task) for task in part.tasks()}
            written[uid] = whole | {
                "GID": part.group,
                "UID": part.uid,
                "MinAvailable": part.min_available,
                "Priority": part.priority,
                "MatchIndex": part.match_index,
                "Tasks": own,
                "TaskStatusIndex": self._by_status(part, own),
                "AllocatedHyperNode": part.allocated_hyper_node,
                "NetworkTopology": _topology(part.topology),
            }
        return written

    @staticmethod
    def _by_status(counts: Job | SubJob, tasks: Written) -> Written:
        return {
            str(int(status)): {uid: tasks[uid] for uid in members if uid in tasks}
            for status, members in counts.by_status.items()
            if members
        }

    @staticmethod
    def _pod_group(job: Job) -> Written:
        written = {"metadata": {}, **_manifest(job.pod_group)}
        spec = {"minMember": job.min_available, "queue": job.queue, **written.get("spec", {})}
        if "networkTopology" in spec:
            spec["networkTopology"] = {"mode": "hard", **spec["networkTopology"]}
        return {**written, "spec": spec, "status": {**written.get("status", {}), "phase": job.phase}}


def _topology(settled: TopologyConstraint | None) -> Written | None:
    """Write what a session makes of a network topology: names of tiers, and soft ones, may be tiers by now."""
    if settled is None:
        return None
    given = {"highestTierAllowed": settled.highest_tier, "highestTierName": settled.tier_name or None}
    return {"mode": "hard" if settled.hard else "soft"} | {key: each for key, each in given.items() if each is not None}


def _transaction(node: str | None, status: TaskStatus, *, eviction_occurred: bool) -> Written:
    return {
        "NodeName": node or "",
        "EvictionOccurred": eviction_occurred,
        "JobAllocatedHyperNode": "",
        "Status": int(status),
    }


def _resource(amounts: Resource, max_tasks: int = 0) -> Written:
    scalars = {name: _number(amount) for name, amount in amounts.scalars.items()}
    return {
        "MilliCPU": _number(amounts.milli_cpu),
        "Memory": _number(amounts.memory),
        "ScalarResources": scalars or None,
        "MaxTaskNum": max_tasks,
    }


def _number(amount: float) -> float | int:
    """An amount so that it is written as by Go: without a fraction where it has none."""
    return int(amount) if abs(amount) < _LARGEST_PLAIN and amount.is_integer() else amount


def _manifest(held: Any) -> Written:
    """Write an object of a manifest, its amounts as texts."""
    written: Written = _with_texts(msgspec.to_builtins(held))
    return written


def _with_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    written = {
        key: {name: canonical(amount) for name, amount in each.items()}
        if key in _AMOUNTS
        and isinstance(each, dict)
        and not any(isinstance(part, dict | list) for part in each.values())
        else _with_texts(each)
        for key, each in value.items()
    }
    return {key: each for key, each in written.items() if key not in _AMOUNTS or each != {}}


def _revocable_zone(metadata: ObjectMeta) -> str:
    """In which revocable zones a pod or job may be: all or none. Reference: GetPodRevocableZone."""
    zone = metadata.annotations.get(REVOCABLE_ZONE)
    if zone is not None:
        return "*" if zone == "*" else ""
    return "*" if metadata.annotations.get(PREEMPTABLE) in _TRUE else ""


_TOKENS = re.compile(rb'["\\{}\[\]]')
_BLANK = b" \t\r\n"


Kind = TypeVar("Kind")


class ExtenderError(Exception):
    """Why a request has no answer that counts; the words are those of Go's client where it has some."""


class ValueEnd:
    """Finds where the first JSON value of a body ends, so that a body without end is not waited for.

    >>> ValueEnd().after(b'{"a": "}"} and more')
    10
    """

    def __init__(self) -> None:
        self._read = 0
        self._depth = 0
        self._in_text = False
        self._escaped_at = -1

    def after(self, chunk: bytes) -> int | None:
        """How much of the body belongs to the value, None where it goes on; a bare value ends with the body."""
        for match in _TOKENS.finditer(chunk):
            at = self._read + match.start()
            token = match.group()
            if at == self._escaped_at:
                continue
            if self._in_text:
                if token == b"\\":
                    self._escaped_at = at + 1
                elif token == b'"':
                    self._in_text = False
            elif token == b'"':
                self._in_text = True
            elif token in b"{[":
                self._depth += 1
            elif token in b"}]":
                self._depth -= 1
                if self._depth <= 0:
                    return at + 1
        self._read += len(chunk)
        return None


class Answer:
    """The fields of an answer; `type_name` is that of the reference, which its errors name."""

    def __init__(self, body: bytes, type_name: str) -> None:
        self._type_name = type_name
        self._fields = self._object(_parsed(body))

    def text(self, name: str) -> str:
        """The value of a text field, empty where there is none."""
        return self._value(name, str, "string") or ""

    def number(self, name: str) -> int:
        """The value of a whole-number field, 0 where there is none."""
        value = self._value(name, int, "int") or 0
        if not -(2**63) <= value < 2**63:
            raise self._wrong(name, value, "int")
        return value

    def flag(self, name: str) -> bool:
        """The value of a boolean field, false where there is none."""
        return self._value(name, bool, "bool") or False

    def numbers(self, name: str) -> dict[str, float] | None:
        """Numbers by name, None where there is no such object."""
        given = self._value(name, dict, "map[string]float64")
        if given is None:
            return None
        numbers: dict[str, float] = {}
        for key, each in given.items():
            if each is not None and (isinstance(each, bool) or not isinstance(each, int | float)):
                raise self._wrong(name, each, "float64")
            try:
                numbers[key] = float(each or 0)
            except OverflowError:
                raise self._wrong(name, each, "float64") from None
        return numbers

    def uids(self, name: str) -> list[str]:
        """The uids of some tasks."""
        tasks = self._value(name, list, "[]*api.TaskInfo") or []
        uids = [_field(self._object(task), "UID") for task in tasks if task is not None]
        wrong = next((uid for uid in uids if uid is not None and not isinstance(uid, str)), None)
        if wrong is not None:
            raise self._wrong(f"{name}.UID", wrong, "api.TaskID")
        return [uid or "" for uid in uids]

    def _value(self, name: str, kind: type[Kind], go_type: str) -> Kind | None:
        """The value of a field, None where there is none or null; raises where it is of another kind."""
        value = _field(self._fields, name)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._wrong(name, value, go_type)
        return value

    def _object(self, value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            go_type = f"Go value of type extender.{self._type_name}"
            raise ExtenderError(f"json: cannot unmarshal {_kind(value)} into {go_type}")
        return value

    def _wrong(self, name: str, value: Any, expected: str) -> ExtenderError:
        what = f"number {value}" if isinstance(value, float) and expected == "int" else _kind(value)
        field = f"Go struct field {self._type_name}.{name}"
        return ExtenderError(f"json: cannot unmarshal {what} into {field} of type {expected}")


def _field(fields: dict[str, Any], name: str) -> Any:
    """The value of a field, whatever the case of its name; the last of several counts."""
    return next((value for key, value in reversed(fields.items()) if key.casefold() == name.casefold()), None)


def _parsed(body: bytes) -> Any:
    text = body.strip(_BLANK)
    if not text:
        raise ExtenderError("EOF")
    try:
        return msgspec.json.decode(text.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        first = chr(text[0])
        if first not in '{["-0123456789tfn':
            raise ExtenderError(f"invalid character {first!r} looking for beginning of value") from None
        if _is_cut_off(text.decode("utf-8", "replace")):
            raise ExtenderError("unexpected EOF") from None
        raise ExtenderError(f"invalid JSON: {error}") from None


def _is_cut_off(text: str) -> bool:
    """Whether a text that is no JSON may be the beginning of one."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        return not rest or rest.startswith('"') or any(word.startswith(rest) for word in ("true", "false", "null", "-"))
    except RecursionError:
        pass
    return False


def _kind(value: Any) -> str:
    names = {bool: "bool", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "number")
