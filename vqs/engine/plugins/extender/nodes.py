"""Nodes are filtered and scored by what the server of an extender answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import numpy as np

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import BatchScore, OutsidePredicate
from vqs.engine.framework.session import Session
from vqs.engine.nodes.reasons import ACCEPTED, FITS, Codes, Weight
from vqs.engine.nodes.table import Floats, Integers, Nodes
from vqs.engine.plugins.extender.answers import Answer, ExtenderError
from vqs.engine.plugins.extender.server import NAME, Server, short
from vqs.engine.plugins.extender.wire import Wire
from vqs.model.task import Task

WORKERS: Final = 16
"""The number of nodes that are asked about at once, as in the reference."""

_PREEMPT: Final = "preempt"
_SUCCESS, _UNSCHEDULABLE, _UNRESOLVABLE = 0, 2, 3
_ERRORS: Final = frozenset({1, 4, 5})
"""The codes Error, Wait and Skip. Reference: pkg/scheduler/api/types.go."""


class Filter(OutsidePredicate):
    """Filters nodes by the server's answers, one request for each node, some at once."""

    def __init__(self, session: Session, server: Server, wire: Wire) -> None:
        self.session = session
        self.server = server
        self.wire = wire

    def volatile(self, task_class: EquivalenceClass) -> bool:
        """Tell that any placement may change the answers."""
        return self.server.settings.is_about(task_class.task)

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """Return what the server said last, 0 of nodes that it was not asked about."""
        codes = self._known(task_class).codes[nodes]
        return np.where(codes == ACCEPTED, FITS, codes)

    def ask(self, task_class: EquivalenceClass, nodes: Nodes, codes: Codes) -> Codes:
        """Ask about the nodes that nothing refuses; the same question is asked again once something has changed."""
        if not self.server.settings.is_about(task_class.task):
            return codes
        known = self._known(task_class)
        numbers = np.arange(len(self.session.nodes), dtype=np.intp)[nodes]
        open_nodes = numbers[codes == FITS]
        if self.server.is_open:
            now = len(self.session.nodes.log)
            self._refresh(task_class.task, known, open_nodes[known.asked[open_nodes] != now], now)
        return np.where(codes == FITS, known.codes[numbers], codes)

    def _known(self, task_class: EquivalenceClass) -> _Known:
        known: _Known | None = task_class.notes.get(NAME)
        if known is None:
            width = len(self.session.nodes)
            known = task_class.notes[NAME] = _Known(np.zeros(width, np.int32), np.full(width, -1, np.int64))
        return known

    def _refresh(self, task: Task, known: _Known, nodes: Integers, now: int) -> None:
        if not len(nodes):
            return
        wire = self.wire
        written = msgspec.Raw(msgspec.json.encode(wire.task(task)))
        requests = [{"task": written, "node": wire.node(node)} for node in nodes.tolist()]
        known.codes[nodes] = [self._code(answer) for answer in self._answers(requests)]
        known.asked[nodes] = now

    def _answers(self, requests: Sequence[Any]) -> Iterable[tuple[str, int] | ExtenderError]:
        if len(requests) == 1:
            return map(self._answer, requests)
        with ThreadPoolExecutor(WORKERS) as pool:
            return list(pool.map(self._answer, requests))

    def _answer(self, request: Any) -> tuple[str, int] | ExtenderError:
        """Return the message and the code of an answer, or why there is none."""
        try:
            return self.server.ask("predicate", request, "PredicateResponse", _message_and_code)
        except ExtenderError as error:
            return error

    def _code(self, answer: tuple[str, int] | ExtenderError) -> int:
        """Return the code of the reasons. As in the reference, a code that Volcano does not know is no refusal."""
        reasons = self.session.reasons
        if isinstance(answer, ExtenderError):
            return FITS if self.server.settings.ignorable else reasons.weighed(short(str(answer)), Weight.ERROR)
        message, code = answer
        if not message:
            return FITS
        if code == _SUCCESS or code in _ERRORS:
            return reasons.weighed(short(message), Weight.ERROR)
        if code == _UNSCHEDULABLE:
            return reasons.weighed(short(message), Weight.RESOLVABLE)
        return reasons.weighed(short(message), Weight.UNRESOLVABLE) if code == _UNRESOLVABLE else ACCEPTED


@dataclass(slots=True)
class _Known:
    """What the server said of each node for a task, and how many changes there were then; -1: it was not asked."""

    codes: Codes
    asked: np.ndarray[tuple[int], np.dtype[np.int64]]


class Score(BatchScore):
    """Scores nodes by the server's answer, one request for all candidates."""

    def __init__(self, session: Session, server: Server, wire: Wire) -> None:
        self.session = session
        self.server = server
        self.wire = wire
        self._last: tuple[Hashable, Floats] = (None, np.zeros(0))

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """Return the score where the server is not asked."""
        return None if self.server.settings.is_about(task_class.task) else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """Return the score of each candidate; a node that is not named has 0.

        Only preempt has a single candidate scored.
        """
        is_alone = len(candidates) == 1 and self.session.trace.action != _PREEMPT
        if is_alone or not self.server.settings.is_about(task_class.task):
            return np.zeros(len(candidates))
        key = (task_class.task.uid, len(self.session.nodes.log), candidates.tobytes())
        if self._last[0] != key and self.server.is_open:
            self._last = key, self._asked(task_class.task, candidates)
        return self._last[1] if self._last[0] == key else np.zeros(len(candidates))

    def _asked(self, task: Task, candidates: Integers) -> Floats:
        wire, server = self.wire, self.server
        request = {"task": wire.task(task), "nodes": [wire.node(node) for node in candidates.tolist()]}
        try:
            by_name, message = server.ask("prioritize", request, "PrioritizeResponse", _scores_and_message)
        except ExtenderError as error:
            if server.settings.ignorable:
                return np.zeros(len(candidates))
            by_name, message = None, str(error)
        if by_name is None or message:
            self.session.scoring_failure = short(message) or "the extender gave no scores"
            return np.full(len(candidates), -np.inf)
        return np.array([by_name.get(self.session.nodes.names[node], 0.0) for node in candidates.tolist()])


def _message_and_code(answer: Answer) -> tuple[str, int]:
    return answer.text("status"), answer.number("code")


def _scores_and_message(answer: Answer) -> tuple[dict[str, float] | None, str]:
    return answer.numbers("nodeScore"), answer.text("errorMessage")
