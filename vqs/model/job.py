"""A job: a PodGroup and its tasks, with the counts a gang is judged by.

A job may be cut into sub-jobs by its PodGroup's subGroupPolicy; without one, the job is its only sub-job.
Reference: pkg/scheduler/api/job_info.go, sub_job_info.go.

A task: one pod, as the scheduler tracks it. Reference: pkg/scheduler/api/job_info.go, types.go, helpers.go.

What people call a job: the controller it comes from, not the PodGroup, whose name often ends in a uid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from vqs.model.hypernode import TopologyConstraint
from vqs.model.kubernetes import NetworkTopology, OwnerReference, Pod, PodGroup
from vqs.model.resource import Resource, exceeded_part

POD_GROUP = "PodGroup"


class JobName(NamedTuple):
    """The names of one job.

    Attributes:
        uid: the namespace and name of its PodGroup.
        display: the namespace and the name that people know it by; no other job has the same.
        owners: the controllers it comes from, the topmost first.
        owner: the one it is called after, else the topmost; None for a PodGroup without a controller.
    """

    uid: str
    display: str
    owners: tuple[OwnerReference, ...] = ()
    owner: OwnerReference | None = None

    @property
    def namespace(self) -> str:
        """The job's namespace."""
        return self.uid.partition("/")[0]

    @property
    def of_pod_group(self) -> str:
        """The PodGroup in a sentence: by its own name only where that is what the job is called."""
        return f"PodGroup {self.uid}" if self.display == self.uid else f"the PodGroup of {self.display}"

    @property
    def short(self) -> str:
        """The display name without the namespace."""
        return self.display.partition("/")[2]


# --- names for all jobs of a snapshot ---------------------------------------------------------------------------------


def named_after_owners(owners: Mapping[str, Sequence[OwnerReference]]) -> dict[str, JobName]:
    """Name jobs after their controllers.

    A job is called what its topmost controller is called, unless that controller has other jobs as well: then what the
    next one below is called, in the end the PodGroup. Where controllers of several kinds have one name, the kind
    follows it; should the kinds be the same too, jobs are called after their PodGroups.

    Args:
        owners: the controllers of each job, the topmost first, by the namespace and name of its PodGroup.
    """
    controllers = ({_identity(uid, owner) for owner in above} for uid, above in owners.items())
    jobs_of = Counter(chain.from_iterable(controllers))
    after = {
        uid: next((owner for owner in above if jobs_of[_identity(uid, owner)] == 1), None)
        for uid, above in owners.items()
    }
    texts = {uid: f"{uid.partition('/')[0]}/{owner.name}" if owner else uid for uid, owner in after.items()}
    turn = dict.fromkeys(texts, 0)
    named: dict[str, dict[str, None]] = {}
    for uid, text in texts.items():
        named.setdefault(text, {})[uid] = None
    shared = [text for text, uids in named.items() if len(uids) > 1]
    while shared:
        moving = [uid for text in shared for uid in named[text] if turn[uid] + 1 < len(_forms(uid, after[uid]))]
        for uid in moving:
            del named[texts[uid]][uid]
            turn[uid] += 1
            texts[uid] = _forms(uid, after[uid])[turn[uid]]
            named.setdefault(texts[uid], {})[uid] = None
        shared = [text for text in dict.fromkeys(texts[uid] for uid in moving) if len(named[text]) > 1]
    return {
        uid: JobName(uid, texts[uid], tuple(above), after[uid] or next(iter(above), None))
        for uid, above in owners.items()
    }


def _identity(uid: str, owner: OwnerReference) -> tuple[str, str, str, str]:
    return uid.partition("/")[0], owner.api_version.rpartition("/")[0], owner.kind, owner.name


def _forms(uid: str, owner: OwnerReference | None) -> tuple[str, ...]:
    """What a job could be called, the shortest form first."""
    own = (uid, f"{uid} ({POD_GROUP})")
    if owner is None:
        return own
    name = f"{uid.partition('/')[0]}/{owner.name}"
    return (name, f"{name} ({owner.kind})", *own)


