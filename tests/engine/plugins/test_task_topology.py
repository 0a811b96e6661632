"""task-topology serves the tasks of a job bucket by bucket, and keeps each bucket together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import Object, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework.session import Session
from vqs.engine.plugins.task_topology import JobBuckets, TaskTopologyPlugin
from vqs.model.job import TaskStatus

CONF = """
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: task-topology
"""

NEAR = "volcano.sh/task-topology-affinity"
APART = "volcano.sh/task-topology-anti-affinity"
ORDER = "volcano.sh/task-topology-task-order"


def job(minimum: int = 1, annotations: dict[str, str] | None = None, **roles: int) -> list[Object]:
    """Make a job with some pods of each role, of one core each."""
    made = group("j", minimum)
    made["metadata"]["annotations"] = annotations or {}
    pods = [pod(f"j-{role}-{n}", "j", 1, "0", role=role) for role, number in roles.items() for n in range(number)]
    return [made, *pods]


def opened(*objects: Any, conf: str = CONF) -> Session:
    """Open a session with two nodes of 2 cores."""
    return open_session([node("n1", cpu=2), node("n2", cpu=2), queue("default"), *objects], conf)


def plugin(session: Session) -> TaskTopologyPlugin:
    """Return the plugin of a session."""
    return next(plugin for plugin in session._opened if isinstance(plugin, TaskTopologyPlugin))


def buckets(session: Session) -> list[list[str]]:
    """Return the names of the tasks that wait in each bucket of the job."""
    found: JobBuckets = plugin(session).jobs["ns/j"]
    return [[task.name.removeprefix("j-") for task in bucket.tasks.values()] for bucket in found.buckets]


def scores(session: Session, name: str) -> list[float]:
    """Return what each node gets for a task."""
    task = session.jobs["ns/j"].tasks[name]
    return list(map(float, plugin(session).scores(session.fit(task).task_class, np.arange(len(session.nodes)))))


def place(session: Session, name: str, on: int, status: TaskStatus = TaskStatus.Allocated) -> None:
    """Give a task of the job a node."""
    session.place(session.jobs["ns/j"].tasks[name], on, status)


# --- buckets ----------------------------------------------------------------------------------------------------------


def test_roles_that_belong_together_share_a_bucket() -> None:
    """All of both roles are near each other, and the third role is in no bucket."""
    assert buckets(opened(job(ps=1, worker=2, other=1, annotations={NEAR: "ps,worker"}))) == [
        ["ps-0", "worker-0", "worker-1"]
    ]


def test_pods_of_a_role_that_are_kept_apart_have_a_bucket_each() -> None:
    """The others are spread over these, so that all are about the same size."""
    found = opened(job(ps=2, worker=4, annotations={NEAR: "ps,worker", APART: "ps"}))
    assert buckets(found) == [["ps-0", "worker-0", "worker-2"], ["ps-1", "worker-1", "worker-3"]]


def test_the_order_of_roles_decides_who_chooses_first() -> None:
    """What is named first goes first; without an order, roles kept apart go before those that are near."""
    roles = job(ps=1, worker=2, annotations={NEAR: "ps,worker", ORDER: "worker,ps"})
    assert buckets(opened(roles)) == [["worker-0", "worker-1", "ps-0"]]


def test_tasks_with_a_node_make_a_bucket_for_their_node() -> None:
    """Those that wait join them."""
    running = pod("j-worker-9", "j", 1, "0", node="n2")
    session = opened(job(ps=1, worker=1, annotations={NEAR: "ps,worker"}), running)
    assert buckets(session) == [["ps-0", "worker-0"]]
    assert plugin(session).jobs["ns/j"].buckets[0].on_node == {"n2": 1}
    assert plugin(session).jobs["ns/j"].largest == 3


@pytest.mark.parametrize(
    ("annotations", "text"),
    [
        ({NEAR: "ps,chief"}, f"{NEAR} names the role 'chief', and the job has no pod of it"),
        ({APART: "ps;worker,worker"}, f"{APART} names the role 'worker' twice in a group"),
        ({ORDER: "chief"}, f"{ORDER} names the role 'chief', and the job has no pod of it"),
    ],
)
def test_annotations_that_name_no_role_are_ignored_with_a_warning(annotations: dict[str, str], text: str) -> None:
    """All three are then; Volcano says so in its log alone."""
    session = opened(job(ps=1, worker=1, annotations={NEAR: "ps,worker", **annotations}))
    assert plugin(session).jobs == {}
    [notice] = session.notices
    assert notice.message == f"plugin task-topology: the annotations of PodGroup ns/j: {text}"


@pytest.mark.parametrize("annotations", [{}, {"volcano.sh/task-topology": "ps,worker"}])
def test_jobs_without_annotations_have_no_buckets(annotations: dict[str, str]) -> None:
    """Without any such job, the order of tasks is as fixed as without the plugin."""
    session = opened(job(ps=1, worker=1, annotations=annotations))
    assert plugin(session).jobs == {}
    assert not session.task_order_is_live


def test_empty_annotations_put_nothing_into_buckets() -> None:
    """They name the role without a name, which no pod has."""
    assert buckets(opened(job(ps=1, annotations={NEAR: "", ORDER: ""}))) == []


# --- the order of tasks -----------------------------------------------------------------------------------------------


def test_large_buckets_go_first_and_tasks_in_none_last() -> None:
    """Of buckets of one size the older one goes first, and in a bucket the order of the roles counts."""
    annotations = {NEAR: "ps,worker", APART: "ps", ORDER: "ps,worker"}
    session = opened(job(other=1, worker=3, ps=2, annotations=annotations))
    tasks = session.jobs["ns/j"].tasks.values()
    names = [task.name for task in sorted(tasks, key=lambda task: (session.plugins.task_key(task), task.name))]
    assert names == ["j-ps-0", "j-worker-0", "j-worker-2", "j-ps-1", "j-worker-1", "j-other-0"]


def test_the_order_changes_as_tasks_are_placed() -> None:
    """Each task that is placed makes its bucket smaller."""
    session = opened(job(worker=4, ps=2, annotations={NEAR: "ps,worker", APART: "ps"}))
    key = session.plugins.task_key
    one, other = (session.jobs["ns/j"].tasks[name] for name in ("j-worker-0", "j-worker-1"))
    assert key(one) < key(other)
    place(session, "j-ps-0", 0)
    assert key(other) < key(one)


# --- scores -----------------------------------------------------------------------------------------------------------


def test_a_node_scores_by_how_much_of_the_bucket_it_has_room_for() -> None:
    """Of a bucket of three, two fit a node of 2 cores, and one the node with one core left."""
    filler = [group("f", phase="Running"), pod("f-0", "f", 1, "0", node="n2")]
    session = opened(job(ps=1, worker=2, annotations={NEAR: "ps,worker"}), *filler)
    assert scores(session, "j-ps-0") == pytest.approx([200 / 3, 100 / 3])


def test_tasks_of_the_bucket_that_a_node_holds_count() -> None:
    """One is there, and room for one more; on the other node there is room for two, and that is as much."""
    session = opened(job(ps=1, worker=2, annotations={NEAR: "ps,worker"}))
    place(session, "j-ps-0", 0)
    assert scores(session, "j-worker-0") == pytest.approx([200 / 3, 200 / 3])
    place(session, "j-worker-0", 0)
    assert scores(session, "j-worker-1") == pytest.approx([0, 100 / 3])  # no room for it on the first


def test_tasks_that_are_kept_apart_count_against_a_node() -> None:
    """As many of them as were placed there in this session."""
    session = opened(job(worker=3, annotations={APART: "worker"}))
    place(session, "j-worker-0", 0)
    assert scores(session, "j-worker-1") == [0, 100]


def test_room_that_is_being_released_counts() -> None:
    """Evicted tasks are on their way out, and promises of their room do not take it away."""
    leaving = [group("f", phase="Running"), pod("f-0", "f", 2, "0", node="n1", deleted=True)]
    session = opened(job(ps=1, worker=1, annotations={NEAR: "ps,worker"}), *leaving)
    assert scores(session, "j-ps-0") == [100, 100]
    place(session, "j-ps-0", 0, TaskStatus.Pipelined)
    assert scores(session, "j-worker-0") == [100, 50]


def test_evictions_make_room_and_taking_them_back_takes_it() -> None:
    """What is released in the session counts as well."""
    filler = [group("f", phase="Running"), pod("f-0", "f", 2, "0", node="n1")]
    session = opened(job(ps=1, annotations={NEAR: "ps"}), *filler)
    victim = session.jobs["ns/f"].tasks["f-0"]
    found = [scores(session, "j-ps-0")]
    session.evict(victim)
    found.append(scores(session, "j-ps-0"))
    session.unevict(victim)
    found.append(scores(session, "j-ps-0"))
    assert found == [[0, 100], [100, 100], [0, 100]]


def test_the_weight_multiplies_the_score() -> None:
    """And a weight of 0 switches it off."""
    conf = CONF + "    arguments: {task-topology.weight: %d}\n"
    for weight in (0, 7):
        session = opened(job(ps=1, annotations={NEAR: "ps"}), conf=conf % weight)
        assert scores(session, "j-ps-0") == [100 * weight] * 2


def test_tasks_in_no_bucket_have_no_score() -> None:
    """For them, nodes need not be compared."""
    session = opened(job(ps=1, other=1, annotations={NEAR: "ps"}))
    assert scores(session, "j-other-0") == [0, 0]
    of = session.classes.of
    tasks = session.jobs["ns/j"].tasks
    assert plugin(session).constant(of(tasks["j-other-0"])) == 0
    assert plugin(session).constant(of(tasks["j-ps-0"])) is None


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_a_worker_is_placed_beside_each_parameter_server() -> None:
    """Two nodes, each with one of both, though any node has room for two."""
    annotations = {NEAR: "ps,worker", APART: "ps"}
    session = run([node("n1", cpu=2), node("n2", cpu=2), queue("default"), *job(4, annotations, ps=2, worker=2)], CONF)
    of_node = {name: node_name for name, (_, node_name) in placements(session).items()}
    assert of_node["j-ps-0"] == of_node["j-worker-0"] != of_node["j-ps-1"] == of_node["j-worker-1"]


def test_a_task_that_is_given_a_node_twice_ends_the_process() -> None:
    """The plugin never learns that a placement was taken back, and counts its request off for a second time."""
    session = opened(job(ps=1, worker=1, annotations={NEAR: "ps,worker"}))
    place(session, "j-ps-0", 0)
    session.displace(session.jobs["ns/j"].tasks["j-ps-0"])
    place(session, "j-worker-0", 0)
    assert session.notices == []
    place(session, "j-ps-0", 1)
    [notice] = session.notices
    assert notice.code == "scheduler-panics"
    assert "ns/j-ps-0 was given a node for a second time" in notice.message
