"""Puts the outcome of a finished session together: tasks, jobs, queues, nodes, and how full the cluster is.

Of a queue, the share that it holds is said beside its figures, and what is set on it or unusual about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np
from msgspec import structs

from vqs.engine.actions import preempt, reclaim
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.ledger import LimitChain, ProportionRounds
from vqs.engine.framework.session import Session
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import Op, Operation, StatementRecord, StatementResult
from vqs.engine.nodes.table import Floats, Integers
from vqs.explain import outcome
from vqs.explain.blockers import blockers
from vqs.explain.outcome import (
    GATED,
    Amounts,
    NodeResult,
    TaskResult,
    Utilisation,
    Verdict,
    amount,
    amounts,
    given,
    part_of,
    pod_condition,
)
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import SETTLED, created_next, job_verdict, verdict
from vqs.explain.words import queue_facts
from vqs.model.cluster import Orphan, parent_name
from vqs.model.job import COMPLETED, WAITING_STATUSES, Job, JobName, Task, TaskStatus
from vqs.model.keys import NODE_GROUP, pod_group_of
from vqs.model.moments import timestamp
from vqs.model.resource import EPSILON, PODS, Resource
from vqs.snapshot.controllers.complete import taint_evictions, written
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests


def utilisation(session: Session, idle_before: Floats) -> list[Utilisation]:
    """Return, for every resource that nodes have, how full it is and how much of the rest is stranded.

    Idle resources are stranded on nodes that cannot take the typical task: one that asks for the median of what the
    tasks that ask for this resource ask for, of each resource.
    """
    nodes = session.nodes
    shapes = [job.noted("shapes", partial(_shapes, job)) for job in session.jobs.values()]
    requests: Floats = session.nodes.vectors[np.concatenate([np.zeros(0, np.intp), *shapes])]
    made = []
    for row, name in enumerate(nodes.resources):
        total = float(nodes.allocatable[row].sum())
        asking = requests[requests[:, row] > 0]
        shown = amount(name, total)
        if name == PODS or total <= 0 or shown is None or not len(asking):
            continue  # of what there is no limit to, no part is used
        typical = _median(asking)[:, None]
        made.append(
            Utilisation(
                resource=name,
                total=shown,
                used_before=_used(total, idle_before[row]),
                used_after=_used(total, nodes.idle[row]),
                stranded_before=_stranded(idle_before, row, typical),
                stranded_after=_stranded(nodes.idle, row, typical),
            )
        )
    return made


def _shapes(job: Job) -> Integers:
    return np.array([task.shape for task in job.tasks.values()], dtype=np.intp)


def _median(rows: Floats) -> Floats:
    """Return the median of each column; for that, `np.median` would import what masks arrays."""
    middle = [(len(rows) - 1) // 2, len(rows) // 2]
    median: Floats = np.partition(rows, middle, axis=0)[middle].sum(axis=0) / 2
    return median


def _used(total: float, idle: Floats) -> float:
    return (total - float(idle.sum())) / total


def _stranded(idle: Floats, row: int, typical: Floats) -> float:
    """Return the idle part that is on nodes without room for the typical task, 0 where nothing is idle."""
    available = np.maximum(idle, 0.0)
    total = float(available[row].sum())
    if total <= 0:
        return 0.0
    short = (typical - available >= EPSILON).any(axis=0)
    return float(available[row][short].sum()) / total


def node_results(session: Session) -> list[NodeResult]:
    """Return the nodes of a session that is over, by name."""
    nodes = session.nodes
    used_before = nodes.allocatable - session.idle_at_open
    used = nodes.allocatable - nodes.idle
    groups = _groups(session)
    return [
        NodeResult(
            name=name,
            groups=groups[column],
            unschedulable=nodes.nodes[column].object.spec.unschedulable,
            allocatable=_amounts(session, nodes.allocatable, column),
            used_before=_amounts(session, used_before, column),
            used=_amounts(session, used, column),
            pods_before=int(session.pods_at_open[column]),
            pods=int(nodes.pods[column]),
            max_pods=int(nodes.max_tasks[column]),
        )
        for column, name in enumerate(nodes.names)
    ]


_GROUPING: Final = {
    "karpenter.sh/nodepool": "pool",
    "cloud.google.com/gke-nodepool": "pool",
    "eks.amazonaws.com/nodegroup": "pool",
    "kubernetes.azure.com/agentpool": "pool",
    NODE_GROUP: "node group",
    "topology.kubernetes.io/zone": "zone",
    "topology.kubernetes.io/rack": "rack",
    "rack": "rack",
}
"""What the labels that put nodes together are called; racks have no label of their own in Kubernetes."""


def _groups(session: Session) -> list[dict[str, str]]:
    """Where each node belongs: to a pool, a zone, a rack, and a HyperNode of each tier."""
    labels = (node.object.metadata.labels for node in session.nodes.nodes)
    groups = [{word: each[key] for key, word in _GROUPING.items() if each.get(key)} for each in labels]
    for name, hyper_node in session.topology.by_name.items():
        if name != TOP and hyper_node.defined:
            for column in session.topology.members[name]:
                groups[column][f"HyperNode of tier {hyper_node.tier}"] = name
    return groups


def note_requests(session: Session, results: Iterable[TaskResult]) -> None:
    """Add to tasks what they ask for; tasks that ask for the same share it."""
    tasks = {(task.namespace, task.name): task for task in session.tasks()}
    shared: dict[int, Amounts] = {}
    for result in results:
        task = tasks.get((result.namespace, result.name))
        if task is not None:
            if task.shape < 0 or task.shape not in shared:
                shared[task.shape] = given(task.request)
            result.request = shared[task.shape]


def _amounts(session: Session, table: Floats, column: int) -> Amounts:
    """Return one node's amounts of the resources that it has, or that are used on it all the same."""
    nodes = session.nodes
    rows = np.flatnonzero((nodes.allocatable[:, column] != 0) | (nodes.idle[:, column] != 0))
    resources = ((row, nodes.resources[row]) for row in rows.tolist())
    return {name: amount(name, float(table[row, column])) for row, name in resources if name != PODS}


