"""Of a task that is watched, every node's answer is kept as it was when the task was tried."""

from __future__ import annotations

import pytest

from tests.build import CONF, gang, manifests, node, queue
from vqs.explain.outcome import Inspection
from vqs.explain.simulate import SimulateOptions, simulate

NODES = [node("a", cpu=4), node("b", cpu=1), node("c", cpu=4, unschedulable=True)]


def watched(name: str, conf: str = CONF) -> list[Inspection]:
    """Simulate a gang of two on three nodes, and return what was kept of one task."""
    objects = manifests([*NODES, queue("default"), gang("j", 2, cpu=2)], conf)
    return simulate(objects, SimulateOptions(watch=frozenset({name}))).inspections


def test_every_node_is_kept_with_its_reasons_or_its_scores() -> None:
    """Reasons where the node was refused, scores by plugin where it was compared."""
    [inspection] = watched("ns/j-worker-0")
    by_name = {each.node: each for each in inspection.nodes}
    assert by_name["b"].reasons == ["Insufficient cpu"]
    assert by_name["c"].reasons == ["node(s) were unschedulable"]
    assert by_name["a"].chosen
    assert by_name["a"].total == pytest.approx(sum(by_name["a"].scores.values()))
    assert not by_name["b"].scores


def test_nothing_is_kept_of_other_tasks() -> None:
    """What is not asked for costs nothing, and a task that is not there has nothing."""
    assert watched("ns/j-worker-9") == []


def test_a_task_that_was_not_tried_has_no_nodes() -> None:
    """It is in the result all the same, as somebody asked for it."""
    [inspection] = watched("ns/j-worker-0", CONF.replace("allocate, ", ""))
    assert (inspection.name, inspection.nodes) == ("j-worker-0", [])
