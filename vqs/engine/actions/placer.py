"""Give the tasks of a job or sub-job nodes, one by one: all nodes are asked, or those of one HyperNode.

Reference: pkg/scheduler/actions/allocate/allocate.go (allocateResourcesForTasks).
"""

from __future__ import annotations

import numpy as np

from vqs.engine.actions.choice import (
    Choice,
    ErrorCache,
    best_node,
    has_feasible,
    note_uncompared,
    refused_by_all,
)
from vqs.engine.actions.watch import watch
from vqs.engine.framework.order import TaskQueue
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import Statement
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.fit import NodeFit, Refused
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.sampling import NodeSampler
from vqs.engine.nodes.shortage import Barrier, measured, shortage
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors, Job, SubJob
from vqs.model.task import Task


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
        self.score = 0.0

    def place(self, statement: Statement, sub_job: SubJob | Job, tasks: TaskQueue, hyper_node: str = TOP) -> None:
        """Place tasks one by one until the sub-job is ready, or cannot become so any more."""
        session, job = self.session, statement.job
        queue = session.queues[job.queue]
        asked = None if hyper_node == TOP else session.topology.members[hyper_node]
        self.score = 0.0
        attempt = _Attempt(self, sub_job, hyper_node, asked)
        while tasks:
            task = tasks.pop()
            refusal = session.plugins.allocatable(queue, task)
            if refusal is not None:
                session.trace.refuse_task(task, refusal)
                continue
            if job.role_has_failed(task):
                self._refuse_role(job, task)
                continue
            choice = attempt.choose(job, task)
            if choice is None:
                if attempt.is_uncompared or (job.may_continue(sub_job) and not self._ends(attempt)):
                    continue
                return
            self.score += choice.score
            if not self._take(statement, task, choice):
                continue
            attempt.hold(choice.node)
            if session.plugins.sub_job_ready(job, sub_job):
                attempt.settle()
                return

    def _take(self, statement: Statement, task: Task, choice: Choice) -> bool:
        """Give a task the node that was chosen; tell whether nothing failed."""
        step = statement.allocate if choice.idle else statement.pipeline
        failure = step(task, choice.node)
        if failure is not None:
            self.session.trace.refuse_task(task, failure)
            return False
        self.session.trace.place(task, choice.ties)
        return True

    def _ends(self, attempt: _Attempt) -> bool:
        """True if a try is over because the last task was refused before any node was asked."""
        return attempt.is_refused_by_all and self.behaviours.pre_predicate_failure == "ends-the-try"

    def _refuse_role(self, job: Job, task: Task) -> None:
        refusal = Refusal(VerdictCode.ROLE_FAILED, text=task.role)
        if self.behaviours.role_failed_message == "absent":
            self.session.trace.refuse_task(task, refusal)
            return
        message = f"Task {task.name} with role spec {task.role} has already predicated failed, skip"
        self.session.refuse(job, task, refusal, FitErrors(error=message))


class _Attempt:
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
        self.caches: dict[str, ErrorCache] = {}
        self.refused: dict[str, Codes] = {}
        self.sub_job = sub_job if isinstance(sub_job, SubJob) and sub_job.topology is not None else None
        self.held = sub_job.allocated_hyper_node
        self.is_uncompared = False
        self.is_refused_by_all = False

    def hold(self, node: int) -> None:
        """Take note of a node that a task was given."""
        if self.sub_job is not None:
            self.held = self.session.topology.joined(self.held, node)

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
            self.is_uncompared = choice is None and has_feasible(fit, feasible)
        watch(session, task, fit, codes, choice, asked=self.asked)
        session.topology.placing = None
        if self.is_uncompared:
            note_uncompared(session, task)
        elif choice is None:
            errors = session.fit_errors(codes)
            errors.hyper_node = self.hyper_node
            refusal = _no_node(session, fit, self.asked)
            session.refuse(job, task, refusal, errors, codes)
            if is_first and self._is_plain(task, fit):
                fit.refused = Refused(fit.seen, refusal, errors.copy())
        return choice

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
        """Tell which nodes the predicates are asked about: those with room that have not refused the role before."""
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
        if self.session.sampler is not None and fit.short[node] == FITS:
            self.session.sampler.search_one()
        if fit.codes[node] != FITS:
            return None
        cache = self.caches.get(task.role)
        if cache is not None and cache.codes[node] != FITS:
            return None
        return Choice(node, 1, bool(fit.idle[node]))

    def _feasible(self, task: Task, fit: NodeFit) -> tuple[Masks | None, Codes]:
        """Which nodes count, None where it is those that fit, and the reasons of the others that were asked."""
        if self.session.sampler is not None:
            return self._sampled(self.session.sampler, task, fit)
        feasible, codes = self._remembered(task, fit)
        if self.asked is None:
            return feasible, codes
        asked_codes: Codes = np.zeros_like(codes)
        asked_codes[self.asked] = codes[self.asked]
        within: Masks = np.zeros(len(codes), np.bool_)
        within[self.asked] = asked_codes[self.asked] == FITS
        return within, asked_codes

    def _sampled(self, sampler: NodeSampler, task: Task, fit: NodeFit) -> tuple[Masks, Codes]:
        """Return likewise the nodes that a search finds; only those that it examines are remembered for the role."""
        refused = self.refused.setdefault(task.role, np.zeros_like(fit.codes)) if self._remembers(task) else None
        codes = fit.codes if refused is None else np.where(refused == FITS, fit.codes, refused)
        asked = np.arange(len(codes)) if self.asked is None else self.asked
        search = sampler.search(codes == FITS, self.session.in_list(asked))
        if refused is not None:
            np.copyto(refused, codes, where=search.examined)
        return search.found, np.where(search.examined, codes, FITS).astype(np.int32)

    def _remembers(self, task: Task) -> bool:
        """True if refusals stand for a task's role; tasks without a role would all share one error cache."""
        return self.error_cache and bool(task.role)

    def _remembered(self, task: Task, fit: NodeFit) -> tuple[Masks | None, Codes]:
        """Return likewise for all nodes, with what they said to other tasks of the role."""
        if not self._remembers(task):
            return None, fit.codes
        cache = self.caches.get(task.role)
        if cache is None:
            cache = self.caches[task.role] = ErrorCache(fit)
        elif cache.remember(fit):
            return cache.codes == FITS, cache.codes
        return None, cache.codes


def _no_node(session: Session, fit: NodeFit, asked: Integers | None) -> Refusal:
    """Tell what keeps the task from the closest node that was asked: what that lacks, or a predicate."""
    lack = shortage(fit, asked)
    found = measured(fit, asked) if lack is None or isinstance(lack, Barrier) else None
    if found is not None:
        node, figures = found
        return Refusal(VerdictCode.NO_NODE_FITS, "", *figures[:3], node, text=figures.where)
    if lack is None:
        return Refusal(VerdictCode.NO_NODE_FITS)
    if isinstance(lack, Barrier):
        return Refusal(VerdictCode.NO_NODE_FITS, node=lack.node, text=", ".join(session.reasons.texts(lack.code)))
    code = VerdictCode.FRAGMENTED if lack.in_total else VerdictCode.NO_NODE_FITS
    if lack.too_large:
        code = VerdictCode.LARGER_THAN_ANY_NODE
    return Refusal(code, resource=lack.resource, need=lack.need, have=lack.have, node=lack.node)