TAKEN = "taken"
_NAMES: Final = {status: status.name for status in TaskStatus}
_STEPS: Final = {op: op.value for op in Op}
"""The name of each status and step; an enumeration takes long to say it."""


def assemble(session: FinishedSession, manifests: Manifests, scenario: str) -> outcome.Simulation:
    """Return the outcome of a closed session."""
    orphans = [_orphan(each) for each in session.cluster.orphans]
    tasks_of = {job.uid: list(_tasks(session, job)) for job in session.jobs.values()}
    tasks = list(chain.from_iterable(tasks_of.values()))
    decided = decisions(session)
    return outcome.Simulation(
        volcano=session.profile.name,
        scenario=scenario,
        session=session_info(session, len(tasks)),
        queues=queue_results(session),
        jobs=[_job(session, job, decided[job.uid], tasks_of[job.uid]) for job in session.jobs.values()],
        tasks=sorted([*tasks, *orphans], key=attrgetter("namespace", "name")),
        trace=[
            outcome.StatementResult(
                id=number,
                action=record.action,
                job=record.job,
                display_name=session.cluster.display_name(record.job),
                result=record.result.value,
                operations=[_operation(operation) for operation in record.operations],
            )
            for number, record in enumerate(session.trace.statements, 1)
        ],
        utilisation=utilisation(session, session.idle_at_open),
        inspections=_inspections(session),
        diagnostics=diagnostics(session, manifests),
        taint_evictions=[
            outcome.TaintEvictionResult(
                task=pod.metadata.key,
                job=pod_group_of(pod.metadata),
                display_name=session.cluster.display_name(pod_group_of(pod.metadata)),
                node=pod.spec.node_name,
                taint=written(taint),
                after_seconds=seconds,
            )
            for pod, taint, seconds in taint_evictions(manifests)
        ],
    )


