"""What the scheduler's /metrics would say of its queues after the session, in Prometheus' text format.

Names, labels and units are those of Volcano, and so is the text for people. A scalar resource that a queue has in any
figure is written for all of its figures, as zero where it is missing: the scheduler does so once it knows of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import generate_latest

from vqs.explain.queues.outcome import QueueMetrics, QueueReport
from vqs.inert import name as visible
from vqs.report.formats import View

_SUBSYSTEM: Final = "volcano"
_QUEUE: Final = "queue_name"
_RESOURCE: Final = "resource"
_CPU: Final = "cpu"
_MEMORY: Final = "memory"

_LARGEST: Final = sys.float_info.max
"""Stands for an unlimited amount of cpu or memory."""
_LARGEST_SCALAR: Final = float(2**63)
"""Stands for an unlimited amount of anything else."""

_FIGURES: Final = (
    ("allocated", "allocated", "Allocated"),
    ("request", "request", "Request"),
    ("deserved", "deserved", "Deserved"),
    ("capacity", "capacity", "Capacity"),
    ("real_capacity", "real_capacity", "Capacity"),
)
"""The figures of a queue: the attribute, its part of the name, and how the text begins."""

_NUMBERS: Final = (
    ("share", "Share for one queue"),
    ("weight", "Weight for one queue"),
    ("overused", "If one queue is overused"),
)


def write(result: QueueReport, _view: View, /) -> str:
    """Write the metrics, of one queue where it was asked for; nothing where no plugin exports any."""
    registry = CollectorRegistry()
    one = result.explained or result.spec
    shown = [each for each in result.metrics if one is None or each.queue == one.name]
    for attribute, name, text in _FIGURES:
        _add_amounts(registry, shown, attribute, name, text)
    for attribute, text in _NUMBERS:
        given = [(each.queue, value) for each in shown if (value := getattr(each, attribute)) is not None]
        if given:
            gauge = _gauge(registry, f"queue_{attribute}", text)
            for queue, value in given:
                gauge.labels(visible(queue)).set(float(value))
    return generate_latest(registry).decode()


def _add_amounts(
    registry: CollectorRegistry, queues: Iterable[QueueMetrics], figure: str, name: str, text: str
) -> None:
    """Add the three metrics of a figure: cpu, memory, and all other resources; none without a queue."""
    given = [(each, amounts) for each in queues if (amounts := getattr(each, figure)) is not None]
    if not given:
        return
    cpu = _gauge(registry, f"queue_{name}_milli_cpu", f"{text} CPU count for one queue")
    memory = _gauge(registry, f"queue_{name}_memory_bytes", f"{text} memory for one queue")
    for queue, amounts in given:
        cpu.labels(visible(queue.queue)).set(_or_largest(amounts.get(_CPU, 0.0), _LARGEST))
        memory.labels(visible(queue.queue)).set(_or_largest(amounts.get(_MEMORY, 0.0), _LARGEST))
    # The resources beside cpu and memory that are known of each queue.
    known = {
        queue.queue: sorted(
            {resource for attribute, *_ in _FIGURES for resource in getattr(queue, attribute) or ()} - {_CPU, _MEMORY}
        )
        for queue, _ in given
    }
    if not any(known.values()):
        return
    scalars = _gauge(
        registry, f"queue_{name}_scalar_resources", f"{text} scalar resources for one queue", (_QUEUE, _RESOURCE)
    )
    for queue, amounts in given:
        for resource in known[queue.queue]:
            scalars.labels(visible(queue.queue), visible(resource)).set(
                _or_largest(amounts.get(resource, 0.0), _LARGEST_SCALAR)
            )


def _gauge(registry: CollectorRegistry, name: str, text: str, labels: tuple[str, ...] = (_QUEUE,)) -> Gauge:
    return Gauge(name, text, labels, subsystem=_SUBSYSTEM, registry=registry)


def _or_largest(value: float | None, largest: float) -> float:
    return largest if value is None else value