# --- finding one ------------------------------------------------------------------------------------------------------


def jobs_called(name: str, names: Iterable[JobName]) -> list[JobName]:
    """The jobs that a name stands for, with or without a namespace.

    What jobs are displayed as comes first, then PodGroups, then any other controller that jobs come from.
    """
    known = list(names)
    is_whole = "/" in name
    spellings: tuple[Callable[[JobName], Iterable[str]], ...] = (
        lambda each: (each.display,),
        lambda each: (each.uid,),
        lambda each: (f"{each.namespace}/{owner.name}" for owner in each.owners),
    )
    for spelled in spellings:
        found = [
            each
            for each in known
            if any(name == (text if is_whole else text.partition("/")[2]) for text in spelled(each))
        ]
        if found:
            return found
    return []


class TaskStatus(IntEnum):
    """Where a task stands in its life; the names are what the scheduler prints."""

    Pending = 1
    Allocated = 2
    Pipelined = 4
    Binding = 8
    Bound = 16
    Running = 32
    Releasing = 64
    Succeeded = 128
    Failed = 256
    Unknown = 512


ALLOCATED_STATUSES = frozenset({TaskStatus.Bound, TaskStatus.Binding, TaskStatus.Running, TaskStatus.Allocated})
"""The task holds resources of its queue."""

READY_STATUSES = ALLOCATED_STATUSES | {TaskStatus.Succeeded}
"""The task counts as ready for its gang."""

VALID_STATUSES = READY_STATUSES | {TaskStatus.Pipelined, TaskStatus.Pending}
"""The task counts when a gang is checked for being large enough at all."""

WAITING_STATUSES = (TaskStatus.Pending, TaskStatus.Allocated, TaskStatus.Pipelined)
"""The task has no node, or may not go to its node yet."""

SCHEDULED_STATUSES = frozenset({TaskStatus.Running, TaskStatus.Bound, TaskStatus.Failed, TaskStatus.Succeeded})
COMPLETED_STATUSES = frozenset({TaskStatus.Failed, TaskStatus.Succeeded})


class Transaction:
    """What the last discarded statement had decided for a task: status, node, and whether it evicted for it."""

    __slots__ = ("eviction_occurred", "node", "status")

    def __init__(self, status: TaskStatus, node: str | None, *, eviction_occurred: bool) -> None:
        self.status = status
        self.node = node
        self.eviction_occurred = eviction_occurred


