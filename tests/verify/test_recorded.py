"""`verify` counts as check_cluster.py does, which compares vqs with recorded sessions of real clusters."""

from __future__ import annotations

import importlib.util
import io
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.conformance.reading import read_scenario
from tests.verify.pairs import Later
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.as_json import document
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.verify.run import VerifyOptions, verify

BESIDE = Path(__file__).parents[3] / "shared" / "conformance"
SESSIONS = [
    path
    for name in ("bare-1", "gang-3", "hier-4", "misc-2", "notie-2", "preempt-2", "preempt-3", "prop3-2", "reclaimx7-1")
    if (path := BESIDE / "cluster" / f"{name}.json").exists()
]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """Return the program that compares, with vqs run in this process."""
    spec = importlib.util.spec_from_file_location("check_cluster", BESIDE / "check_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.subprocess = SimpleNamespace(run=_run)  # type: ignore[attr-defined]
    return module


def _run(command: list[str], **_: Any) -> SimpleNamespace:
    """Stand in for the command `vqs simulate FILE --format json`."""
    result = simulate(read_manifests([command[2]]), SimulateOptions())
    return SimpleNamespace(returncode=0, stdout=document(result), stderr="")


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


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_it_counts_as_the_check_does(path: Path, check: ModuleType) -> None:
    """The same is the same, as many messages and nodes agree, and what the check allows to luck is explained by it."""
    expected = check.compare("vqs", path)
    result = verify(read_scenario(path), later(path), VerifyOptions(sessions=1))
    tallies = result.tallies
    assert (tallies.messages.right, tallies.messages.of) == expected["messages"]
    assert (tallies.nodes.right, tallies.nodes.of) == expected["nodes"]
    assert (tallies.conditions.right == tallies.conditions.of) == expected["cond"]
    for aspect, tally in {"bound": tallies.bound, "evicted": tallies.evicted, "phases": tallies.phases}.items():
        of_aspect = [each for each in result.differences if each.aspect == aspect.removesuffix("s")]
        by_luck = check.lucky(path) and all(each.explanation.by == "luck" for each in of_aspect)
        assert (tally.right == tally.of or by_luck) == expected[aspect]
