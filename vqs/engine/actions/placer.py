"""Give the tasks of a job or sub-job nodes, one by one: all nodes are asked, or those of one HyperNode.

References: pkg/scheduler/actions/allocate/allocate.go (allocateResourcesForTasks),
pkg/scheduler/util/scheduler_helper.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vqs.engine.framework.order import TaskQueue, drained
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import NodeView
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.class_scores import NodeFit, Refused
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.shortage import ClosestRefusal, measured, shortage
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors, Job, SubJob, Task


class Placer:
    """Places tasks, those of one job at a time. `error_cache`: whether a node's refusal stands for a whole role.

    `score` is the sum of the scores of the nodes that were chosen in the last try.
    """

    def __init__(self, session: Session, *, error_cache: bool) -> None:
        self.session = session
        self.error_cache = error_cache
        self.behaviours = session.profile.allocate
        self.names_hyper_node = session.profile.network_topology.hyper_node_in_message == "named"
        self.nominated_anywhere = self.behaviours.nominated_node == "anywhere"
        self.nominated_idle = self.behaviours.nominated_node_room == "idle"
        self.score = 0.0

    def place(self, statement: Statement, sub_job: SubJob | Job, tasks: TaskQueue, hyper_node: str = TOP) -> None:
        """Place tasks one by one until the sub-job is ready, or cannot become so any more."""
        session, job = self.session, statement.job
        queue = session.queues[job.queue]
        asked = None if hyper_node == TOP else session.topology.members[hyper_node]
        self.score = 0.0
        trial = _Try(self, sub_job, hyper_node, asked)
        while tasks:
            task = tasks.pop()
            refusal = session.plugins.allocatable(queue, task)
            if refusal is not None:
                session.trace.refuse_task(task, refusal)
                continue
            if job.role_has_failed(task):
                refusal = Refusal(VerdictCode.ROLE_FAILED, text=task.role)
                if self.behaviours.role_failed_message == "absent":
                    session.trace.refuse_task(task, refusal)
                else:
                    text = f"Task {task.name} with role spec {task.role} has already predicated failed, skip"
                    session.refuse(job, task, refusal, FitErrors(error=text))
                continue
            choice = trial.choose(job, task)
            if choice is None:
                ends = trial.is_refused_by_all and self.behaviours.pre_predicate_failure == "ends-the-try"
                if trial.is_uncompared or (job.may_continue(sub_job) and not ends):
                    continue
                return
            self.score += choice.score
            failure = (statement.allocate if choice.idle else statement.pipeline)(task, choice.node)
            if failure is not None:
                session.trace.refuse_task(task, failure)
                continue
            session.trace.place(task, choice.ties)
            if trial.sub_job is not None:
                trial.held = trial.session.topology.joined(trial.held, choice.node)
            if session.plugins.sub_job_ready(job, sub_job):
                trial.settle()
                return


class _Try:
    """One try of a sub-job on some nodes; `asked` are their numbers, None where it is all of them.

    `is_uncompared` tells whether nodes fit the last task, and none was chosen as they were not scored,
    `is_refused_by_all` whether it was refused before any node was asked.
    """

    def __init__(self, placer: Placer, sub_job: SubJob | Job, hyper_node: str, asked: Integers | None) -> None:
        self.session = placer.session
        self.hyper_node = hyper_node if placer.names_hyper_node and asked is not None else ""
        self.asked = asked
        self.error_cache = placer.error_cache
        self.nominated_anywhere = placer.nominated_anywhere
        self.nominated_idle = placer.nominated_idle
        self.caches: dict[str, ErrorCache] = {}
        self.refused: dict[str, Codes] = {}
        self.sub_job = sub_job if isinstance(sub_job, SubJob) and sub_job.topology is not None else None
        self.held = sub_job.allocated_hyper_node
        self.is_uncompared = False
        self.is_refused_by_all = False

    def settle(self) -> None:
        """Keep the HyperNode that holds what was placed, where nothing else decides on it."""
        if self.sub_job is not None and self.sub_job.topology is not None and not self.sub_job.topology.hard:
            self.sub_job.allocated_hyper_node = self.held

    def choose(self, job: Job, task: Task) -> Choice | None:
        """Choose a node for a task, or note why there is none."""
        session = self.session
        self.is_uncompared = False
        self.is_refused_by_all = refused_by_all(session, job, task, self.asked)
        if self.is_refused_by_all:
            return None
        fit = session.fit(task)
        codes = fit.codes
        is_first = task.role not in self.caches
        if fit.refused is not None and fit.refused.seen == fit.seen and is_first and self._is_plain(task, fit):
            session.refuse(job, task, fit.refused.refusal, fit.refused.errors.copy(), codes)
            return None
        if session.search_listeners:
            session.note_search(task, self._to_ask(task, fit))
        session.topology.placing = None if self.sub_job is None else (self.sub_job, self.held)
        choice = self._nominated(task, fit)
        if choice is None:
            feasible, codes = self._feasible(task, fit)
            choice = best_node(session, fit, feasible)
            # True where nodes count all the same: see `best_node`.
            self.is_uncompared = choice is None and bool((fit.codes == FITS if feasible is None else feasible).any())
        watch(session, task, fit, codes, choice, asked=self.asked)
        session.topology.placing = None
        if self.is_uncompared:
            note_uncompared(session, task)
        elif choice is None:
            errors = session.fit_errors(codes)
            errors.hyper_node = self.hyper_node
            refusal = self._closest(fit)
            session.refuse(job, task, refusal, errors, codes)
            if is_first and self._is_plain(task, fit):
                fit.refused = Refused(fit.seen, refusal, errors.copy())
        return choice

    def _closest(self, fit: NodeFit) -> Refusal:
        """Say of a task that no node fits what the node lacks that comes closest."""
        shortfall = shortage(fit, self.session.reasons, self.asked)
        found = measured(fit, self.asked) if shortfall is None or isinstance(shortfall, ClosestRefusal) else None
        if found is not None:
            node, figures = found
            return Refusal(VerdictCode.NO_NODE_FITS, "", *figures[:3], node, text=figures.where)
        if shortfall is None:
            return Refusal(VerdictCode.NO_NODE_FITS)
        if isinstance(shortfall, ClosestRefusal):
            text = ", ".join(self.session.reasons.texts(shortfall.code))
            return Refusal(VerdictCode.NO_NODE_FITS, node=shortfall.node, text=text)
        code = VerdictCode.FRAGMENTED if shortfall.in_total else VerdictCode.NO_NODE_FITS
        if shortfall.too_large:
            code = VerdictCode.LARGER_THAN_ANY_NODE
        return Refusal(code, "", shortfall.resource, shortfall.need, shortfall.have, shortfall.node)

    def _is_plain(self, task: Task, fit: NodeFit) -> bool:
        """True if what comes of the first task of a role follows from its class and the state of the nodes alone.

        It does not where not all nodes are asked, nor where questions are counted or listened to, or nodes watched.
        """
        session = self.session
        return (
            self.asked is None
            and not (fit.volatile or fit.plugins.asks_outside or fit.plugins.counted)
            and not task.nominated_node
            and not (session.search_listeners or session.options.watch or session.sampler)
        )

    def _to_ask(self, task: Task, fit: NodeFit) -> Masks:
        """Which nodes the predicates are asked about: those with room that have not refused the role before."""
        has_room: Masks = fit.short == FITS
        cache = self.caches.get(task.role)
        if cache is not None:
            has_room &= cache.codes == FITS
        if self.asked is None:
            return has_room
        within: Masks = np.zeros_like(has_room)
        within[self.asked] = has_room[self.asked]
        return within

    def _nominated(self, task: Task, fit: NodeFit) -> Choice | None:
        """The node that an earlier session chose for a task, if it fits there.

        Up to v1.14, it may be anywhere in the network. No other node is asked then, so that the role's error cache
        learns nothing.
        """
        node = self.session.nodes.index.get(task.nominated_node) if task.nominated_node else None
        if node is None:
            return None
        if self.asked is not None and not self.nominated_anywhere and node not in self.asked:
            return None
        if self.nominated_idle and not fit.idle[node]:
            return None
        if self.session.sampler is not None and fit.short[node] == FITS:
            self.session.sampler.search_one()
        if fit.codes[node] != FITS:
            return None
        cache = self.caches.get(task.role)
        if cache is not None and cache.codes[node] != FITS:
            return None
        return Choice(node, 1, bool(fit.idle[node]))

    def _feasible(self, task: Task, fit: NodeFit) -> tuple[Masks | None, Codes]:
        """Which nodes count, None where it is those that fit, and the reasons of the others that were asked.

        What nodes said to other tasks of the role stands. Tasks without a role would all share one error cache.
        """
        remembers = self.error_cache and bool(task.role)
        if self.session.sampler is not None:
            refused = self.refused.setdefault(task.role, np.zeros_like(fit.codes)) if remembers else None
            codes = fit.codes if refused is None else np.where(refused == FITS, fit.codes, refused)
            asked = np.arange(len(codes)) if self.asked is None else self.asked
            search = self.session.sampler.search(codes == FITS, self.session.in_list(asked))
            if refused is not None:
                np.copyto(refused, codes, where=search.examined)
            return search.found, np.where(search.examined, codes, FITS).astype(np.int32)
        feasible, codes = None, fit.codes
        if remembers:
            cache = self.caches.get(task.role)
            if cache is None:
                cache = self.caches[task.role] = ErrorCache(fit)
            elif cache.remember(fit):
                feasible = cache.codes == FITS
            codes = cache.codes
        if self.asked is None:
            return feasible, codes
        asked_codes: Codes = np.zeros_like(codes)
        asked_codes[self.asked] = codes[self.asked]
        within: Masks = np.zeros(len(codes), np.bool_)
        within[self.asked] = asked_codes[self.asked] == FITS
        return within, asked_codes


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
        """Add the reasons given now; True if they differ from what `fit` says by itself."""
        if fit.task_class is self.task_class and not fit.volatile and not self._mixed:
            for node in fit.nodes.log[self._seen : fit.seen]:
                if self.codes[node] == FITS:
                    self.codes[node] = fit.codes[node]
            self._seen = fit.seen
            return False
        self._mixed = True  # from now on, the reasons given to one class stand for the other too
        np.copyto(self.codes, fit.codes, where=self.codes == FITS)
        return True


# --- the choice among nodes that fit ---------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A node, of how many equally good ones it is, whether it has the room now, and its score if it has one.

    A node that is compared with no other has none; for the best of all nodes, it is not kept either.
    """

    node: int
    ties: int
    idle: bool
    score: float = 0.0