def session_info(session: Session, tasks: int | None = None) -> outcome.SessionInfo:
    """Return what was run, and on how much; tasks are counted unless their number is given."""
    if tasks is None:
        tasks = sum(len(job.tasks) for job in session.jobs.values())
    return outcome.SessionInfo(
        actions=list(session.conf.actions),
        tiers=[[option.name for option in tier.plugins] for tier in session.conf.tiers],
        now=timestamp(session.options.now.astimezone(UTC)),
        seed=session.options.seed,
        nodes=len(session.nodes),
        queues=len(session.queues),
        jobs=len(session.jobs),
        tasks=tasks,
        total_resource=amounts(session.total_resource),
        configuration=session.conf.source,
        behaviours=dict(session.profile.switched),
        standstill=session.standstill,
        node_order_drawn=session.tie_breaker is not None and session.tie_breaker.has_drawn_nodes,
    )


# --- queues -----------------------------------------------------------------------------------------------------------


def queue_results(session: FinishedSession) -> list[outcome.QueueResult]:
    """Return the queues that the queue plugin looked at, by name."""
    if session.queue_ledger is None:
        return []
    ledger, reserved, steps = session.queue_ledger, session.reserved_in_queues, session.queue_ledger.derivation()
    is_tree = isinstance(steps, LimitChain) and steps.tree
    parents = {parent_name(name, session.queues[name].parent) for name in ledger.accounts} if is_tree else set()
    found = []
    for name, figures in ledger.at_open.items():
        opened = part_of(outcome.QueueOpened, figures)
        held = amounts(reserved[name]) if name in reserved else {}
        closed = part_of(outcome.QueueClosed, session.closed_queues[name], reserved=held)
        queue = part_of(outcome.QueueResult, session.queues[name], opened=opened, closed=closed, facts=[])
        queue.facts = queue_facts(
            queue,
            is_divided=isinstance(steps, ProportionRounds),
            is_tree=is_tree and not session.standstill,
            is_parent=name in parents,
            has_share=not session.standstill,
        )
        found.append(queue)
    return found


# --- jobs and tasks ---------------------------------------------------------------------------------------------------


def decisions(session: Session) -> dict[str, outcome.Decision]:
    """Return what became of each job of a closed session."""
    records: dict[str, list[StatementRecord]] = {}
    for record in session.trace.statements:
        records.setdefault(record.job, []).append(record)
    return {job.uid: _decision(session, job, records.get(job.uid, [])) for job in session.jobs.values()}


def decision_on(session: Session, job: Job) -> outcome.Decision:
    """Return what became of one job of a closed session."""
    return _decision(session, job, [record for record in session.trace.statements if record.job == job.uid])


def job_outcome(
    session: FinishedSession, job: Job, decision: outcome.Decision
) -> tuple[outcome.JobResult, list[outcome.TaskResult]]:
    """Return what became of one job of a closed session, and of its tasks by name, without looking at the others.

    The job may be one that the scheduler ignores.
    """
    tasks = [*_tasks(session, job)]
    orphans = [_orphan(each) for each in session.cluster.orphans if each.task.job == job.uid]
    return _job(session, job, decision, tasks), sorted([*tasks, *orphans], key=attrgetter("name"))


def _job(
    session: FinishedSession, job: Job, decision: outcome.Decision, tasks: Sequence[TaskResult]
) -> outcome.JobResult:
    verdict = job_verdict(session, job)
    verdicts = [task.verdict for task in tasks if task.verdict is not None]
    return outcome.JobResult(
        namespace=job.namespace,
        name=job.name,
        display_name=job.display_name,
        owner=owner_of(job.called),
        queue=job.queue,
        min_available=job.min_available,
        priority=job.priority,
        phase_before=job.phase_before,
        phase=job.phase,
        decision=decision,
        unschedulable=session.unschedulable.get(job.uid),
        ready=job.ready,
        tasks=job.total,
        awaited=awaited_result(session, job),
        verdict=verdict,
        blockers=blockers(session, job, verdicts or ([verdict] if verdict else [])),
        never_evicting=_never_evicting(session, job),
    )


