"""A scheduling session: opened on a cluster, run through actions, then closed.

It owns the cluster it is opened on and changes it; whoever wants two sessions builds the cluster twice. Plugins add
their answers to extension points when it opens; it asks them in the order of the tiers.
References: pkg/scheduler/framework/session.go, session_plugins.go, framework.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from vqs.engine import points
from vqs.engine.classes import TaskClasses
from vqs.engine.luck import Luck
from vqs.engine.nodes import NodeTable
from vqs.engine.points import Point, Vote
from vqs.engine.reasons import Reasons
from vqs.engine.trace import Refusal, Trace
from vqs.model.job import COMPLETED, INQUEUE, PENDING, RUNNING, UNKNOWN, FitErrors, Job, SubJob
from vqs.model.resource import Resource
from vqs.model.task import COMPLETED_STATUSES, SCHEDULED_STATUSES, Task, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from datetime import datetime

    from vqs.config.arguments import Arguments
    from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
    from vqs.engine.classes import NodeFit, TaskClass
    from vqs.engine.ledger import QueueLedger
    from vqs.engine.nodes import Floats, Integers, Masks, Rows
    from vqs.engine.points import BatchScore, Key, Predicate, Voter
    from vqs.engine.reasons import Codes
    from vqs.model.cluster import Cluster
    from vqs.model.queue import Queue

Answer = TypeVar("Answer")

EVICTING = frozenset({"preempt", "reclaim"})
"""The actions that look at what others have found out about nodes."""


class Plugin(Protocol):
    """A scheduler plugin; it is made with its option from the configuration."""

    def open(self, session: Session) -> None:
        """Prepare for a session and add answers to its extension points."""

    def close(self, session: Session) -> None:
        """Do what is left to do when the actions are over."""


@dataclass(slots=True)
class SessionOptions:
    """What a session is run with besides cluster and configuration.

    Attributes:
        now: the time the session takes it to be.
        seed: draws what the reference leaves to chance; None takes the lowest name everywhere.
        watch: the tasks, by namespace/name, of which every node's reasons, scores and votes on victims are kept; the
            votes also for all tasks of a job that is named so.
        progress: told the running action and how many of its jobs are done.
        gates: keep the accounts that are drawn up when jobs ask to enter their queues.
        follow: the jobs, by namespace/name, whose story is kept.
    """

    now: datetime
    seed: int | None = None
    watch: frozenset[str] = frozenset()
    gates: bool = False
    follow: frozenset[str] = frozenset()
    progress: Callable[[str, int, int], None] | None = None


@dataclass(slots=True)
class Notice:
    """Something the user should know about the session: the code and the message of a diagnostic."""

    code: str
    message: str
    help: str = ""
    severity: Literal["warning", "note"] = "warning"


@dataclass(slots=True)
class _Registry:
    """The plugins' answers, by point and plugin."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, point: str, plugin: str, answer: object) -> None:
        # A plugin may be named twice in a configuration; then the later one's answers stand, in both places.
        self.answers.setdefault(point, {})[plugin] = answer

    def named(self, point: Point[Answer], options: tuple[PluginOption, ...]) -> list[tuple[str, Answer]]:
        answers = self.answers.get(point.name, {})
        enabled = [o for o in options if o.name in answers and (point.flag is None or o.enabled(point.flag))]
        return [(option.name, answers[option.name]) for option in enabled]


