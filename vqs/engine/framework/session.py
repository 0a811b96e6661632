"""A scheduling session, which is opened on a cluster, run through actions that decide by statements, and closed.

It owns the cluster it is opened on and changes it; two sessions need two clusters. This is its state: asking plugins is
in `vqs.engine.framework.dispatch`, opening, running and closing a session in `vqs.engine.scheduler`.
Reference: pkg/scheduler/framework/session.go.

The steps of a statement take effect together, or not at all. Reference: pkg/scheduler/framework/statement.go.

The sessions of one command have the time in common that requests to an extender may take. A command may run hundreds of
sessions; a server that is slow holds up the command no longer than it may a session.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import UserDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeVar, assert_never

import numpy as np

from vqs.config.known_arguments import SCHEDULER_EXITS, Arguments
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.engine.framework import points
from vqs.engine.framework.answers import AnswerChecks
from vqs.engine.framework.dequeue import leaves_after_timeout
from vqs.engine.framework.dispatch import Dispatch
from vqs.engine.framework.equivalence import EquivalenceClasses
from vqs.engine.framework.ledger import QueueLedger
from vqs.engine.framework.points import NodeScore, Point
from vqs.engine.framework.tally import Tally
from vqs.engine.framework.tie_breaking import TieBreaker
from vqs.engine.framework.topology import Topology
from vqs.engine.framework.trace import Op, Operation, StatementResult, Trace, VictimSearch
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.class_scores import NodeFit, NodeFits
from vqs.engine.nodes.reasons import Codes, Reasons
from vqs.engine.nodes.sampling import NodeSampler, ProcessState
from vqs.engine.nodes.selectors import SessionShard
from vqs.engine.nodes.table import Change, Integers, Masks, NodeTable
from vqs.model.cluster import Cluster
from vqs.model.codes import NODES_SAMPLED, OwnCode, RefusalCode, VerdictCode
from vqs.model.job import (
    ALLOCATED_STATUSES,
    COMPLETED,
    COMPLETED_STATUSES,
    INQUEUE,
    PENDING,
    RUNNING,
    SCHEDULED_STATUSES,
    UNKNOWN,
    FitErrors,
    Job,
    Task,
    TaskStatus,
    Transaction,
)
from vqs.model.scheduler_flags import NodeSample
from vqs.releases.profile import DEFAULT_PROFILE, Profile

MAX_TOTAL_SECONDS: Final = 600.0
MAX_TIMEOUTS: Final = 20


class ExtenderUse:
    """Counts the seconds that requests take, by themselves or beside others, and the timeouts in a row.

    `not_asked` is called with what there is to say where a configuration has an extender that is not asked.
    """

    def __init__(self, not_asked: Callable[[str], None] | None = None) -> None:
        self.seconds = 0.0
        self.timeouts = 0
        self.not_asked = not_asked
        self._lock = Lock()
        self._number = 0
        self._since = 0.0

    def __reduce__(self) -> tuple[type[ExtenderUse], tuple[()]]:
        """Have another process count for itself, and leave it to this one to say that an extender is not asked."""
        return ExtenderUse, ()

    @contextmanager
    def requesting(self) -> Iterator[None]:
        """Count the time that is spent within."""
        with self._lock:
            self._number += 1
            if self._number == 1:
                self._since = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._number -= 1
                if self._number == 0:
                    self.seconds += time.monotonic() - self._since

    @property
    def exhausted(self) -> str:
        """Why no more requests are sent; empty where they are."""
        if self.timeouts >= MAX_TIMEOUTS:
            return f"{MAX_TIMEOUTS} requests in a row had no answer in time"
        if self.seconds >= MAX_TOTAL_SECONDS:
            return f"requests have taken {MAX_TOTAL_SECONDS:.0f} s already"
        return ""


class KubernetesPlugins:
    """What the plugins of Kubernetes that predicates runs are told of tasks in a session, and what they miss.

    Reference: runPrePredicate, runReservePlugins and the event handlers in plugins/predicates/predicates.go.

    Attributes:
        asked: the nodes that are to be asked about the last task that the pre-predicate step was run for; None for all.
        needs_pre_predicate: whether a filter of theirs fails for a task without that step.
        misses_spared_victims: whether they do not see a task again whose eviction was rolled back.
        missed: the tasks, by uid, that they do not see on their nodes.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self.asked: Integers | None = None
        self.needs_pre_predicate = False
        self.misses_spared_victims = False
        self.missed: set[str] = set()
        self._nodes = nodes
        self._prepared: set[str] = set()

    def prepare(self, task: Task, asked: Integers | None) -> None:
        """Note that the pre-predicate step is run for a task, and which nodes are to be asked then; None for all."""
        self.asked = asked
        self._prepared.add(task.uid)

    def fails(self, task: Task) -> bool:
        """True if a filter fails for a task, as the pre-predicate step was never run for it."""
        return self.needs_pre_predicate and task.uid not in self._prepared

    def evict(self, task: Task, node: int) -> None:
        """Take note that a task's eviction starts: what was missed of it counts as held until then."""
        if task.uid in self.missed:
            self._nodes.hide(task, node, undo=True)

    def spare(self, task: Task, node: int) -> None:
        """Take note that a task's eviction was rolled back."""
        if self.misses_spared_victims:
            self.missed.add(task.uid)
            self._nodes.hide(task, node)


