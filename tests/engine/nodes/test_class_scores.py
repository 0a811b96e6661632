"""What nodes are by themselves is found out once for all classes of tasks that plugins cannot tell apart by it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, Object, gang, group, manifests, node, open_session, pod, queue
from tests.engine.plugins.kubernetes_clusters import World, random_objects
from tests.properties import examples
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import NodeScore, OfState, StateScore
from vqs.engine.framework.session import Session
from vqs.engine.nodes.class_scores import FEW, NodeFit, NodeFits, NodePlugins
from vqs.engine.nodes.table import Change, Floats, Nodes
from vqs.explain import simulate
from vqs.explain.simulate import SimulateOptions
from vqs.model.job import Task, TaskStatus
from vqs.snapshot.cluster.session_cache import SessionCache


def opened(*pods: list[Object]) -> tuple[Session, list[Task]]:
    """Open a session with two nodes, and return the tasks of some jobs of one pod each."""
    session = open_session([queue("default"), node("n0", labels={"rack": "a"}), node("n1"), *pods])
    return session, [task for job in session.jobs.values() for task in job.tasks.values()]


def job(name: str, cpu: int = 1, port: int = 0, **spec: Any) -> list[Object]:
    """Make a job of one pod, which may want a host port."""
    ports = [{"containerPort": 80, "hostPort": port}] if port else []
    resources = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    containers = [{"name": "c", "image": "i", "ports": ports, "resources": resources}]
    return [group(name, 1), pod(f"{name}-0", name, spec={"containers": containers, **spec})]


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (job("a", port=80), job("b", port=81), True),
        (job("a", port=80), job("b"), False),
        (job("a", cpu=1, port=80), job("b", cpu=2, port=80), False),
        (job("a", nodeSelector={"rack": "a"}), job("b"), False),
    ],
)
def test_class_scores_are_shared_by_classes_that_only_predicates_tell_apart(
    one: list[Object], other: list[Object], *, shared: bool
) -> None:
    """Classes with other host ports share it; those with other requests, or whose codes follow from states, do not."""
    session, (first, second) = opened(one, other)
    fits = [session.fit(first), session.fit(second)]
    assert fits[0].task_class is not fits[1].task_class
    assert (fits[0].class_scores is fits[1].class_scores) is shared


def test_classes_that_share_scores_are_each_up_to_date() -> None:
    """Whichever class asked last, each knows of all changes: of those of its own ports, too."""
    session, (first, second, third) = opened(job("a", port=80), job("b", port=81), job("c", port=80))
    for task, place in ((first, 0), (second, 1)):
        session.fit(task)
        session.place(task, place, TaskStatus.Allocated)
        for each in (third, second):
            assert contents(session.fit(each)) == contents(anew(session, each))
    assert [code == 0 for code in session.fit(third).codes.tolist()] == [False, True]


def test_a_node_without_room_is_scored_when_it_is_asked_for() -> None:
    """Scores of nodes that have no room are hardly ever looked at; those that are asked for are all there."""
    session, (first, second) = opened(job("a", cpu=8), job("b", cpu=2))
    session.place(first, 0, TaskStatus.Allocated)
    fit = session.fit(second)
    assert np.isnan(fit.scores).tolist() == [True, False]
    fit.score(np.array([0]))
    assert fit.scores.tolist() == anew(session, second).scores.tolist()


ARRAYS = ("short", "idle", "scores", "codes", "best")
WEIGHTS = "".join(
    f"      {name}.weight: {weight}\n"
    for name, weight in (("mostrequested", 3), ("nodeaffinity", 2), ("podaffinity", 1))
)
BINPACK = (
    "      binpack.resources: nvidia.com/gpu\n      binpack.resources.nvidia.com/gpu: 5\n      binpack.weight: 2\n"
)


def conf() -> str:
    """Return a configuration with all scores of nodeorder, and binpack."""
    plugins = f"  - name: predicates\n  - name: nodeorder\n    arguments:\n{WEIGHTS}"
    return f'actions: "allocate"\ntiers:\n- plugins:\n{plugins}  - name: binpack\n    arguments:\n{BINPACK}'


def contents(fit: NodeFit) -> dict[str, bytes]:
    """Return the arrays of a fit, with the scores of nodes without room, too."""
    fit.score(np.arange(len(fit.nodes)))
    return {name: getattr(fit, name).tobytes() for name in ARRAYS}


def anew(session: Session, task: Task) -> NodeFit:
    """Return what is known of every node for a task when all are looked at with arrays."""
    plugins = session.node_plugins._replace(counted=True)  # which states of nodes do not serve for
    return NodeFits(session.nodes, plugins, session.shard).of(session.classes.of(task))


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(150))
def test_nodes_are_brought_up_to_date_as_by_arrays(seed: int) -> None:
    """Whatever has happened, codes and scores are those of a look at all nodes."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), conf())
    for _ in range(8):
        for task in world.pending():
            fit = world.session.fit(task)
            assert fit.class_scores.known is not None
            assert contents(fit) == contents(anew(world.session, task))
        world.step(rnd)