class Session:
    """One session. Attributes that other modules read are public; plugins change only what is their own.

    `shared` holds, by type, what several plugins look at and one of them has made. `standstill` says why nothing at all
    is scheduled, where that is so. `prepared` has the tasks that `pre_predicate` was asked about; where
    `needs_preparing` is set, a predicate of the reference fails on all others.
    """

    def __init__(self, cluster: Cluster, conf: SchedulerConfiguration, options: SessionOptions) -> None:
        self.cluster = cluster
        self.conf = conf
        self.options = options
        self.jobs: dict[str, Job] = dict(sorted(cluster.jobs.items()))
        self.queues = cluster.queues
        self.requests = cluster.requests.entries
        self.nodes = NodeTable(cluster.nodes, self.requests)
        self.total_resource = Resource()
        for node in self.nodes.nodes:
            self.total_resource.add(node.allocatable)
        self.reasons = Reasons()
        self.trace = Trace(gates={} if options.gates else None, followed=options.follow)
        self.notices: list[Notice] = []
        self.unschedulable: dict[str, str] = {}
        self.not_enqueued: set[str] = set()
        self.prepared: set[str] = set()
        self.needs_preparing = False
        self.queue_ledger: QueueLedger | None = None
        self.standstill: str = ""
        self.allocate_handlers: list[Callable[[Task], None]] = []
        self.deallocate_handlers: list[Callable[[Task], None]] = []
        self.distinctions: list[Callable[[Task], Hashable]] = []
        self.shared: dict[type, Any] = {}
        self.luck = None if options.seed is None else Luck(options.seed, len(self.nodes))
        self._evicts = not EVICTING.isdisjoint(conf.actions)
        self._closed_to: dict[str, Any] = {}
        self._plugins: list[Plugin] = []
        self._registry = _Registry()
        self._by_tier: dict[str, list[list[Any]]] = {}
        self._in_order: dict[str, list[Any]] = {}
        self._classes = TaskClasses(self)
        self.nodes.occupy(task for job in self.jobs.values() for task in job.tasks.values())
        self.nodes.occupy(cluster.strangers)

    # --- plugins -----------------------------------------------------------------------------------------------------

    def open(self, plugins: list[Plugin]) -> None:
        """Open the session: let the plugins prepare, in the order of the tiers, then settle who answers where."""
        self._plugins = plugins
        for plugin in plugins:
            plugin.open(self)
        options = (option for tier in self.conf.tiers for option in tier.plugins)
        self._warn_of_arguments({f"plugin {option.name}": option.arguments for option in options})
        self.idle_at_open = self.nodes.idle.copy()
        self.pods_at_open = self.nodes.pods.copy()
        self.predicates: list[Predicate] = self._all(points.PREDICATE)
        self.batch_scores: list[BatchScore] = self._all(points.BATCH_NODE_ORDER)

    def close(self) -> None:
        """Close the session: let the plugins finish, then settle the phase of every PodGroup."""
        for plugin in self._plugins:
            plugin.close(self)
        self._warn_of_arguments({f"action {name}": each for name, each in self.conf.configurations.items()})
        self.not_enqueued = {job.uid for job in self.jobs.values() if job.is_pending()}
        for job in self.jobs.values():
            job.phase = self._final_phase(job)

    def add(self, point: Point[Answer], plugin: str, answer: Answer) -> None:
        """Add a plugin's answer to an extension point."""
        self._registry.add(point.name, plugin, answer)

    def on_change(self, allocate: Callable[[Task], None], deallocate: Callable[[Task], None]) -> None:
        """Have functions called after a task was given, or has lost, a node; `task.node` is set in both."""
        self.allocate_handlers.append(allocate)
        self.deallocate_handlers.append(deallocate)

    def distinguish(self, tell: Callable[[Task], Hashable]) -> None:
        """Have tasks for which `tell` differs put into different classes; the same function counts once."""
        if tell not in self.distinctions:
            self.distinctions.append(tell)

    def warn(self, code: str, message: str, *, help: str = "") -> None:  # noqa: A002 - as in a diagnostic
        """Note something the user should know about."""
        self.notices.append(Notice(code, message, help))

    def note(self, code: str, message: str, *, help: str = "") -> None:  # noqa: A002 - as in a diagnostic
        """Note something that is worth knowing, and nothing to worry about."""
        self.notices.append(Notice(code, message, help, severity="note"))

    def report_progress(self, action: str, done: int, total: int) -> None:
        """Tell whoever watches how far an action has come."""
        if self.options.progress is not None:
            self.options.progress(action, done, total)

    def _warn_of_arguments(self, arguments: Mapping[str, Arguments]) -> None:
        """Name the arguments that were asked for and had the wrong type."""
        for owner, given in arguments.items():
            for warning in given.warnings:
                self.warn("wrong-argument", f"{owner}: {warning}")

    def hierarchy_enabled(self, plugin: str) -> bool:
        """Tell whether a plugin, where it is first named, is to look at queues as a tree."""
        option = next((o for tier in self.conf.tiers for o in tier.plugins if o.name == plugin), None)
        return option is not None and option.enabled("enableHierarchy")

    def is_answered(self, point: Point[Answer]) -> bool:
        """Tell whether an enabled plugin has an answer at an extension point."""
        return bool(self._all(point))

    def _tiers(self, point: Point[Answer]) -> list[list[Answer]]:
        """Return the enabled answers tier by tier."""
        tiers = self._by_tier.get(point.name)
        if tiers is None:
            named = [self._registry.named(point, tier.plugins) for tier in self.conf.tiers]
            tiers = self._by_tier[point.name] = [[answer for _, answer in tier] for tier in named]
        return tiers

    def _all(self, point: Point[Answer]) -> list[Answer]:
        """Return the enabled answers in the order of the tiers."""
        answers = self._in_order.get(point.name)
        if answers is None:
            answers = self._in_order[point.name] = [answer for tier in self._tiers(point) for answer in tier]
        return answers

    # --- orders ------------------------------------------------------------------------------------------------------

    def job_key(self, job: Job) -> Key:
        """Return what jobs are sorted by, first come first served where the plugins do not care."""
        return (*[order(job) for order in self._all(points.JOB_ORDER)], job.created, job.uid)

    def job_orders(self, job: Job) -> list[tuple[str, Key]]:
        """Return what each plugin that cares sorts jobs by, in the order in which they are asked."""
        named = (self._registry.named(points.JOB_ORDER, tier.plugins) for tier in self.conf.tiers)
        return [(plugin, order(job)) for tier in named for plugin, order in tier]

    def queue_key(self, queue: Queue) -> Key:
        """Return what queues are sorted by."""
        return (*[order(queue) for order in self._all(points.QUEUE_ORDER)], queue.created, queue.name)

    def sub_job_key(self, sub_job: SubJob) -> Key:
        """Return what the sub-jobs of a job are sorted by."""
        return (*[order(sub_job) for order in self._all(points.SUB_JOB_ORDER)], sub_job.match_index, sub_job.uid)

    def task_key(self, task: Task) -> Key:
        """Return what the plugins sort tasks by; see `vqs.engine.order` for what follows."""
        return tuple([order(task) for order in self._all(points.TASK_ORDER)])

    # --- votes -------------------------------------------------------------------------------------------------------

    def job_valid(self, job: Job) -> Refusal | None:
        """Return why a job cannot be scheduled at all, None where it can."""
        return _first_refusal(valid(job) for valid in self._all(points.JOB_VALID))

    def job_enqueueable(self, job: Job) -> Refusal | None:
        """Return why a job may not enter its queue; the first tier in which a plugin permits decides."""
        for tier in self._tiers(points.JOB_ENQUEUEABLE):
            permitted = False
            for enqueueable in tier:
                answer = enqueueable(job)
                if isinstance(answer, Refusal):
                    return answer
                permitted |= answer is Vote.PERMIT
            if permitted:
                return None
        return None

    def job_enqueued(self, job: Job) -> None:
        """Tell the plugins that a job has entered its queue."""
        for enqueued in self._all(points.JOB_ENQUEUED):
            enqueued(job)

    def job_ready(self, job: Job) -> bool:
        """Tell whether a job has what it needs to run."""
        return all(ready(job) for ready in self._all(points.JOB_READY))

    def job_pipelined(self, job: Job) -> bool:
        """Tell whether a job will have what it needs once resources are released."""
        return _carried([[vote(job) for vote in tier] for tier in self._tiers(points.JOB_PIPELINED)])

    def sub_job_ready(self, job: Job, sub_job: SubJob | Job) -> bool:
        """Tell whether a sub-job has what it needs; a job that is not cut into sub-jobs is its own."""
        if isinstance(sub_job, Job) or not job.has_sub_group_policy:
            return self.job_ready(job)
        return all(ready(sub_job) for ready in self._all(points.SUB_JOB_READY))

    def sub_job_pipelined(self, job: Job, sub_job: SubJob | Job) -> bool:
        """Tell whether a sub-job will have what it needs once resources are released."""
        if isinstance(sub_job, Job) or not job.has_sub_group_policy:
            return self.job_pipelined(job)
        return _carried([[vote(sub_job) for vote in tier] for tier in self._tiers(points.SUB_JOB_PIPELINED)])

    def overused(self, queue: Queue) -> Refusal | None:
        """Return why a queue is left out of allocation, None where it is not."""
        return _first_refusal(overused(queue) for overused in self._all(points.OVERUSED))

    def job_starving(self, job: Job) -> bool:
        """Tell whether a job may evict others for what it lacks; with no plugin to say so, none may."""
        for tier in self._tiers(points.JOB_STARVING):
            if tier:
                return all(starving(job) for starving in tier)
        return False

    def preemptive(self, queue: Queue, task: Task) -> Refusal | None:
        """Return why a queue may not reclaim for a task, None where it may."""
        return _first_refusal(preemptive(queue, task) for preemptive in self._all(points.PREEMPTIVE))

    def hindrances(self) -> list[str]:
        """Return, for each plugin that takes part in trying out evictions, why it cannot, empty where it can."""
        return [trial() for trial in self._all(points.TRIAL)]

    def allocatable_without(self, queue: Queue, task: Task, freed: Resource) -> bool:
        """Tell whether a queue might take a task if it had given up some resources."""
        return all(allocatable(queue, task, freed) for allocatable in self._all(points.TRIAL_ALLOCATABLE))

    def fits_without(self, task: Task, column: int, gone: Sequence[Task]) -> bool:
        """Tell whether nothing but room would keep a task from a node if some tasks were gone from there."""
        return all(fits(task, column, gone) for fits in self._all(points.TRIAL_PREDICATE))

    def voters(self, point: Point[Voter]) -> list[list[tuple[str, Voter]]]:
        """Return who votes on victims, tier by tier, with the plugins' names."""
        return [self._registry.named(point, tier.plugins) for tier in self.conf.tiers]

    def victim_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        """Return which of some tasks a plugin wants to see evicted; the first tier that names any decides."""
        for tier in self._tiers(points.VICTIM_TASKS):
            named = {task.uid: task for answer in tier for task in answer(tasks)}
            if named:
                return list(named.values())
        return []

    def victim_queue_key(self, queue: Queue, preemptor: Queue) -> Key:
        """Return what the queues of victims are sorted by first; equals are sorted against `queue_key`."""
        return tuple([order(queue, preemptor) for order in self._all(points.VICTIM_QUEUE_ORDER)])

    def allocatable(self, queue: Queue, task: Task) -> Refusal | None:
        """Return why a queue may not take a task, None where it may."""
        for allocatable in self._all(points.ALLOCATABLE):
            refusal = allocatable(queue, task)
            if refusal is not None:
                return refusal
        return None

    # --- nodes for a task --------------------------------------------------------------------------------------------

    def pre_predicate(self, task: Task) -> str | None:
        """Return why no node at all can take a task, None where nodes have to be asked."""
        self.prepared.add(task.uid)
        return next((text for check in self._all(points.PRE_PREDICATE) if (text := check(task)) is not None), None)

    def node_order(self, cls: TaskClass, rows: Rows) -> Floats:
        """Return the sum of the plugins' scores of some nodes that depend on each node alone."""
        total = np.zeros(len(self.nodes) if isinstance(rows, slice) else len(rows))
        for score in self._all(points.NODE_ORDER):
            total += score(cls, rows)
        return total

    def scores_by_plugin(self, cls: TaskClass, candidates: Integers) -> dict[str, Floats]:
        """Return each plugin's scores of some candidates; the same numbers that their sum is made of."""
        scores: dict[str, Floats] = {}
        for tier in self.conf.tiers:
            for name, score in self._registry.named(points.NODE_ORDER, tier.plugins):
                scores[name] = scores.get(name, 0.0) + score(cls, candidates)
            for name, batch in self._registry.named(points.BATCH_NODE_ORDER, tier.plugins):
                scores[name] = scores.get(name, 0.0) + batch.scores(cls, candidates)
        return scores

    def class_of(self, task: Task) -> TaskClass:
        """Return the class of a task."""
        return self._classes.of(task)

    def fit(self, task: Task) -> NodeFit:
        """Return what is known of every node for a task, up to date."""
        return self._classes.fit(task)

    def fit_errors(self, codes: Codes) -> FitErrors:
        """Sum up why no node fits, from one code for each."""
        return self.reasons.fit_errors(codes)

    def refuse(self, job: Job, task: Task, refusal: Refusal, errors: FitErrors, codes: Codes | None = None) -> None:
        """Note that a task was tried and not placed; `codes` are the reasons of the nodes, where these were asked."""
        job.record_fit_errors(task, errors)
        self.trace.refuse_task(task, refusal, errors)
        self._closed_to.pop(task.uid, None)
        if codes is not None and self._evicts:
            self._closed_to[task.uid] = np.packbits(self.reasons.lasting(codes))

    def closed_to(self, task: Task) -> Masks | None:
        """Tell the nodes that refused a task for reasons that no eviction does away with, None where none was asked.

        It is what was found then; the reasons may be gone by now.
        """
        bits = self._closed_to.get(task.uid) if task.uid in self.jobs[task.job].fit_errors else None
        return None if bits is None else np.unpackbits(bits, count=len(self.nodes)).astype(np.bool_)

    # --- changes -----------------------------------------------------------------------------------------------------

    def place(self, task: Task, column: int, status: TaskStatus) -> str | None:
        """Give a task a node: allocated on idle resources, or pipelined on those being released.

        Returns:
            What failed; the task has the node all the same, until the caller takes it away.
        """
        self.jobs[task.job].set_status(task, status)
        task.node = self.nodes.names[column]
        if status is TaskStatus.Pipelined:
            self.nodes.pipeline(task, column)
        else:
            self.nodes.allocate(task, column)
        for handler in self.allocate_handlers:
            handler(task)
        return next((text for reserve in self._all(points.RESERVE) if (text := reserve(task)) is not None), None)

    def displace(self, task: Task) -> None:
        """Undo `place`."""
        status, column = task.status, self.nodes.column[task.node or ""]
        self.jobs[task.job].set_status(task, TaskStatus.Pending)
        if status is TaskStatus.Pipelined:
            self.nodes.unpipeline(task, column)
        else:
            self.nodes.deallocate(task, column)
        for handler in self.deallocate_handlers:
            handler(task)
        task.node = None

    def evict(self, task: Task) -> None:
        """Start to evict a running task; of one on a node that is not there, only its job takes note."""
        self.jobs[task.job].set_status(task, TaskStatus.Releasing)
        column = self.nodes.column.get(task.node or "")
        if column is not None:
            self.nodes.release(task, column)
        for handler in self.deallocate_handlers:
            handler(task)

    def unevict(self, task: Task) -> None:
        """Undo `evict`; as in the reference, the task counts as running after it."""
        self.jobs[task.job].set_status(task, TaskStatus.Running)
        self.nodes.unrelease(task, self.nodes.column[task.node or ""])
        for handler in self.allocate_handlers:
            handler(task)

    # --- the end -----------------------------------------------------------------------------------------------------

    def _final_phase(self, job: Job) -> str:
        """Return the phase the PodGroup is left in. Reference: getPodGroupPhase."""
        if job.having(TaskStatus.Running) and job.uid in self.unschedulable:
            return UNKNOWN
        scheduled = sum(len(job.having(status)) for status in SCHEDULED_STATUSES)
        if scheduled >= job.pod_group.spec.min_member:
            completed = sum(len(job.having(status)) for status in COMPLETED_STATUSES)
            return COMPLETED if scheduled == completed else RUNNING
        return INQUEUE if job.phase == INQUEUE else PENDING


def _first_refusal(answers: Any) -> Refusal | None:
    return next((answer for answer in answers if answer is not None), None)


def _carried(tiers: list[list[Vote]]) -> bool:
    """Count votes tier by tier: the first no decides, and so does a yes at the end of its tier."""
    for votes in tiers:
        if Vote.REJECT in votes:
            return False
        if Vote.PERMIT in votes:
            return True
    return True