class Messages(UserDict[str, str]):
    """Messages by the uid of their job, which may be given as functions: of thousands, few are read."""

    def __init__(self) -> None:
        super().__init__()
        self._later: dict[str, Callable[[], str]] = {}

    def write_later(self, uid: str, write: Callable[[], str]) -> None:
        """Have a message written once it is read; what it depends on must not change until then."""
        self.data[uid], self._later[uid] = "", write

    def __getitem__(self, uid: str) -> str:
        if uid in self.data and uid in self._later:
            self.data[uid] = self._later.pop(uid)()
        return self.data[uid]

    def __setitem__(self, uid: str, text: str) -> None:
        self._later.pop(uid, None)
        self.data[uid] = text


Item = TypeVar("Item")

EVICTING = frozenset({"preempt", "reclaim", "gangpreempt", "gangreclaim"})
"""The actions that look at what others have found out about nodes."""


class Plugin(ABC):
    """A scheduler plugin; it is made with its option from the configuration.

    `refusals` are the codes that it refuses jobs, tasks and evictions with, `reasons` its texts about nodes that refuse
    a task; `vqs plugins NAME` explains both. `points` are the extension points that it answers, where that cannot be
    found out from what it adds to a session without jobs.
    """

    points: ClassVar[tuple[Point[Any], ...]] = ()
    refusals: ClassVar[tuple[RefusalCode, ...]] = ()
    reasons: ClassVar[tuple[str, ...]] = ()

    def __init__(self, option: PluginOption) -> None:
        self.option = option

    @classmethod
    def own_codes(cls) -> frozenset[OwnCode] | None:
        """The codes that it brings along, None for a plugin of the package: its answers are not checked."""
        return None

    @abstractmethod
    def on_session_open(self, session: Session) -> None:
        """Prepare for a session and add answers to its extension points."""

    def on_session_close(self, session: Session) -> None:  # noqa: B027 - most plugins have nothing left to do
        """Do what is left to do when the actions are over."""


@dataclass(slots=True)
class SessionOptions:
    """What a session is run with besides cluster and configuration.

    Attributes:
        now: the time the session takes it to be.
        seed: draws what the reference leaves to chance; None takes the lowest name everywhere.
        turn: how many sessions the scheduler has run before, each with draws of its own.
        watch: the tasks, by namespace/name, for which every node's reasons, scores and votes on victims are kept; the
            votes also for all tasks of a job that is named so.
        progress: called with the running action, how many of its jobs are done, and how many there are.
        gates: keep the accounts of jobs that ask to enter their queues.
        follow: the jobs, by namespace/name, whose story is kept.
        tally: counts what each plugin answers.
        process: what the sessions before have left in the scheduler's process; the session changes it.
        sample: how many nodes that fit a task are enough; None examines all nodes.
        allow_extender: let the plugin extender send its requests.
        extender: what the sessions of a command have in common of that.
        profile: how the release decides that is modelled.
    """

    now: datetime
    seed: int | None = None
    turn: int = 0
    watch: frozenset[str] = frozenset()
    gates: bool = False
    follow: frozenset[str] = frozenset()
    progress: Callable[[str, int, int], None] | None = None
    tally: Tally | None = None
    process: ProcessState = field(default_factory=ProcessState)
    sample: NodeSample | None = None
    allow_extender: bool = False
    extender: ExtenderUse = field(default_factory=ExtenderUse)
    profile: Profile = DEFAULT_PROFILE