def best_node(session: Session, fit: NodeFit, feasible: Masks | None = None) -> Choice | None:
    """The best node of the first of the `gradients` that is not empty.

    Args:
        session: the session, which breaks ties.
        fit: what is known of the nodes.
        feasible: which nodes count, where that is not what `fit` says.
    """
    breaker = session.tie_breaker
    if feasible is None and not fit.batch and not session.shard.is_soft and len(fit.best):
        node = int(fit.best.argmax())  # the first of equals is the one with the lowest name
        score = fit.best[node]
        if score != -np.inf:
            ties = int(np.count_nonzero(fit.best == score))
            if ties > 1 and breaker is not None:
                node = breaker.pick(np.flatnonzero(fit.best == score).tolist())
            return Choice(node, ties, idle=True)
    for mask, idle in gradients(session, fit, fit.codes == FITS if feasible is None else feasible):
        candidates, score = np.flatnonzero(mask), 0.0
        if len(candidates) > 1:
            totals = fit.totals(candidates)
            score = float(totals.max())
            candidates = candidates[totals == score]
        if len(candidates) and score != -np.inf:
            node = int(candidates[0]) if breaker is None else breaker.pick(candidates.tolist())
            return Choice(node, len(candidates), idle, score)
    return None


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


def refused_by_all(session: Session, job: Job, task: Task, asked: Integers | None = None) -> bool:
    """True if none of the nodes that would be asked can take a task, None for all nodes; if so, note why."""
    refusal = session.pre_predicate(task, asked)
    if refusal is None:
        return False
    nodes = len(session.nodes) if asked is None else len(asked)
    session.refuse(job, task, refusal, FitErrors(nodes, {refusal.text: nodes}))
    return True


