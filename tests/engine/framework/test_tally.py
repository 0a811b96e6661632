"""What plugins contribute is counted, and counting changes nothing."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.build import NOW, gang, group, manifests, node, placements, pod, queue
from vqs.config.known_arguments import Arguments
from vqs.config.scheduler_conf import PluginOption, Tier
from vqs.engine import scheduler
from vqs.engine.framework import points
from vqs.engine.framework.dispatch import Dispatch
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.points import DependsOn, EvictableFn, Gradients, NodeScore, Point
from vqs.engine.framework.session import SessionOptions
from vqs.engine.framework.tally import Contribution, Tally
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.reasons import Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.model.codes import VerdictCode
from vqs.report import as_json
from vqs.report.formats import View
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.reader import read_manifests

ROOT = Path(__file__).parents[3]
CONF = """
actions: enqueue, allocate, preempt
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
  - name: nodeorder
"""


def run(*objects: Any) -> tuple[Tally, FinishedSession]:
    """Run a session that is counted."""
    read, tally = manifests([*objects], CONF), Tally()
    session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW, tally=tally))
    return tally, scheduler.run_actions(session)


@pytest.mark.parametrize(
    ("said", "vetoes"),
    [
        (Refusal(VerdictCode.QUEUE_CLOSED), 1),
        (False, 1),
        (Vote.REJECT, 1),
        (None, 0),
        (True, 0),
        (Vote.PERMIT, 0),
        (Vote.ABSTAIN, 0),
        ((0, "a"), 0),
        (0, 0),
        (-1, 0),
    ],
)
def test_a_no_is_a_veto(said: object, vetoes: int) -> None:
    """A key to sort by is an answer too, and never a no, whatever its number."""
    tally = Tally()
    answer = tally.counted(Point[Any]("jobReady", None), "own", lambda _: said)
    assert answer(None) == said
    assert tally.of("own") == {"jobReady": Contribution(votes=1, vetoes=vetoes)}


def test_candidates_for_eviction_are_votes() -> None:
    """A plugin gives one on each; those that it spares are vetoes."""
    tally = Tally()
    taken = [object()]
    function = EvictableFn(lambda *_: Victims(tasks=taken), DependsOn.NOTHING)  # type: ignore[arg-type]
    counted = tally.counted(points.PREEMPTABLE, "own", function)
    counted.vote(object(), [*taken, object(), object()])  # type: ignore[arg-type,list-item]
    assert tally.of("own") == {"preemptable": Contribution(votes=3, vetoes=2)}
    assert counted.depends_on is function.depends_on


def test_left_out_hyper_nodes_are_vetoes() -> None:
    """Those that may be tried are votes, too."""
    tally = Tally()
    gradients = Gradients([["a"], ["b", "c"]], {"d": Refusal(VerdictCode.NO_HYPER_NODE)})
    answer: Any = tally.counted(points.HYPER_NODE_GRADIENT_FOR_JOB, "own", lambda *_: gradients)
    assert answer(None, "root") is gradients
    assert tally.of("own") == {"hyperNodeGradientForJob": Contribution(votes=4, vetoes=1)}


def test_the_spread_is_that_of_equal_tasks() -> None:
    """Scores of one class are compared with each other, those of two classes are not."""
    contribution = Contribution()
    contribution.score(1, np.array([10.0, 30.0]))
    contribution.score(1, np.array([25.0, 5.0]))
    contribution.score(2, np.array([100.0]))
    contribution.score(3, np.array([]))
    assert (contribution.votes, contribution.spread) == (5, 25.0)
    assert Contribution().spread is None


class Filter:
    """A predicate that refuses every second node, and has nothing but what it is made with."""

    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        self.code = code

    def volatile(self, _: EquivalenceClass) -> bool:
        """Tell that nothing changes."""
        return False

    def codes(self, _: EquivalenceClass, nodes: Nodes) -> Codes:
        """Refuse nodes with an odd number."""
        return (np.arange(5)[nodes] % 2 * self.code).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Score:
    """A score that is an object."""

    by: float

    def __call__(self, _: EquivalenceClass, nodes: Nodes, /) -> Floats:
        """Score nodes by their numbers."""
        return np.arange(5.0)[nodes] * self.by


@pytest.mark.parametrize("wrap", [lambda score: score, partial], ids=["object", "partial"])
def test_an_answer_about_nodes_stays_what_it_is(wrap: Callable[[NodeScore], NodeScore]) -> None:
    """It is counted where it is asked: the engine may ask for its class, and the plugin may change it."""
    tally, predicate, score = Tally(), Filter(7), wrap(Score(2.0))
    task_class: Any = SimpleNamespace(number=1)
    dispatch = Dispatch([Tier((PluginOption("own", Arguments(())),))], tally)
    dispatch.add(points.PREDICATE, "own", predicate)
    dispatch.add(points.NODE_ORDER, "own", score)
    plugins = dispatch.on_nodes()
    assert (plugins.predicates, plugins.scores) == ([predicate], [score])
    predicate.code = 9
    assert plugins.codes(predicate, task_class, slice(None)).tolist() == [0, 9, 0, 9, 0]
    assert plugins.node_order(task_class, np.array([1, 3]), 5).tolist() == [2.0, 6.0]
    assert tally.of("own")["predicate"] == Contribution(votes=5, vetoes=2)
    assert tally.of("own")["nodeOrder"].spread == 4.0
    assert predicate.codes(task_class, slice(None)).tolist() == [0, 9, 0, 9, 0]
    assert tally.of("own")["predicate"].votes == 5


def test_a_session_is_counted() -> None:
    """A node that is refused is a veto of predicates; of two free nodes, the emptier one has the higher score."""
    full = [group("g", 1, "Running"), pod("busy", "g", cpu=6, node="n1", phase="Running")]
    tally, session = run(
        node("n1"), node("n2"), node("n3", unschedulable=True), queue("default"), *full, *gang("j", 1, cpu=1)
    )
    assert placements(session)["j-worker-0"] == ("Binding", "n2")
    predicate, score = tally.of("predicates")["predicate"], tally.of("nodeorder")["nodeOrder"]
    assert (predicate.votes >= 3, predicate.vetoes >= 1) == (True, True)
    assert predicate.vetoes < predicate.votes
    assert score.spread is not None
    assert score.spread > 0


@pytest.mark.parametrize("name", ["first-look", "preempt-spared-by-gang", "reclaim-from-overused", "task-topology"])
def test_counting_changes_nothing(name: str) -> None:
    """The result is the same to the last byte."""
    found = ROOT / "scenarios" / f"{name}.yaml"
    texts = []
    for tally in (None, Tally()):
        read = read_manifests([str(found)], stdin=io.BytesIO())
        options = SimulateOptions(tally=tally, watch=frozenset({"default/a"}))
        texts.append(as_json.write(simulate(read, options), View()))
    assert texts[0] == texts[1]
