"""The session's objects are sent to an extender as Go encodes Volcano's.

An extender's answers are read as Go reads them.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, Object, group, manifests, node, pod, queue
from vqs.engine import scheduler
from vqs.engine.framework.session import Session, SessionOptions
from vqs.engine.plugins.extender.wire import Answer, ExtenderError, ValueEnd, Wire
from vqs.model.job import TaskStatus
from vqs.snapshot.cluster.build import build_cluster

CONF = 'actions: "allocate"\ntiers:\n- plugins:\n  - name: gang\n'

RUNNING = pod("a-0", "a", 1, "1Gi", node="n1", spec={"priority": 5}, annotations={"volcano.sh/preemptable": "true"})
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "q", "namespace": "ns"},
    "status": {"hard": {"pods": 4}, "used": {"pods": 1}},
}
OBJECTS = [
    *(node("n1", 4, "8Gi", gpu=2, labels={"volcano.sh/revocable-zone": "rz1"}), node("n2")),
    *(queue("default", capability={"cpu": 10, "memory": "1.5Gi"}), QUOTA),
    *(group("a", 1, "Running", created=7), RUNNING),
    *(group("b", 2, minTaskMember={"worker": 2}), pod("b-0", "b", "500m"), pod("b-1", "b", 3, role="")),
]

NOTHING = {"MilliCPU": 0, "Memory": 0, "ScalarResources": None, "MaxTaskNum": 0}
ONE_CPU = {"MilliCPU": 1000, "Memory": 2**30, "ScalarResources": {"pods": 1}, "MaxTaskNum": 0}


def opened(objects: list[Object]) -> tuple[Session, Wire]:
    """Open a session, and return what writes its objects."""
    read = manifests(objects, CONF)
    session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW))
    wire = Wire(session)
    session.add_event_handler(wire.given, wire.taken)
    return session, wire


def sent(written: object) -> Any:
    """Return what is sent, as the server reads it."""
    return json.loads(msgspec.json.encode(written))


def test_a_task() -> None:
    """The fields are those of TaskInfo, and its pod is a manifest with quantities as the API server writes them."""
    session, wire = opened(OBJECTS)
    assert sent(wire.task(session.jobs["ns/a"].tasks["a-0"])) == {
        "UID": "a-0",
        "Job": "ns/a",
        "Name": "a-0",
        "Namespace": "ns",
        "TaskRole": "worker",
        "Resreq": ONE_CPU,
        "InitResreq": ONE_CPU,
        "NodeName": "n1",
        "EvictionOccurred": False,
        "JobAllocatedHyperNode": "",
        "Status": 32,
        "LastTransaction": None,
        "Priority": 5,
        "VolumeReady": False,
        "Preemptable": True,
        "BestEffort": False,
        "HasRestartableInitContainer": False,
        "SchGated": False,
        "RevocableZone": "*",
        "NumaInfo": {"Policy": "", "ResMap": {}},
        "Pod": {
            "metadata": {
                "name": "a-0",
                "namespace": "ns",
                "uid": "a-0",
                "annotations": {
                    "scheduling.k8s.io/group-name": "a",
                    "volcano.sh/task-spec": "worker",
                    "volcano.sh/preemptable": "true",
                },
            },
            "spec": {
                "containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}],
                "nodeName": "n1",
                "priority": 5,
                "schedulerName": "volcano",
            },
            "status": {"phase": "Running"},
        },
        "CustomBindErrHandlerSucceeded": False,
    }


def test_a_node() -> None:
    """Amounts have Volcano's units, and only what a node has comes with its number of pods."""
    session, wire = opened(OBJECTS)
    written = sent(wire.node(0))
    tasks = written.pop("Tasks")
    assert tasks == {"ns/a-0": sent(wire.task(session.jobs["ns/a"].tasks["a-0"], on_node=True))}
    amounts = {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "2", "pods": "110"}
    has = {
        "MilliCPU": 4000,
        "Memory": 8 * 2**30,
        "ScalarResources": {"nvidia.com/gpu": 2000, "pods": 110},
        "MaxTaskNum": 110,
    }
    idle_scalars = {"nvidia.com/gpu": 2000, "pods": 109}
    assert written == {
        "Name": "n1",
        "Node": {
            "metadata": {
                "name": "n1",
                "labels": {"kubernetes.io/hostname": "n1", "volcano.sh/revocable-zone": "rz1"},
            },
            "spec": {},
            "status": {"allocatable": amounts, "capacity": amounts},
        },
        "State": {"Phase": 1, "Reason": ""},
        "Releasing": NOTHING,
        "Pipelined": NOTHING,
        "Idle": {"MilliCPU": 3000, "Memory": 7 * 2**30, "ScalarResources": idle_scalars, "MaxTaskNum": 110},
        "Used": ONE_CPU,
        "Allocatable": has,
        "Capacity": has,
        "ResourceUsage": {"MetricsTime": "0001-01-01T00:00:00Z", "CPUUsageAvg": {}, "MEMUsageAvg": {}},
        "NumaInfo": None,
        "NumaChgFlag": 0,
        "NumaSchedulerInfo": None,
        "RevocableZone": "rz1",
        "Others": {},
        "OversubscriptionNode": False,
        "OfflineJobEvicting": False,
        "OversubscriptionResource": NOTHING,
        "ImageStates": {},
        "Generation": 0,
        "BindGeneration": 0,
    }


