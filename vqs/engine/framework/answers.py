"""What the answer to each extension point has to be, for plugins from outside the package.

The plugins of the package are checked by their types; an answer of another type would show far from where it was given,
as a wrong decision or a fault of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from vqs.engine.framework import points
from vqs.engine.framework.points import EvictableFn, Gradients, Listener, Point
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.table import Nodes
from vqs.extensible import ExtensionFaultError
from vqs.model.codes import EvictionCode, OwnCode, VerdictCode
from vqs.model.job import Task

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
        """An answer that raises ExtensionFaultError where the plugin returns something of another type.

        Answers about nodes stay what they are; `listener` is to hear what they return.
        """
        wrapped: Answer = _CHECKED[point.name](_Asked(self, point.name), answer)
        return wrapped

    def listener(self, point: Point[Any]) -> Listener:
        """What raises ExtensionFaultError for an answer about nodes that is none."""
        return partial(_HEARD[point.name], _Asked(self, point.name))


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

    def expect_victims(self, victims: Any, *_: Any) -> None:
        """Raise ExtensionFaultError for anything but a vote on victims."""
        holds = isinstance(victims, Victims) and isinstance(victims.vote, Vote) and _are_tasks(victims.tasks)
        self.expect("Victims with a Vote and Tasks", victims, holds=holds)
        for refusal in victims.spared.values():
            self.expect("Victims that are spared for Refusals", refusal, holds=isinstance(refusal, Refusal))
            self.expect_code(refusal)

    def expect_figures(self, got: Any, nodes: Nodes | Sequence[Any], kinds: str, what: str) -> None:
        """Raise ExtensionFaultError for anything but an array with one number for each of some nodes."""
        number = len(range(*nodes.indices(self.checks.width))) if isinstance(nodes, slice) else len(nodes)
        holds = isinstance(got, np.ndarray) and got.dtype.kind in kinds and got.shape == (number,)
        self.expect(f"an array of {number:,} {what}", got, holds=holds)

    def _fault(self, got: str, expected: str) -> ExtensionFaultError:
        text = f"answers the extension point {self.point} with {got}; expected {expected}"
        return ExtensionFaultError(f"plugin {self.checks.plugin} {text}", self.checks.plugin)


def _described(got: object) -> str:
    """What something is: its type, and its value where that is short."""
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


def _are_tasks(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(each, Task) for each in values)


# --- functions --------------------------------------------------------------------------------------------------------

Check = Callable[[_Asked, Any], Any]
"""Checks an answer when it is added; what it returns checks what comes back each time."""


def _calls(expected: str, check: Callable[..., None]) -> Check:
    """Check what a function returns, given that and what the function was called with."""

    def checked(asked: _Asked, answer: Any) -> Callable[..., Any]:
        asked.expect(f"a function that returns {expected}", answer, holds=callable(answer))

        def call(*about: Any) -> Any:
            said = answer(*about)
            check(asked, said, *about)
            return said

        return call

    return checked


def _returning(expected: str, holds: Callable[[object], bool]) -> Check:
    """Check a function that says one thing about what it is asked for."""

    def check(asked: _Asked, said: Any, *_: Any) -> None:
        asked.expect(expected, said, holds=holds(said))
        if isinstance(said, Refusal):
            asked.expect_code(said)

    return _calls(expected, check)


def _key(asked: _Asked, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Check a function that returns what things are sorted by: all that it returns has to compare with each other."""
    first: list[Any] = []

    def sorts(key: Any) -> bool:
        first.extend(() if first else (key,))
        try:
            return isinstance(first[0] < key, bool | np.bool_)
        except TypeError:
            return False

    checked: Callable[..., Any] = _returning("a number or a tuple of numbers, alike each time", sorts)(asked, answer)
    return checked


def _evictable(asked: _Asked, answer: EvictableFn) -> EvictableFn:
    asked.expect("an EvictableFn", answer, holds=isinstance(answer, EvictableFn))
    return replace(answer, vote=_VICTIMS(asked, answer.vote))


