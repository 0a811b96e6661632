"""Try out whether a gang would fit into a domain once some victims are gone.

The victims are evicted, and the gang's pending tasks are promised room, one sub-job after the other, until the gang is
pipelined. A sub-job is placed as a whole, within one HyperNode where a network topology limits it. Where that fails,
everything is rolled back.

References: pkg/scheduler/actions/utils/simulate.go (BuildNominationPlanInDomain); predicates as those of preempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from vqs.engine.actions.choice import Choice, best_node
from vqs.engine.actions.eviction.search import PotentialNodes
from vqs.engine.actions.pending import PendingTasks
from vqs.engine.framework.order import PriorityQueue, TaskQueue
from vqs.engine.framework.points import SearchPurpose
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import Statement
from vqs.engine.framework.trace import VictimSearch
from vqs.engine.nodes.fit import NodeFit
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.job import Job, SubJob
from vqs.model.queue import Queue
from vqs.model.task import Task

ERROR_CACHE = "predicateErrorCacheEnable"


@dataclass(slots=True)
class Plan:
    """What makes room for a gang: its steps stand, and are the caller's to commit or to roll back.

    Attributes:
        statement: the steps.
        queue: the queue of the job.
        search: the search that the steps are part of.
        evicts: whether it has victims.
        hyper_nodes: the HyperNode of each sub-job that was placed, by the sub-job's uid.
        ties: of how many equally good nodes each task was given one, by uid.
    """

    statement: Statement
    queue: Queue
    search: VictimSearch
    evicts: bool
    hyper_nodes: dict[str, str] = field(default_factory=dict)
    ties: dict[str, int] = field(default_factory=dict)


class Planner:
    """Makes plans for one action, `reason` is what its evictions are recorded with."""

    def __init__(self, session: Session, reason: str) -> None:
        self.session = session
        self.reason = reason
        self.potential_nodes = session.shared(PotentialNodes)
        self.error_cache = session.conf.action_arguments("allocate").bool(ERROR_CACHE)

    def plan(self, queue: Queue, job: Job, domain: str, victims: Sequence[Task], search: VictimSearch) -> Plan | None:
        """How a job fits into a domain without the victims; None, and nothing changed, where it does not."""
        session = self.session
        plan = Plan(Statement(session, job), queue, search, bool(victims))
        was_ready = session.plugins.job_ready(job)
        for victim in victims:
            plan.statement.evict(victim, self.reason, search)
        pipelined = False
        for sub_job, tasks in _in_order(session, job):
            if not self._place(plan, sub_job, tasks, domain):
                break
            pipelined = session.plugins.job_pipelined(job)
            if was_ready or pipelined:
                break
        if pipelined:
            return plan
        plan.statement.undo()
        return None

    def _place(self, plan: Plan, sub_job: SubJob | Job, tasks: TaskQueue, domain: str) -> bool:
        """Place a sub-job in the first HyperNode of the domain that takes it; tell whether one does."""
        for hyper_node in self._hyper_nodes(plan.statement.job, sub_job, domain):
            trial = _Trial(self, plan, sub_job, hyper_node)
            if trial.place(tasks.copy()):
                plan.hyper_nodes[sub_job.uid] = hyper_node
                return True
        return False

    def _hyper_nodes(self, job: Job, sub_job: SubJob | Job, domain: str) -> list[str]:
        """The HyperNodes to try for a sub-job, in their order."""
        if isinstance(sub_job, Job) or not job.has_topology_limit:
            return [domain]
        gradients = self.session.plugins.sub_job_gradients(job, sub_job, domain, SearchPurpose.EVICT)
        return [name for tier in gradients.tiers for name in tier]


class _Trial:
    """A try to place a sub-job in one HyperNode, as a part of a plan."""

    def __init__(self, planner: Planner, plan: Plan, sub_job: SubJob | Job, hyper_node: str) -> None:
        self.session = planner.session
        self.planner = planner
        self.plan = plan
        self.sub_job = sub_job
        self.near = sub_job if isinstance(sub_job, SubJob) and sub_job.topology is not None else None
        self.nodes: Integers = self.session.topology.members[hyper_node]
        self.statement = Statement(self.session, plan.statement.job)
        self.ties: dict[str, int] = {}
        self.refused: dict[str, Masks] = {}

    def place(self, tasks: TaskQueue) -> bool:
        """Promise room to all of some tasks, and add that to the plan; otherwise, roll back what was promised."""
        plugins, job = self.session.plugins, self.plan.statement.job
        placed = all(self._promise(task) for task in _drain(tasks))
        served = placed and bool(self.statement.operations)
        if served and (plugins.sub_job_ready(job, self.sub_job) or plugins.sub_job_pipelined(job, self.sub_job)):
            self.plan.statement.merge(self.statement)
            self.plan.ties.update(self.ties)
            return True
        self.statement.undo()
        return False

    def _promise(self, task: Task) -> bool:
        """Promise a task room on the best node; tell whether there was one."""
        if self.session.plugins.allocatable(self.plan.queue, task) is not None:
            return False
        choice = self._choose(task)
        if choice is None:
            return False
        self.ties[task.uid] = choice.ties
        failure = self.statement.pipeline(
            task, choice.node, eviction_occurred=self.plan.evicts, search=self.plan.search
        )
        return failure is None

    def _choose(self, task: Task) -> Choice | None:
        session = self.session
        asked = self._asked(task)
        if not len(asked) or session.pre_predicate(task, asked) is not None:
            return None
        fit = session.fit(task)
        session.topology.placing = None if self.near is None else (self.near, "")
        choice = best_node(session, fit, self._fitting(task, fit, asked))
        session.topology.placing = None
        return choice

    def _asked(self, task: Task) -> Integers:
        """The nodes that are asked: those that an earlier action found unresolvable are not, if any is left."""
        unresolvable = self.session.unresolvable_nodes(task)
        if unresolvable is None or unresolvable.all():
            return self.nodes
        return self.nodes[~unresolvable[self.nodes]]

    def _fitting(self, task: Task, fit: NodeFit, asked: Integers) -> Masks:
        """The nodes with room in the future that nothing refuses the task but what evictions may change.

        What a node said to another task of the role stands for this one.
        """
        width = len(self.session.nodes)
        fitting: Masks = (fit.short == FITS) & self.planner.potential_nodes.for_task(task)
        remembers = self.planner.error_cache and bool(task.role)
        refused = self.refused.setdefault(task.role, np.zeros(width, np.bool_)) if remembers else None
        if refused is not None:
            fitting &= ~refused
        if self.session.sampler is not None:
            search = self.session.sampler.search(fitting, self.session.in_list(asked))
            found, examined = search.found, search.examined
        else:
            examined = np.zeros(width, np.bool_)
            examined[asked] = True
            found = fitting & examined
        if refused is not None:
            refused |= examined & ~fitting
        return found


def waiting_tasks(session: Session, job: Job) -> list[Task]:
    """The tasks of a job that need room: all that wait, or those of one sub-job where the job is ready.

    Reference: CollectPendingTasksForGangEviction.
    """
    parts = _in_order(session, job)
    if session.plugins.job_ready(job):
        return next(([*_drain(tasks)] for _, tasks in parts), [])
    return [task for _, tasks in parts for task in _drain(tasks)]


def _in_order(session: Session, job: Job) -> Iterator[tuple[SubJob | Job, TaskQueue]]:
    """Yield the sub-jobs of a job that have pending tasks, with these, in the order in which they are served."""
    pending = PendingTasks(session, job)
    if not job.sub_jobs:
        yield from ((job, queue) for queue in pending.queues.values())
        return
    waiting = PriorityQueue(lambda each: pending.key(session, each), [job.sub_jobs[uid] for uid in pending.queues])
    while waiting:
        sub_job = waiting.pop()
        yield sub_job, pending.queues[sub_job.uid]


def _drain(tasks: TaskQueue) -> Iterator[Task]:
    while tasks:
        yield tasks.pop()
