"""Classes of tasks that no enabled predicate and no scorer can tell apart, and what is known of the nodes for each.

What is known is computed once for all nodes. After that only the nodes that were changed are looked at again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vqs.engine.nodes import ALL, Block
from vqs.engine.reasons import FITS
from vqs.model.resource import EPSILON

if TYPE_CHECKING:
    from collections.abc import Hashable

    from vqs.engine.nodes import Floats, Integers, Masks, Rows
    from vqs.engine.reasons import Codes
    from vqs.engine.session import Session
    from vqs.model.kubernetes import Pod
    from vqs.model.task import Task


class TaskClass:
    """Tasks with the same requests and, for every enabled plugin that looks at more, the same of that.

    `task` and `pod` are a representative; `notes` is where plugins keep what they derive from it once, by plugin name.
    `need` is what has to be idle, and idle in the future, at the `lines` of the node state.
    """

    __slots__ = ("lines", "need", "notes", "number", "pod", "short_codes", "task")

    def __init__(self, number: int, task: Task, session: Session) -> None:
        self.number = number
        self.task = task
        self.pod: Pod = task.pod
        self.notes: dict[str, Any] = {}
        nodes = session.nodes
        names = [] if task.best_effort else task.request.dimensions()
        self.lines: Integers = np.concatenate([nodes.lines(Block.IDLE, names), nodes.lines(Block.FUTURE_IDLE, names)])
        self.need: Floats = np.array([task.request.get(name) for name in names] * 2)[:, None]
        lacks = [f"Insufficient {name}" for name in names]
        session.reasons.resolve(*lacks)
        self.short_codes: Codes = np.array([session.reasons.code(text) for text in lacks], np.int32)


class NodeFit:
    """What is known of every node for one class of tasks; `refresh` brings it up to date.

    Attributes:
        codes: 0 where the class fits idle or future resources and every predicate, else the reasons, (nodes,).
        idle: whether idle resources are enough, (nodes,).
        scores: the sum of the plugins' scores; without the batch scores where `batch` is set, (nodes,).
        best: the score where the class fits idle resources, else minus infinity, (nodes,).
        volatile: whether a predicate may change its mind about nodes that were not changed.
        batch: whether some score depends on which nodes are candidates.
    """

    __slots__ = ("batch", "best", "cls", "codes", "constant", "idle", "scores", "seen", "session", "short", "volatile")

    def __init__(self, cls: TaskClass, session: Session) -> None:
        width = len(session.nodes)
        self.cls = cls
        self.session = session
        self.volatile = any(predicate.volatile(cls) for predicate in session.predicates)
        constants = [batch.constant(cls) for batch in session.batch_scores]
        self.batch = None in constants
        self.constant = 0.0 if self.batch else sum((c for c in constants if c is not None), 0.0)
        self.short: Codes = np.zeros(width, np.int32)
        self.codes: Codes = np.zeros(width, np.int32)
        self.idle: Masks = np.zeros(width, np.bool_)
        self.scores: Floats = np.zeros(width)
        self.best: Floats = np.zeros(width)
        self.seen = -1

    def refresh(self) -> None:
        """Look again at the nodes that were changed since the last time."""
        log = self.session.nodes.log
        if self.seen < 0:
            self._examine(ALL)
        elif self.seen < len(log):
            touched = log[self.seen :]
            self._examine(np.array(touched if len(touched) == 1 else list(set(touched)), dtype=np.intp))
        elif not self.volatile:
            return
        if self.volatile:
            self._predicate(ALL)
        self.seen = len(log)

    def _examine(self, rows: Rows) -> None:
        self._measure(rows)
        self.scores[rows] = self.session.node_order(self.cls, rows) + self.constant
        if not self.volatile:
            self._predicate(rows)

    def _measure(self, rows: Rows) -> None:
        """Compare the request with idle and future idle resources."""
        cls = self.cls
        number = len(cls.short_codes)
        if not number:
            self.idle[rows] = True
            return
        short = cls.need - self.session.nodes.gather(cls.lines, rows) >= EPSILON
        now, later = short[:number], short[number:]
        self.idle[rows] = ~now.any(axis=0)
        self.short[rows] = np.where(later.any(axis=0), cls.short_codes[later.argmax(axis=0)], FITS)

    def _predicate(self, rows: Rows) -> None:
        """Ask the plugins' predicates where the resources are enough; the first that says no gives the reasons."""
        codes = self.short[rows].copy()
        for predicate in self.session.predicates:
            codes = np.where(codes == FITS, predicate.codes(self.cls, rows), codes)
        self.codes[rows] = codes
        self.best[rows] = np.where((codes == FITS) & self.idle[rows], self.scores[rows], -np.inf)

    def totals(self, candidates: Integers) -> Floats:
        """Return the full scores of some candidates."""
        totals = self.scores[candidates]
        if self.batch:
            batch = np.zeros(len(candidates))
            for score in self.session.batch_scores:
                batch += score.scores(self.cls, candidates)
            totals = totals + batch
        return totals


class TaskClasses:
    """The classes of one session, made as tasks are met."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.classes: list[TaskClass] = []
        self._numbers: dict[Hashable, int] = {}
        self._fits: dict[int, NodeFit] = {}

    def of(self, task: Task) -> TaskClass:
        """Return the class of a task."""
        if task.cls < 0:
            key = (task.shape, *[distinguish(task) for distinguish in self.session.distinctions])
            number = self._numbers.setdefault(key, len(self.classes))
            if number == len(self.classes):
                self.classes.append(TaskClass(number, task, self.session))
            task.cls = number
        return self.classes[task.cls]

    def fit(self, task: Task) -> NodeFit:
        """Return what is known of the nodes for a task, up to date."""
        cls = self.of(task)
        fit = self._fits.get(cls.number)
        if fit is None:
            fit = self._fits[cls.number] = NodeFit(cls, self.session)
        fit.refresh()
        return fit