def _never_evicting(session: FinishedSession, job: Job) -> list[str]:
    """Return the configured actions that evict no task for a job, as those of it that wait are not to preempt."""
    pending = job.having(TaskStatus.Pending).values()
    if not any(task.pod.spec.preemption_policy == "Never" for task in pending):
        return []
    return [name for name in (preempt.NAME, reclaim.NAME) if name in session.conf.actions]


def owner_of(name: JobName) -> outcome.Owner | None:
    """Return the controller that a job is called after; None where it has none."""
    owner = name.owner
    return None if owner is None else outcome.Owner(api_version=owner.api_version, kind=owner.kind, name=owner.name)


def ignored_jobs(session: FinishedSession) -> list[outcome.JobResult]:
    """Return the jobs that the scheduler ignores, as their queue does not exist."""
    tasks = Counter(task.job for task in session.cluster.other_tasks)
    return [
        structs.replace(_job(session, job, "not-considered", []), tasks=tasks[job.uid])
        for job in session.cluster.ignored_jobs
        if job.phase != COMPLETED
    ]


def awaited_result(session: Session, job: Job) -> outcome.AwaitedResult | None:
    """Return the pods of a job that do not exist yet; None where it has none."""
    pods = session.cluster.awaited.get(job.uid)
    if pods is None:
        return None
    request = Resource.total(role.request.multiply(len(role.names)) for role in pods.roles)
    return outcome.AwaitedResult(
        pods=pods.number,
        request={name: value for name, value in amounts(request).items() if value and name != PODS},
        waits_for=pods.waits_for,
        created_next=created_next(job, pods),
    )


def _decision(session: Session, job: Job, records: Sequence[StatementRecord]) -> outcome.Decision:
    """Return what became of a job, given what was tried to be placed of it."""
    if job.uid in session.not_enqueued:
        return "not-enqueued"
    results = [result for result in map(_result, records) if result is not None]
    if not results:
        return "discarded" if job.uid in session.trace.tried else "not-considered"
    if StatementResult.COMMIT in results:
        waiting = len(job.having(TaskStatus.Pending)) + job.waiting
        return "partially-committed" if waiting else "committed"
    return "pipelined" if StatementResult.KEEP in results else "discarded"


def _result(record: StatementRecord) -> StatementResult | None:
    """Return what came of trying to place tasks of a job, None where that was not tried."""
    steps = [operation.op for operation in record.operations if operation.op is not Op.EVICT]
    if not steps:
        return None  # its own tasks were moved off a node; nothing was tried to be placed
    promised = record.result is StatementResult.COMMIT and Op.ALLOCATE not in steps
    return StatementResult.KEEP if promised else record.result


def _tasks(session: FinishedSession, job: Job) -> Iterator[outcome.TaskResult]:
    name, queue, ties = job.name, job.queue, session.trace.ties
    for task in job.tasks.values():
        if task.status not in SETTLED:
            yield _unsettled(session, job, task)
            continue
        yield outcome.TaskResult(
            namespace=task.namespace,
            name=task.name,
            job=name,
            role=task.role,
            queue=queue,
            status_before=_NAMES[task.status_before],
            status=_NAMES[task.status],
            node=task.node,
            tied_nodes=ties.get(task.uid) if task.node else None,
        )


def _unsettled(session: FinishedSession, job: Job, task: Task) -> outcome.TaskResult:
    errors = job.fit_errors.get(task.uid) if task.status is TaskStatus.Pending else None
    condition = pod_condition(session, job, task)
    return outcome.TaskResult(
        namespace=task.namespace,
        name=task.name,
        job=job.name,
        role=task.role,
        queue=job.queue,
        status_before=_NAMES[task.status_before],
        status=_NAMES[task.status],
        node=task.node,
        message=job.scheduling_reason(task)[1] if task.status in WAITING_STATUSES else "",
        pod_scheduled=condition.message if condition else None,
        pod_scheduled_reason=condition.reason if condition else None,
        verdict=verdict(session, job, task),
        waits_for=[f"{each.namespace}/{each.name}" for each in session.leaving_before(task)]
        if task.status is TaskStatus.Pipelined
        else [],
        fit_errors=outcome.FitErrorResult(nodes=errors.nodes, reasons=errors.reasons)
        if errors and errors.nodes
        else None,
        tied_nodes=session.trace.ties.get(task.uid) if task.node else None,
    )


