"""Choose a node for a task among those that fit. Reference: pkg/scheduler/util/scheduler_helper.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.fit import NodeFit
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors, Job
from vqs.model.task import Task


class Choice(NamedTuple):
    """A node, of how many equally good ones it is, whether it has the room now, and its score if it has one.

    A node that is compared with no other has none; for the best of all nodes, it is not kept either.
    """

    node: int
    ties: int
    idle: bool
    score: float = 0.0


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
    """True if none of the nodes that would be asked can take a task, None for all nodes; if so, note why."""
    refusal = session.pre_predicate(task, asked)
    if refusal is None:
        return False
    nodes = len(session.nodes) if asked is None else len(asked)
    session.refuse(job, task, refusal, FitErrors(nodes, {refusal.text: nodes}))
    return True


def has_feasible(fit: NodeFit, feasible: Masks | None) -> bool:
    """True if any node counts; see `best_node`."""
    return bool(((fit.codes == FITS) if feasible is None else feasible).any())


def note_uncompared(session: Session, task: Task) -> None:
    """Note that nodes fit a task, and that a plugin failed to score them; the scheduler takes none then."""
    session.trace.refuse_task(task, Refusal(VerdictCode.SCORES_FAILED, text=session.scoring_failure))


def best_node(session: Session, fit: NodeFit, feasible: Masks | None = None) -> Choice | None:
    """Choose a node: the best of the first of the `gradients` that is not empty.

    Args:
        session: the session, which breaks ties.
        fit: what is known of the nodes.
        feasible: which nodes count, where that is not what `fit` says.
    """
    if feasible is None and not fit.batch and not session.shard.is_soft:
        choice = _best_idle(session, fit)
        if choice is not None:
            return choice
    feasible = fit.codes == FITS if feasible is None else feasible
    choices = (_best_of(session, fit, mask, idle=idle) for mask, idle in gradients(session, fit, feasible))
    return next((choice for choice in choices if choice is not None), None)


def gradients(session: Session, fit: NodeFit, feasible: Masks) -> Iterator[tuple[Masks, bool]]:
    """Yield the groups in which feasible nodes are compared, the first one first, and whether they have the room now.

    In soft sharding mode, these are four: nodes with idle resources in the scheduler's shard, likewise outside, nodes
    that will have idle resources in the shard, and outside.
    Reference: pkg/scheduler/actions/allocate/allocate.go (prioritizeNodes).
    """
    for idle in (True, False):
        has_room = feasible & (fit.idle if idle else ~fit.idle)
        for mask in session.shard.preferred(has_room):
            yield mask, idle


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
    best = 0.0
    if len(candidates) > 1:
        totals = fit.totals(candidates)
        best = float(totals.max())
        if best == -np.inf:
            return None
        candidates = candidates[totals == best]
    node = int(candidates[0]) if session.tie_breaker is None else session.tie_breaker.pick(candidates.tolist())
    return Choice(node, len(candidates), idle, best)
