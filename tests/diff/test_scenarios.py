"""On every recorded scenario: what stays the same is no difference, and swapping the sides mirrors one."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from tests.conformance.reading import read_scenario
from tests.conformance.recorded import SCENARIOS
from tests.diff.mirror import comparable, mirrored, plain
from tests.diff.sides import with_edits
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.run import Input, _sequence, opened
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

Result = TypeVar("Result")


def once_a_side(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function that is called once for each side, and returns the same from then on."""
    known: dict[int, tuple[Input, Result]] = {}

    def call(side: Input, *rest: object) -> Result:
        if id(side) not in known:
            known[id(side)] = side, function(side, *rest)  # the side is kept, so that no other one gets its id
        return known[id(side)][1]

    return call


@pytest.fixture(autouse=True)
def _run_each_side_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the sessions of a side once, not in each comparison: what it is compared with does not change them."""
    monkeypatch.setattr("vqs.diff.compare.opened", once_a_side(opened))
    monkeypatch.setattr("vqs.diff.run._sequence", once_a_side(_sequence))


def shuffled(value: Any, chance: random.Random) -> Any:
    """Return a value in which the keys of all objects stand in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


def read_json(documents: Sequence[Any]) -> Manifests:
    """Read documents, one a line as in JSON Lines, which are written and read more quickly than YAML."""
    text = "".join(f"{json.dumps(each, default=_time_text)}\n" for each in documents)
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def _time_text(value: datetime) -> str:
    """Write a time of YAML as Kubernetes does."""
    return value.isoformat().replace("+00:00", "Z")


def changed(snapshot: Manifests) -> Manifests:
    """Return a snapshot in which a queue, a node and the actions are others."""
    queues = [queue.metadata.name for queue in snapshot.queues if queue.metadata.name != "root"]
    edits = ['conf.actions="enqueue, allocate, reclaim, preempt, backfill"']
    edits += [f"queue/{name}.spec.weight=7" for name in queues[:1]]
    edits += [f"node/{node.metadata.name}.spec.unschedulable=true" for node in snapshot.nodes[1:2]]
    return with_edits(snapshot, *edits)


@pytest.mark.thorough
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(scenario: Path) -> None:
    """Another order of documents and keys changes nothing, and what one direction gives, the other takes, exactly."""
    base = Input("base", read_scenario(scenario))
    if any(note.code == "duplicate-object" for note in base.manifests.notes):
        pytest.skip("of HyperNodes of one name the last one counts, so that the order of documents matters")
    chance = random.Random(scenario.stem)
    documents = list(yaml.load_all(scenario.read_text(encoding="utf-8"), yaml.CSafeLoader))
    shuffled_documents = [shuffled(each, chance) for each in documents if each]
    chance.shuffle(shuffled_documents)
    nothing = compare(base, Input("candidate", read_json(shuffled_documents)), DiffOptions(placements=True))
    assert not nothing.differs
    assert (nothing.jobs, nothing.evictions, nothing.nodes, nothing.settings, nothing.findings) == ([], [], [], [], [])
    assert all(queue.change == "same" for queue in nothing.queues)

    other = Input("candidate", changed(base.manifests))
    there, back = (compare(*sides, DiffOptions(lint=False)) for sides in ((base, other), (other, base)))
    assert comparable(plain(back)) == mirrored(there)
