"""Which tasks a queue has to give up under the plugin capacity, and which queues may ask for them."""

from __future__ import annotations

from tests.build import Object, group, node, open_session, pod, queue
from tests.engine.plugins.test_capacity import FLAT, child
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Victims, Vote
from vqs.engine.plugins.capacity import CapacityPlugin
from vqs.model.job import Task

TREE = FLAT + "    enableHierarchy: true\n"
NODE = node("n1", cpu=100, memory="1000Gi", pods=1000, gpu=8)


def plugin_of(session: Session) -> CapacityPlugin:
    """Return the plugin of a session."""
    plugin = session.queue_ledger
    assert isinstance(plugin, CapacityPlugin)
    return plugin


def pods(session: Session, of: str) -> list[Task]:
    """Return the tasks of a job by name."""
    return sorted(session.jobs[f"ns/{of}"].tasks.values(), key=lambda task: task.name)


def holder(in_queue: str, number: int = 3, cpu: int = 2, **requests: int) -> list[Object]:
    """Make a job `held` with some running pods."""
    members = [pod(f"held-{n}", "held", cpu, "0", node="n1", requests=requests) for n in range(number)]
    return [group("held", queue=in_queue, phase="Running"), *members]


def asker(in_queue: str, cpu: int = 2, **requests: int) -> list[Object]:
    """Make a job `want` with one pending pod."""
    return [group("want", queue=in_queue), pod("want-0", "want", cpu, "0", requests=requests)]


def taken(*objects: Object | list[Object]) -> tuple[Victims, list[str]]:
    """Ask for what `want` may reclaim from `held`; return the answer, and the names of the victims."""
    session = open_session([NODE, *objects], FLAT)
    [reclaimer] = pods(session, "want")
    votes = plugin_of(session).reclaimable(reclaimer, pods(session, "held"))
    return votes, [task.name for task in votes.tasks]


def test_tasks_are_given_up_until_no_more_is_held_than_deserved() -> None:
    """Of 6 cores held, 3 are deserved: two tasks of 2 go, and the third stays."""
    votes, names = taken(queue("a", deserved={"cpu": 3}), queue("b"), holder("a"), asker("b"))
    assert names == ["held-0", "held-1"]
    assert [refusal.code for refusal in votes.spared.values()] == ["queue-within-deserved"]


def test_a_guarantee_is_not_touched() -> None:
    """Nothing is deserved beyond the guarantee of 5 cores; taking one of three tasks would leave 4."""
    votes, names = taken(queue("a", guarantee={"resource": {"cpu": 5}}), queue("b"), holder("a"), asker("b"))
    assert names == []
    assert {refusal.code for refusal in votes.spared.values()} == {"queue-guarantee"}


def test_tasks_that_hold_nothing_of_what_is_asked_for_are_spared() -> None:
    """Who asks for GPUs has no use for a task with cores alone; that both take up a pod does not count."""
    votes, names = taken(queue("a"), queue("b"), holder("a"), asker("b", 0, **{"nvidia.com/gpu": 1}))
    assert names == []
    assert {refusal.code for refusal in votes.spared.values()} == {"no-common-resource"}


def test_a_task_without_anything_that_its_queue_deserves_is_taken_at_once() -> None:
    """The queue deserves GPUs and holds none; its tasks have cores only."""
    _, names = taken(queue("a", deserved={"nvidia.com/gpu": 4}), queue("b"), holder("a"), asker("b"))
    assert names == ["held-0", "held-1", "held-2"]


def test_only_what_the_task_asks_for_has_to_exceed_what_is_deserved() -> None:
    """More GPUs are held than deserved, but the tasks that would go hold none."""
    gpus = [
        group("gpus", queue="a", phase="Running"),
        pod("g", "gpus", 1, "0", node="n1", requests={"nvidia.com/gpu": 4}),
    ]
    deserved = {"cpu": 50, "nvidia.com/gpu": 2}
    _, names = taken(queue("a", deserved=deserved), queue("b"), holder("a"), gpus, asker("b"))
    assert names == []


def may_reclaim(in_queue: Object, cpu: int = 2) -> str:
    """Return why `want` may not reclaim for a queue of which `held` has 6 cores; empty where it may."""
    session = open_session([NODE, in_queue, holder("a"), asker("a", cpu)], FLAT)
    [reclaimer] = pods(session, "want")
    refusal = plugin_of(session).preemptive(session.queues["a"], reclaimer.request)
    return refusal.code if refusal else ""


def test_a_queue_may_reclaim_as_long_as_it_deserves_more_than_it_would_hold() -> None:
    """With 8 cores deserved, a third task of 2 is within; with 7 it is not, and a closed queue may nothing."""
    assert may_reclaim(queue("a", deserved={"cpu": 8})) == ""
    assert may_reclaim(queue("a", deserved={"cpu": 7})) == "queue-not-preemptive"
    assert may_reclaim(queue("a", deserved={"cpu": 8}, state="Closed")) == "queue-closed"


def test_nothing_is_reclaimed_where_the_tree_is_broken() -> None:
    """The plugin votes against everything."""
    session = open_session([NODE, child("a", "nowhere"), holder("default"), asker("default")], TREE)
    [reclaimer] = pods(session, "want")
    votes = plugin_of(session).reclaimable(reclaimer, pods(session, "held"))
    assert (votes.vote, votes.tasks) == (Vote.REJECT, [])
    refusal = plugin_of(session).preemptive(session.queues["default"], reclaimer.request)
    assert refusal is not None
    assert refusal.code == "scheduler-stands-still"