def crowd(number: int) -> tuple[Session, list[Task]]:
    """Open a session with many equal nodes, and return the tasks of a gang that it has room for."""
    nodes = [node(f"n{i:02d}") for i in range(number)]
    session = open_session([queue("default"), *nodes, gang("j", number + 1)], CONF)
    return session, list(session.jobs["ns/j"].tasks.values())


@pytest.mark.parametrize("number", [FEW, FEW + 1])
def test_many_nodes_are_brought_up_to_date_at_once(number: int) -> None:
    """Whether more nodes were changed than are looked at one by one, or not."""
    session, (first, *others) = crowd(number)
    session.fit(first)
    for at, task in enumerate(others):
        session.place(task, at, TaskStatus.Allocated if at % 2 else TaskStatus.Pipelined)
    assert contents(session.fit(first)) == contents(anew(session, first))


def ask(session: Session, plugins: NodePlugins) -> None:
    """Have a session ask other plugins about nodes."""
    session.node_plugins = plugins
    session._fits = NodeFits(session.nodes, plugins, session.shard)


def counted(session: Session, lasting: str | None = None) -> list[int]:
    """Have the single nodes listed that plugins are asked to score."""
    asked: list[int] = []

    def answer(node: int, _: Sequence[float]) -> float:
        asked.append(node)
        return 1.0

    of_state = OfState(answer, lasting=lasting)
    score = StateScore(lambda _, nodes: np.ones(len(session.nodes))[nodes], lambda _: of_state)
    ask(session, session.node_plugins._replace(scores=[score]))
    return asked


def test_equal_states_are_looked_at_once() -> None:
    """A node that comes to a state that another one was in before is not scored again."""
    session, (first, second, third, *_) = crowd(3)
    asked = counted(session)
    session.fit(first)
    for task, place in ((second, 0), (third, 2)):
        session.place(task, place, TaskStatus.Allocated)
        session.fit(first)
    assert asked == [0, 0]  # as all were at first, and with a task
    session.displace(third)
    session.fit(first)
    assert asked == [0, 0]


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(60))
def test_the_room_of_a_node_is_what_it_takes_one_by_one(seed: int) -> None:
    """Tasks of a class are put there as long as the node fits, and some more would not."""
    world = World(random_objects(random.Random(seed)), conf())
    session = world.session
    for task in world.pending():
        known = session.fit(task).known
        if known is None:
            continue
        for at in range(len(session.nodes)):
            room = 0
            while room < 3 and session.fit(task).best[at] > -np.inf:
                session.nodes.add(Change.ALLOCATE, task, at)
                room += 1
            for _ in range(room):
                session.nodes.undo(Change.ALLOCATE, task, at)
            assert known.room(at, 3) == room
            assert known.room(at, 1) == min(room, 1)


class Favourite:
    """A plugin's own score that knows nothing of states: it likes every second node."""

    def __call__(self, _: EquivalenceClass, nodes: Nodes) -> Floats:
        """Return the score of each of some nodes."""
        return self.likes[nodes]

    def __init__(self, session: Session) -> None:
        self.likes: Floats = session.nodes.max_tasks.copy()
        self.likes[::2] = 7.0


