"""Runs a session and explains its queues: how they came by what they deserve, and what the scheduler exports of them.

The scheduler exports each figure where the plugin that divides the cluster writes it down, and at no other time. So the
queues above others keep what they held when the session opened, and whether a queue is overused is known only of those
that an action has asked about; with capacity, that is the action reclaim alone.
Reference: pkg/scheduler/metrics/queue.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec.structs import asdict

from vqs.engine.framework import ledger
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.ledger import LimitChain, ProportionRounds, QueueLedger
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, StatementResult
from vqs.explain.assemble import awaited_result, diagnostics, queue_results, session_info
from vqs.explain.jobs.waiting import waiting_after
from vqs.explain.outcome import NEARLY_UNLIMITED, Amounts, amount, amounts, given, part_of
from vqs.explain.queues import outcome
from vqs.explain.queues.answer import answer
from vqs.explain.queues.outcome import (
    AwaitedOfJob,
    Excess,
    Place,
    QueueExplanation,
    QueueMetrics,
    QueueReport,
    QueueSpec,
    Reclaim,
)
from vqs.explain.queues.room import pending_roles
from vqs.explain.queues.turn import enqueue_ledger, queue_order
from vqs.explain.simulate import Finished, SimulateOptions, run_session
from vqs.model.cluster import Queue
from vqs.model.job import TaskStatus
from vqs.model.resource import CPU, EPSILON, MEMORY, UNLIMITED, UNLIMITED_SCALAR, Resource, exceeded_part, maximum
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.manifests import Manifests


def derivation(
    steps: ledger.ProportionRounds | ledger.LimitChain, line: Sequence[str], guarantees: Mapping[str, Resource]
) -> outcome.Division | outcome.Chain:
    """Return the steps that concern a queue: all rounds with all queues, or the chain from the root to it."""
    if isinstance(steps, ledger.ProportionRounds):
        rounds = [
            part_of(outcome.Round, each, number=number, steps=[_step(step, each.total_weight) for step in each.steps])
            for number, each in enumerate(steps.rounds, 1)
        ]
        return part_of(outcome.Division, steps, rounds=rounds)
    return _chain(steps, [name for name in reversed(line) if name in steps.links], guarantees)


# --- proportion -------------------------------------------------------------------------------------------------------


def _step(step: ledger.ProportionStep, total_weight: int) -> outcome.RoundStep:
    return part_of(
        outcome.RoundStep,
        step,
        fraction=step.weight / total_weight,
        cut_by_real_capability=_changed(step.offered, step.capped),
        cut_by_request=_changed(step.capped, step.wanted),
        raised_by_guarantee=_changed(step.wanted, step.deserved),
        met=None if step.satisfied is None else step.satisfied.value,
    )


def _changed(before: Resource, after: Resource) -> list[str]:
    """Name the resources whose amounts differ."""
    names = {**dict.fromkeys(before.dimensions()), **dict.fromkeys(after.dimensions())}
    return [name for name in names if before.get(name) != after.get(name)]


# --- capacity ---------------------------------------------------------------------------------------------------------


def _chain(chain: ledger.LimitChain, names: Sequence[str], guarantees: Mapping[str, Resource]) -> outcome.Chain:
    limited_by: dict[str, str] = {}
    links: list[outcome.QueueLimits] = []
    for name in names:
        link = chain.links[name]
        limited_by = _limited_by(link, guarantees[name], limited_by, is_root=chain.tree and not link.parent)
        links.append(
            part_of(
                outcome.QueueLimits,
                link,
                configured_capability=amounts(link.configured),
                inherited_capability=list(link.inherited),
                limited_by=limited_by,
                guarantee=amounts(guarantees[name]),
            )
        )
    return part_of(outcome.Chain, chain, queues=links)


def _limited_by(
    link: ledger.LimitLink, guarantee: Resource, above: Mapping[str, str], *, is_root: bool
) -> dict[str, str]:
    """Tell for each resource whose limit it is; `above` tells so for the queue above.

    The cluster itself, in a flat list of queues, has no name.
    """
    if is_root and not link.available.is_empty():
        return dict.fromkeys(link.real_capability.dimensions(), "")
    causes = {}
    for name in link.real_capability.dimensions():
        if link.real_capability.get(name) >= NEARLY_UNLIMITED:
            continue
        set_here = name in link.capability.dimensions()
        cut = is_root or (set_here and link.capability.get(name) <= link.unreserved.get(name))
        others = link.guaranteed.get(name) > guarantee.get(name)
        if cut and name in link.inherited:
            causes[name] = above.get(name, link.queue)
        elif cut or (link.parent and others):
            causes[name] = link.queue
        else:
            causes[name] = above.get(name, "")
    return causes


_NOTHING = Resource()


def queue_metrics(session: Session) -> list[QueueMetrics]:
    """Return what is exported of each queue, by name; nothing where no plugin divides the cluster, or it cannot."""
    ledger = session.queue_ledger
    if ledger is None or session.standstill:
        return []
    names = sorted(session.queues)
    opened, closed, steps = ledger.at_open, ledger.closed(), ledger.derivation()
    if not isinstance(steps, ProportionRounds):
        return _of_capacity(session, ledger, names)
    divided = {step.queue for each in steps.rounds for step in each.steps}
    metrics = []
    for name in names:
        if name not in opened:
            metrics.append(QueueMetrics(queue=name, allocated=_raw(_NOTHING), request=_raw(_NOTHING)))
            continue
        metrics.append(
            QueueMetrics(
                queue=name,
                allocated=_raw(closed[name].allocated),
                request=_raw(opened[name].request),
                deserved=_raw(opened[name].deserved) if name in divided else None,
                share=closed[name].share if name in divided else None,
                weight=session.queues[name].weight,
                overused=ledger.accounts[name].last_overused,
            )
        )
    return metrics


# --- proportion -------------------------------------------------------------------------------------------------------


# --- capacity ---------------------------------------------------------------------------------------------------------


def _of_capacity(session: Session, ledger: QueueLedger, names: list[str]) -> list[QueueMetrics]:
    opened, closed, steps = ledger.at_open, ledger.closed(), ledger.derivation()
    is_flat = not isinstance(steps, ProportionRounds) and not steps.tree
    above = {each for name in opened for each in list(ledger.line(name))[1:]}
    guaranteed = Resource.total(queue.guarantee for queue in session.queues.values())
    unguaranteed = exceeded_part(session.total_resource, guaranteed)
    metrics = []
    for name in names:
        queue, figures = session.queues[name], opened.get(name)
        if figures is None:
            metrics.append(_without_jobs(queue, unguaranteed))
            continue
        metrics.append(
            QueueMetrics(
                queue=name,
                allocated=_raw((figures if name in above else closed[name]).allocated),
                request=_raw(figures.request),
                deserved=_raw(figures.deserved),
                capacity=_raw(_NOTHING if is_flat and queue.capability is None else figures.capability),
                real_capacity=_raw(figures.real_capability),
                share=closed[name].share,
                overused=ledger.accounts[name].last_overused,
            )
        )
    return metrics


def _without_jobs(queue: Queue, unguaranteed: Resource) -> QueueMetrics:
    """Return what is exported of a queue that the session did not look at: its spec, not the limits in effect.

    A capability without cpu or memory is taken for one of nothing here.
    """
    real_capacity = unguaranteed.clone().add(queue.guarantee)
    if queue.capability is not None:
        real_capacity.limit_to(queue.capability, missing_is_unlimited=True)
    return QueueMetrics(
        queue=queue.name,
        allocated=_raw(_NOTHING),
        request=_raw(_NOTHING),
        deserved=_raw(queue.deserved or _NOTHING),
        capacity=None if queue.capability is None else _raw(queue.capability),
        real_capacity=_raw(real_capacity),
    )


def _raw(resource: Resource) -> Amounts:
    """Return a resource in the scheduler's own units."""
    return {name: _limited(name, resource.get(name)) for name in resource.dimensions()}