@dataclass(slots=True)
class Notice:
    """Something the user should know about the session: the code and the message of a diagnostic.

    `unknown` names what the outcome hangs on and is not known: what vqs leaves out, or assumes. Where that is the same,
    so is the text. `jobs` and `queues` are what it is about, where it is about no others, and changes nothing for them.
    """

    code: str
    message: str
    help: str = ""
    severity: Literal["warning", "note"] = "warning"
    unknown: tuple[str, ...] = ()
    jobs: frozenset[str] = frozenset()
    queues: frozenset[str] = frozenset()


class Session:
    """One session. Attributes that other modules read are public; plugins change only what is their own.

    `profile` is how the release decides that is modelled, `plugins` is for asking the plugins, `classes` the
    equivalence classes of tasks, `topology` the network, `shard` the scheduler's own nodes, `trace` what was decided.
    `standstill` says why nothing at all is scheduled, where that is so, `scoring_failure` why nodes could not be
    compared the last time that they could not; `kubernetes` is what Kubernetes' own plugins know of tasks. Where
    `queue_order_is_live` is set, a placement changes the order also of queues that it has nothing to do with, where
    `task_order_is_live` is set, that of other tasks of the job. `search_listeners` are called with each task that is
    looked for a node for, and the nodes that the predicates are asked about; `remembered_scores` are added to the
    scores of nodes where preempt looks for victims: there, a node may be compared by what an earlier search has left.
    `score_listeners` are called with each task that preempt looks for victims for, and the nodes that Volcano scores
    for it, whether or not it matters.
    """

    def __init__(self, cluster: Cluster, conf: SchedulerConfiguration, options: SessionOptions) -> None:
        self.cluster = cluster
        self.conf = conf
        self.options = options
        self.profile = options.profile
        self.jobs: dict[str, Job] = dict(sorted(cluster.jobs.items()))
        self.queues = cluster.queues
        self.requests = cluster.requests.entries
        self.nodes = _node_table(cluster, self.jobs.values())
        self.total_resource = self.nodes.total
        self.topology = Topology(cluster.hyper_nodes, self.nodes, self.profile.network_topology)
        self.topology.settle(self.jobs.values())
        self.reasons = Reasons()
        self.shard = SessionShard(cluster.shard, self.nodes, self.reasons)
        self.trace = Trace(gates={} if options.gates else None, followed=options.follow)
        self.notices: list[Notice] = []
        self.unschedulable = Messages()
        by_allocated = self.profile.jobs.pod_group_phase == "allocated"
        self._scheduled_statuses = ALLOCATED_STATUSES | COMPLETED_STATUSES if by_allocated else SCHEDULED_STATUSES
        self.not_enqueued: set[str] = set()
        self.kubernetes = KubernetesPlugins(self.nodes)
        self.queue_order_is_live = False
        self.task_order_is_live = False
        self.queue_ledger: QueueLedger | None = None
        self.standstill: str = ""
        self.scoring_failure: str = ""
        self.search_listeners: list[Callable[[Task, Masks], None]] = []
        self.remembered_scores: list[NodeScore] = []
        self.score_listeners: list[Callable[[Task, Integers], None]] = []
        self.allocate_handlers: list[Callable[[Task], Refusal | None]] = []
        self._deallocate_handlers: list[Callable[[Task], None]] = []
        has_gang_actions = self.profile.actions.gang_actions == "known"
        absent = () if has_gang_actions else (points.UNIFIED_EVICTABLE,)
        self.plugins = Dispatch(conf.tiers, options.tally, absent=absent)
        self.classes = EquivalenceClasses(self.nodes, self.reasons)
        self.tie_breaker = None if options.seed is None else TieBreaker(options.seed, len(self.nodes), options.turn)
        self.sampler = None if options.sample is None else NodeSampler(options.sample, options.process, len(self.nodes))
        self._evicts = not EVICTING.isdisjoint(conf.actions)
        self._unresolvable: dict[str, Any] = {}
        self._places: dict[str, dict[int, TaskStatus]] = {}
        self._bound_to: dict[str, str] = {}
        self._shared: dict[Callable[[Session], Any], Any] = {}
        self._opened: list[Plugin] = []
        cluster.node_table = self.nodes

    # --- plugins -----------------------------------------------------------------------------------------------------

    def open(self, plugins: list[Plugin]) -> None:
        """Open the session: let the plugins prepare, in the order of the tiers, then settle whose answers count."""
        self._opened = plugins
        for plugin in plugins:
            own_codes = plugin.own_codes()
            if own_codes is not None:
                self.plugins.check(AnswerChecks(plugin.option.name, own_codes, len(self.nodes)))
            plugin.on_session_open(self)
        self._warn_of_arguments({f"plugin {option.name}": option.arguments for option in self.conf.plugins})
        self.idle_at_open = self.nodes.idle.copy()
        self.pods_at_open = self.nodes.pods.copy()
        self.node_plugins = self.plugins.on_nodes()
        self._fits = NodeFits(self.nodes, self.node_plugins, self.shard)

    def close(self) -> None:
        """Close the session: let the plugins finish, then settle the phase of every PodGroup."""
        for plugin in self._opened:
            plugin.on_session_close(self)
        self._warn_of_arguments({f"action {name}": each for name, each in self.conf.configurations.items()})
        if self.sampler is not None:
            self.note(NODES_SAMPLED, self.sampler.summary(), help=self.sampler.caution())
        self.not_enqueued = {job.uid for job in self.jobs.values() if job.is_pending()}
        for job in self.jobs.values():
            # Reference: getPodGroupPhase.
            if job.having(TaskStatus.Running) and job.uid in self.unschedulable:
                job.phase = UNKNOWN
            else:
                scheduled, completed = job.noted("scheduled", partial(_scheduled, job, self._scheduled_statuses))
                if self.profile.pods.releasing_pods == "counted":
                    scheduled += releasing_on_nodes(job)
                if scheduled >= job.pod_group.spec.min_member:
                    job.phase = COMPLETED if scheduled == completed else RUNNING
                else:
                    job.phase = INQUEUE if job.phase == INQUEUE and not self._leaves_queue(job) else PENDING

    def tasks(self, status: TaskStatus | None = None) -> Iterator[Task]:
        """Yield the tasks of all jobs, or those of a status, job by job."""
        for job in self.jobs.values():
            yield from (job.tasks if status is None else job.having(status)).values()

    def chooses_below(self, job: Job) -> bool:
        """True if the sub-jobs of a job choose HyperNodes below the one that the job is tried in."""
        return job.has_sub_group_policy or self.profile.network_topology.hyper_nodes_below == "of-all-jobs"

    def add_event_handler(self, allocate: Callable[[Task], Refusal | None], deallocate: Callable[[Task], None]) -> None:
        """Have functions called after a task was given, or has lost, a node; `task.node` is set in both.

        What `allocate` returns is what failed; the task is not placed then.
        """
        self.allocate_handlers.append(allocate)
        self._deallocate_handlers.append(deallocate)

    def shared(self, make: Callable[[Session], Item]) -> Item:
        """What a function makes of the session; it is called once."""
        if make not in self._shared:
            self._shared[make] = make(self)
        made: Item = self._shared[make]
        return made

    def warn(
        self,
        code: str,
        message: str,
        *,
        help: str = "",  # noqa: A002 - as in a diagnostic
        unknown: Iterable[str] = (),
        once: bool = False,
        jobs: Iterable[str] = (),
        queues: Iterable[str] = (),
    ) -> None:
        """Note something the user should know about; `once` where the code is told only the first time."""
        if once and any(notice.code == code for notice in self.notices):
            return
        about = frozenset(jobs), frozenset(queues)
        self.notices.append(Notice(code, message, help, "warning", tuple(unknown), *about))

    def note(
        self,
        code: str,
        message: str,
        *,
        help: str = "",  # noqa: A002 - as in a diagnostic
        unknown: Iterable[str] = (),
        jobs: Iterable[str] = (),
    ) -> None:
        """Note something that is worth knowing, and nothing to worry about."""
        self.notices.append(Notice(code, message, help, "note", tuple(unknown), frozenset(jobs)))

    def report_progress(self, action: str, done: int, total: int) -> None:
        """Report how far an action has come."""
        if self.options.progress is not None:
            self.options.progress(action, done, total)

    def _warn_of_arguments(self, arguments: Mapping[str, Arguments]) -> None:
        """Name the arguments that were asked for and had the wrong type."""
        for owner, given in arguments.items():
            for warning in given.warnings:
                unknown = [f"{owner}: {warning}"] if SCHEDULER_EXITS in warning else []
                self.warn("wrong-argument", f"{owner}: {warning}", unknown=unknown)

    def hierarchy_enabled(self, plugin: str) -> bool:
        """True if a plugin, where it is first named, is to look at queues as a tree."""
        option = self.conf.plugin(plugin)
        return option is not None and option.enabled("enableHierarchy")

    # --- nodes for a task --------------------------------------------------------------------------------------------

    def in_list(self, nodes: Integers) -> Integers:
        """Some nodes, given by name, in the order of the scheduler's list."""
        return nodes if self.tie_breaker is None else self.tie_breaker.in_list(nodes)

    def pre_predicate(self, task: Task, asked: Integers | None = None) -> Refusal | None:
        """Why no node at all can take a task, None where nodes have to be asked; `asked` are their numbers."""
        self.kubernetes.prepare(task, asked)
        return self.plugins.pre_predicate(task)

    def note_search(self, task: Task, asked: Masks) -> None:
        """The listeners that the predicates are asked whether a task fits some nodes."""
        for listener in self.search_listeners:
            listener(task, asked)

    def fit(self, task: Task) -> NodeFit:
        """What is known of every node for a task, up to date."""
        return self._fits.of(self.classes.of(task))

    def fit_errors(self, codes: Codes) -> FitErrors:
        """Sum up why no node fits, from one code for each."""
        return self.reasons.fit_errors(codes)

    def refuse(self, job: Job, task: Task, refusal: Refusal, errors: FitErrors, codes: Codes | None = None) -> None:
        """Note that a task was tried and not placed; `codes` are the reasons of the nodes, where these were asked."""
        job.record_fit_errors(task, errors)
        self.trace.refuse_task(task, refusal, errors)
        self._unresolvable.pop(task.uid, None)
        if codes is not None and self._evicts:
            self._unresolvable[task.uid] = np.packbits(self.reasons.unresolvable(codes))

    def unresolvable_nodes(self, task: Task) -> Masks | None:
        """The nodes that refused a task for reasons that no eviction does away with, None where none was asked.

        It is what was found then; the reasons may be gone by now.
        """
        bits = self._unresolvable.get(task.uid) if task.uid in self.jobs[task.job].fit_errors else None
        return None if bits is None else np.unpackbits(bits, count=len(self.nodes)).astype(np.bool_)

    # --- changes -----------------------------------------------------------------------------------------------------

    def place(self, task: Task, node: int, status: TaskStatus) -> Refusal | None:
        """Give a task a node: allocated on idle resources, or pipelined on those being released.

        Returns:
            What failed; the task has the node even so, until the caller takes it away.
        """
        job = self.jobs[task.job]
        if job.tasks[task.uid] is not task:
            # The job is about to lose sight of the task's twin, which may have a place.
            twin = job.tasks[task.uid]
            at = self.nodes.index.get(twin.node or "")
            if at is not None:
                self._places.setdefault(twin.uid, {})[at] = twin.status
            if at is not None and twin.status is TaskStatus.Binding:
                self._bound_to[twin.uid] = self.nodes.names[at]
        job.set_status(task, status)
        task.node = self.nodes.names[node]
        there_already = bool(self._places) and node in self._places.get(task.uid, ())
        if not there_already:
            self.nodes.add(Change.PIPELINE if status is TaskStatus.Pipelined else Change.ALLOCATE, task, node)
        failure: Refusal | None = None
        for handler in self.allocate_handlers:
            failure = handler(task) or failure
        failure = self.plugins.reserve(task) or failure
        return Refusal(VerdictCode.TAKEN_BACK, text=task.node) if there_already else failure

    def displace(self, task: Task) -> None:
        """Undo `place`."""
        status, node = task.status, self.nodes.index[task.node or ""]
        self.jobs[task.job].set_status(task, TaskStatus.Pending)
        before = self._places.get(task.uid, {}).pop(node, None) if self._places else None
        if before is not None:
            self.nodes.forget(Change.PIPELINE if before is TaskStatus.Pipelined else Change.ALLOCATE, task, node)
        else:
            self.nodes.undo(Change.PIPELINE if status is TaskStatus.Pipelined else Change.ALLOCATE, task, node)
        for handler in self._deallocate_handlers:
            handler(task)
        task.node = None

    def bind(self, task: Task) -> Refusal | None:
        """Bind an allocated task; return why it failed: it was bound before, and has no place now."""
        bound_to = self._bound_to.get(task.uid)
        if bound_to is None:
            self.jobs[task.job].set_status(task, TaskStatus.Binding)
            return None
        self.displace(task)
        return Refusal(VerdictCode.TAKEN_BACK, text=bound_to)

    def evict(self, task: Task) -> None:
        """Start to evict a task, if that is not done; of one on a node that is not there, only its job takes note."""
        is_evicted = task.status is TaskStatus.Releasing
        self.jobs[task.job].set_status(task, TaskStatus.Releasing)
        node = self.nodes.index.get(task.node or "")
        if node is not None and not is_evicted:
            self.nodes.add(Change.RELEASE, task, node)
            self.kubernetes.evict(task, node)
        for handler in self._deallocate_handlers:
            handler(task)

    def unevict(self, task: Task) -> None:
        """Undo `evict`; as in the reference, the task counts as running after it."""
        is_evicted = task.status is TaskStatus.Releasing
        self.jobs[task.job].set_status(task, TaskStatus.Running)
        node = self.nodes.index.get(task.node or "")
        if node is not None and is_evicted:
            self.nodes.undo(Change.RELEASE, task, node)
            self.kubernetes.spare(task, node)
        for handler in self.allocate_handlers:
            handler(task)

    # --- the end -----------------------------------------------------------------------------------------------------

    def _leaves_queue(self, job: Job) -> bool:
        """True if a job that is Inqueue is to leave its queue again, as is proposed."""
        process, now = self.options.process, self.options.now
        match self.profile.enqueue.inqueue_jobs:
            case "stay" | "leave-to-others":
                return False
            case "leave-at-once":
                if not job.tasks or self.plugins.job_ready(job) or self.plugins.job_pipelined(job):
                    return False
                process.left_queue = {**process.left_queue, job.uid: now}
                return True
            case "leave-after-timeout":
                return leaves_after_timeout(job, process, now)