def note_uncompared(session: Session, task: Task) -> None:
    """Note that nodes fit a task, and that a plugin failed to score them; the scheduler takes none then."""
    session.trace.refuse_task(task, Refusal(VerdictCode.SCORES_FAILED, text=session.scoring_failure))


def watch(
    session: Session, task: Task, fit: NodeFit, codes: Codes, choice: Choice | None, *, asked: Integers | None = None
) -> None:
    """Note the reasons of each node that was asked, or its scores among those compared, if a task is watched."""
    watched = session.options.watch
    if not watched or f"{task.namespace}/{task.name}" not in watched:
        return
    nodes = np.arange(len(codes)) if asked is None else asked
    fitting: Masks = np.zeros(len(codes), np.bool_)
    fitting[nodes] = codes[nodes] == FITS
    groups = (np.flatnonzero(mask) for mask, _ in gradients(session, fit, fitting))
    candidates = next((group for group in groups if len(group)), np.arange(0))
    by_plugin = session.plugins.scores_by_plugin(fit.task_class, candidates)
    scores = {
        int(node): {name: float(values[at]) for name, values in by_plugin.items()} for at, node in enumerate(candidates)
    }
    session.trace.views[task.uid] = [
        NodeView(
            node=name,
            reasons=session.reasons.texts(int(codes[node])),
            idle=bool(fit.idle[node]),
            scores=scores.get(node, {}),
            chosen=choice is not None and choice.node == node,
        )
        for node, name in ((node, session.nodes.names[node]) for node in nodes.tolist())
    ]