def _limited(name: str, value: float) -> float | None:
    return None if value >= (UNLIMITED if name in (CPU, MEMORY) else UNLIMITED_SCALAR) else value


_RECLAIM = "reclaim"


class UnknownQueue(Exception):  # noqa: N818 - it is the queue that is unknown
    """There is no such queue; the text says so, and what there is."""


def explain_queues(manifests: Manifests, options: SimulateOptions, queue: str = "") -> QueueReport:
    """Run one session and explain its queues; one of them in detail where it is named.

    Raises:
        UnknownQueue: there is no queue of that name.
        InputErrors: as for `simulate`.
    """
    order: list[Place] = []
    options = replace(options, gates=True, opened=lambda session: order.extend(queue_order(session)))
    with paused_collector():
        finished = run_session(manifests, options)
        session, ledger = finished.session, finished.session.queue_ledger
        if queue and queue not in session.queues:
            known = f"there are {', '.join(session.queues)}"
            raise UnknownQueue(f"there is no queue {queue!r}: {did_you_mean(queue, session.queues) or known}")
        line, below = {queue} if queue else set[str](), set[str]()
        if queue and ledger is not None and queue in ledger.at_open:
            line, below = {*ledger.line(queue)}, {each for each in ledger.closed() if queue in ledger.line(each)}
        report = _report(finished, options, line | below)
        if ledger is not None and below:
            report.explained = _explained(session, ledger, queue, order, below)
            report.explained.jobs = waiting_after(manifests, finished, replace(options, opened=None), below).jobs
        elif queue:
            report.spec = _spec(session.queues[queue])
        report.answer = answer(report)
        return report


