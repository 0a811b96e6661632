"""What the answer to each extension point has to be, for plugins from outside the package.

The plugins of the package are checked by their types; an answer of another type would show far from where it was given,
as a wrong decision or a fault of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar

import numpy as np

from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import (
    BatchScore,
    EvictableFn,
    Gradients,
    NodeScore,
    OutsidePredicate,
    Point,
    Predicate,
)
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.framework.watched import watched
from vqs.engine.nodes.table import Floats, Nodes
from vqs.extensible import ExtensionFaultError
from vqs.model.codes import EvictionCode, OwnCode, VerdictCode
from vqs.model.task import Task

Answer = TypeVar("Answer")

_LONGEST: Final = 60
"""How many characters of a wrong answer are shown."""


@dataclass(frozen=True)
class AnswerChecks:
    """Checks the answers of one plugin, and what they return whenever the plugin is asked.

    Attributes:
        plugin: its name.
        codes: the codes of its own that it may refuse with.
        width: the number of nodes.
    """

    plugin: str
    codes: frozenset[OwnCode]
    width: int

    def checked(self, point: Point[Answer], answer: Answer) -> Answer:
        """An answer that raises ExtensionFaultError where the plugin returns something of another type."""
        wrapped: Answer = _CHECKED[point.name](_Asked(self, point.name), answer)
        return wrapped


@dataclass(frozen=True)
class _Asked:
    """A plugin at an extension point."""

    checks: AnswerChecks
    point: str

    def expect(self, expected: str, got: object, *, holds: bool) -> None:
        """Raise ExtensionFaultError for an answer that is none."""
        if not holds:
            raise self._fault(_described(got), expected)

    def expect_code(self, refusal: Refusal) -> None:
        """Raise ExtensionFaultError for a refusal with a code that nothing explains."""
        code = refusal.code
        if isinstance(code, VerdictCode | EvictionCode) or code in self.checks.codes:
            return
        own = ", ".join(sorted(self.checks.codes)) or "it has none"
        raise self._fault(f"a Refusal with the code {code!s}", f"a code of its verdicts ({own}), or one of vqs")

    def expect_figures(self, got: Any, nodes: Nodes | Sequence[Any], kinds: str, what: str) -> None:
        """Raise ExtensionFaultError for anything but an array with one number for each of some nodes."""
        number = len(range(*nodes.indices(self.checks.width))) if isinstance(nodes, slice) else len(nodes)
        holds = isinstance(got, np.ndarray) and got.dtype.kind in kinds and got.shape == (number,)
        self.expect(f"an array of {number:,} {what}", got, holds=holds)

    def _fault(self, got: str, expected: str) -> ExtensionFaultError:
        text = f"answers the extension point {self.point} with {got}; expected {expected}"
        return ExtensionFaultError(f"plugin {self.checks.plugin} {text}", self.checks.plugin)


def _described(got: object) -> str:
    """Say what something is: its type, and its value where that is short."""
    if isinstance(got, np.ndarray):
        return f"an array of {got.dtype} of shape {got.shape}"
    if got is None:
        return "None"
    try:
        value = repr(got)
    except Exception:  # noqa: BLE001 - it is code from outside, and its type is said in any case
        value = ""
    shown = value if 0 < len(value) <= _LONGEST else ""
    return f"{shown} ({type(got).__name__})" if shown else f"an object of type {type(got).__name__}"


# --- functions that say one thing -------------------------------------------------------------------------------------


def _returning(
    expected: str, holds: Callable[[object], bool]
) -> Callable[[_Asked, Callable[..., Any]], Callable[..., Any]]:
    """Check a function that says one thing about what it is asked for."""

    def checked(asked: _Asked, answer: Callable[..., Any]) -> Callable[..., Any]:
        asked.expect(f"a function that returns {expected}", answer, holds=callable(answer))

        def check(*about: Any) -> Any:
            said = answer(*about)
            asked.expect(expected, said, holds=holds(said))
            if isinstance(said, Refusal):
                asked.expect_code(said)
            return said

        return check

    return checked


def _key(asked: _Asked, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Check a function that returns what things are sorted by: all that it returns has to compare with each other."""
    first: list[Any] = []

    def sorts(key: Any) -> bool:
        first.extend(() if first else (key,))
        try:
            return isinstance(first[0] < key, bool | np.bool_)
        except TypeError:
            return False

    return _returning("a number or a tuple of numbers, alike each time", sorts)(asked, answer)


_YES_OR_NO: Final = _returning("True or False", lambda said: isinstance(said, bool | np.bool_))
_VOTE: Final = _returning("a Vote", lambda said: isinstance(said, Vote))
_VOTE_OR_REFUSAL: Final = _returning("a Vote or a Refusal", lambda said: isinstance(said, Vote | Refusal))
_REFUSAL_OR_NONE: Final = _returning("a Refusal or None", lambda said: said is None or isinstance(said, Refusal))
_ANYTHING: Final = _returning("anything", lambda _: True)


# --- victims ----------------------------------------------------------------------------------------------------------


def _victims(asked: _Asked, victims: Any) -> None:
    holds = isinstance(victims, Victims) and isinstance(victims.vote, Vote) and _are_tasks(victims.tasks)
    asked.expect("Victims with a Vote and Tasks", victims, holds=holds)
    for refusal in victims.spared.values():
        asked.expect("Victims that are spared for Refusals", refusal, holds=isinstance(refusal, Refusal))
        asked.expect_code(refusal)