def releasing_on_nodes(job: Job) -> int:
    """How many tasks of a job are on their way out, and still have their node. Reference: ReleasingScheduledTaskNum."""
    return sum(task.node is not None for task in job.having(TaskStatus.Releasing).values())


def _scheduled(job: Job, statuses: Collection[TaskStatus]) -> tuple[int, int]:
    """How many tasks of a job are scheduled, by their status, and how many of these are completed."""
    scheduled = completed = 0
    for status, tasks in job.by_status.items():
        if status in statuses:
            scheduled += len(tasks)
            completed += len(tasks) if status in COMPLETED_STATUSES else 0
    return scheduled, completed


def _node_table(cluster: Cluster, jobs: Iterable[Job]) -> NodeTable:
    """The table of a cluster's nodes, with the tasks that are on them when a session opens."""
    before = cluster.before
    last = before.node_table if before is not None and isinstance(before.node_table, NodeTable) else None
    nodes = NodeTable(cluster.nodes, cluster.requests.entries, last)
    if before is None or last is None or not nodes.is_like or not nodes.occupy_like(last, before.gone, before.new):
        nodes.occupy(task for job in jobs for task in job.tasks.values())
        nodes.occupy(cluster.other_tasks)
    nodes.opened()
    return nodes


class SavedOperation(NamedTuple):
    """A step to be taken again, what its task remembered before it, and of how many equal nodes one was taken."""

    operation: Operation
    last_transaction: Transaction | None
    ties: int


