"""Run a session and explain its queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from msgspec.structs import asdict

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.ledger import LimitChain, ProportionRounds, QueueLedger
from vqs.engine.framework.trace import Op, StatementResult
from vqs.explain.assemble import awaited_result, diagnostics, queue_results, session_info
from vqs.explain.outcome import Amounts, QueueResult
from vqs.explain.queues.answer import answer
from vqs.explain.queues.derivation import derivation
from vqs.explain.queues.gates import enqueue_ledger
from vqs.explain.queues.metrics import queue_metrics
from vqs.explain.queues.order import queue_order
from vqs.explain.queues.outcome import AwaitedOfJob, Excess, Place, QueueExplanation, QueueReport, QueueSpec, Reclaim
from vqs.explain.queues.room import pending_roles
from vqs.explain.simulate import Finished, SimulateOptions, run_session
from vqs.explain.units import amount, amounts, given
from vqs.model.queue import Queue
from vqs.model.resource import EPSILON, Resource, exceeded_part, maximum
from vqs.model.task import TaskStatus
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.manifests import Manifests

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
            raise UnknownQueue(_unknown(session, queue))
        report = _report(finished, options)
        if queue and ledger is not None and queue in ledger.opened():
            report.explained = _explained(session, ledger, queue, order)
        elif queue:
            report.spec = _spec(session.queues[queue])
        report.answer = answer(report)
        return report


def _unknown(session: FinishedSession, name: str) -> str:
    known = f"there are {', '.join(session.queues)}"
    return f"there is no queue {name!r}: {did_you_mean(name, session.queues) or known}"


def _report(finished: Finished, options: SimulateOptions) -> QueueReport:
    session, ledger = finished.session, finished.session.queue_ledger
    steps = None if ledger is None else ledger.derivation()
    return QueueReport(
        volcano=str(session.profile.release),
        scenario=options.scenario,
        session=session_info(session),
        plugin="" if ledger is None else ledger.plugin,
        tree=isinstance(steps, LimitChain) and steps.tree,
        queues=[] if ledger is None else _in_tree_order(session, ledger),
        awaited=[*_awaited(session, session.queues)],
        metrics=queue_metrics(session),
        diagnostics=diagnostics(session, finished.manifests),
    )


def _in_tree_order(session: FinishedSession, ledger: QueueLedger) -> list[QueueResult]:
    """Return the queues with those below a queue right after it."""
    results = {each.name: each for each in queue_results(session)}
    return [results[name] for name in sorted(results, key=lambda name: tuple(reversed(ledger.line(name))))]


# --- one queue --------------------------------------------------------------------------------------------------------


def _explained(session: FinishedSession, ledger: QueueLedger, name: str, order: list[Place]) -> QueueExplanation:
    line = list(ledger.line(name))
    below = {each for each in ledger.closed() if name in ledger.line(each)}
    guarantees = {each: figures.guarantee for each, figures in ledger.opened().items()}
    return QueueExplanation(
        name=name,
        line=line,
        excesses=[*_excesses(session, ledger, line)],
        derivation=derivation(ledger.derivation(), line, guarantees),
        gate=enqueue_ledger(session, ledger, name, below),
        pending=pending_roles(session, ledger, below),
        awaited=[*_awaited(session, below)],
        order=order,
        reclaim=_reclaim(session, ledger, name, below),
    )


def _awaited(session: FinishedSession, queues: Container[str]) -> Iterator[AwaitedOfJob]:
    """Yield the pods of the jobs of some queues that do not exist yet."""
    for job in session.jobs.values():
        pods = awaited_result(session, job) if job.queue in queues else None
        if pods is not None:
            yield AwaitedOfJob(job=job.uid, display_name=job.display_name, queue=job.queue, **asdict(pods))


def _spec(queue: Queue) -> QueueSpec:
    return QueueSpec(
        name=queue.name,
        parent=queue.parent,
        weight=queue.weight,
        priority=queue.priority,
        state=queue.state,
        reclaimable=queue.reclaimable,
        capability=given(queue.capability),
        deserved=given(queue.deserved),
        guarantee=given(queue.guarantee),
    )


def _excesses(session: FinishedSession, ledger: QueueLedger, line: Sequence[str]) -> Iterator[Excess]:
    """Yield what queues hold beyond what they may have; with proportion, that is never below what they deserve."""
    opened, closed = ledger.opened(), ledger.closed()
    for name in line:
        figures = closed[name]
        limit = figures.real_capability
        if isinstance(ledger.derivation(), ProportionRounds):
            limit = maximum(limit, figures.deserved)
        beyond = _beyond(figures.allocated, limit)
        if beyond:
            yield Excess(
                queue=name,
                beyond=beyond,
                at_open=_beyond(opened[name].allocated, limit),
                reclaimed=amounts(_reclaimed(session, ledger, name)),
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
    moved = _evictions(session)
    return Reclaim(
        configured=_RECLAIM in session.conf.actions,
        reclaimable=session.queues[name].reclaimable,
        surplus=amounts(exceeded_part(figures.allocated, kept)),
        deficit=amounts(exceeded_part(figures.deserved, figures.allocated)),
        running=len(running),
        preemptable=sum(task.preemptable for task in running),
        taken=sum(evicted for (winner, loser), evicted in moved.items() if winner in below and loser not in below),
        lost=sum(evicted for (winner, loser), evicted in moved.items() if winner not in below and loser in below),
    )


def _evictions(session: FinishedSession) -> Counter[tuple[str, str]]:
    """Count the evictions that took effect, by the queue that they favour and the one that they cost a task."""
    return Counter(
        (session.jobs[statement.job].queue, session.jobs[step.task.job].queue)
        for statement in session.trace.statements
        if statement.result is not StatementResult.DISCARD
        for step in statement.operations
        if step.op is Op.EVICT
    )