def _report(finished: Finished, options: SimulateOptions, queues: Collection[str]) -> QueueReport:
    """Report on all queues; what is noted of other queues than some is marked, where there are some."""
    session, ledger = finished.session, finished.session.queue_ledger
    jobs = [uid for uid, job in session.jobs.items() if job.queue in queues]
    steps = None if ledger is None else ledger.derivation()
    return QueueReport(
        volcano=session.profile.name,
        scenario=options.scenario,
        session=session_info(session),
        plugin="" if ledger is None else ledger.plugin,
        tree=isinstance(steps, LimitChain) and steps.tree,
        queues=[]
        if ledger is None  # those below a queue come right after it
        else sorted(queue_results(session), key=lambda each: tuple(reversed(ledger.line(each.name)))),
        awaited=[*_awaited(session, session.queues)],
        metrics=queue_metrics(session),
        diagnostics=diagnostics(session, finished.manifests, jobs, queues),
    )


# --- one queue --------------------------------------------------------------------------------------------------------


def _explained(
    session: FinishedSession, ledger: QueueLedger, name: str, order: list[Place], below: set[str]
) -> QueueExplanation:
    """Explain a queue; `below` names it and the queues below it."""
    line = list(ledger.line(name))
    opened, closed = ledger.at_open, ledger.closed()
    guarantees = {each: figures.guarantee for each, figures in opened.items()}
    excesses = []
    for each in line:
        limit = closed[each].real_capability
        if isinstance(ledger.derivation(), ProportionRounds):  # there it is never below what they deserve
            limit = maximum(limit, closed[each].deserved)
        beyond = _beyond(closed[each].allocated, limit)
        if beyond:
            at_open = _beyond(opened[each].allocated, limit)
            reclaimed = amounts(_reclaimed(session, ledger, each))
            excesses.append(Excess(queue=each, excess=beyond, at_open=at_open, reclaimed=reclaimed))
    return QueueExplanation(
        name=name,
        queue_path=line,
        excesses=excesses,
        derivation=derivation(ledger.derivation(), line, guarantees),
        admission=enqueue_ledger(session, ledger, name, below),
        pending=pending_roles(session, ledger, below),
        awaited=[*_awaited(session, below)],
        queue_order=order,
        reclaim=_reclaim(session, ledger, name, below),
    )


def _awaited(session: FinishedSession, queues: Container[str]) -> Iterator[AwaitedOfJob]:
    """Yield the pods of the jobs of some queues that do not exist yet."""
    for job in session.jobs.values():
        pods = awaited_result(session, job) if job.queue in queues else None
        if pods is not None:
            yield AwaitedOfJob(job=job.uid, display_name=job.display_name, queue=job.queue, **asdict(pods))


def _spec(queue: Queue) -> QueueSpec:
    return part_of(
        QueueSpec,
        queue,
        capability=given(queue.capability),
        deserved=given(queue.deserved),
        guarantee=given(queue.guarantee),
    )


def _beyond(held: Resource, limit: Resource) -> Amounts:
    beyond = {name: held.get(name) - limit.get(name) for name in limit.dimensions()}
    return {name: amount(name, value) for name, value in beyond.items() if value >= EPSILON}


def _reclaimed(session: FinishedSession, ledger: QueueLedger, name: str) -> Resource:
    """Return what the action reclaim promised to the jobs of a queue and of those below it."""
    total = Resource()
    for statement in session.trace.statements:
        kept = statement.action == _RECLAIM and statement.result is not StatementResult.DISCARD
        if kept and name in ledger.line(session.jobs[statement.job].queue):
            for step in statement.operations:
                if step.op is Op.PIPELINE:
                    total.add(step.task.request)
    return total


def _reclaim(session: FinishedSession, ledger: QueueLedger, name: str, below: set[str]) -> Reclaim:
    figures = ledger.closed()[name]
    running = [
        task for job in session.jobs.values() if job.queue in below for task in job.having(TaskStatus.Running).values()
    ]
    kept = maximum(figures.deserved, figures.guarantee)
    moved = Counter(
        (session.jobs[statement.job].queue, session.jobs[step.task.job].queue)
        for statement in session.trace.statements
        if statement.result is not StatementResult.DISCARD
        for step in statement.operations
        if step.op is Op.EVICT
    )
    return Reclaim(
        configured=_RECLAIM in session.conf.actions,
        reclaimable=session.queues[name].reclaimable,
        surplus=amounts(exceeded_part(figures.allocated, kept)),
        deficit=amounts(exceeded_part(figures.deserved, figures.allocated)),
        running=len(running),
        preemptable=sum(task.preemptable for task in running),
        evicted_for_queue=sum(
            evicted for (winner, loser), evicted in moved.items() if winner in below and loser not in below
        ),
        evicted_from_queue=sum(
            evicted for (winner, loser), evicted in moved.items() if winner not in below and loser in below
        ),
    )