# --- room that was promised -------------------------------------------------------------------------------------------


def place_nominated(statement: Statement, sub_job: SubJob, tasks: TaskQueue) -> bool:
    """Place all tasks of a sub-job where gangpreempt or gangreclaim promised them room earlier in the session.

    Each task has to fit on the node that an earlier session chose for it, within the HyperNode of the promise; then no
    other node is asked, and the tasks are taken out of their queue. Where one does not, the promise is forgotten, and
    so are the nodes that were chosen.
    Reference: pkg/scheduler/actions/allocate/allocate.go (allocateFromNomination).
    """
    session, steps = statement.session, len(statement.operations)
    if _promises_hold(statement, sub_job, tasks.copy()) and all(
        _place_as_promised(statement, task) for task in drained(tasks.copy())
    ):
        held = sub_job.allocated_hyper_node
        sub_job.allocated_hyper_node = session.topology.lowest_common(held, sub_job.nominated_hyper_node)
        while tasks:
            tasks.pop()
        return True
    if len(statement.operations) > steps:
        statement.undo()
        statement.operations.clear()
    sub_job.nominated_hyper_node = ""
    for task in drained(tasks.copy()):
        task.nominated_node = None
    return False


def _promises_hold(statement: Statement, sub_job: SubJob, tasks: TaskQueue) -> bool:
    """True if each task may go where it was promised room, all by itself."""
    session = statement.session
    queue = session.queues[statement.job.queue]
    within = set(session.topology.members.get(sub_job.nominated_hyper_node, np.arange(0)).tolist())
    for task in drained(tasks):
        node = session.nodes.index.get(task.nominated_node or "")
        if session.plugins.allocatable(queue, task) is not None or node not in within or node is None:
            return False
        if session.pre_predicate(task) is not None or session.fit(task).codes[node] != FITS:
            return False
        if session.sampler is not None:
            session.sampler.search_one()
    return True


def _place_as_promised(statement: Statement, task: Task) -> bool:
    """Give a task its node, where there is still room; True if nothing failed."""
    session = statement.session
    node = session.nodes.index[task.nominated_node or ""]
    fit = session.fit(task)
    if fit.idle[node]:
        failure = statement.allocate(task, node)
    elif fit.short[node] == FITS:
        failure = statement.pipeline(task, node)
    else:
        return True  # as in the reference, it is passed over
    if failure is None:
        session.trace.place(task, 1)
    return failure is None
