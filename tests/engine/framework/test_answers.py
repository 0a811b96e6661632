"""What a plugin from outside the package answers is checked, and a wrong type is said where it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

from tests.build import CONF, NOW, gang, manifests, node, placements
from vqs.config.known_arguments import Arguments
from vqs.config.scheduler_conf import PluginOption, Tier
from vqs.engine import scheduler
from vqs.engine.framework import points
from vqs.engine.framework.answers import AnswerChecks
from vqs.engine.framework.dispatch import Dispatch
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import DependsOn, EvictableFn, Point
from vqs.engine.framework.registry import PLUGINS
from vqs.engine.framework.session import Plugin, SessionOptions
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.class_scores import NodePlugins
from vqs.engine.nodes.table import Nodes
from vqs.explain.plugins.report import POINTS
from vqs.extensible import ExtensionFaultError
from vqs.model.codes import OwnCode, VerdictCode
from vqs.snapshot.cluster.build import build_cluster

WIDTH: Final = 3


class Code(OwnCode):
    """Codes: one that the plugin has a verdict for, and one that it has none for."""

    KNOWN = "known"
    UNKNOWN = "unknown"


CHECKS: Final = AnswerChecks("own", frozenset({Code.KNOWN}), WIDTH)

KEYS: Final = (points.JOB_ORDER, points.QUEUE_ORDER, points.TASK_ORDER, points.SUB_JOB_ORDER, points.VICTIM_QUEUE_ORDER)
GATES: Final = (
    points.JOB_VALID,
    points.OVERUSED,
    points.ALLOCATABLE,
    points.PREEMPTIVE,
    points.SIMULATE_REMOVE_TASK,
    points.RESERVE,
    points.PRE_PREDICATE,
)
YES_OR_NO: Final = (
    points.JOB_READY,
    points.SUB_JOB_READY,
    points.JOB_STARVING,
    points.SIMULATE_ALLOCATABLE,
    points.SIMULATE_PREDICATE,
    points.SIMULATE_DEVICES,
)
VOTES: Final = (points.JOB_PIPELINED, points.SUB_JOB_PIPELINED)
GRADIENTS: Final = (points.HYPER_NODE_GRADIENT_FOR_JOB, points.HYPER_NODE_GRADIENT_FOR_SUB_JOB)


def asked(point: Point[Any], said: object) -> Any:
    """Ask a checked function that says something."""
    return CHECKS.checked(point, lambda *_: said)()


def fault(ask: Callable[[], object]) -> str:
    """Return what is said of a wrong answer."""
    with pytest.raises(ExtensionFaultError) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize("point", POINTS[:-1], ids=lambda point: point.name)
def test_every_extension_point_is_checked(point: Point[Any]) -> None:
    """What cannot be asked at all is said when it is added, with plugin, extension point, and what was expected."""
    said = fault(lambda: CHECKS.checked(point, 7))
    assert said.startswith(f"plugin own answers the extension point {point.name} with 7 (int); expected ")


@pytest.mark.parametrize(
    ("point", "wrong", "expected"),
    [
        *((point, None, "a number or a tuple of numbers, alike each time") for point in KEYS),
        *((point, True, "a Refusal or None") for point in GATES),
        *((point, None, "True or False") for point in YES_OR_NO),
        *((point, True, "a Vote") for point in VOTES),
        (points.JOB_ENQUEUEABLE, True, "a Vote or a Refusal"),
        (points.JOB_ENQUEUEABLE, None, "a Vote or a Refusal"),
        (points.VICTIM_TASKS, ["ns/a"], "a list of Tasks"),
        (points.UNIFIED_EVICTABLE, [], "Victims with a Vote and Tasks"),
        *((point, [["a"]], "Gradients") for point in GRADIENTS),
    ],
)
def test_a_wrong_type_is_said(point: Point[Any], wrong: object, expected: str) -> None:
    """The message names what came and what was expected."""
    shown = "None" if wrong is None else f"{wrong!r} ({type(wrong).__name__})"
    said = fault(lambda: asked(point, wrong))
    assert said == f"plugin own answers the extension point {point.name} with {shown}; expected {expected}"


@pytest.mark.parametrize(
    ("point", "right"),
    [
        *((point, right) for point in KEYS for right in (1, -0.5, np.float64(2), (1, (2.0, False)), (1, "a"))),
        *((point, right) for point in GATES for right in (None, Refusal(VerdictCode.QUEUE_LIMIT), Refusal(Code.KNOWN))),
        *((point, right) for point in YES_OR_NO for right in (True, False, np.bool_(True))),
        *((point, Vote.REJECT) for point in VOTES),
        (points.JOB_ENQUEUEABLE, Vote.PERMIT),
        (points.JOB_ENQUEUED, None),
        (points.UNIFIED_EVICTABLE, Victims()),
        (points.VICTIM_TASKS, ()),
    ],
)
def test_a_right_type_is_passed_on(point: Point[Any], right: object) -> None:
    """It is the answer itself."""
    assert asked(point, right) is right


def test_keys_have_to_compare_with_each_other() -> None:
    """Some of numbers and some of pairs of them cannot be sorted."""
    keys = iter([1, 2.5, (1, 2)])
    order: Any = CHECKS.checked(points.JOB_ORDER, lambda _: next(keys))
    job: Any = SimpleNamespace()
    assert [order(job), order(job)] == [1, 2.5]
    assert "(1, 2) (tuple); expected a number or a tuple of numbers, alike each time" in fault(lambda: order(job))


@pytest.mark.parametrize("code", [Code.UNKNOWN, "typo"])
def test_a_code_without_a_verdict_is_said(code: Any) -> None:
    """A refusal has to be one that can be explained."""
    said = fault(lambda: asked(points.ALLOCATABLE, Refusal(code)))
    assert said == (
        f"plugin own answers the extension point allocatable with a Refusal with the code {code}; "
        "expected a code of its verdicts (known), or one of vqs"
    )


def spared(refusal: Any) -> Victims:
    """Return votes that spare a task."""
    return Victims(spared={"a": refusal})


@pytest.mark.parametrize("point", [points.PREEMPTABLE, points.RECLAIMABLE])
@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        (None, "None; expected Victims"),
        (Victims(tasks=["a"]), "; expected Victims with a Vote and Tasks"),  # type: ignore[list-item]
        (Victims(vote=True), "; expected Victims with a Vote and Tasks"),  # type: ignore[arg-type]
        (spared("no"), "'no' (str); expected Victims that are spared for Refusals"),
        (spared(Refusal(Code.UNKNOWN)), "a Refusal with the code unknown"),
    ],
)
def test_votes_on_victims_are_checked(point: Point[EvictableFn], wrong: Any, got: str) -> None:
    """The vote, the victims, and why others are spared."""
    answer = CHECKS.checked(point, EvictableFn(lambda *_: wrong, DependsOn.NOTHING))
    assert got in fault(lambda: answer.vote(SimpleNamespace(), ()))  # type: ignore[arg-type]


class Answers:
    """A predicate, and a score of candidates, that return something."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def volatile(self, _: EquivalenceClass) -> bool:
        """Return that it is not."""
        return False

    def codes(self, _: EquivalenceClass, nodes: Nodes) -> Any:  # noqa: ARG002 - as predicates have it
        """Return it as codes."""
        return self.said

    def constant(self, _: EquivalenceClass) -> Any:
        """Return it as a score of all."""
        return self.said

    def scores(self, _: EquivalenceClass, candidates: Nodes) -> Any:  # noqa: ARG002 - as batch scores have it
        """Return it as scores."""
        return self.said


