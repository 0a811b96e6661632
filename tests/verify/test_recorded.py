"""`verify` counts as the comparison of vqs with recorded sessions of real clusters does."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.clusters import LUCKY, agreement
from tests.conformance.reading import read_scenario, unpacked
from tests.verify.pairs import Later
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.verify.run import VerifyOptions, verify

SESSIONS: Final = (
    "bare-1",
    "gang-3",
    "hier-4",
    "misc-2",
    "notie-2",
    "preempt-2",
    "preempt-3",
    "prop3-2",
    "reclaimx7-1",
)


def later(path: Path) -> Manifests:
    """Return the dump that would have been taken right after a session."""
    dump = json.loads(path.read_text(encoding="utf-8"))
    outcome = json.loads(path.with_name(f"{path.stem}.outcome.json").read_text(encoding="utf-8"))
    after = Later(dump["items"], time="2099-01-01T00:00:00Z")
    for key, node in outcome["bound"].items():
        after.bind(key, node=node)
    after.evict(*outcome["evicted"], by_scheduler=False)
    for key, message in outcome["messages"].items():
        after.refuse(message, key)
    for key, phase in outcome["phases"].items():
        after.group(key, phase, outcome["unschedulable"].get(key, ""))
    return read_manifests(["-"], stdin=io.BytesIO(json.dumps({**dump, "items": after.objects}).encode()))


@pytest.mark.parametrize("name", SESSIONS)
def test_it_counts_as_the_comparison_does(name: str) -> None:
    """The same is the same, as many messages and nodes agree, and what is left to luck is explained by it."""
    path = unpacked("cluster") / f"{name}.json"
    recording = (path, path.with_suffix(".outcome.json"))
    expected = agreement(recording, simulate(read_scenario(path), SimulateOptions()))
    result = verify(read_scenario(path), later(path), VerifyOptions(sessions=1))
    tallies = result.tallies
    assert (tallies.messages.matching, tallies.messages.total) == expected.messages
    assert (tallies.nodes.matching, tallies.nodes.total) == expected.nodes
    assert (tallies.conditions.matching == tallies.conditions.total) == expected.conditions
    for aspect, tally, agrees in (
        ("bound", tallies.bound, expected.bound),
        ("evicted", tallies.evicted, expected.evicted),
        ("phase", tallies.phases, expected.phases),
    ):
        of_aspect = [each for each in result.differences if each.aspect == aspect]
        by_luck = name in LUCKY and all(each.explanation.kind == "luck" for each in of_aspect)
        assert (tally.matching == tally.total or by_luck) == agrees