def test_a_job() -> None:
    """A job without subGroupPolicy is its own sub-job, and its PodGroup is a manifest with its defaults."""
    session, wire = opened(OBJECTS)
    job = session.jobs["ns/b"]
    written = sent(wire.job(job))
    tasks = {uid: sent(wire.task(task)) for uid, task in job.tasks.items()}
    sub_job = {
        "GID": "ns/b",
        "UID": "ns/b",
        "Job": "ns/b",
        "MinAvailable": 2,
        "Priority": 1,
        "MatchIndex": 0,
        "Tasks": tasks,
        "TaskStatusIndex": {"1": tasks},
        "AllocatedHyperNode": "",
        "NetworkTopology": None,
    }
    assert written == {
        "UID": "ns/b",
        "PgUID": "b",
        "Name": "b",
        "Namespace": "ns",
        "Queue": "default",
        "Priority": 0,
        "MinAvailable": 2,
        "WaitingTime": None,
        "JobFitErrors": "",
        "NodesFitErrors": {},
        "AllocatedHyperNode": "",
        "NetworkTopology": None,
        "SubJobs": {"ns/b": sub_job},
        "TaskToSubJob": {"b-0": "ns/b", "b-1": "ns/b"},
        "MinSubJobs": {},
        "TaskStatusIndex": {"1": tasks},
        "Tasks": tasks,
        "TaskMinAvailable": {"worker": 2},
        "TaskMinAvailableTotal": 2,
        "Allocated": NOTHING,
        "TotalRequest": {"MilliCPU": 3500, "Memory": 2**31, "ScalarResources": {"pods": 2}, "MaxTaskNum": 0},
        "CreationTimestamp": "2026-01-01T00:00:00Z",
        "PodGroup": {
            "metadata": {"name": "b", "namespace": "ns", "uid": "b", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"minMember": 2, "minTaskMember": {"worker": 2}, "queue": "default"},
            "status": {"phase": "Inqueue"},
            "Version": "v1beta1",
        },
        "ScheduleStartTimestamp": None,
        "Preemptable": False,
        "RevocableZone": "",
        "Budget": {"MinAvailable": "", "MaxUnavailable": ""},
    }


