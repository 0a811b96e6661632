"""Evict for gangs: what the actions gangpreempt and gangreclaim have in common.

Each starving job is served once, and as a whole: for all of its pending tasks together, or, where it runs already, for
those of one sub-job. A domain is looked for that has room for them once victims are gone: the whole cluster, or a
HyperNode where a network topology limits the job, the widest first. In a domain, bundles of victims are added one by
one; as soon as there may be room enough, placing the gang is tried out. The first plan that leaves the gang pipelined
is committed.

When that is tried out, the victims are evicted, and the gang's pending tasks are promised room, one sub-job after the
other. A sub-job is placed as a whole, within one HyperNode where a network topology limits it. All is rolled back then,
and where the gang fits, the same steps are taken again.

References: pkg/scheduler/actions/gangpreempt/gangpreempt.go, gangreclaim/gangreclaim.go, utils/util.go, and
utils/simulate.go (BuildNominationPlanInDomain); predicates as those of preempt.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from vqs.engine.actions.eviction.bundles import Bundle, BundleType, allowed_part, job_bundles, total_request
from vqs.engine.actions.eviction.order import Orders, considered, starving
from vqs.engine.actions.eviction.search import ERROR_CACHE, PotentialNodes
from vqs.engine.actions.eviction.votes import EvictionIndex, decide
from vqs.engine.actions.placer import best_node
from vqs.engine.framework import points
from vqs.engine.framework.order import LiveQueue, PendingTasks, PriorityQueue, TaskQueue, drained
from vqs.engine.framework.points import EvictionContext, EvictionKind, SearchPurpose
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import Op, Scope, StatementResult, VictimDecision, VictimSearch
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, SubJob, Task, TaskStatus
from vqs.model.keys import PREEMPTABLE
from vqs.model.quantity import is_true
from vqs.model.resource import Resource

MAX_DOMAINS = "maxDomains"
DEFAULT_MAX_DOMAINS = 8
ALLOW_WHOLE_BUNDLE = "allowWholeBundle"
_ASK_SUB_JOBS = frozenset({"allocate", "gangpreempt", "gangreclaim"})
"""The actions that ask sub-jobs for their tasks."""


@dataclass(slots=True)
class _Request:
    """What is looked for: room for a job.

    Attributes:
        queue: the queue of the job.
        job: the job.
        need: what it asks for.
        search: what is noted of it.
        statement: the steps that were taken for it.
        tried: how many sets of victims were tried out.
        spares_gangs: whether victims were left out that would break a gang.
    """

    queue: Queue
    job: Job
    need: Resource
    search: VictimSearch
    statement: Statement
    tried: int = 0
    spares_gangs: bool = False

    def refusal(self) -> Refusal | None:
        """Why there is no plan, None where that shows in what was noted."""
        if self.tried:
            return Refusal(EvictionCode.GANG_DOES_NOT_FIT, have=float(self.tried))
        return Refusal(EvictionCode.GANGS_NOT_BROKEN) if self.spares_gangs else None


class GangEviction(ABC):
    """Go round the queues; in each, serve one starving job after the other.

    `name` is the action's, `kind` what plugins are told of it, `scope` where it looks for victims, and `statuses` those
    in which a task may be evicted.
    """

    name: ClassVar[str]
    kind: ClassVar[EvictionKind]
    scope: ClassVar[Scope]
    statuses: ClassVar[frozenset[TaskStatus]]

    def execute(self, session: Session) -> None:
        """Run the action."""
        self.session = session
        self.orders = session.shared(Orders)
        self.index = session.shared(EvictionIndex)
        self.planner = Planner(session, self.name)
        arguments = session.conf.action_arguments(self.name)
        most = arguments.int(MAX_DOMAINS)
        self.max_domains = most if most > 0 else DEFAULT_MAX_DOMAINS
        self.allows_whole_bundles = arguments.bool(ALLOW_WHOLE_BUNDLE)
        later = session.conf.actions[session.conf.actions.index(session.trace.action) + 1 :]
        self.is_last = _ASK_SUB_JOBS.isdisjoint(later)
        session, orders = self.session, self.orders
        names: dict[str, None] = {}
        starving_jobs: dict[str, LiveQueue[Job]] = {}
        for job in considered(session):
            names[job.queue] = None
            if starving(session, job):
                starving_jobs.setdefault(job.queue, orders.jobs()).push(job)
        queues = orders.queues(session.queues[name] for name in names)
        total, done = sum(map(len, starving_jobs.values())), 0
        while queues:
            queue = queues.pop()
            refusal = self.excluded(queue)
            if refusal is not None:
                session.trace.exclude_queue(queue.name, refusal)
                continue
            jobs = starving_jobs.get(queue.name, ())
            while jobs:
                job = jobs.pop()
                statement = Statement(session, job)
                plan = self._plan(queue, statement)
                complete = session.plugins.job_pipelined(job)
                statement.end(StatementResult.COMMIT if complete else StatementResult.DISCARD)
                if plan is not None:
                    self._settle(plan)
                done += 1
                session.report_progress(self.name, done, total)

    @abstractmethod
    def excluded(self, queue: Queue) -> Refusal | None:
        """Why nothing is evicted in favour of a queue, None where something may be."""

    @abstractmethod
    def refusal(self, queue: Queue, waiting: Sequence[Task]) -> Refusal | None:
        """Why nothing is evicted for the waiting tasks of a job, None where something may be."""

    @abstractmethod
    def gives_up_tasks(self, job: Job, preemptor: Job) -> bool:
        """True if tasks of a job may be evicted in favour of another."""

    @abstractmethod
    def in_order(self, bundles: Iterable[Bundle], preemptor: Job, need: Resource) -> list[Bundle]:
        """Bundles in the order in which they are added."""

    # --- one job -----------------------------------------------------------------------------------------------------

    def _plan(self, queue: Queue, statement: Statement) -> Plan | None:
        """Look for room for a job, in one domain after the other, and take the steps that make it."""
        job = statement.job
        waiting = waiting_tasks(self.session, job)
        if not waiting:
            return None
        search = self.session.trace.begin_search(waiting[0], self.scope)
        search.refusal = self.refusal(queue, waiting)
        if search.refusal is not None:
            return None
        request = _Request(queue, job, total_request(waiting), search, statement)
        gradients = self.session.plugins.job_gradients(job, TOP, SearchPurpose.EVICT)
        domains = list(dict.fromkeys(name for tier in gradients.tiers for name in tier))[: self.max_domains]
        for domain in domains or ([] if job.has_topology_limit else [TOP]):
            plan = self._plan_in(domain, request)
            if plan is not None:
                steps = [step for step in plan.statement.operations if step.op is Op.PIPELINE]
                search.node = steps[0].node
                for step in steps:
                    # What an earlier plan promised stands, too, where that plan failed halfway.
                    self.session.trace.place(step.task, plan.ties.get(step.task.uid, 1))
                return plan
        search.refusal = request.refusal()
        return None

    def _plan_in(self, domain: str, request: _Request) -> Plan | None:
        """Add bundles of victims in a domain until the job fits there."""
        members, need, search = self.session.topology.members[domain], request.need, request.search
        if not len(members):
            return None
        within: Masks = np.zeros(len(self.session.nodes), np.bool_)
        within[members] = True
        decision, bundles = self._bundles(request, within)
        search.nodes += len(members)
        search.asked += len(members)
        search.candidates += len(decision.candidates)
        if decision.spared_by:
            search.spared_by[decision.spared_by] += len(members)
        # What the nodes have idle, together with what is being released there.
        session, nodes = self.session, self.session.nodes
        total = nodes.idle[:, within].sum(axis=1)
        others = (task for task in session.cluster.other_tasks if task.status is TaskStatus.Releasing)
        for tasks in (session.tasks(TaskStatus.Releasing), others):
            for task in tasks:
                node = nodes.index.get(task.node or "")
                if node is not None and within[node]:
                    total = total + nodes.vectors[task.shape]
        available = nodes.resource(total)
        victims: list[Task] = []
        for bundle in bundles:
            victims += bundle.tasks
            available.add(bundle.freed)
            if not need.less_equal(available):
                continue
            request.tried += 1
            plan = self.planner.plan(request.queue, request.job, domain, victims, search)
            if plan is not None:
                search.decisions |= {
                    name: replace(
                        decision,
                        candidates=[each for each in decision.candidates if each.node == name],
                        victims=[each for each in decision.victims if each.node == name],
                    )
                    for name in dict.fromkeys(task.node or "" for task in victims)
                }
                if plan.carry_out(request.statement):
                    return plan
            search.victims.clear()
        if not need.less_equal(available):
            search.too_small += len(members)
        return None

    def _settle(self, plan: Plan) -> None:
        """Note where sub-jobs were promised room, and let them lose track of it, for actions that ask for it.

        As in the reference, what was promised room stays among the pending tasks of its sub-job, and what is evicted
        among the running ones.
        """
        if self.is_last:
            return
        job = plan.statement.job
        job.divide()
        for step in plan.statement.operations:
            sub_job = self.session.jobs[step.task.job].sub_job_of.get(step.task.uid)
            if sub_job is not None and step.op is Op.PIPELINE:
                sub_job.keep_pending(step.task.twin())
            elif sub_job is not None:
                # The reference keeps a task that is evicted among the running ones as well: it counts as ready.
                sub_job.by_status.setdefault(TaskStatus.Running, {})[step.task.uid] = step.task
                sub_job.ready += 1
        for uid, hyper_node in plan.hyper_nodes.items():
            job.sub_jobs[uid].nominated_hyper_node = hyper_node

    # --- victims -----------------------------------------------------------------------------------------------------

    def _bundles(self, request: _Request, within: Masks) -> tuple[VictimDecision, list[Bundle]]:
        """How the plugins voted on the victims on some nodes, and the bundles that are left, in their order."""
        job, need = request.job, request.need
        bundles: list[Bundle] = []
        for other in self.session.jobs.values():
            metadata = other.pod_group.metadata
            preemptable = metadata.annotations.get(PREEMPTABLE, metadata.labels.get(PREEMPTABLE, "true"))
            if self.gives_up_tasks(other, job) and is_true(preemptable):
                on_nodes = self.index.tasks_of(other)
                tasks = [task for node, task in on_nodes if within[node] and task.status in self.statuses]
                if tasks:
                    bundles += job_bundles(other, tasks)
        ordered = [task for bundle in self.in_order(bundles, job, need) for task in bundle.tasks]
        context = EvictionContext(self.kind, job)
        decision = decide(
            self.session.plugins.by_plugin(points.UNIFIED_EVICTABLE), ordered, lambda _, vote: vote(context, ordered)
        )
        allowed = {task.uid for task in decision.victims}
        left = filter(None, (allowed_part(bundle, allowed) for bundle in bundles))
        in_order = self.in_order(left, job, need)
        chosen = [each for each in in_order if each.type is BundleType.SAFE or self.allows_whole_bundles]
        request.spares_gangs |= len(chosen) < len(in_order)
        return decision, chosen


@dataclass(slots=True)
class Plan:
    """What makes room for a gang: steps that stand until it is carried out.

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

    def carry_out(self, statement: Statement) -> bool:
        """Undo the steps, and take them again in a statement that is to be committed; True if none fails.

        As in the reference, what plugins keep of steps that were undone counts, and those before one that fails stay.
        """
        saved = self.statement.save()
        self.statement.undo()
        self.search.victims.clear()
        self.statement = statement
        return statement.recover(saved)


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
        """Place a sub-job in the first HyperNode of the domain that takes it; True if one does."""
        job, hyper_nodes = plan.statement.job, [domain]
        if isinstance(sub_job, SubJob) and job.has_topology_limit:
            gradients = self.session.plugins.sub_job_gradients(job, sub_job, domain, SearchPurpose.EVICT)
            hyper_nodes = [name for tier in gradients.tiers for name in tier]
        for hyper_node in hyper_nodes:
            trial = _Trial(self, plan, sub_job, hyper_node)
            if trial.place(tasks.copy()):
                plan.hyper_nodes[sub_job.uid] = hyper_node
                return True
        return False


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
        placed = all(self._promise(task) for task in drained(tasks))
        served = placed and bool(self.statement.operations)
        if served and (plugins.sub_job_ready(job, self.sub_job) or plugins.sub_job_pipelined(job, self.sub_job)):
            self.plan.statement.merge(self.statement)
            self.plan.ties.update(self.ties)
            return True
        self.statement.undo()
        return False

    def _promise(self, task: Task) -> bool:
        """Promise a task room on the best node; True if there was one.

        Nodes that an earlier action found unresolvable are not asked, if any other is left.
        """
        session = self.session
        if session.plugins.allocatable(self.plan.queue, task) is not None:
            return False
        unresolvable = session.unresolvable_nodes(task)
        asked = self.nodes if unresolvable is None or unresolvable.all() else self.nodes[~unresolvable[self.nodes]]
        if not len(asked) or session.pre_predicate(task, asked) is not None:
            return False
        fit = session.fit(task)
        session.topology.placing = None if self.near is None else (self.near, "")
        width = len(session.nodes)
        fitting: Masks = (fit.short == FITS) & self.planner.potential_nodes.for_task(task)
        # What a node said to another task of the role stands for this one.
        remembers = self.planner.error_cache and bool(task.role)
        refused = self.refused.setdefault(task.role, np.zeros(width, np.bool_)) if remembers else None
        if refused is not None:
            fitting &= ~refused
        if session.sampler is not None:
            sampled = session.sampler.search(fitting, session.in_list(asked))
            found, examined = sampled.found, sampled.examined
        else:
            examined = np.zeros(width, np.bool_)
            examined[asked] = True
            found = fitting & examined
        if refused is not None:
            refused |= examined & ~fitting
        choice = best_node(session, fit, found)
        session.topology.placing = None
        if choice is None:
            return False
        self.ties[task.uid] = choice.ties
        evicts, search = self.plan.evicts, self.plan.search
        return self.statement.pipeline(task, choice.node, eviction_occurred=evicts, search=search) is None


def waiting_tasks(session: Session, job: Job) -> list[Task]:
    """The tasks of a job that need room: all that wait, or those of one sub-job where the job is ready.

    Reference: CollectPendingTasksForGangEviction.
    """
    parts = _in_order(session, job)
    if session.plugins.job_ready(job):
        return next(([*drained(tasks)] for _, tasks in parts), [])
    return [task for _, tasks in parts for task in drained(tasks)]


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
