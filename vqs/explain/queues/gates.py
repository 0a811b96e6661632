"""Admission to a queue: what it has promised and to which jobs, and the account of every job that asked to enter."""

from __future__ import annotations

from vqs.engine.framework.ledger import Gate, QueueLedger
from vqs.engine.framework.session import Session
from vqs.explain.queues import outcome
from vqs.explain.units import amounts
from vqs.model.job import Job
from vqs.model.resource import Resource

_NOTHING = Resource()


def enqueue_ledger(session: Session, ledger: QueueLedger, queue: str, below: set[str]) -> outcome.EnqueueLedger:
    """Return the admission to a queue as it is when the session is over; `below` names it and the queues below it."""
    figures = ledger.closed()[queue]
    room = figures.real_capability.clone().sub(figures.allocated).sub(figures.inqueue).add(figures.elastic)
    room.scalars = {name: amount for name, amount in room.scalars.items() if name in figures.real_capability.scalars}
    return outcome.EnqueueLedger(
        allocated=amounts(figures.allocated),
        inqueue=amounts(figures.inqueue),
        elastic=amounts(figures.elastic),
        real_capability=amounts(figures.real_capability),
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
        inqueue = ledger.inqueue_by_job(job.queue).get(job.uid, _NOTHING)
        elastic = ledger.elastic_by_job(job.queue).get(job.uid, _NOTHING)
        if inqueue.names() or elastic.names():
            holders.append(
                outcome.Holder(
                    job=job.uid,
                    display_name=job.display_name,
                    queue=job.queue,
                    phase=job.phase,
                    inqueue=amounts(inqueue),
                    elastic=amounts(elastic),
                )
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
        entered=entered,
        code="" if entered or refused is None else refused[1].code,
        accounts=[_account(gate) for gate in accounts],
    )


def _account(gate: Gate) -> outcome.GateAccount:
    total = gate.minimum.clone().add(gate.allocated).add(gate.inqueue).sub(gate.elastic)
    return outcome.GateAccount(
        plugin=gate.plugin,
        queue=gate.queue,
        minimum=amounts(gate.minimum),
        allocated=amounts(gate.allocated),
        inqueue=amounts(gate.inqueue),
        elastic=amounts(gate.elastic),
        total=amounts(total),
        limit=amounts(gate.limit),
        exceeding=list(gate.exceeding),
    )
