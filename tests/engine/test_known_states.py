"""What the states of single nodes lead to is what the array kernels say, to the bit."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, manifests, node, open_session, queue
from tests.engine.plugins.kubernetes_clusters import World, random_objects
from tests.properties import examples
from vqs.engine import points
from vqs.engine.equivalence import EquivalenceClass
from vqs.engine.known_states import FEW
from vqs.engine.node_fit import NodeFit, NodeFits
from vqs.engine.node_rating import NodePlugins
from vqs.engine.nodes import Floats, Nodes
from vqs.engine.points import NodeScore, OfState, StateScore
from vqs.engine.session import Session
from vqs.explain import simulate
from vqs.explain.simulate import SimulateOptions
from vqs.model.task import Task, TaskStatus
from vqs.snapshot.prepared import PreparedTasks

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
            assert fit.rating.known is not None
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


def counted(session: Session) -> list[int]:
    """Have the single nodes listed that plugins are asked to score."""
    asked: list[int] = []

    def answer(node: int, _: Sequence[float]) -> float:
        asked.append(node)
        return 1.0

    score = StateScore(lambda _, nodes: np.ones(len(session.nodes))[nodes], lambda _: OfState(answer))
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
    assert fit.rating.known is None
    assert contents(session.fit(first)) == contents(anew(session, first))


def test_answers_outlast_sessions_on_the_same_nodes() -> None:
    """What a state leads to is found out by the first session, where the next one has the same nodes and arguments."""
    objects = [queue("default"), *(node(f"n{number}") for number in range(3)), *gang("j", 2)]
    given, options = manifests(objects, CONF), SimulateOptions(prepared=PreparedTasks())
    asked = []
    for _ in range(2):
        opened = simulate.open_session(given, options)
        fit = opened.session.fit(next(iter(opened.session.jobs["ns/j"].tasks.values())))
        assert fit.rating.known is not None
        asked.append(len(fit.rating.known._standings))
        assert contents(fit) == contents(anew(opened.session, fit.task_class.task))
        simulate.finish_session(opened).release()
    assert asked == [1, 0]
