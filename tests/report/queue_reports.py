"""Reports on the queues of the scenarios, made once."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

from vqs.explain.queues.outcome import QueueReport
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = Path(__file__).parents[2] / "scenarios"

WEIGHTS = "deserved-weights-and-limits"
REFUSED = "not-enqueued-capability"
TREE = "hierarchy-queue-above-is-full"
BROKEN = "hierarchy-parent-missing"

SHOWN = [(WEIGHTS, ""), (WEIGHTS, "A"), (REFUSED, "research"), (TREE, ""), (TREE, "research"), (BROKEN, "")]


@lru_cache
def report(scenario: str, queue: str = "") -> QueueReport:
    """Explain the queues of a scenario, or one of them."""
    read = read_manifests([str(SCENARIOS / f"{scenario}.yaml")])
    found = explain_queues(read, SimulateOptions(scenario=f"{scenario}.yaml"), queue)
    found.session.configuration = "the scenario's"  # where it lies is nobody's business
    return found


def explained(text: str, queue: str, plugin: str = "capacity") -> QueueReport:
    """Explain a queue of a scenario, in a flat list of queues."""
    head = "apiVersion: vqs/v1\nkind: Scenario\nscheduler: |\n  actions: allocate\n  tiers:\n  - plugins:\n"
    plugins = "".join(f"    - name: {name}\n" for name in ("gang", "predicates", plugin))
    stream = io.BytesIO(f"{head}{plugins}nodes: [{{cpu: 20, memory: 100Gi}}]\n{text}".encode())
    return explain_queues(read_manifests(["-"], stdin=stream), SimulateOptions(), queue)