class Task:
    """One pod. `request` serves both as what it needs to start and what it holds while it runs.

    `created` is the creation time in seconds; `index` the number at the end of a name of three or more parts.
    `shape` and `class_number` are the numbers a session gives to its resource request and its equivalence class.
    """

    __slots__ = (
        "best_effort",
        "class_number",
        "created",
        "eviction_occurred",
        "frees_reserve",
        "index",
        "job",
        "last_transaction",
        "name",
        "namespace",
        "node",
        "nominated_node",
        "pod",
        "preemptable",
        "priority",
        "request",
        "role",
        "scheduling_gated",
        "shape",
        "status",
        "status_before",
        "uid",
    )

    def __init__(self, pod: Pod, *, uid: str, job: str, role: str, status: TaskStatus, request: Resource) -> None:
        self.pod = pod
        self.uid = uid
        self.job = job
        self.role = role
        self.status = self.status_before = status
        self.request = request
        self.best_effort = request.is_empty()
        self.name: str = pod.metadata.name
        self.namespace: str = pod.metadata.namespace
        self.node: str | None = pod.spec.node_name or None
        self.nominated_node: str | None = pod.status.nominated_node_name or None
        self.scheduling_gated = self.frees_reserve = bool(pod.spec.scheduling_gates)
        self.created = 0.0
        self.priority = 1
        self.preemptable = True
        self.index: int | None = None
        self.eviction_occurred = False
        self.last_transaction: Transaction | None = None
        self.shape = -1
        self.class_number = -1

    def __repr__(self) -> str:
        return f"<Task {self.namespace}/{self.name} {self.status.name} on {self.node}>"

    def duplicate(self) -> Task:
        """A copy that changes on its own; field by field, as that is five times as fast as a loop over them."""
        made = Task.__new__(Task)
        made.best_effort = self.best_effort
        made.class_number = self.class_number
        made.created = self.created
        made.eviction_occurred = self.eviction_occurred
        made.frees_reserve = self.frees_reserve
        made.index = self.index
        made.job = self.job
        made.last_transaction = self.last_transaction
        made.name = self.name
        made.namespace = self.namespace
        made.node = self.node
        made.nominated_node = self.nominated_node
        made.pod = self.pod
        made.preemptable = self.preemptable
        made.priority = self.priority
        made.request = self.request
        made.role = self.role
        made.scheduling_gated = self.scheduling_gated
        made.shape = self.shape
        made.status = self.status
        made.status_before = self.status_before
        made.uid = self.uid
        return made

    def reset(self) -> None:
        """Become as the task was made, for another session."""
        self.status, self.node = self.status_before, self.pod.spec.node_name or None
        self.nominated_node = self.pod.status.nominated_node_name or None
        self.eviction_occurred, self.last_transaction, self.class_number = False, None, -1

    def twin(self) -> Task:
        """A pending copy of a task that has a place; it remembers that place as one that was rolled back."""
        made = self.duplicate()
        made.last_transaction = Transaction(self.status, self.node, eviction_occurred=False)
        made.status, made.node = TaskStatus.Pending, None
        return made


Item = TypeVar("Item")

PENDING = "Pending"
INQUEUE = "Inqueue"
NOT_ADMITTED = ("", PENDING)
"""The phases of a PodGroup that is not admitted yet."""
RUNNING = "Running"
UNKNOWN = "Unknown"
COMPLETED = "Completed"
_NO_TASKS: dict[str, Task] = {}
_CHANGES: Final = {
    (before, after): tuple(
        (after in statuses) - (before in statuses) for statuses in (READY_STATUSES, VALID_STATUSES, ALLOCATED_STATUSES)
    )
    for before in TaskStatus
    for after in TaskStatus
}
"""By how much the ready, the valid and the allocated tasks change where one goes from a status to another."""
HARD = "hard"
"""The mode of a network topology whose highest tier is a limit."""


class TaskCounts:
    """Tasks by status, and the sums that gang scheduling asks for; kept up to date, not recounted."""

    __slots__ = ("by_status", "min_available", "pending_best_effort", "ready", "total", "valid")

    def __init__(self, min_available: int) -> None:
        self.min_available = min_available
        self.by_status: dict[TaskStatus, dict[str, Task]] = {}
        self.total = 0
        self.ready = 0
        self.valid = 0
        self.pending_best_effort = 0

    def enter(self, task: Task) -> None:
        """Count a task under its status."""
        self.by_status.setdefault(task.status, {})[task.uid] = task
        self._count(task, 1)

    def leave(self, task: Task) -> None:
        """Stop counting a task, before its status changes."""
        del self.by_status[task.status][task.uid]
        self._count(task, -1)

    def _count(self, task: Task, sign: int) -> None:
        self.total += sign
        status = task.status
        if status in READY_STATUSES:
            self.ready += sign
        if status in VALID_STATUSES:
            self.valid += sign
        if task.best_effort and status is TaskStatus.Pending:
            self.pending_best_effort += sign

    def having(self, status: TaskStatus) -> dict[str, Task]:
        """The tasks of one status by uid."""
        return self.by_status.get(status, _NO_TASKS)

    @property
    def waiting(self) -> int:
        """The number of tasks that wait for releasing resources."""
        return len(self.by_status.get(TaskStatus.Pipelined, ()))

    def is_ready(self) -> bool:
        """True if the gang is complete, where tasks without requests need no place."""
        return self.ready + self.pending_best_effort >= self.min_available

    def is_pipelined(self) -> bool:
        """True if the gang would be complete once what it waits for is released."""
        return self.waiting + self.ready + self.pending_best_effort >= self.min_available

    def allocated_number(self) -> int:
        """How many tasks hold resources."""
        return sum(len(self.by_status.get(status, ())) for status in ALLOCATED_STATUSES)


