"""The scheduler decides as before, and nothing of the original is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.anonymize.decisions import decisions, differences, leaks, read_again
from tests.conformance.reading import unpacked
from vqs.anonymize.key import Key
from vqs.anonymize.run import anonymize
from vqs.snapshot.reading.reader import read_manifests

ROOT = Path(__file__).parents[2]

SAMPLE = [
    *sorted(unpacked("random").glob("*-0101.yaml")),
    *sorted((ROOT / "scenarios").glob("*reclaim*.yaml")),
    ROOT / "scenarios" / "gpu-nodes-kept-free.yaml",
    ROOT / "scenarios" / "node-shards.yaml",
    ROOT / "scenarios" / "devices-claimed.yaml",
    ROOT / "scenarios" / "volumes-claimed.yaml",
    unpacked("cluster") / "misc-1.json",
    unpacked("cluster") / "reclaim-fill-1.json",
]


@pytest.mark.thorough
@pytest.mark.parametrize("file", SAMPLE, ids=lambda path: path.stem)
def test_decisions_are_the_same_under_other_names(file: Path) -> None:
    """With the names put back, the whole result is the same, with ties in their order and with ties at random.

    All recorded scenarios and dumps are compared by tests/anonymize/decisions.py.
    """
    assert differences(file) == []


def test_snapshots_that_are_renamed_together_share_their_names() -> None:
    """What is in two snapshots has one fake name, so that they can be compared; one key leads back from both."""
    files = [ROOT / "scenarios" / name for name in ("first-look.yaml", "fragmented.yaml")]
    before = [read_manifests([str(file)]) for file in files]
    renamed = anonymize(before, Key())
    for index, (file, manifests) in enumerate(zip(files, before, strict=True)):
        assert leaks(file, renamed, index) == []
        assert renamed.key.reveal(decisions(read_again(renamed, index))) == decisions(manifests)


def test_a_key_gives_the_same_names_again() -> None:
    """With the key of an earlier time the same snapshot looks the same, and another one extends the key."""
    first, second = (
        read_manifests([str(ROOT / "scenarios" / name)]) for name in ("first-look.yaml", "queue-limit.yaml")
    )
    once = anonymize([first], Key())
    again = anonymize([first], once.key)
    other = anonymize([second], once.key)
    assert again == once
    assert once.key.fakes.items() < other.key.fakes.items()
    assert other.key.reveal(decisions(read_again(other))) == decisions(second)


def test_renaming_what_was_renamed_leads_back_in_two_steps() -> None:
    """Fake names are names: they can be replaced again, and each key undoes its own step."""
    manifests = read_manifests([str(ROOT / "scenarios" / "first-look.yaml")])
    once = anonymize([manifests], Key())
    twice = anonymize([read_again(once)], Key())
    result = decisions(read_again(twice))
    assert once.key.reveal(twice.key.reveal(result)) == decisions(manifests)
