"""Every behaviour of the table makes a difference that a scenario shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from vqs.explain.simulate import SimulateOptions, simulate
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.releases.profile import Behaviour, ReleaseChoice, Setting, behaviours
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.report.as_manifests import manifests as written
from vqs.report.formats import Format
from vqs.snapshot.apiserver.queue_admission import queue_denials
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_leniently, read_manifests
from vqs.snapshot.whatif.edits import parse_edits

SCENARIOS = Path(__file__).parent / "scenarios"
ROWS = list(behaviours().values())
_CHANGE = re.compile(r"^# change: (.+)$", re.MULTILINE)


def scenario_of(row: Behaviour) -> str:
    """Return the scenario that shows what a behaviour decides."""
    return str(SCENARIOS / f"{row.name}.yaml")


def simulated(path: str, choice: ReleaseChoice) -> bytes:
    """Return what a session leads to, without the name of what was switched for it; else why there is none."""
    try:
        result = simulate(read_manifests([path], release=choice), SimulateOptions())
    except InputErrors as errors:
        return str(errors).encode()
    result.session.behaviours = {}
    return msgspec.json.encode(result)


def found(path: str, choice: ReleaseChoice) -> bytes:
    """Return what lint finds."""
    return msgspec.json.encode(lint(read_leniently([path], release=choice), LintOptions(frozenset(RULES))).findings)


def expanded(path: str, choice: ReleaseChoice) -> bytes:
    """Return what controllers make of it."""
    try:
        return written(complete(read_manifests([path], release=choice)), Format.YAML, 1 << 20).encode()
    except InputErrors as errors:
        return str(errors).encode()


def replayed(path: str, choice: ReleaseChoice) -> bytes:
    """Return what becomes of the jobs of a scenario whose jobs arrive at a time, if they do."""
    if "arrival:" not in Path(path).read_text(encoding="utf-8"):
        return b""
    workload = read_workload([path], path, partial(read_manifests, release=choice), ReadingOptions())
    return msgspec.json.encode(replay(workload, ReplayOptions(until=3_600.0)).jobs)


def denied(path: str, choice: ReleaseChoice) -> bytes:
    """Return what the webhook for queues denies of the change that the scenario names in a comment, if it does."""
    changes = _CHANGE.findall(Path(path).read_text(encoding="utf-8"))
    if not changes:
        return b""
    before = read_manifests([path], release=choice)
    edits, after = parse_edits(changes, before)
    return str(queue_denials(before, after, edits)).encode()


def outcomes(row: Behaviour) -> Iterator[tuple[bytes, ...]]:
    """Yield what the values of a behaviour lead to."""
    path = scenario_of(row)
    for value in row.choices:
        choice = ReleaseChoice(settings=(Setting(row.name, value),))
        looks = (simulated, found, expanded, replayed, denied)
        yield tuple(look(path, choice) for look in looks)


@pytest.mark.thorough
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_value_of_a_behaviour_leads_to_another_result(row: Behaviour) -> None:
    """A session, lint, what controllers create or do, or what is denied of a change shows which value is in force."""
    assert len(set(outcomes(row))) == len(row.choices)


def test_every_scenario_is_about_a_behaviour() -> None:
    """None is left of a behaviour that is gone."""
    assert {path.stem for path in SCENARIOS.iterdir()} == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_all_its_values(row: Behaviour) -> None:
    """Every choice is that of a release or of the head of its branch, or it is proposed somewhere."""
    there = {*row.values.values(), *row.heads.values()}
    assert there | row.proposals.keys() == set(row.choices)
    assert there.isdisjoint(row.proposals)
    assert all(row.values[release] != value for release, value in row.heads.items())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_what_it_decides_and_why_it_changed(row: Behaviour) -> None:
    """In sentences, with the file of the reference that decides it."""
    assert row.decides.endswith(".")
    assert row.why.endswith(".")
    assert row.source.startswith(("pkg/", "config/", "cmd/", "vendor/", "staging/"))
