"""What proportion and capacity alike find out about jobs and queues."""

from __future__ import annotations

from collections.abc import Callable

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.ledger import JobLoad
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal, Vote
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import INQUEUE, RUNNING, Job, TaskStatus
from vqs.model.quantity import value
from vqs.model.resource import EPHEMERAL_STORAGE, PODS, UNLIMITED, Resource

PANIC = "scheduler-panics"

NOT_PREPARED = (
    "plugin {plugin} cannot simulate evictions: its enablePredicate is false, "
    "which also disables the pre-predicate step that it needs"
)


def simulate_remove_task(plugin: str, option: PluginOption) -> Refusal | None:
    """Why a plugin cannot take part in simulating evictions, None where it can or is not to."""
    taking_part = option.enabled("enablePreemptable") or option.enabled("enabledAllocatable")
    if option.enabled("enablePredicate") or not taking_part:
        return None
    return Refusal(EvictionCode.EVICTIONS_NOT_TRIED, text=NOT_PREPARED.format(plugin=plugin))


def add_job_gate(
    session: Session,
    plugin: str,
    gate: Callable[[Job], Vote | Refusal],
    reserve: Callable[[Job], None],
    give_back: Callable[[Job], None] | None = None,
) -> None:
    """Add a plugin's answer to whether a job is admitted, and what it counts for one that is or that leaves its queue.

    Args:
        session: the session.
        plugin: the plugin.
        gate: permits a job, or refuses it.
        reserve: counts a job. Old releases do so for each job that the gate permits, admitted or not.
        give_back: counts a job no more that leaves its queue, where it is proposed that jobs do.
    """
    if give_back is not None and session.profile.enqueue.inqueue_jobs == "leave-to-others":
        session.plugins.add(points.JOB_LEFT_QUEUE, plugin, give_back)
    if session.profile.queues.inqueue_booking == "once-admitted":
        session.plugins.add(points.JOB_ENQUEUEABLE, plugin, gate)
        session.plugins.add(points.JOB_ENQUEUED, plugin, reserve)
        return

    def permitted(job: Job) -> Vote | Refusal:
        answer = gate(job)
        if answer is Vote.PERMIT:
            reserve(job)
        return answer

    session.plugins.add(points.JOB_ENQUEUEABLE, plugin, permitted)


def load_of(session: Session, job: Job, *, leaves_out_allocated: bool = False) -> JobLoad:
    """What a job holds and asks for as it is when a session opens.

    Args:
        session: the session.
        job: the job.
        leaves_out_allocated: whether what an admitted job holds already is taken off its minResources.
    """

    def look() -> JobLoad:
        request = job.allocated.clone()
        for task in job.having(TaskStatus.Pending).values():
            request.add(task.request)
        inqueue = inqueue_of(session, job, leaves_out_allocated=leaves_out_allocated)
        return JobLoad(job.allocated, request, inqueue, job.elastic())

    return job.noted("load", look, leaves_out_allocated)


def warn_of_panic(session: Session, plugin: str, queue: str) -> None:
    """Say once that the real scheduler would not come to the end of this session."""
    message = (
        f"plugin {plugin}: in queue {queue}, the elastic resources exceed what is left after evictions; "
        "Volcano's scheduler panics here"
    )
    session.warn(PANIC, message, help="put the action enqueue before the actions that evict", once=True)


def flat_limits(queue: Queue, unguaranteed: Resource) -> tuple[Resource, Resource]:
    """The capability and the real capability of a queue that is below no other.

    `unguaranteed` is what the guarantees of all queues leave of the cluster.
    """
    real_capability = unguaranteed.clone().add(queue.guarantee)
    if queue.capability is None:
        return Resource(UNLIMITED, UNLIMITED), real_capability
    capability = queue.capability.clone()
    capability.milli_cpu = capability.milli_cpu if capability.milli_cpu > 0 else UNLIMITED
    capability.memory = capability.memory if capability.memory > 0 else UNLIMITED
    return capability, real_capability.limit_to(capability, missing_is_unlimited=True)


def inqueue_of(session: Session, job: Job, *, leaves_out_allocated: bool = False) -> Resource:
    """What a job that was admitted will still take when a session opens."""
    if job.phase == INQUEUE:
        return job.without_gated(_inqueue_of_running(session, job) if leaves_out_allocated else job.minimum())
    has_minimum = job.allocated_number() >= job.pod_group.spec.min_member
    if job.phase == RUNNING and job.min_resources is not None and has_minimum:
        return job.without_gated(_inqueue_of_running(session, job))
    return Resource()


def _inqueue_of_running(session: Session, job: Job) -> Resource:
    """What the minResources of a job that has places reserve beyond what it holds.

    A scalar that the job holds none of is listed even where nothing of it is reserved; others are left out then, and
    ephemeral storage always is. Reference: pkg/scheduler/plugins/util/util.go.
    """
    minimum, held = job.minimum(), job.allocated
    if session.profile.queues.reserved_devices == "in-wrong-unit":
        quantities = job.pod_group.spec.min_resources or {}  # whole devices are taken for thousandths, pods forgotten
        minimum.leave_out([PODS])
        minimum.scalars = {name: float(value(quantities[name])) for name in minimum.scalars}
    reserved = Resource(max(minimum.milli_cpu - held.milli_cpu, 0.0), max(minimum.memory - held.memory, 0.0))
    for name, amount in minimum.scalars.items():
        left = amount - held.scalars.get(name, 0.0)
        if name != EPHEMERAL_STORAGE and (left > 0 or name not in held.scalars):
            reserved.scalars[name] = left
    return reserved
