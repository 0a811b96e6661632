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
from vqs.report.sweep.commands import Commands
from vqs.sweep.outcome import Row, SnapshotInfo

VERBS = ("remove", "clone-node", "scale", "set")


def command(edits: Sequence[str], files: Sequence[str] = ("cluster.json",), **more: object) -> str:
    """Return the command for a point."""
    point = row(1, {"weight": 1}, {"placed": 1.0}, edits, **more)
    return _of(point, files)


def _of(point: Row, files: Sequence[str]) -> str:
    result = sweep([WEIGHT], [PLACED], [point])
    result.bases = [SnapshotInfo(name=point.base, files=[*files], nodes=1, pods=1)]
    return Commands(result).diff(point)


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
    assert f"vqs diff-configs cluster.json {expected}" in command(edits)


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
    assert text.endswith("| vqs diff-configs cluster.json --edits -")
    assert edits_of(text) == edits


@given(st.lists(st.sampled_from(["remove", "clone-node", "scale"]), max_size=3), st.text(min_size=1))
def test_a_shell_takes_texts_for_texts(verbs: list[str], text: str) -> None:
    """Nothing of an edit is a command, an option or a word of its own."""
    edits = [*(f"{verb} -x;$(reboot)`'\"" for verb in verbs), f"queue/{text}"]
    made = edits_of(command(edits)) if "\0" not in text else edits
    assert [each.removeprefix("set ").strip() for each in made] == [each.strip() for each in edits]


def test_the_session_is_the_same() -> None:
    """The seed of the point is in the command, and each of several files of its snapshot."""
    assert command(["queue/b.spec.weight=5"], seed=7).endswith("cluster.json --seed 7 --set queue/b.spec.weight=5")
    assert "diff-configs --on a.yaml --on -b.yaml --set" in command(["queue/b.x=1"], ["a.yaml", "-b.yaml"])


def test_there_is_nothing_to_compare() -> None:
    """Where a point edits nothing, or no file of its snapshot is known."""
    assert command([]) == ""
    assert command(["queue/b.spec.weight=5"], []) == ""
