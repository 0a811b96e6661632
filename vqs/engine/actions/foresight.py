"""What tries of a job in HyperNodes would come to, without a try, where that is certain.

Tries that place nothing leave the same behind, but for what nodes say to the tasks; of that, the last one's is kept.
Of tries that serve a job equally, only the one in the HyperNode that suits best leaves anything behind. Another one
would certainly serve, in whatever order its nodes are taken, where

- it has as many nodes with idle room for each of the tasks as there are tasks: a task that is placed changes what fits
  its own node alone, and so there is always one left; or
- the tasks are all of one class, and its nodes have idle room for as many of these.

It has to follow from the state of each node whether it takes a task (`NodeFit.known`), and nothing may listen
to the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import Op, Operation
from vqs.engine.nodes.fit import NodeFit
from vqs.engine.nodes.known_states import KnownStates
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.task import Task


class Foresight:
    """Tells for one session what tries would come to."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def refusing(self, tasks: Collection[Task], hyper_nodes: Iterable[str]) -> list[str]:
        """Those of some HyperNodes, in the order given, none of whose nodes takes any of some tasks now."""
        if any(task.nominated_node for task in tasks):
            return []
        open_nodes: Masks = np.zeros(len(self.session.nodes), np.bool_)
        for fit in self._fits(tasks):
            open_nodes |= fit.codes == FITS
        members = self.session.topology.members
        some = self._with_nodes(hyper_nodes, open_nodes, 1)
        return [name for name in hyper_nodes if name not in some and len(members[name]) and name != TOP]

    def alike(self, steps: Sequence[Operation], hyper_nodes: Collection[str]) -> set[str]:
        """Those of some HyperNodes that would certainly take the same tasks as the one where they stand now.

        Args:
            steps: what was placed in that one, where nothing was refused.
            hyper_nodes: the others.
        """
        if any(step.op is not Op.ALLOCATE or step.task.nominated_node for step in steps):
            return set()
        fits = self._fits(step.task for step in steps)
        known = [fit.known for fit in fits if fit.known is not None]
        if len(known) < len(fits):
            return set()
        open_nodes = self._open_to_all(fits)
        open_nodes[[self.session.nodes.index[step.node] for step in steps]] = False
        found = self._with_nodes(hyper_nodes, open_nodes, len(steps))
        if len(known) == 1:
            found |= self._with_room(set(hyper_nodes) - found, open_nodes, len(steps), known[0])
        return found - {TOP}

    def _fits(self, tasks: Iterable[Task]) -> list[NodeFit]:
        """What is known of the nodes for the classes of some tasks."""
        classes = self.session.classes
        return [self.session.fit(task) for task in {classes.of(task).number: task for task in tasks}.values()]

    def _open_to_all(self, fits: Iterable[NodeFit]) -> Masks:
        """Tell which nodes have idle room for each of some classes now."""
        open_nodes: Masks = np.ones(len(self.session.nodes), np.bool_)
        for fit in fits:
            open_nodes &= (fit.codes == FITS) & fit.idle
        return open_nodes

    def _with_nodes(self, hyper_nodes: Iterable[str], open_nodes: Masks, least: int) -> set[str]:
        """Those of some HyperNodes with at least `least` open nodes."""
        topology = self.session.topology
        numbers = np.bincount(self._holders[open_nodes[self._held]], minlength=len(topology.names))
        enough = (numbers >= least).tolist()
        return {name for name in hyper_nodes if enough[topology.number[name]]}

    def _with_room(self, hyper_nodes: Iterable[str], open_nodes: Masks, least: int, known: KnownStates) -> set[str]:
        """Those of some HyperNodes whose open nodes have idle room for at least `least` tasks of a class."""
        found: set[str] = set()
        for name in hyper_nodes:
            members, left = self.session.topology.members[name], least
            for node in members[open_nodes[members]].tolist():
                left -= known.room(node, least)
                if left <= 0:
                    found.add(name)
                    break
        return found

    @cached_property
    def is_certain(self) -> bool:
        """Whether what comes of a try follows from nodes and tasks alone, and nothing is counted; else ask no more."""
        session = self.session
        return not (
            session.sampler is not None
            or session.search_listeners
            or session.task_order_is_live
            or session.options.tally is not None
            or session.plugins.has_checks
            or session.conf.actions.count(session.trace.action) > 1
        )

    @cached_property
    def _held(self) -> Integers:
        """The nodes of every HyperNode, one HyperNode after the other."""
        topology = self.session.topology
        return np.concatenate([topology.members[name] for name in topology.names])

    @cached_property
    def _holders(self) -> Integers:
        """The numbers of the HyperNodes that these are of."""
        topology = self.session.topology
        return np.repeat(np.arange(len(topology.names)), [len(topology.members[name]) for name in topology.names])