def _evictable(asked: _Asked, answer: EvictableFn) -> EvictableFn:
    asked.expect("an EvictableFn", answer, holds=isinstance(answer, EvictableFn))

    def vote(preemptor: Task, candidates: Sequence[Task]) -> Victims:
        victims = answer.vote(preemptor, candidates)
        _victims(asked, victims)
        return victims

    return replace(answer, vote=vote)


def _unified_evictable(asked: _Asked, answer: Callable[..., Victims]) -> Callable[..., Victims]:
    asked.expect("a function that returns Victims", answer, holds=callable(answer))

    def vote(*about: Any) -> Victims:
        victims = answer(*about)
        _victims(asked, victims)
        return victims

    return vote


def _are_tasks(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(each, Task) for each in values)


# --- nodes and HyperNodes ---------------------------------------------------------------------------------------------


def _with_methods(asked: _Asked, answer: object, *names: str) -> None:
    """Expect an object with some methods."""
    missing = [name for name in names if not callable(getattr(answer, name, None))]
    asked.expect(f"an object with the methods {' and '.join(names)}", answer, holds=not missing)


def _predicate(asked: _Asked, answer: Predicate) -> Predicate:
    _with_methods(asked, answer, "volatile", "codes")

    def check(codes: Any, _: EquivalenceClass, nodes: Nodes, *__: Any) -> None:
        asked.expect_figures(codes, nodes, "iu", "codes of reasons, one for each node")

    return watched(answer, ask=check) if isinstance(answer, OutsidePredicate) else watched(answer, codes=check)


def _node_order(asked: _Asked, answer: NodeScore) -> NodeScore:
    asked.expect("a function that returns the scores of nodes", answer, holds=callable(answer))

    def check(scores: Any, _: EquivalenceClass, nodes: Nodes) -> None:
        asked.expect_figures(scores, nodes, "fiu", "scores, one for each node")

    if not isinstance(answer, FunctionType | MethodType | partial):
        return watched(answer, __call__=check)

    def score(task_class: EquivalenceClass, nodes: Nodes, /) -> Floats:
        scores: Floats = answer(task_class, nodes)
        check(scores, task_class, nodes)
        return scores

    return score


def _batch(asked: _Asked, answer: BatchScore) -> BatchScore:
    _with_methods(asked, answer, "constant", "scores")

    def constant(score: Any, *_: Any) -> None:
        asked.expect("a number or None for all nodes", score, holds=score is None or isinstance(score, int | float))

    def scores(scored: Any, _: EquivalenceClass, candidates: Nodes) -> None:
        asked.expect_figures(scored, candidates, "fiu", "scores, one for each node")

    return watched(answer, constant=constant, scores=scores)


def _hyper_nodes(asked: _Asked, answer: Callable[..., Floats]) -> Callable[..., Floats]:
    asked.expect("a function that returns the scores of HyperNodes", answer, holds=callable(answer))

    def score(sub_job: Any, hyper_nodes: Sequence[str]) -> Floats:
        scores = answer(sub_job, hyper_nodes)
        asked.expect_figures(scores, hyper_nodes, "fiu", "scores, one for each HyperNode")
        return scores

    return score


_CHECKED: Final[dict[str, Callable[[_Asked, Any], Any]]] = {
    points.JOB_ORDER.name: _key,
    points.QUEUE_ORDER.name: _key,
    points.TASK_ORDER.name: _key,
    points.SUB_JOB_ORDER.name: _key,
    points.VICTIM_QUEUE_ORDER.name: _key,
    points.JOB_VALID.name: _REFUSAL_OR_NONE,
    points.JOB_ENQUEUEABLE.name: _VOTE_OR_REFUSAL,
    points.JOB_ENQUEUED.name: _ANYTHING,
    points.JOB_READY.name: _YES_OR_NO,
    points.JOB_PIPELINED.name: _VOTE,
    points.SUB_JOB_READY.name: _YES_OR_NO,
    points.SUB_JOB_PIPELINED.name: _VOTE,
    points.OVERUSED.name: _REFUSAL_OR_NONE,
    points.ALLOCATABLE.name: _REFUSAL_OR_NONE,
    points.JOB_STARVING.name: _YES_OR_NO,
    points.PREEMPTABLE.name: _evictable,
    points.RECLAIMABLE.name: _evictable,
    points.PREEMPTIVE.name: _REFUSAL_OR_NONE,
    points.UNIFIED_EVICTABLE.name: _unified_evictable,
    points.VICTIM_TASKS.name: _returning("a list of Tasks", _are_tasks),
    points.SIMULATE_REMOVE_TASK.name: _REFUSAL_OR_NONE,
    points.SIMULATE_ALLOCATABLE.name: _YES_OR_NO,
    points.SIMULATE_PREDICATE.name: _YES_OR_NO,
    points.RESERVE.name: _REFUSAL_OR_NONE,
    points.PRE_PREDICATE.name: _REFUSAL_OR_NONE,
    points.PREDICATE.name: _predicate,
    points.NODE_ORDER.name: _node_order,
    points.BATCH_NODE_ORDER.name: _batch,
    points.HYPER_NODE_ORDER.name: _hyper_nodes,
    points.HYPER_NODE_GRADIENT_FOR_JOB.name: _returning("Gradients", lambda said: isinstance(said, Gradients)),
    points.HYPER_NODE_GRADIENT_FOR_SUB_JOB.name: _returning("Gradients", lambda said: isinstance(said, Gradients)),
}
"""How the answer to each extension point is checked."""
