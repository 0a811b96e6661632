"""A session that is over: what it decided and what it left, looked up in ways that explanations need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.engine.framework.ledger import QueueFigures
from vqs.engine.framework.session import Session, SessionOptions
from vqs.engine.framework.trace import Op, StatementResult, VictimSearch
from vqs.engine.nodes.pods import host_ports
from vqs.model.cluster import Cluster
from vqs.model.job import COMPLETED_STATUSES, READY_STATUSES, Job, Task, TaskStatus
from vqs.model.resource import Resource

Item = TypeVar("Item")


class GangShortfall(NamedTuple):
    """What a gang lacks: tasks, tasks of a role, or, where there is no number, a complete sub-group."""

    need: float | None = None
    have: float | None = None
    role: str = ""


@dataclass(frozen=True, slots=True)
class GangState:
    """What kept a gang from being complete.

    Attributes:
        refused: the first pending task that was refused, one that nodes refused before others; None where none was.
        gated: the first task that its scheduling gates block, None where there is none.
        shortfall: what the gang lacked; only of use where it was discarded.
        failed_roles: by sub-job and role, the first task that nodes refused.
    """

    refused: Task | None
    gated: Task | None
    shortfall: GangShortfall
    failed_roles: dict[tuple[str, str], Task]


class FinishedSession(Session):
    """A session whose actions have run; nothing in it changes any more, so what is found in it is found once.

    A session is one object from its opening on. Until its actions have run, it goes under the name of `Session`, which
    has none of these lookups.

    Attributes:
        seconds: how long each action took.
    """

    def __init__(self, cluster: Cluster, conf: SchedulerConfiguration, options: SessionOptions) -> None:
        super().__init__(cluster, conf, options)
        self.seconds: dict[str, float] = {}
        self._fit_errors: dict[str, str] = {}
        self._noted: dict[str, Any] = {}
        self._gangs: dict[str, GangState] = {}

    @cached_property
    def closed_queues(self) -> dict[str, QueueFigures]:
        """Each queue's figures at the end; none where no plugin divides the cluster among queues."""
        return {} if self.queue_ledger is None else self.queue_ledger.closed()

    @cached_property
    def reserved_in_queues(self) -> dict[str, Resource]:
        """What is only reserved for tasks of each queue at the end; for queues above others, also what is below."""
        found: defaultdict[str, Resource] = defaultdict(Resource)
        if self.queue_ledger is None:
            return found
        for job in self.jobs.values():
            for task in job.having(TaskStatus.Pipelined).values():
                for queue in self.queue_ledger.line(job.queue):
                    found[queue].add(task.request)
        return found

    @cached_property
    def _evicting_operations(self) -> list[tuple[Task, VictimSearch, bool]]:
        """The steps that are part of a search for victims and stand: the task, the search, and if it was evicted."""
        return [
            (operation.task, operation.search, operation.op is Op.EVICT)
            for record in self.trace.statements
            if record.result is not StatementResult.DISCARD
            for operation in record.operations
            if operation.search is not None
        ]

    @cached_property
    def searches_by_preemptor(self) -> dict[str, VictimSearch]:
        """The searches for victims that stand, by the uid of the tasks in whose favour they were."""
        steps = self._evicting_operations
        promised = {task.uid: search for task, search, evicted in steps if not evicted}
        return {search.task.uid: search for _, search, _ in steps} | promised

    @cached_property
    def searches_by_victim(self) -> dict[str, VictimSearch]:
        """The searches for victims that stand, by the uid of the task that was evicted."""
        return {task.uid: search for task, search, evicted in self._evicting_operations if evicted}

    @cached_property
    def victims_by_preemptor(self) -> dict[str, set[str]]:
        """The uids of all that was evicted for a task, by its uid, whether that stands or was rolled back."""
        victims: defaultdict[str, set[str]] = defaultdict(set)
        for search in self.trace.victim_searches:
            victims[search.task.uid].update(victim.uid for victim in search.victims)
        for uid, search in self.searches_by_preemptor.items():
            victims[uid].update(victim.uid for victim in search.victims)
        return victims

    @cached_property
    def releasing_by_node(self) -> dict[str, list[Task]]:
        """The tasks that are leaving, by the name of their node."""
        releasing: defaultdict[str, list[Task]] = defaultdict(list)
        for job in self.jobs.values():
            for task in job.having(TaskStatus.Releasing).values():
                releasing[task.node or ""].append(task)
        for task in self.cluster.other_tasks:
            if task.status is TaskStatus.Releasing:
                releasing[task.node or ""].append(task)
        return releasing

    @cached_property
    def takers_of_ports(self) -> dict[tuple[str, int], list[tuple[str, Task]]]:
        """The tasks on nodes that take host ports, with the address of each, by protocol and number."""
        takers: defaultdict[tuple[str, int], list[tuple[str, Task]]] = defaultdict(list)
        for task in chain(self.cluster.other_tasks, *(job.tasks.values() for job in self.jobs.values())):
            if task.node and task.status not in COMPLETED_STATUSES:
                for address, protocol, number in host_ports(task.pod.spec):
                    takers[protocol, number].append((address, task))
        return takers

    def noted(self, key: str, make: Callable[[], Item]) -> Item:
        """What a report derives from the session, which is made once."""
        if key not in self._noted:
            self._noted[key] = make()
        noted: Item = self._noted[key]
        return noted

    def leaving_before(self, task: Task) -> list[Task]:
        """What has to leave a pipelined task's node first, by name: its victims there, else all that leaves."""
        on_node = self.releasing_by_node.get(task.node or "", [])
        victims = self.victims_by_preemptor.get(task.uid, set())
        leaving = [each for each in on_node if each.uid in victims] or on_node
        return sorted(leaving, key=lambda each: (each.namespace, each.name))

    def fit_error(self, job: Job) -> str:
        """The sentence about a job as a whole; it is the same for all of its tasks."""
        if job.uid not in self._fit_errors:
            tells_ready = self.profile.allocate.ready_job_summary == "ready"
            self._fit_errors[job.uid] = job.fit_error(tells_ready=tells_ready)
        return self._fit_errors[job.uid]

    def gang(self, job: Job) -> GangState:
        """What kept a job's gang from being complete."""
        if job.uid not in self._gangs:
            pending = job.having(TaskStatus.Pending).values()
            refused = [task for task in pending if task.uid in self.trace.tasks]
            failed_roles: dict[tuple[str, str], Task] = {}
            for task in refused:
                if job.is_refused_by_nodes(task):
                    failed_roles.setdefault((job.sub_job_uid(task), task.role), task)
            gated = (task for task in pending if task.scheduling_gated)
            self._gangs[job.uid] = GangState(
                refused=min(refused, key=lambda task: (not job.is_refused_by_nodes(task), task.name), default=None),
                gated=min(gated, key=lambda task: task.name, default=None),
                shortfall=_shortfall(job),
                failed_roles=failed_roles,
            )
        return self._gangs[job.uid]


def _shortfall(job: Job) -> GangShortfall:
    placed = [task for task in job.having(TaskStatus.Pending).values() if task.last_transaction is not None]
    need, have = job.min_available, job.ready + job.pending_best_effort + len(placed)
    if have < need:
        return GangShortfall(float(need), float(have))
    roles = job.role_counts(READY_STATUSES, best_effort_pending=True)
    roles.update(task.role for task in placed)
    for role, need in sorted(job.min_task_member.items()):
        if roles[role] < need:
            return GangShortfall(float(need), float(roles[role]), role)
    return GangShortfall()
