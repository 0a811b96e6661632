"""proportion: divide the cluster among the queues that have jobs, in proportion to their weights.

What a queue deserves is found in rounds: what remains is handed out by weight, cut to what the queue may have (its real
capability) and to what its jobs ask for, raised to its guarantee; what was cut off is handed out again, until nothing
remains or nobody wants more. A queue that holds all it deserves gets nothing more. No arguments.
Reference: pkg/scheduler/plugins/proportion/proportion.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vqs.engine import points
from vqs.engine.plugins.inqueue import inqueue_of_running
from vqs.engine.points import Vote
from vqs.engine.session import QueueFigures
from vqs.engine.trace import Refusal
from vqs.model.job import INQUEUE, RUNNING, Job
from vqs.model.queue import OPEN, Queue
from vqs.model.resource import UNLIMITED, Resource, exceeded_part, maximum, share
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vqs.config.scheduler_conf import PluginOption
    from vqs.engine.session import Session
    from vqs.model.task import Task

NAME = "proportion"

CLOSED = "queue-closed"
OVERUSED = "queue-overused"
LIMIT = "queue-limit"
OVER_CAPABILITY = "not-enqueued-capability"


@dataclass(slots=True, eq=False)
class QueueShare:
    """What the plugin keeps of one queue."""

    queue: Queue
    real_capability: Resource
    capability: Resource
    guarantee: Resource
    deserved: Resource = field(default_factory=Resource)
    allocated: Resource = field(default_factory=Resource)
    request: Resource = field(default_factory=Resource)
    elastic: Resource = field(default_factory=Resource)
    inqueue: Resource = field(default_factory=Resource)
    share: float = 0.0

    def update_share(self) -> None:
        """Set the share: of what is deserved, the largest part of any one resource that is allocated."""
        deserved = self.deserved
        self.share = max(
            [share(self.allocated.get(name), deserved.get(name)) for name in deserved.names()], default=0.0
        )

    def add_job(self, job: Job) -> None:
        """Count what a job holds, asks for, and will take."""
        self.allocated.add(job.allocated)
        self.request.add(job.allocated)
        for task in job.having(TaskStatus.Pending).values():
            self.request.add(task.request)
        if job.phase == INQUEUE:
            self.inqueue.add(job.without_gated(job.minimum()))
        elif job.phase == RUNNING and job.min_resources is not None and _has_minimum(job):
            self.inqueue.add(job.without_gated(inqueue_of_running(job)))
        self.elastic.add(job.elastic())

    def figures(self) -> QueueFigures:
        """Return a copy of the figures."""
        return QueueFigures(
            deserved=self.deserved.clone(),
            allocated=self.allocated.clone(),
            request=self.request.clone(),
            inqueue=self.inqueue.clone(),
            elastic=self.elastic.clone(),
            capability=self.capability.clone(),
            real_capability=self.real_capability.clone(),
            guarantee=self.guarantee.clone(),
            share=self.share,
            overused=self.deserved.less_equal(self.allocated),
        )


class ProportionPlugin:
    """Divide the cluster, and keep every queue within its part."""

    def __init__(self, option: PluginOption) -> None:
        self.option = option
        self.queues: dict[str, QueueShare] = {}
        self.jobs: dict[str, Job] = {}
        self.at_open: dict[str, QueueFigures] = {}

    def open(self, session: Session) -> None:
        """Compute what each queue deserves and add the answers."""
        self.jobs = session.jobs
        self.queues = queue_shares(session)
        divide(session.total_resource, self.queues.values())
        self.at_open = {name: queue.figures() for name, queue in self.queues.items()}
        session.queue_ledger = self
        session.add(points.QUEUE_ORDER, NAME, lambda queue: (-queue.priority, self.queues[queue.name].share))
        session.add(points.OVERUSED, NAME, self.overused)
        session.add(points.ALLOCATABLE, NAME, self.allocatable)
        session.add(points.JOB_ENQUEUEABLE, NAME, self.enqueueable)
        session.on_change(self._allocated, self._deallocated)

    def close(self, session: Session) -> None:
        """Nothing is left to do."""

    def opened(self) -> dict[str, QueueFigures]:
        """Return each queue's figures when the session opened."""
        return self.at_open

    def closed(self) -> dict[str, QueueFigures]:
        """Return each queue's figures now."""
        return {name: queue.figures() for name, queue in self.queues.items()}

    # --- answers -----------------------------------------------------------------------------------------------------

    def overused(self, queue: Queue) -> Refusal | None:
        """Refuse a queue that holds, of every resource it deserves any of, all that it deserves."""
        own = self.queues[queue.name]
        if not own.deserved.less_equal(own.allocated):
            return None
        fullest = max(
            own.deserved.names(), key=lambda name: own.allocated.get(name) / own.deserved.get(name), default=""
        )
        return Refusal(OVERUSED, NAME, fullest, own.allocated.get(fullest), own.deserved.get(fullest))

    def allocatable(self, queue: Queue, task: Task) -> Refusal | None:
        """Refuse a task that would take its queue beyond what it deserves, in a resource the task asks for."""
        if queue.state != OPEN:
            return Refusal(CLOSED, NAME, text=queue.state)
        own = self.queues[queue.name]
        exceeding = own.allocated.exceeding_with(task.request, own.deserved)
        if not exceeding:
            return None
        name = exceeding[0]
        need = own.allocated.get(name) + task.request.get(name)
        return Refusal(LIMIT, NAME, name, need, own.deserved.get(name))

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Refuse a job whose minResources would take its queue beyond its real capability."""
        own = self.queues[job.queue]
        if own.queue.state != OPEN:
            return Refusal(CLOSED, NAME, text=own.queue.state)
        if job.min_resources is None:
            return Vote.PERMIT
        wanted = job.minimum().add(own.allocated).add(own.inqueue).sub(own.elastic)
        exceeding = wanted.exceeding(own.real_capability, job.min_resources)
        if exceeding:
            name = exceeding[0]
            return Refusal(OVER_CAPABILITY, NAME, name, wanted.get(name), own.real_capability.get(name))
        own.inqueue.add(job.without_gated(job.minimum()))
        return Vote.PERMIT

    # --- changes -----------------------------------------------------------------------------------------------------

    def _allocated(self, task: Task) -> None:
        own = self.queues[self.jobs[task.job].queue]
        own.allocated.add(task.request)
        own.update_share()

    def _deallocated(self, task: Task) -> None:
        own = self.queues[self.jobs[task.job].queue]
        own.allocated.sub(task.request)
        own.update_share()


def _has_minimum(job: Job) -> bool:
    return job.allocated_number() >= job.pod_group.spec.min_member


def queue_shares(session: Session) -> dict[str, QueueShare]:
    """Return the queues that have jobs, with what these hold and ask for."""
    guaranteed = Resource()
    for queue in session.queues.values():
        guaranteed.add(queue.guarantee)
    unguaranteed = exceeded_part(session.total_resource, guaranteed)
    shares: dict[str, QueueShare] = {}
    for job in session.jobs.values():
        if job.queue not in shares:
            shares[job.queue] = _queue_share(session.queues[job.queue], unguaranteed)
        shares[job.queue].add_job(job)
    return dict(sorted(shares.items()))


def _queue_share(queue: Queue, unguaranteed: Resource) -> QueueShare:
    real_capability = unguaranteed.clone().add(queue.guarantee)
    if queue.capability is None:
        return QueueShare(queue, real_capability, Resource(UNLIMITED, UNLIMITED), queue.guarantee)
    capability = queue.capability.clone()
    capability.milli_cpu = capability.milli_cpu if capability.milli_cpu > 0 else UNLIMITED
    capability.memory = capability.memory if capability.memory > 0 else UNLIMITED
    real_capability.limit_to(capability, missing_is_unlimited=True)
    return QueueShare(queue, real_capability, capability, queue.guarantee)


def divide(total: Resource, queues: Iterable[QueueShare]) -> None:
    """Hand the cluster out to the queues, in rounds; sets what each deserves, and its share."""
    remaining = total.clone()
    wanting = list(queues)
    while (total_weight := sum(queue.queue.weight for queue in wanting)) > 0:
        handed_out, taken_back = Resource(), Resource()
        met: set[str] = set()
        for queue in wanting:
            before = queue.deserved
            queue.deserved = _next_deserved(queue, remaining, queue.queue.weight / total_weight)
            queue.update_share()
            if queue.request.less_equal(queue.deserved) or queue.deserved == before:
                met.add(queue.queue.name)
            more, less = queue.deserved.diff(before)
            handed_out.add(more)
            taken_back.add(less)
        wanting = [queue for queue in wanting if queue.queue.name not in met]
        left = exceeded_part(remaining.clone().add(taken_back), handed_out)
        if left.is_empty() or left == remaining:
            return
        remaining = left


def _next_deserved(queue: QueueShare, remaining: Resource, part: float) -> Resource:
    deserved = queue.deserved.clone().add(remaining.clone().multiply(part))
    deserved.limit_to(queue.real_capability, missing_is_unlimited=True)
    deserved.limit_to(queue.request, missing_is_unlimited=False)
    return maximum(deserved, queue.guarantee)