def _orphan(orphan: Orphan) -> outcome.TaskResult:
    task = orphan.task
    condition = GATED if task.scheduling_gated and task.status is TaskStatus.Pending else None
    made = Verdict(code=orphan.code.value, queue=orphan.queue, text=orphan.text)
    if orphan.task.job:
        rule = VERDICT_RULES[orphan.code]
        texts = {"task": orphan.task.name, "queue": orphan.queue, "job": orphan.task.job}
        made.log, made.verbosity = rule.log.format_map(texts), rule.verbosity
    return outcome.TaskResult(
        namespace=task.namespace,
        name=task.name,
        job=task.job.partition("/")[2],
        role=task.role,
        queue=orphan.queue,
        status_before=task.status.name,
        status=task.status.name,
        pod_scheduled=condition.message if condition else None,
        pod_scheduled_reason=condition.reason if condition else None,
        verdict=made,
    )


# --- tasks that are watched -------------------------------------------------------------------------------------------


def _inspections(session: Session) -> list[outcome.Inspection]:
    if not session.options.watch:
        return []
    tasks = {f"{task.namespace}/{task.name}": task for task in session.tasks()}
    watched = [tasks[name] for name in sorted(session.options.watch) if name in tasks]
    return [
        outcome.Inspection(
            namespace=task.namespace,
            name=task.name,
            nodes=[
                outcome.NodeInspection(
                    node=view.node,
                    reasons=list(view.reasons),
                    idle=view.idle,
                    scores=view.scores,
                    total=sum(view.scores.values()) if view.scores else None,
                    chosen=view.chosen,
                )
                for view in session.trace.views.get(task.uid, [])
            ],
        )
        for task in watched
    ]


# --- the rest ---------------------------------------------------------------------------------------------------------


def _operation(operation: Operation) -> outcome.OperationResult:
    made = outcome.OperationResult(
        op=_STEPS[operation.op],
        task=f"{operation.task.namespace}/{operation.task.name}",
        node=operation.node,
        reason=operation.reason,
    )
    if operation.op is Op.EVICT and operation.search is not None:
        decision = operation.search.decisions[operation.node]
        made.evictor = f"{operation.search.task.namespace}/{operation.search.task.name}"
        made.tier = None if decision.tier is None else decision.tier + 1
        made.votes = {
            vote.plugin: refusal.code if refusal else TAKEN for vote, refusal in decision.votes_on(operation.task)
        }
    return made


def diagnostics(
    session: Session, manifests: Manifests, jobs: Collection[str] = (), queues: Collection[str] = ()
) -> list[outcome.DiagnosticResult]:
    """Return what the user should know about the input, the configuration and the session.

    Args:
        session: the session.
        manifests: what it was opened on.
        jobs: those that the report is on, by the namespace/name of their PodGroups; empty where it is on all.
        queues: those of these jobs, or that the report is on.
    """
    of_configuration = manifests.configuration.of_sessions if manifests.configuration is not None else ()
    nothing = frozenset[str]()
    found = [(diagnostic_result(each), frozenset(each.jobs), nothing) for each in (*manifests.notes, *of_configuration)]
    found += [
        (
            outcome.DiagnosticResult(code=each.code, severity=each.severity, message=each.message, help=each.help),
            each.jobs,
            each.queues,
        )
        for each in session.notices
    ]
    if jobs or queues:
        for result, its_jobs, its_queues in found:
            is_on_some = bool(its_jobs or its_queues)
            result.elsewhere = is_on_some and its_jobs.isdisjoint(jobs) and its_queues.isdisjoint(queues)
    return [result for result, _, _ in found]


def diagnostic_result(diagnostic: Diagnostic) -> outcome.DiagnosticResult:
    """Return what is said of the input as a part of a result."""
    return outcome.DiagnosticResult(
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        file=diagnostic.file,
        line=diagnostic.line or None,
        column=diagnostic.column or None,
        path=diagnostic.path,
        help=diagnostic.help,
    )
