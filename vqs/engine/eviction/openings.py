"""On which nodes evictions may help a task: those that refuse it for no reason that lasts whatever is evicted there.

The room that is there does not count. What an earlier action has found closed for a task stays closed, even where the
reason is gone by now.
References: pkg/scheduler/framework/session.go (FilterOutUnschedulableAndUnresolvableNodesForTask,
PredicateForPreemptAction), pkg/scheduler/util/predicate_helper.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vqs.engine.nodes import ALL
from vqs.engine.reasons import FITS

if TYPE_CHECKING:
    from vqs.engine.equivalence import EquivalenceClass
    from vqs.engine.nodes import Masks, Rows
    from vqs.engine.reasons import Codes
    from vqs.engine.session import Session
    from vqs.model.task import Task


class Openings:
    """The nodes that are open to each class of tasks, brought up to date where nodes were changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._classes: dict[int, _Opening] = {}

    def codes(self, task: Task, rows: Rows) -> Codes:
        """Return for some nodes the code of the reasons against a task, its room aside."""
        return _codes(self.session, self.session.classes.of(task), rows)

    def to(self, task: Task) -> Masks:
        """Tell which nodes are open to a task."""
        cls = self.session.classes.of(task)
        opening = self._classes.get(cls.number)
        if opening is None:
            opening = self._classes[cls.number] = _Opening(cls, self.session)
        return opening.refreshed()


class _Opening:
    """The nodes that are open to a class."""

    __slots__ = ("cls", "mask", "seen", "session", "volatile")

    def __init__(self, cls: EquivalenceClass, session: Session) -> None:
        self.cls = cls
        self.session = session
        self.volatile = any(predicate.volatile(cls) for predicate in session.node_plugins.predicates)
        self.mask: Masks = np.zeros(len(session.nodes), np.bool_)
        self.seen = -1

    def refreshed(self) -> Masks:
        log = self.session.nodes.log
        if self.seen < 0 or (self.volatile and self.seen < len(log)):
            self._examine(ALL)
        elif self.seen < len(log):
            self._examine(np.array(sorted(set(log[self.seen :])), dtype=np.intp))
        self.seen = len(log)
        return self.mask

    def _examine(self, rows: Rows) -> None:
        self.mask[rows] = ~self.session.reasons.lasting(_codes(self.session, self.cls, rows))


def _codes(session: Session, cls: EquivalenceClass, rows: Rows) -> Codes:
    codes: Codes = np.full(len(session.nodes) if isinstance(rows, slice) else len(rows), FITS, np.int32)
    for predicate in session.node_plugins.predicates:
        codes = np.where(codes == FITS, predicate.codes(cls, rows), codes)
    return codes


class RefusalMemory:
    """Which nodes have refused a task of a role before; for the rest of an action, they are not asked for it again.

    Tasks without a role would all share one memory, so they have none.
    """

    def __init__(self, session: Session, openings: Openings, *, enabled: bool) -> None:
        self._session = session
        self._openings = openings
        self._enabled = enabled
        self._refused: dict[tuple[str, str], Masks] = {}

    def open_to(self, task: Task) -> Masks:
        """Tell which nodes are open to a task, as far as they are asked."""
        opened = self._openings.to(task)
        closed_before = self._session.closed_to(task)
        asked = opened if closed_before is None else opened & ~closed_before
        if not self._enabled or not task.role:
            return asked
        key = (task.job, task.role)
        refused = self._refused.get(key)
        refusing = ~opened if closed_before is None else ~(opened | closed_before)  # those closed before are not asked
        self._refused[key] = refusing if refused is None else refusing | refused
        return asked if refused is None else asked & ~refused