def asking(answers: Answers) -> NodePlugins:
    """Return what asks the checked answers of one plugin about nodes."""
    dispatch = Dispatch([Tier((PluginOption("own", Arguments(())),))])
    dispatch.check(CHECKS)
    dispatch.add(points.PREDICATE, "own", answers)
    dispatch.add(points.NODE_ORDER, "own", lambda *_: answers.said)
    dispatch.add(points.BATCH_NODE_ORDER, "own", answers)
    return dispatch.on_nodes()


@pytest.mark.parametrize("nodes", [slice(0, 2), np.array([0, 2]), slice(None, -1)])
@pytest.mark.parametrize("wrong", [None, [0, 0], np.zeros(3, np.int32), np.array(["a", "b"])])
def test_figures_of_nodes_are_checked(nodes: Any, wrong: Any) -> None:
    """There has to be one for each node that is asked about."""
    answers, of_any = Answers(wrong), SimpleNamespace(number=0)
    plugins = asking(answers)
    for ask in (
        lambda: plugins.codes(answers, of_any, nodes),  # type: ignore[arg-type]
        lambda: plugins.node_order(of_any, nodes, WIDTH),  # type: ignore[arg-type]
        lambda: plugins.compare(answers, of_any, nodes),  # type: ignore[arg-type]
        lambda: CHECKS.checked(points.HYPER_NODE_ORDER, lambda *_: wrong)(of_any, ["a", "b"]),  # type: ignore[arg-type]
    ):
        assert "; expected an array of 2 " in fault(ask)


def test_whole_numbers_are_codes_and_no_others() -> None:
    """Scores may be whole or not."""
    half = np.full(WIDTH, 0.5)
    of_any: Any = SimpleNamespace(number=0)
    answers = Answers(half)
    plugins = asking(answers)
    assert "an array of float64 of shape (3,)" in fault(lambda: plugins.codes(answers, of_any, slice(None)))
    assert plugins.node_order(of_any, slice(None), WIDTH).tolist() == [0.5] * WIDTH


def test_one_score_for_all_is_a_number() -> None:
    """Or none, where candidates are compared."""
    of_any: Any = SimpleNamespace(number=0)
    answers = Answers(None)
    plugins = asking(answers)
    assert plugins.told(points.BATCH_NODE_ORDER, answers, None, of_any) is None
    told = fault(lambda: plugins.told(points.BATCH_NODE_ORDER, answers, "5", of_any))
    assert "'5' (str); expected a number or None" in told


def test_what_cannot_be_shown_is_named_by_its_type() -> None:
    """A long value, or one that cannot be written, is no reason for another error."""

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    assert "with an object of type Odd; expected" in fault(lambda: asked(points.JOB_READY, Odd()))
    assert "with an object of type str; expected" in fault(lambda: asked(points.JOB_READY, "x" * 100))


def test_the_plugins_of_the_package_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is checked is as Volcano's own plugins answer, and checking changes no decision."""
    objects: Sequence[Any] = [node("n0"), node("n1", cpu=3), *gang("a", 4, 2), *gang("b", 9, 3)]
    flags = "".join(
        f"  - name: {name}\n" for name in sorted(PLUGINS) if name not in {"capacity", "extender", "nodegroup"}
    )
    conf = CONF.split("tiers:", maxsplit=1)[0] + f"tiers:\n- plugins:\n{flags}"

    def decided() -> dict[str, tuple[str, str | None]]:
        read = manifests(objects, conf)
        session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW))
        scheduler.run_actions(session)
        return placements(session)

    unchecked = decided()
    monkeypatch.setattr(Plugin, "own_codes", classmethod(lambda _: frozenset()))
    assert decided() == unchecked
    assert {status for status, _ in unchecked.values()} == {"Binding", "Pending"}