@pytest.mark.parametrize("wrap", [False, True])
def test_a_score_of_something_else_keeps_states_out(*, wrap: bool) -> None:
    """Where a plugin offers nothing for single nodes, or nothing for the class, arrays are used, and say the same."""
    session, (first, second, *_) = crowd(4)
    score: NodeScore = Favourite(session)
    session.plugins.add(points.NODE_ORDER, "binpack", StateScore(score, lambda _: None) if wrap else score)
    session.plugins._in_order.clear()
    session.plugins._by_tier.clear()
    ask(session, session.plugins.on_nodes())
    fit = session.fit(first)
    session.place(second, 1, TaskStatus.Allocated)
    assert fit.class_scores.known is None
    assert contents(session.fit(first)) == contents(anew(session, first))


def full(name: str) -> list[Object]:
    """Make a node that a pod fills."""
    running = pod(f"on-{name}", "running", spec={"nodeName": name}, status={"phase": "Running"})
    return [node(name, pods=1), running]


def test_answers_outlast_sessions_on_the_same_nodes() -> None:
    """What a state leads to is found out by the first session, where the next one has the same nodes and arguments."""
    tainted = node("n3", taints=[{"key": "k", "effect": "NoSchedule"}])
    nodes = [*(node(f"n{number}") for number in range(3)), tainted, *full("n4"), node("n5", cpu="100m")]
    objects = [queue("default"), *nodes, *gang("j", 2)]
    given, options = manifests(objects, CONF), SimulateOptions(cache=SessionCache())
    found = []
    for _ in range(2):
        opened = simulate.open_session(given, options)
        asked = counted(opened.session, lasting="all")
        fit = opened.session.fit(next(iter(opened.session.jobs["ns/j"].tasks.values())))
        found.append(([*asked], fit.codes.tolist()))
        assert contents(fit) == contents(anew(opened.session, fit.task_class.task))
        simulate.finish_session(opened).release()
    (first, codes), (second, same) = found
    assert (first, second) == ([0, 3], [])
    assert codes == same
    assert [bool(code) for code in codes] == [False, False, False, True, True, True]


def test_answers_outlast_sessions_on_other_nodes() -> None:
    """What a state leads to is known of nodes that come later, where they have the same amounts of the same things."""
    options, found = SimulateOptions(cache=SessionCache()), []
    for later in [], [node("a0"), *full("n9")], [node("a1", gpu=1)], []:
        objects = [queue("default"), node("n0"), *full("n1"), *later, *gang("j", 2)]
        opened = simulate.open_session(manifests(objects, CONF), options)
        asked = counted(opened.session, lasting="all")
        fit = opened.session.fit(next(iter(opened.session.jobs["ns/j"].tasks.values())))
        found.append([opened.session.nodes.names[number] for number in asked])
        assert contents(fit) == contents(anew(opened.session, fit.task_class.task))
        simulate.finish_session(opened).release()
    assert found == [["n0"], [], ["a1", "n0"], ["n0"]]


@pytest.mark.parametrize("plugins", ["binpack", "predicates"])
def test_answers_that_outlast_sessions_have_the_codes_of_each(plugins: str) -> None:
    """Where reasons are numbered in another order than before, the numbers are those of the session that asks."""
    wants_gpu = {"containers": [{"name": "c", "resources": {"requests": {"example.com/gpu": 1}}}]}
    jobs = [*gang("cpu", 1), group("gpu", 1), pod("gpu-0", "gpu", spec=wants_gpu)]
    tainted = node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
    objects = [queue("default"), node("n0", cpu="100m"), tainted, *full("n2"), *jobs]
    given = manifests(objects, f"actions: allocate\ntiers:\n- plugins:\n  - name: {plugins}\n")
    options = SimulateOptions(cache=SessionCache())
    for order in ("cpu", "gpu"), ("gpu", "cpu"), ("cpu", "gpu"):
        opened = simulate.open_session(given, options)
        for name in order:
            fit = opened.session.fit(next(iter(opened.session.jobs[f"ns/{name}"].tasks.values())))
            assert contents(fit) == contents(anew(opened.session, fit.task_class.task))
        simulate.finish_session(opened).release()
