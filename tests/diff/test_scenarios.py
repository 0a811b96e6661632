"""On every recorded scenario: what stays the same is no difference, and swapping the sides mirrors one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conformance.test_recorded import SCENARIOS
from tests.diff.mirror import comparable, mirrored, plain
from tests.diff.sides import read_documents, with_edits
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.run import Input
from vqs.snapshot.manifests import Manifests
from vqs.snapshot.reader import read_manifests

each_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)


def shuffled(value: Any, chance: random.Random) -> Any:
    """Return a value in which the keys of all objects stand in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


def changed(snapshot: Manifests) -> Manifests:
    """Return a snapshot in which a queue, a node and the actions are others."""
    queues = [queue.metadata.name for queue in snapshot.queues if queue.metadata.name != "root"]
    edits = ['conf.actions="enqueue, allocate, reclaim, preempt, backfill"']
    edits += [f"queue/{name}.spec.weight=7" for name in queues[:1]]
    edits += [f"node/{node.metadata.name}.spec.unschedulable=true" for node in snapshot.nodes[1:2]]
    return with_edits(snapshot, *edits)


@each_scenario
def test_another_order_is_no_difference(scenario: Path) -> None:
    """Documents and keys in another order come to the same, move nobody, and are nothing new to lint."""
    chance = random.Random(scenario.stem)
    documents = [each for each in yaml.safe_load_all(scenario.read_text(encoding="utf-8")) if each]
    other = [shuffled(each, chance) for each in documents]
    chance.shuffle(other)
    before, after = read_manifests([str(scenario)]), read_documents(other)
    result = compare(Input("base", before), Input("candidate", after), DiffOptions(placements=True))
    assert not result.differs
    assert (result.jobs, result.evictions, result.nodes, result.settings, result.findings) == ([], [], [], [], [])
    assert all(queue.change == "same" for queue in result.queues)


@each_scenario
def test_swapping_the_sides_mirrors_the_difference(scenario: Path) -> None:
    """What one direction gives, the other takes, exactly."""
    base = read_manifests([str(scenario)])
    one, other = Input("base", base), Input("candidate", changed(base))
    there, back = (compare(*sides, DiffOptions(lint=False)) for sides in ((one, other), (other, one)))
    assert comparable(plain(back)) == mirrored(there)