class Statement:
    """A series of changes to a session that can be rolled back, last one first."""

    def __init__(self, session: Session, job: Job) -> None:
        self.session = session
        self.job = job
        self.operations: list[Operation] = []

    def allocate(self, task: Task, node: int) -> Refusal | None:
        """Place a task on idle resources of a node, for the time being; return what failed, if anything did."""
        failure = self.session.place(task, node, TaskStatus.Allocated)
        if failure is not None:
            self.session.displace(task)
        else:
            self.operations.append(Operation(Op.ALLOCATE, task, self.session.nodes.names[node]))
        return failure

    def pipeline(
        self, task: Task, node: int, *, eviction_occurred: bool = False, search: VictimSearch | None = None
    ) -> Refusal | None:
        """Promise a task resources of a node that are being released; return what failed, if anything did.

        A promise that failed is no step of the statement. Up to v1.14, it is not taken back either.
        """
        task.eviction_occurred = eviction_occurred
        failure = self.session.place(task, node, TaskStatus.Pipelined)
        if failure is None:
            self.operations.append(Operation(Op.PIPELINE, task, self.session.nodes.names[node], search=search))
        elif self.session.profile.statement.failed_pipeline == "rolled-back":
            self.session.displace(task)
        return failure

    def evict(self, task: Task, reason: str, search: VictimSearch | None = None) -> None:
        """Start to evict a running task; `search` is the search that found it, where there was one."""
        self.session.evict(task)
        self.operations.append(Operation(Op.EVICT, task, task.node or "", reason, search))
        if search is not None:
            search.victims.append(task)

    def merge(self, other: Statement) -> None:
        """Take over the steps of another statement, which has none then."""
        self.operations += other.operations
        other.operations = []

    def save(self) -> list[SavedOperation]:
        """The steps so that they can be taken again once they are undone."""
        ties = self.session.trace.ties
        return [
            SavedOperation(step, step.task.last_transaction, ties.get(step.task.uid, 1)) for step in self.operations
        ]

    def recover(self, saved: Sequence[SavedOperation]) -> bool:
        """Take steps again that were undone; True if nothing failed, and stop where something does."""
        for operation, last_transaction, ties in saved:
            task = operation.task
            task.last_transaction = last_transaction  # also where the step fails
            if operation.op is Op.EVICT:
                self.evict(task, operation.reason, operation.search)
                continue
            node = self.session.nodes.index[operation.node]
            if operation.op is Op.ALLOCATE:
                failure = self.allocate(task, node)
            else:
                evicts = task.eviction_occurred
                failure = self.pipeline(task, node, eviction_occurred=evicts, search=operation.search)
            if failure is not None:
                return False
            self.session.trace.place(task, ties)
        return True

    def undo(self) -> None:
        """Undo every step, last one first, and remember on each task what had been decided."""
        for operation in reversed(self.operations):
            task = operation.task
            task.last_transaction = Transaction(task.status, task.node, eviction_occurred=task.eviction_occurred)
            match operation.op:
                case Op.ALLOCATE | Op.PIPELINE:
                    self.session.displace(task)
                case Op.EVICT:
                    self.session.unevict(task)
                case _ as never:
                    assert_never(never)

    def end(self, result: StatementResult) -> None:
        """Commit, keep or discard it, and record it.

        Committing binds the allocated tasks. Keeping leaves the steps standing without binding anything: the gang is
        complete only once resources are released. Discarding undoes them.
        """
        match result:
            case StatementResult.COMMIT:
                for operation in self.operations:
                    task = operation.task
                    task.last_transaction = None
                    failure = self.session.bind(task) if operation.op is Op.ALLOCATE else None
                    if failure is not None:
                        self.session.trace.refuse_task(task, failure)
            case StatementResult.KEEP:
                pass
            case StatementResult.DISCARD:
                self.undo()
            case _ as never:
                assert_never(never)
        self.session.trace.finish(self.job.uid, result, self.operations)
