"""Choose a node for a task among those that fit. Reference: pkg/scheduler/util/scheduler_helper.go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vqs.engine.node_fit import NodeFit
from vqs.engine.nodes import Integers, Masks
from vqs.engine.reasons import FITS, Codes
from vqs.engine.session import Session
from vqs.model.job import FitErrors, Job
from vqs.model.task import Task


class Choice(NamedTuple):
    """A node, of how many equally good ones it is, and whether it has the room now."""

    node: int
    ties: int
    idle: bool


class ErrorCache:
    """For one try of a job's role: the first reason each node gave, which stands for the rest of that try.

    The scheduler remembers it so, even where a later task of the role would fit.
    Reference: pkg/scheduler/util/predicate_helper.go.
    """

    def __init__(self, fit: NodeFit) -> None:
        self.task_class = fit.task_class
        self.codes: Codes = fit.codes.copy()
        self._seen = fit.seen
        self._mixed = False

    def remember(self, fit: NodeFit) -> bool:
        """Add the reasons given now; tell whether they differ from what `fit` says by itself."""
        if fit.task_class is self.task_class and not fit.volatile and not self._mixed:
            for node in fit.nodes.log[self._seen : fit.seen]:
                if self.codes[node] == FITS:
                    self.codes[node] = fit.codes[node]
            self._seen = fit.seen
            return False
        self._mixed = True  # from now on, the reasons given to one class stand for the other too
        np.copyto(self.codes, fit.codes, where=self.codes == FITS)
        return True


def refused_by_all(session: Session, job: Job, task: Task, asked: Integers | None = None) -> bool:
    """Tell whether none of the nodes that would be asked can take a task, None for all nodes; if so, note why."""
    refusal = session.pre_predicate(task, asked)
    if refusal is None:
        return False
    nodes = len(session.nodes) if asked is None else len(asked)
    session.refuse(job, task, refusal, FitErrors(nodes, {refusal.text: nodes}))
    return True


def best_node(session: Session, fit: NodeFit, feasible: Masks | None = None) -> Choice | None:
    """Choose a node: the best with idle resources, else the best that will have them.

    Args:
        session: the session, which breaks ties.
        fit: what is known of the nodes.
        feasible: which nodes count, where that is not what `fit` says.
    """
    if feasible is None and not fit.batch:
        return _best_idle(session, fit) or _best_of(session, fit, (fit.codes == FITS) & ~fit.idle, idle=False)
    if feasible is None:
        feasible = fit.codes == FITS
    idle = _best_of(session, fit, feasible & fit.idle, idle=True)
    return idle or _best_of(session, fit, feasible & ~fit.idle, idle=False)


def _best_idle(session: Session, fit: NodeFit) -> Choice | None:
    best = fit.best
    if not len(best):
        return None
    node = int(best.argmax())
    score = best[node]
    if score == -np.inf:
        return None
    ties = int(np.count_nonzero(best == score))
    if ties > 1 and session.tie_breaker is not None:
        node = session.tie_breaker.pick(np.flatnonzero(best == score).tolist())
    return Choice(node, ties, idle=True)  # the first of equals is the one with the lowest name


def _best_of(session: Session, fit: NodeFit, mask: Masks, *, idle: bool) -> Choice | None:
    candidates = np.flatnonzero(mask)
    if not len(candidates):
        return None
    if len(candidates) > 1:
        totals = fit.totals(candidates)
        candidates = candidates[totals == totals.max()]
    node = int(candidates[0]) if session.tie_breaker is None else session.tie_breaker.pick(candidates.tolist())
    return Choice(node, len(candidates), idle)