_YES_OR_NO: Final = _returning("True or False", lambda said: isinstance(said, bool | np.bool_))
_VOTE: Final = _returning("a Vote", lambda said: isinstance(said, Vote))
_REFUSAL_OR_NONE: Final = _returning("a Refusal or None", lambda said: said is None or isinstance(said, Refusal))
_GRADIENTS: Final = _returning("Gradients", lambda said: isinstance(said, Gradients))
_VICTIMS: Final = _calls("Victims", _Asked.expect_victims)


# --- answers about nodes ----------------------------------------------------------------------------------------------


def _having(*names: str) -> Check:
    """Check that an answer is an object with some methods."""

    def checked(asked: _Asked, answer: Any) -> Any:
        missing = [name for name in names if not callable(getattr(answer, name, None))]
        asked.expect(f"an object with the methods {' and '.join(names)}", answer, holds=not missing)
        return answer

    return checked


def _score(asked: _Asked, answer: Any) -> Any:
    asked.expect("a function that returns the scores of nodes", answer, holds=callable(answer))
    return answer


def _hear_batch(asked: _Asked, said: Any, _: Any, candidates: Nodes | None = None) -> None:
    """Check the scores of candidates, or, where there are none, the score that all nodes have."""
    if candidates is None:
        asked.expect("a number or None for all nodes", said, holds=said is None or isinstance(said, int | float))
    else:
        asked.expect_figures(said, candidates, "fiu", "scores, one for each node")


_HEARD: Final[dict[str, Callable[..., None]]] = {
    points.PREDICATE.name: lambda asked, codes, _, nodes: asked.expect_figures(
        codes, nodes, "iu", "codes of reasons, one for each node"
    ),
    points.NODE_ORDER.name: lambda asked, scores, _, nodes: asked.expect_figures(
        scores, nodes, "fiu", "scores, one for each node"
    ),
    points.BATCH_NODE_ORDER.name: _hear_batch,
}
"""How what is returned about nodes is checked."""

_CHECKED: Final[dict[str, Check]] = {
    points.JOB_ORDER.name: _key,
    points.QUEUE_ORDER.name: _key,
    points.TASK_ORDER.name: _key,
    points.SUB_JOB_ORDER.name: _key,
    points.VICTIM_QUEUE_ORDER.name: _key,
    points.JOB_VALID.name: _REFUSAL_OR_NONE,
    points.JOB_ENQUEUEABLE.name: _returning("a Vote or a Refusal", lambda said: isinstance(said, Vote | Refusal)),
    points.JOB_ENQUEUED.name: _returning("anything", lambda _: True),
    points.JOB_LEFT_QUEUE.name: _returning("anything", lambda _: True),
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
    points.UNIFIED_EVICTABLE.name: _VICTIMS,
    points.VICTIM_TASKS.name: _returning("a list of Tasks", _are_tasks),
    points.SIMULATE_REMOVE_TASK.name: _REFUSAL_OR_NONE,
    points.SIMULATE_ALLOCATABLE.name: _YES_OR_NO,
    points.SIMULATE_PREDICATE.name: _YES_OR_NO,
    points.SIMULATE_DEVICES.name: _YES_OR_NO,
    points.RESERVE.name: _REFUSAL_OR_NONE,
    points.PRE_PREDICATE.name: _REFUSAL_OR_NONE,
    points.PREDICATE.name: _having("volatile", "codes"),
    points.NODE_ORDER.name: _score,
    points.BATCH_NODE_ORDER.name: _having("constant", "scores"),
    points.HYPER_NODE_ORDER.name: _calls(
        "the scores of HyperNodes",
        lambda asked, scores, _, hyper_nodes: asked.expect_figures(
            scores, hyper_nodes, "fiu", "scores, one for each HyperNode"
        ),
    ),
    points.HYPER_NODE_GRADIENT_FOR_JOB.name: _GRADIENTS,
    points.HYPER_NODE_GRADIENT_FOR_SUB_JOB.name: _GRADIENTS,
}
"""How the answer to each extension point is checked."""