def test_what_annotations_of_a_job_say() -> None:
    """The waiting time is in nanoseconds, and a budget is as it is written."""
    made = group("j")
    made["metadata"]["annotations"] = {
        "volcano.sh/sla-waiting-time": "1m30s",
        "volcano.sh/jdb-max-unavailable": "10%",
        "volcano.sh/preemptable": "true",
    }
    session, wire = opened([node("n1"), queue("default"), made, pod("p", "j")])
    written = sent(wire.job(session.jobs["ns/j"]))
    assert (written["WaitingTime"], written["Budget"]["MaxUnavailable"]) == (90_000_000_000, "10%")
    assert (written["Preemptable"], written["RevocableZone"]) == (True, "*")


def test_a_queue() -> None:
    """Quantities are as the API server writes them, and what is not given is left out."""
    session, wire = opened(OBJECTS)
    assert sent(wire.queue(session.queues["default"])) == {
        "UID": "default",
        "Name": "default",
        "Weight": 1,
        "Weights": "",
        "Hierarchy": "",
        "Queue": {
            "metadata": {"name": "default"},
            "spec": {"weight": 1, "capability": {"cpu": "10", "memory": "1536Mi"}, "guarantee": {}},
            "status": {"state": "Open", "reservation": {}},
        },
    }


def test_the_cluster() -> None:
    """All jobs, nodes and queues are there, the nodes with a revocable zone once more, and the quotas' status."""
    session, wire = opened(OBJECTS)
    written = sent(wire.cluster())
    assert written["Jobs"] == {job.uid: sent(wire.job(job)) for job in session.jobs.values()}
    assert written["Nodes"] == {"n1": sent(wire.node(0)), "n2": sent(wire.node(1))}
    assert written["RevocableNodes"] == {"n1": sent(wire.node(0))}
    assert written["NamespaceInfo"] == {
        "ns": {"Name": "ns", "QuotaStatus": {"q": {"hard": {"pods": "4"}, "used": {"pods": "1"}}}}
    }
    assert (set(written["Queues"]), written["NodeList"]) == ({"default", "root"}, None)


def test_a_placement_shows_on_the_node_and_in_the_pod() -> None:
    """A node does not hear of the binding, and a pod keeps the node's name when a placement is undone."""
    session, wire = opened(OBJECTS)
    task = session.jobs["ns/b"].tasks["b-0"]
    session.place(task, 0, TaskStatus.Allocated)
    session.bind(task)
    on_node = sent(wire.node(0))["Tasks"]["ns/b-0"]
    assert (on_node["Status"], sent(wire.task(task))["Status"]) == (2, 8)
    session.displace(task)
    written = sent(wire.task(task))
    assert (written["NodeName"], written["Status"], written["Pod"]["spec"]["nodeName"]) == ("", 1, "n1")
    assert list(sent(wire.node(0))["Tasks"]) == ["ns/a-0"]


def test_what_leaves_and_what_is_promised() -> None:
    """A task that is evicted is still on its node, and its room is releasing; a promised one takes none yet."""
    session, wire = opened(OBJECTS)
    session.evict(session.jobs["ns/a"].tasks["a-0"])
    session.place(session.jobs["ns/b"].tasks["b-0"], 0, TaskStatus.Pipelined)
    written = sent(wire.node(0))
    assert {key: task["Status"] for key, task in written["Tasks"].items()} == {"ns/a-0": 64, "ns/b-0": 4}
    assert (written["Releasing"], written["Pipelined"]["MilliCPU"], written["Idle"]["MilliCPU"]) == (ONE_CPU, 500, 3000)
    session.unevict(session.jobs["ns/a"].tasks["a-0"])
    assert sent(wire.node(0))["Releasing"] == NOTHING


def answer(body: bytes) -> Answer:
    """Return the answer of a body."""
    return Answer(body, "PredicateResponse")


def test_fields_are_found_whatever_their_case() -> None:
    """Go looks for the exact name, and then for one that differs in case."""
    assert answer(b'{"STATUS": "no", "Code": 2, "more": [1]}').text("status") == "no"
    assert answer(b'{"STATUS": "no", "Code": 2, "more": [1]}').number("code") == 2