class SubJob(TaskCounts):
    """A part of a job that is placed as a gang of its own.

    `group` names the policy it was cut out by; all sub-jobs of a policy share it. `allocated_hyper_node` is the lowest
    HyperNode that holds all that was placed of one that asks for a `topology`, empty where nothing was.
    `nominated_hyper_node` is the one in which it was promised room in the session, empty where it was not.
    """

    __slots__ = ("allocated_hyper_node", "group", "match_index", "nominated_hyper_node", "priority", "topology", "uid")

    def __init__(
        self,
        uid: str,
        group: str,
        min_available: int,
        match_index: int = 0,
        topology: TopologyConstraint | None = None,
    ) -> None:
        super().__init__(min_available)
        self.topology = topology
        self.allocated_hyper_node = ""
        self.nominated_hyper_node = ""
        self.uid = uid
        self.group = group
        self.match_index = match_index
        self.priority = 0

    def enter(self, task: Task) -> None:
        """Count a task; the highest priority of a task is the sub-job's own."""
        self.priority = max(self.priority, task.priority)
        same = self.by_status.setdefault(task.status, {})
        if task.uid in same:  # a twin under the status of its original: there is one entry for both
            same[task.uid] = task
            self.total += 1
        else:
            super().enter(task)

    def keep_pending(self, twin: Task) -> None:
        """Keep a placed task among the pending ones as well, as the reference does: it forgets to take it out."""
        self.by_status.setdefault(TaskStatus.Pending, {})[twin.uid] = twin

    def drop_pending(self, twin: Task) -> None:
        """Undo `keep_pending`; the original stays where it is, and counts as a task no longer."""
        del self.by_status[TaskStatus.Pending][twin.uid]
        self.total -= 1

    def tasks(self) -> Iterator[Task]:
        """Yield each task once; of a task and its twin, the one that has a node."""
        seen: dict[str, Task] = {}
        for tasks in self.by_status.values():
            for uid, task in tasks.items():
                if uid not in seen or task.node:
                    seen[uid] = task
        yield from seen.values()


@dataclass(slots=True)
class FitErrors:
    """Why a task fits nowhere: how many nodes gave each reason, or one reason for all.

    `nodes` is the number of nodes that gave a reason; `hyper_node` the HyperNode whose nodes they are, empty where all
    nodes were asked.
    """

    nodes: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    error: str = ""
    hyper_node: str = ""

    def copy(self) -> FitErrors:
        """A copy that changes on its own."""
        return FitErrors(self.nodes, self.reasons.copy(), self.error, self.hyper_node)

    def message(self) -> str:
        """The message the scheduler writes on the pod."""
        error = self.error or f"0/{self.nodes} nodes are unavailable"
        if not self.nodes:
            return error
        message = f"{error}: {_histogram(self.reasons)}."
        return f"In hyperNode {self.hyper_node}: {message}" if self.hyper_node else message


class _AsMade(NamedTuple):
    """The tasks of a job, and its counts of them, before a session changed any."""

    tasks: dict[str, Task]
    statuses: dict[TaskStatus, dict[str, Task]]
    counts: tuple[int, int, int, int]
    roles: dict[tuple[TaskStatus, str, bool], int]
    held: Resource
    notes: dict[str, tuple[Hashable, Any]]


