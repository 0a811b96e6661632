"""The nodes where evictions may help a task: those that refuse it for no unresolvable reason.

Their room does not count. Nodes outside the scheduler's shard are none in hard mode. A node that an earlier action has
found unresolvable for a task stays so, even where the reason is gone by now.
References: pkg/scheduler/framework/session.go (FilterOutUnschedulableAndUnresolvableNodesForTask,
PredicateForPreemptAction), pkg/scheduler/util/predicate_helper.go.
"""

from __future__ import annotations

import numpy as np

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Session
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.sampling import NodeSampler
from vqs.engine.nodes.table import ALL, Masks, Nodes
from vqs.model.task import Task


class PotentialNodes:
    """The potential nodes of each equivalence class, brought up to date where nodes were changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._classes: dict[int, _ClassNodes] = {}

    def codes(self, task: Task, nodes: Nodes) -> Codes:
        """Return for some nodes the code of the reasons against a task, its room aside."""
        return _codes(self.session, self.session.classes.of(task), nodes)

    def for_task(self, task: Task) -> Masks:
        """Tell on which nodes evictions may help a task."""
        task_class = self.session.classes.of(task)
        of_class = self._classes.get(task_class.number)
        if of_class is None:
            of_class = self._classes[task_class.number] = _ClassNodes(task_class, self.session)
        return self.session.shard.open(of_class.refreshed())


class _ClassNodes:
    """The potential nodes of a class."""

    __slots__ = ("mask", "seen", "session", "task_class", "volatile")

    def __init__(self, task_class: EquivalenceClass, session: Session) -> None:
        self.task_class = task_class
        self.session = session
        self.volatile = any(predicate.volatile(task_class) for predicate in session.node_plugins.predicates)
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

    def _examine(self, nodes: Nodes) -> None:
        self.mask[nodes] = ~self.session.reasons.against_eviction(_codes(self.session, self.task_class, nodes))


def _codes(session: Session, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
    codes: Codes = np.full(len(session.nodes) if isinstance(nodes, slice) else len(nodes), FITS, np.int32)
    return session.node_plugins.refusals(task_class, nodes, codes)


class PredicateErrorCache:
    """The nodes that have refused a task of a role; for the rest of an action, they are not asked for it again.

    Tasks without a role would all share one entry, so they have none.
    """

    def __init__(self, session: Session, potential_nodes: PotentialNodes, *, enabled: bool) -> None:
        self._session = session
        self._potential_nodes = potential_nodes
        self._enabled = enabled
        self._refused: dict[tuple[str, str], Masks] = {}

    def potential_for(self, task: Task) -> Masks:
        """Tell on which nodes evictions may help a task, of those that are asked for it."""
        potential = self._potential_nodes.for_task(task)
        unresolvable = self._session.unresolvable_nodes(task)
        if self._session.search_listeners:
            self._session.note_search(task, self._to_ask(task, unresolvable))
        if self._session.sampler is not None:
            return self._sampled(self._session.sampler, task, potential, unresolvable)
        asked = potential if unresolvable is None else potential & ~unresolvable
        if not self._enabled or not task.role:
            return asked
        key = (task.job, task.role)
        refused = self._refused.get(key)
        refusing = ~potential if unresolvable is None else ~(potential | unresolvable)  # these are not asked
        self._refused[key] = refusing if refused is None else refusing | refused
        return asked if refused is None else asked & ~refused

    def _to_ask(self, task: Task, unresolvable: Masks | None) -> Masks:
        """Tell which nodes the predicates are asked about."""
        asked: Masks = np.ones(len(self._session.nodes), np.bool_) if unresolvable is None else ~unresolvable
        refused = self._refused.get((task.job, task.role))
        return asked if refused is None else asked & ~refused

    def _sampled(self, sampler: NodeSampler, task: Task, potential: Masks, unresolvable: Masks | None) -> Masks:
        """Return likewise the nodes that a search finds; only those that it examines can refuse the role."""
        listed = self._session.in_list(
            np.flatnonzero(np.ones_like(potential) if unresolvable is None else ~unresolvable)
        )
        key = (task.job, task.role)
        refused = self._refused.get(key, np.zeros_like(potential)) if self._enabled and task.role else None
        fitting = potential if refused is None else potential & ~refused
        search = sampler.search(fitting, listed)
        if refused is not None:
            self._refused[key] = refused | (search.examined & ~potential)
        return search.found
