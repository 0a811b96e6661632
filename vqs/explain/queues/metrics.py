"""What the scheduler exports of its queues, as it stands when the session is over.

Each figure is exported where the plugin that divides the cluster writes it down, and at no other time. So the queues
above others keep what they held when the session opened, and whether a queue is overused is known only of those that
an action has asked about; with capacity, that is the action reclaim alone.
Reference: pkg/scheduler/metrics/queue.go.
"""

from __future__ import annotations

from vqs.engine.framework.ledger import ProportionRounds, QueueLedger
from vqs.engine.framework.session import Session
from vqs.explain.outcome import Amounts
from vqs.explain.queues.outcome import QueueMetrics
from vqs.model.queue import Queue
from vqs.model.resource import CPU, MEMORY, UNLIMITED, UNLIMITED_SCALAR, Resource, exceeded_part

_NOTHING = Resource()


def queue_metrics(session: Session) -> list[QueueMetrics]:
    """Return what is exported of each queue, by name; nothing where no plugin divides the cluster, or it cannot."""
    ledger = session.queue_ledger
    if ledger is None or session.standstill:
        return []
    names = sorted(session.queues)
    if isinstance(ledger.derivation(), ProportionRounds):
        return _of_proportion(session, ledger, names)
    return _of_capacity(session, ledger, names)


# --- proportion -------------------------------------------------------------------------------------------------------


def _of_proportion(session: Session, ledger: QueueLedger, names: list[str]) -> list[QueueMetrics]:
    opened, closed = ledger.opened(), ledger.closed()
    steps = ledger.derivation()
    divided = (
        {step.queue for each in steps.rounds for step in each.steps} if isinstance(steps, ProportionRounds) else set()
    )
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
                overused=ledger.last_overused(name),
            )
        )
    return metrics


# --- capacity ---------------------------------------------------------------------------------------------------------


def _of_capacity(session: Session, ledger: QueueLedger, names: list[str]) -> list[QueueMetrics]:
    opened, closed, steps = ledger.opened(), ledger.closed(), ledger.derivation()
    is_flat = not isinstance(steps, ProportionRounds) and not steps.tree
    above = {each for name in opened for each in list(ledger.line(name))[1:]}
    guaranteed = Resource()
    for queue in session.queues.values():
        guaranteed.add(queue.guarantee)
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
                overused=ledger.last_overused(name),
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
