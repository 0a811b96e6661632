"""Admission to a queue, job by job, and the scheduling order: which queue is served first when a session opens."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vqs.engine.framework import points
from vqs.engine.framework.ledger import Gate, QueueLedger
from vqs.engine.framework.session import Session
from vqs.engine.plugins.drf import HierarchyKey
from vqs.explain.outcome import amounts, part_of, timestamp
from vqs.explain.queues import outcome
from vqs.explain.queues.outcome import Place
from vqs.model.job import Job
from vqs.model.resource import Resource

_NOTHING = Resource()


def enqueue_ledger(session: Session, ledger: QueueLedger, queue: str, below: set[str]) -> outcome.EnqueueLedger:
    """Return the admission to a queue as it is when the session is over; `below` names it and the queues below it."""
    figures = ledger.closed()[queue]
    room = figures.real_capability.clone().sub(figures.allocated).sub(figures.inqueue).add(figures.elastic)
    room.scalars = {name: amount for name, amount in room.scalars.items() if name in figures.real_capability.scalars}
    return part_of(
        outcome.EnqueueLedger,
        figures,
        room=amounts(room),
        holders=_holders(session, ledger, below),
        jobs=[
            job_gate(session, session.jobs[uid], accounts)
            for uid, accounts in (session.trace.gates or {}).items()
            if session.jobs[uid].queue in below
        ],
    )


def _holders(session: Session, ledger: QueueLedger, below: set[str]) -> list[outcome.Holder]:
    """Return the jobs that have something reserved or to spare, in the order of their names."""
    holders = []
    for job in session.jobs.values():
        if job.queue not in below:
            continue
        inqueue = ledger.accounts[job.queue].inqueue_by_job.get(job.uid, _NOTHING)
        elastic = ledger.accounts[job.queue].elastic_by_job.get(job.uid, _NOTHING)
        if inqueue.names() or elastic.names():
            holders.append(
                part_of(outcome.Holder, job, job=job.uid, inqueue=amounts(inqueue), elastic=amounts(elastic))
            )
    return holders


def job_gate(session: Session, job: Job, accounts: list[Gate]) -> outcome.JobGate:
    """Return the accounts that were drawn up when a job asked to enter, and what came of it."""
    refused = session.trace.jobs.get(job.uid)
    entered = job.uid not in session.not_enqueued
    return outcome.JobGate(
        job=job.uid,
        display_name=job.display_name,
        queue=job.queue,
        admitted=entered,
        code="" if entered or refused is None else refused[1].code,
        checks=[_account(gate) for gate in accounts],
    )


def _account(gate: Gate) -> outcome.GateAccount:
    total = gate.minimum.clone().add(gate.allocated).add(gate.inqueue).sub(gate.elastic)
    return part_of(
        outcome.GateAccount,
        gate,
        min_resources=amounts(gate.minimum),
        total=amounts(total),
        exceeding=list(gate.exceeding),
    )


def queue_order(session: Session) -> list[Place]:
    """Return the queues that have jobs, the first to be served first. The session has just been opened."""
    ledger = session.queue_ledger
    names = sorted(
        {job.queue for job in session.jobs.values()}, key=lambda name: session.plugins.queue_key(session.queues[name])
    )
    places = [Place(queue=name, position=number) for number, name in enumerate(names, 1)]
    for first, second in pairwise(places):
        decided = _decided(session, ledger, first.queue, second.queue)
        second.criterion, second.compared_queues, second.values = (
            decided.by,
            list(decided.compared),
            list(decided.values),
        )
    return places


@dataclass(frozen=True, slots=True)
class _Decision:
    by: Literal["priority", "share", "deserved", "saturated", "weighted-share", "created", "name"]
    compared: tuple[str, str]
    values: tuple[str, str]


def _decided(session: Session, ledger: QueueLedger | None, first: str, second: str) -> _Decision:
    """Tell what puts one queue before another."""
    left, right = session.queues[first], session.queues[second]
    for plugin, order in (each for tier in session.plugins.by_plugin(points.QUEUE_ORDER) for each in tier):
        mine, theirs = order(left), order(right)
        if mine == theirs:
            continue
        if isinstance(mine, HierarchyKey):
            compared = mine.compare(theirs)
            if compared.saturated[0] != compared.saturated[1]:
                return _Decision("saturated", compared.branches, ("", ""))
            one, other = compared.shares
            return _Decision("weighted-share", compared.branches, (f"{one:.4g}", f"{other:.4g}"))
        if ledger is not None and plugin == ledger.plugin:
            return _by_ledger(session, ledger, first, second)
    if left.created != right.created:
        return _Decision("created", (first, second), (timestamp(left.created), timestamp(right.created)))
    return _Decision("name", (first, second), (first, second))


def _by_ledger(session: Session, ledger: QueueLedger, first: str, second: str) -> _Decision:
    """Tell what the plugin that divides the cluster compared."""
    left, right = session.queues[first], session.queues[second]
    if left.priority != right.priority:
        return _Decision("priority", (first, second), (str(left.priority), str(right.priority)))
    ways = zip(reversed(ledger.line(first)), reversed(ledger.line(second)), strict=False)
    compared = next(((mine, theirs) for mine, theirs in ways if mine != theirs), (first, second))
    figures = ledger.at_open
    mine, theirs = (figures[name] for name in compared)
    if mine.share != theirs.share:
        return _Decision("share", compared, (f"{mine.share:.4g}", f"{theirs.share:.4g}"))
    return _Decision("deserved", compared, ("something", "nothing"))