class Job(TaskCounts):
    """A PodGroup and its tasks."""

    __slots__ = (
        "_as_made",
        "_notes",
        "allocated",
        "allocated_hyper_node",
        "called",
        "created",
        "failed_roles",
        "fit_errors",
        "min_resources",
        "min_sub_groups",
        "min_task_member",
        "min_task_total",
        "name",
        "namespace",
        "phase",
        "phase_before",
        "pod_group",
        "priority",
        "queue",
        "roles",
        "sub_job_of",
        "sub_jobs",
        "tasks",
        "topology",
        "uid",
    )

    def __init__(
        self, pod_group: PodGroup, *, queue: str, priority: int, created: float, called: JobName | None = None
    ) -> None:
        spec = pod_group.spec
        super().__init__(spec.min_member)
        self.pod_group = pod_group
        self.namespace = pod_group.metadata.namespace
        self.name = pod_group.metadata.name
        self.uid = f"{self.namespace}/{self.name}"
        self.called = JobName(self.uid, self.uid) if called is None else called
        self.queue = queue
        self.priority = priority
        self.created = created
        self.phase_before = pod_group.status.phase
        self.phase = self.phase_before
        self.min_resources = None if spec.min_resources is None else Resource.from_quantities(spec.min_resources)
        self.min_task_member: dict[str, int] = dict(spec.min_task_member)
        self.min_task_total = sum(self.min_task_member.values())
        self.min_sub_groups: dict[str, int] = {}
        self.sub_jobs: dict[str, SubJob] = {}
        self.sub_job_of: dict[str, SubJob] = {}
        self.tasks: dict[str, Task] = {}
        self.roles: dict[tuple[TaskStatus, str, bool], int] = {}
        self.topology = topology_constraint(spec.network_topology)
        self.allocated_hyper_node = ""
        self.allocated = Resource()
        self.fit_errors: dict[str, FitErrors] = {}
        self.failed_roles: set[tuple[str, str]] = set()
        self._as_made: _AsMade | None = None
        self._notes: dict[str, tuple[Hashable, Any]] = {}

    def __repr__(self) -> str:
        return f"<Job {self.uid} {self.phase}>"

    @property
    def display_name(self) -> str:
        """The namespace and the name that people know the job by."""
        return self.called.display

    # --- tasks -------------------------------------------------------------------------------------------------------

    def add_task(self, task: Task) -> None:
        """Take in a task; a pod that uses the uid of another takes its place."""
        if task.uid in self.tasks:
            self._uncount(self.tasks[task.uid])
        self.tasks[task.uid] = task
        self._recount(task)

    def unplaced(self) -> list[Task]:
        """Its tasks that have no node, or may not go to it yet, by name."""
        waiting = (task for status in WAITING_STATUSES for task in self.having(status).values())
        return sorted(waiting, key=lambda task: task.name)

    def set_status(self, task: Task, status: TaskStatus) -> None:
        """Move one of the job's tasks to another status; a twin takes the place of its original."""
        if self._as_made is None:
            # Remember how the job was made, before the first of its tasks gets another status.
            statuses = {status: tasks.copy() for status, tasks in self.by_status.items()}
            counts = self.total, self.ready, self.valid, self.pending_best_effort
            self._as_made = _AsMade(self.tasks.copy(), statuses, counts, self.roles.copy(), self.allocated, self._notes)
            self.allocated, self._notes = self.allocated.clone(), {}
        stored = self.tasks[task.uid]
        if stored is task:
            self._move(task, status)
            return
        self._uncount_in_job(stored)
        self.sub_job_of[task.uid].drop_pending(task)
        self.tasks[task.uid] = task
        task.status = status
        self._recount(task)

    def _move(self, task: Task, status: TaskStatus) -> None:
        """Count a task under another status; what it holds stays where both statuses hold resources."""
        before, uid, best_effort = task.status, task.uid, task.best_effort
        sub_job = self.sub_job_of[uid] if self.sub_jobs else None
        if sub_job is not None:
            sub_job.leave(task)
        # What `leave` and `enter` do, without calls: this is done twice for every task that is placed.
        del self.by_status[before][uid]
        same = self.by_status.get(status)
        if same is None:
            same = self.by_status[status] = {}
        same[uid] = task
        task.status = status
        ready, valid, held = _CHANGES[before, status]
        self.ready += ready
        self.valid += valid
        if best_effort:
            self.pending_best_effort += (status is TaskStatus.Pending) - (before is TaskStatus.Pending)
        if sub_job is not None:
            sub_job.enter(task)
        roles, role = self.roles, task.role
        roles[before, role, best_effort] -= 1
        roles[status, role, best_effort] = roles.get((status, role, best_effort), 0) + 1
        if held > 0:
            self.allocated.add(task.request)
        elif held < 0:
            self.allocated.sub(task.request)

    def _recount(self, task: Task) -> None:
        self.enter(task)
        role = task.status, task.role, task.best_effort
        self.roles[role] = self.roles.get(role, 0) + 1
        if task.status in ALLOCATED_STATUSES:
            self.allocated.add(task.request)
        if self.sub_jobs:
            self.sub_job_of[task.uid].enter(task)

    def _uncount(self, task: Task) -> None:
        self._uncount_in_job(task)
        if self.sub_jobs:
            self.sub_job_of[task.uid].leave(task)

    def _uncount_in_job(self, task: Task) -> None:
        self.leave(task)
        self.roles[task.status, task.role, task.best_effort] -= 1
        if task.status in ALLOCATED_STATUSES:
            self.allocated.sub(task.request)

    def leave_out(self, resources: Collection[str]) -> None:
        """Forget some resources that scheduling ignores, and count the tasks anew whose requests lack them now."""
        self._notes = {}
        for held in (self.allocated, self.min_resources):
            if held is not None:
                held.leave_out(resources)
        for task in self.tasks.values():
            best_effort = task.request.is_empty()
            if best_effort != task.best_effort:
                self._uncount(task)
                task.best_effort = best_effort
                self._recount(task)

    def noted(self, key: str, make: Callable[[], Item], of: Hashable = None) -> Item:
        """What is made of the job as it is when a session opens.

        Sessions on clusters that have this very job in common make it once, so that it must not be changed.

        Args:
            key: stands for what is made.
            make: makes it.
            of: what it depends on besides the job and the release; where that changes, it is made again.
        """
        known = self._notes.get(key)
        if known is not None and known[0] == of:
            noted: Item = known[1]
            return noted
        made = make()
        if self._as_made is None:
            self._notes[key] = of, made
        return made

    def reset(self) -> bool:
        """Become as the job was made, for another session; True if that is so.

        It is not where the job is cut into sub-jobs or asks for a topology, which sessions work out.
        """
        if self.sub_jobs or self.topology is not None or self.allocated_hyper_node:
            return False
        made = self._as_made
        if made is not None:
            self.tasks, self.by_status, self.roles, self.allocated = made.tasks, made.statuses, made.roles, made.held
            self.total, self.ready, self.valid, self.pending_best_effort = made.counts
            self._as_made, self._notes = None, made.notes
            for task in self.tasks.values():
                task.reset()
        self.phase = self.phase_before
        if self.fit_errors:
            self.fit_errors, self.failed_roles = {}, set()
        return True

    # --- sub-jobs ----------------------------------------------------------------------------------------------------

    @property
    def has_sub_group_policy(self) -> bool:
        """Whether the PodGroup cuts the job into sub-jobs."""
        return bool(self.pod_group.spec.sub_group_policy)

    @property
    def asks_for_topology(self) -> bool:
        """Whether the job or one of its sub-jobs asks for a network topology."""
        return self.topology is not None or any(each.topology is not None for each in self.sub_jobs.values())

    @property
    def has_topology_limit(self) -> bool:
        """Whether the job or one of its sub-jobs may not go beyond a tier."""
        if self.topology is None and not self.sub_jobs:
            return False
        topologies = (self.topology, *(each.topology for each in self.sub_jobs.values()))
        return any(each is not None and each.limit is not None for each in topologies)

    def assign_sub_jobs(self, assignment: Iterable[tuple[Task, SubJob]]) -> None:
        """Cut the job into sub-jobs, once all of its tasks are known."""
        for task, sub_job in assignment:
            self.sub_jobs[sub_job.uid] = sub_job
            self.sub_job_of[task.uid] = sub_job
            sub_job.enter(task)

    def divide(self) -> None:
        """Make a job that is not cut into sub-jobs its own only sub-job."""
        if not self.sub_jobs:
            whole = SubJob(self.uid, self.uid, self.min_available)
            self.assign_sub_jobs((task, whole) for task in self.tasks.values())

    def sub_groups_complete(self, *, pipelined: bool) -> bool:
        """True if every policy has its minimum of sub-jobs that are ready, or at least pipelined."""
        complete = Counter(s.group for s in self.sub_jobs.values() if (s.is_pipelined() if pipelined else s.is_ready()))
        return all(complete[group] >= minimum for group, minimum in self.min_sub_groups.items())

    # --- roles -------------------------------------------------------------------------------------------------------

    def role_counts(self, statuses: frozenset[TaskStatus], *, best_effort_pending: bool) -> Counter[str]:
        """The number of tasks by role in some statuses, and of pending ones that ask for nothing."""
        counts: Counter[str] = Counter()
        for (status, role, best_effort), number in self.roles.items():
            if status in statuses or (best_effort_pending and best_effort and status is TaskStatus.Pending):
                counts[role] += number
        return counts

    def roles_complete(self, statuses: frozenset[TaskStatus], *, best_effort_pending: bool = True) -> bool:
        """True if every role has its minimum, where the roles' minimums bind at all.

        They do not where the job's own minimum is below their sum.
        """
        if not self.min_task_member or self.min_available < self.min_task_total:
            return True
        counts = self.role_counts(statuses, best_effort_pending=best_effort_pending)
        return all(counts[role] >= minimum for role, minimum in self.min_task_member.items())

    def record_fit_errors(self, task: Task, errors: FitErrors) -> None:
        """Note why a task was not placed; its role then counts as failed within its sub-job."""
        self.fit_errors[task.uid] = errors
        self.failed_roles.add((self.sub_job_uid(task), task.role))

    def forget_fit_errors(self, sub_job: SubJob | None = None) -> None:
        """Forget why tasks were not placed: all of them, or those of one sub-job."""
        kept = [] if sub_job is None else [uid for uid in self.fit_errors if self.sub_job_of[uid] is not sub_job]
        self.fit_errors = {uid: self.fit_errors[uid] for uid in kept}
        self.failed_roles = {(self.sub_job_uid(self.tasks[uid]), self.tasks[uid].role) for uid in kept}

    def sub_job_uid(self, task: Task) -> str:
        """The identity of the sub-job a task belongs to."""
        return self.sub_job_of[task.uid].uid if self.sub_jobs else self.uid

    def role_has_failed(self, task: Task) -> bool:
        """True if a task of the same role was refused before; tasks without a role are always tried."""
        return bool(self.failed_roles and task.role) and (self.sub_job_uid(task), task.role) in self.failed_roles

    def may_continue(self, sub_job: TaskCounts) -> bool:
        """True if, after a task was refused, the rest of the gang could still become ready.

        Reference: NeedContinueAllocating.
        """
        if self.min_available == self.total or sub_job.min_available >= sub_job.total:
            return False
        if self.has_sub_group_policy:
            return True
        failed = {role for _, role in self.failed_roles}
        if self.min_available < self.min_task_total:
            left = sum(
                number
                for (status, role, _), number in self.roles.items()
                if status is TaskStatus.Pending and role not in failed
            )
            return self.ready + left >= self.min_available
        allocated = self.role_counts(READY_STATUSES, best_effort_pending=True)
        return all(allocated[role] >= self.min_task_member.get(role, 0) for role in failed)

    # --- resources ---------------------------------------------------------------------------------------------------

    def is_pending(self) -> bool:
        """True if the PodGroup is not admitted yet."""
        return self.phase in NOT_ADMITTED

    def minimum(self) -> Resource:
        """A copy of the PodGroup's minResources, empty where there are none."""
        return Resource() if self.min_resources is None else self.min_resources.clone()

    def elastic(self) -> Resource:
        """What the job holds beyond its minResources."""
        return exceeded_part(self.allocated, self.minimum())

    def without_gated(self, resource: Resource) -> Resource:
        """Take what scheduling-gated tasks ask for off a resource, down to zero; some gates keep what is reserved."""
        freeing = [task for task in self.tasks.values() if task.frees_reserve]
        if not freeing:
            return resource
        gated = Resource.total(task.request for task in freeing)
        if gated.is_empty():
            return resource
        result = resource.clone()
        result.milli_cpu = max(result.milli_cpu - gated.milli_cpu, 0.0)
        result.memory = max(result.memory - gated.memory, 0.0)
        for name, amount in resource.scalars.items():
            if name in gated.scalars:
                result.scalars[name] = max(amount - gated.scalars[name], 0.0)
        return result

    # --- messages ----------------------------------------------------------------------------------------------------

    def scheduling_reason(self, task: Task) -> tuple[str, str]:
        """The reason and the message the scheduler would write on a task's pod.

        Reference: TaskSchedulingReason.
        """
        last = task.last_transaction
        status, node = (last.status, last.node) if last else (task.status, task.node)
        if status is TaskStatus.Pending:
            errors = self.fit_errors.get(task.uid)
            return "Unschedulable", errors.message() if errors else ""
        pod = f"Pod {task.namespace}/{task.name} can possibly be assigned to {node}"
        if status is TaskStatus.Allocated:
            return "Schedulable", f"{pod}, once minAvailable is satisfied"
        if status is TaskStatus.Pipelined:
            return "Unschedulable", f"{pod}, once resource is released and minAvailable is satisfied"
        return status.name, ""

    def fit_error(self, *, tells_ready: bool = True) -> str:
        """The summary of the job's tasks that ends up in the PodGroup's Unschedulable condition.

        Where the reference goes on with one pod picked at random, this names the one that says most. Without
        `tells_ready`, a job that is ready is called not ready as well.
        """
        statuses = {status.name: len(tasks) for status, tasks in self.by_status.items() if tasks}
        state = "pod group is ready" if tells_ready and self.is_ready() else "pod group is not ready"
        message = f"{state}, {_histogram({**statuses, 'minAvailable': self.min_available})}"
        pending = self.having(TaskStatus.Pending)
        if pending:
            reasons = Counter(self.scheduling_reason(task)[0] for task in pending.values())
            message += f"; Pending: {_histogram(reasons)}"
        # What says most is a task that was tried on nodes and refused by them, else any that was refused.
        refused = [(self.tasks[uid], errors) for uid, errors in self.fit_errors.items() if uid in self.tasks]
        origin = min(refused, key=lambda pair: (not pair[1].nodes, pair[0].name), default=None)
        if origin is not None:
            task, errors = origin
            message += f". Origin reason is {task.name}: {errors.message()}"
        return message

    def is_refused_by_nodes(self, task: Task) -> bool:
        """True if nodes were asked for a task and none of them fits."""
        errors = self.fit_errors.get(task.uid)
        return errors is not None and errors.nodes > 0


def topology_constraint(written: NetworkTopology | None) -> TopologyConstraint | None:
    """What a PodGroup or a policy asks for of the network; None where it asks for nothing."""
    if written is None:
        return None
    return TopologyConstraint(written.mode == HARD, written.highest_tier_allowed, written.highest_tier_name)


def _histogram(reasons: dict[str, int] | Counter[str]) -> str:
    return ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
