"""What a session decides, as data: all that a replay takes from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

import msgspec

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.trace import Op, StatementResult
from vqs.engine.nodes.sampling import ProcessState
from vqs.explain.affected import evictions
from vqs.explain.aftermath import nominated_node
from vqs.explain.given import Given, given_to
from vqs.explain.outcome import Result, pod_condition
from vqs.explain.verdicts import job_verdict, verdict
from vqs.model.cpu_set import write_cpu_set
from vqs.model.job import TaskStatus


class Evicted(Result, kw_only=True, omit_defaults=False):
    """A pod that is evicted, and in favour of which job; both by namespace/name, the job by that of its PodGroup."""

    pod: str
    by: str
    action: str


class Decisions(Result, kw_only=True):
    """What one session decided.

    Attributes:
        bound: the pods that are bound, with their nodes.
        evicted: the pods that are evicted.
        phases: the PodGroups whose phase changes, with the new one.
        nominated: the pods that wait and have a node reserved for them by an eviction, where that is news.
        annotations: what is written on pods that are given devices.
        given: what the claims of pods that are bound were given, by the namespace/name of the pods.
        cpus: the CPUs that tasks were given of their own, bound or not, by the namespace/name of the pod and by node.
        verdicts: the code of the verdict on jobs that are asked about, by the namespace/name of their PodGroups.
        deserved: what each queue deserves, in the scheduler's units, in the order of the replay's resources.
        next_node: where the next search for a node begins, if nodes are sampled.
        looked_for_victims: when the plugin tdm last looked for pods to evict.
        left_queue: the jobs that have left their queues, and when, where they do.
        inqueue_since: since when jobs are Inqueue, where that may make them leave.
        unschedulable: the pods whose condition says so, by namespace/name, with the code of their verdict; only where
            an autoscaler looks at them.
    """

    bound: list[tuple[str, str]] = msgspec.field(default_factory=list)
    evicted: list[Evicted] = msgspec.field(default_factory=list)
    phases: list[tuple[str, str]] = msgspec.field(default_factory=list)
    nominated: list[tuple[str, str]] = msgspec.field(default_factory=list)
    annotations: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    given: dict[str, Given] = msgspec.field(default_factory=dict)
    cpus: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    verdicts: dict[str, str] = msgspec.field(default_factory=dict)
    deserved: dict[str, list[float]] = msgspec.field(default_factory=dict)
    next_node: int = 0
    looked_for_victims: datetime | None = None
    left_queue: Mapping[str, datetime] = {}
    inqueue_since: Mapping[str, datetime] = {}
    unschedulable: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def writes(self) -> int:
        """How many objects the session writes."""
        return len(self.bound) + len(self.evicted) + len(self.phases)

    @property
    def process(self) -> ProcessState:
        """What the session has left in the scheduler's process."""
        return ProcessState(self.looked_for_victims, self.next_node, self.left_queue, self.inqueue_since)


def decisions_of(
    session: FinishedSession, resources: list[str], asked: Iterable[str] = (), *, grows: bool = False
) -> Decisions:
    """Return what a session decided."""
    bound = [
        (task.uid, f"{task.namespace}/{task.name}", task.node or "")
        for record in session.trace.statements
        if record.result is StatementResult.COMMIT
        for operation in record.operations
        if operation.op is Op.ALLOCATE and (task := operation.task).status is TaskStatus.Binding
    ]
    cpus = session.cluster.given_cpus
    annotations = session.cluster.given_annotations
    process = session.options.process
    return Decisions(
        bound=[(pod, node) for _, pod, node in bound],
        evicted=[Evicted(pod=each.task, by=each.evictor_job, action=each.action) for each in evictions(session)],
        phases=[(job.uid, job.phase) for job in session.jobs.values() if job.phase != job.phase_before],
        nominated=list(_nominated(session)),
        annotations={pod: annotations[uid] for uid, pod, _ in bound if uid in annotations} if annotations else {},
        given={pod: given for uid, pod, _ in bound if (given := given_to(session, uid)) is not None},
        cpus={
            f"{task.namespace}/{task.name}": {node: write_cpu_set(each) for node, each in cpus[task.uid].items()}
            for job in (session.jobs.values() if cpus else ())
            for task in job.tasks.values()
            if task.uid in cpus
        },
        verdicts={
            uid: found.code
            for uid in asked
            if (job := session.jobs.get(uid)) is not None and (found := job_verdict(session, job)) is not None
        },
        deserved={
            name: [figures.deserved.get(resource) for resource in resources]
            for name, figures in session.closed_queues.items()
        },
        next_node=process.next_node,
        looked_for_victims=process.looked_for_victims,
        left_queue=process.left_queue,
        inqueue_since=process.inqueue_since,
        unschedulable=dict(_unschedulable(session)) if grows else {},
    )


def _unschedulable(session: FinishedSession) -> Iterator[tuple[str, str]]:
    for job in session.jobs.values():
        for task in job.tasks.values():
            condition = pod_condition(session, job, task)
            if condition is not None and condition.reason == _UNSCHEDULABLE:
                found = verdict(session, job, task)
                yield f"{task.namespace}/{task.name}", "" if found is None else found.code


_UNSCHEDULABLE: Final = "Unschedulable"


def _nominated(session: FinishedSession) -> Iterator[tuple[str, str]]:
    """Yield the pods that the session reserves a node for, by an eviction, and that node."""
    seen: set[str] = set()
    for search in session.trace.victim_searches:
        task = session.jobs[search.task.job].tasks.get(search.task.uid)
        if task is None or task.uid in seen:
            continue
        seen.add(task.uid)
        node = nominated_node(task)
        if node and node != task.nominated_node:
            yield f"{task.namespace}/{task.name}", node
