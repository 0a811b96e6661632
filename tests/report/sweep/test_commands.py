"""The command that repeats a point makes its edits, in their order, whatever is in their texts."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.sweeps import PLACED, WEIGHT, row, sweep
from vqs.report.formats import Again
from vqs.report.sweep.commands import Commands
from vqs.sweep.outcome import Row, SnapshotInfo

AGAIN = Again(options=(("--now", "2026-01-01T00:00:00Z"), ("--volcano", "1.14"), ("--conf", "x.conf")))
START = "vqs diff-configs cluster.json --now 2026-01-01T00:00:00Z"
VERBS = ("remove", "clone-node", "scale", "set")


def command(edits: Sequence[str], files: Sequence[str] = ("cluster.json",), **more: object) -> str:
    """Return the command for a point."""
    point = row(1, {"weight": 1}, {"placed": 1.0}, edits, **more)
    return _of(point, files)


def _of(point: Row, files: Sequence[str]) -> str:
    result = sweep([WEIGHT], [PLACED], [point])
    result.bases = [SnapshotInfo(name=point.base, files=[*files], nodes=1, pods=1)]
    return Commands(result, AGAIN).diff(point)


def edits_of(text: str) -> list[str]:
    """Return the edits that a command makes, in the order in which it makes them."""
    words = shlex.split(text)
    if words[0] == "printf":
        found: list[str] = json.loads(words[2])
        return found
    parser = ArgumentParser(allow_abbrev=False)
    for verb in VERBS:
        parser.add_argument(f"--{verb}", action="append", default=[])
    given_edits, _ = parser.parse_known_args(words[2:])
    return [f"{verb} {edit}" for verb in VERBS for edit in getattr(given_edits, verb.replace("-", "_"))]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (["queue/b.spec.weight=5"], "--set queue/b.spec.weight=5"),
        (["set queue/b.spec.weight=5"], "--set queue/b.spec.weight=5"),
        (['conf.actions="enqueue, allocate"'], """--set 'conf.actions="enqueue, allocate"'"""),
        (["clone-node n1=3", "scale ns/a=2", "queue/b.spec.weight=5"], "--clone-node n1=3 --scale ns/a=2 --set"),
    ],
)
def test_edits_are_options(edits: list[str], expected: str) -> None:
    """Where options make them in the same order."""
    assert f"{START} {expected}" in command(edits)


@pytest.mark.parametrize(
    "edits",
    [
        ["queue/b.spec.weight=5", "scale ns/a=2"],
        ['add {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "it\'s"}}'],
    ],
)
def test_edits_are_piped(edits: list[str]) -> None:
    """Where options would make them in another order, or where there is no option for them."""
    text = command(edits)
    assert text.endswith(f"| {START} --edits -")
    assert edits_of(text) == edits


@given(st.lists(st.sampled_from(["remove", "clone-node", "scale"]), max_size=3), st.text(min_size=1))
def test_a_shell_takes_texts_for_texts(verbs: list[str], text: str) -> None:
    """Nothing of an edit is a command, an option or a word of its own."""
    edits = [*(f"{verb} -x;$(reboot)`'\"" for verb in verbs), f"queue/{text}"]
    made = edits_of(command(edits)) if "\0" not in text else edits
    assert [each.removeprefix("set ").strip() for each in made] == [each.strip() for each in edits]


def test_the_session_is_the_same() -> None:
    """How the sweep was run, the release and the seed of the point, and each of several files of its snapshot."""
    edits = ["queue/b.spec.weight=5"]
    assert command(edits, seed=7, release="1.13") == f"{START} --volcano 1.13 --seed 7 --set queue/b.spec.weight=5"
    assert "diff-configs a.yaml --now 2026-01-01T00:00:00Z --on=-b.yaml --set" in command(edits, ["a.yaml", "-b.yaml"])
    result = sweep([WEIGHT], [PLACED], [row(1, {"weight": 1}, {"placed": 1.0}, edits)])
    result.assume_admitted = True
    assert "cluster.json --assume-admitted --set" in Commands(result, None).diff(result.rows[0])


def test_there_is_nothing_to_compare() -> None:
    """Where a point edits nothing, or no file of its snapshot is known."""
    assert command([]) == ""
    assert command(["queue/b.spec.weight=5"], []) == ""