@pytest.mark.parametrize("body", [b"{}", b"null", b'{"a": null}', b" \n{} "])
def test_what_is_not_given_is_zero(body: bytes) -> None:
    """Null is nothing, as in Go, also in place of the whole answer."""
    read = answer(body)
    zeros = (read.text("a"), read.number("a"), read.flag("a"), read.numbers("a"), read.uids("a"))
    assert zeros == ("", 0, False, None, [])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "EOF"),
        (b"  ", "EOF"),
        (b"<html>", "invalid character '<' looking for beginning of value"),
        (b'{"code": ', "unexpected EOF"),
        (b'{"code": 1,}', "invalid JSON: "),
        (b"[]", "json: cannot unmarshal array into Go value of type extender.PredicateResponse"),
        (b"7", "json: cannot unmarshal number into Go value of type extender.PredicateResponse"),
        (b'"no"', "json: cannot unmarshal string into Go value of type extender.PredicateResponse"),
        (b'{"a": NaN}', "invalid JSON: "),
        (b"[" * 100_000, "invalid JSON: "),
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes, error: str) -> None:
    """The words are Go's where it is clear what is wrong."""
    with pytest.raises(ExtenderError) as raised:
        answer(body)
    assert str(raised.value).startswith(error)


@pytest.mark.parametrize(
    ("value", "method", "error"),
    [
        (1, "text", "number into Go struct field PredicateResponse.a of type string"),
        ("1", "number", "string into Go struct field PredicateResponse.a of type int"),
        (1.0, "number", "number 1.0 into Go struct field PredicateResponse.a of type int"),
        (True, "number", "bool into Go struct field PredicateResponse.a of type int"),
        (2**63, "number", "number into Go struct field PredicateResponse.a of type int"),
        ("true", "flag", "string into Go struct field PredicateResponse.a of type bool"),
        ([1], "numbers", "array into Go struct field PredicateResponse.a of type map[string]float64"),
        ({"n1": "5"}, "numbers", "string into Go struct field PredicateResponse.a of type float64"),
        ({"n1": 10**400}, "numbers", "number into Go struct field PredicateResponse.a of type float64"),
        ({}, "uids", "object into Go struct field PredicateResponse.a of type []*api.TaskInfo"),
        ([{"uid": 1}], "uids", "number into Go struct field PredicateResponse.a.UID of type api.TaskID"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(value: object, method: str, error: str) -> None:
    """Go refuses the whole answer then."""
    with pytest.raises(ExtenderError) as raised:
        getattr(answer(json.dumps({"a": value}).encode()), method)("a")
    assert str(raised.value) == f"json: cannot unmarshal {error}"


def test_scores_and_victims() -> None:
    """Null is a score of 0, and no victim."""
    assert answer(b'{"nodeScore": {"n1": 1, "n2": 0.5, "n3": null}}').numbers("nodeScore") == {
        "n1": 1.0,
        "n2": 0.5,
        "n3": 0.0,
    }
    assert answer(b'{"victims": [{"UID": "a"}, null, {"uid": "b"}, {}]}').uids("victims") == ["a", "b", ""]


def test_bytes_that_are_no_text_are_replaced() -> None:
    """Go replaces them too."""
    assert answer(b'{"status": "\xff"}').text("status") == "�"


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.lists(_values) | st.dictionaries(st.text(), _values), rest=st.binary(), size=st.integers(1, 9))
def test_the_end_of_a_value_is_found_however_it_is_cut(value: Any, rest: bytes, size: int) -> None:
    """What follows the first value is never taken for a part of it."""
    written = json.dumps(value).encode()
    body, end = written + rest, ValueEnd()
    found = (end.after(body[at : at + size]) for at in range(0, len(body), size))
    assert next(each for each in found if each is not None) == len(written)
