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


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(scenario: Path) -> None:
    """Another order of documents and keys changes nothing, and what one direction gives, the other takes, exactly."""
    base = Input("base", read_manifests([str(scenario)]))
    chance = random.Random(scenario.stem)
    documents = list(yaml.load_all(scenario.read_text(encoding="utf-8"), yaml.CSafeLoader))
    shuffled_documents = [shuffled(each, chance) for each in documents if each]
    chance.shuffle(shuffled_documents)
    nothing = compare(base, Input("candidate", read_documents(shuffled_documents)), DiffOptions(placements=True))
    assert not nothing.differs
    assert (nothing.jobs, nothing.evictions, nothing.nodes, nothing.settings, nothing.findings) == ([], [], [], [], [])
    assert all(queue.change == "same" for queue in nothing.queues)

    other = Input("candidate", changed(base.manifests))
    there, back = (compare(*sides, DiffOptions(lint=False)) for sides in ((base, other), (other, base)))
    assert comparable(plain(back)) == mirrored(there)
