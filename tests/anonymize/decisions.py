#!/usr/bin/env python3
"""The decisions on a snapshot, and those on the same snapshot under other names with the names put back.

usage: decisions.py PATH ...      PATH is a scenario, a dump, or a folder of them

As a program, compares the two for all files, without a seed and with one, looks for words of the originals in what is
written, and prints a line for each file where they differ, and the count. Exit status: 0 all are the same, 1 some differ.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from vqs.anonymize.key import Key
from vqs.anonymize.run import Anonymized, anonymize
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report import as_json, as_manifests
from vqs.report.formats import ManifestFormat, View
from vqs.snapshot.diagnostics import InputErrors
from vqs.snapshot.manifests import read_manifests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.snapshot.manifests import Manifests

RECORDED_AT = datetime.fromisoformat("2026-11-21T12:00:00Z")
LUCK_AND_TIMES = ((None, None), (3, RECORDED_AT))
"""The seeds and times of the sessions that are compared; without a time, it is the snapshot's own."""
_ABOUT_FILES = ("diagnostics", "expectations", "scenario")
"""What a result says of the files rather than of the cluster."""
_TELLING = 3
_WORD = re.compile(r"[A-Za-z0-9]+")


def decisions(manifests: Manifests, seed: int | None = None, now: datetime | None = None) -> str:
    """Return the result of a session as text, as far as it is about the cluster."""
    simulation = simulate(manifests, SimulateOptions(now=now, seed=seed, nodes=True))
    result = json.loads(as_json.simulation(simulation, View()))
    del result["session"]["configuration"]
    return json.dumps({name: value for name, value in result.items() if name not in _ABOUT_FILES}, indent=1)


def read_again(renamed: Anonymized, index: int = 0) -> Manifests:
    """Read a snapshot under other names as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "renamed.json"
        file.write_text(as_manifests.encoded(renamed.snapshots[index], ManifestFormat.JSON), encoding="utf-8")
        return read_manifests([str(file)])


def strings(value: Any) -> Iterator[str]:
    """Yield all keys and texts in a plain value."""
    match value:
        case str():
            yield value
        case dict():
            for key, each in value.items():
                yield from (*strings(key), *strings(each))
        case list():
            for each in value:
                yield from strings(each)


def originals(file: Path) -> set[str]:
    """Return all texts of a file that are long enough to tell something."""
    text = file.read_text(encoding="utf-8")
    documents: Sequence[Any] = [json.loads(text)] if file.suffix == ".json" else list(yaml.safe_load_all(text))
    return {each for each in strings(list(documents)) if len(each) >= _TELLING}


def found(texts: set[str], written: str, public: frozenset[str]) -> list[str]:
    """Return the texts that stand somewhere in what was written, but for those that consist of public words."""
    words = set(_WORD.findall(written))
    return sorted(
        text
        for text in texts
        if not set(_WORD.findall(text)) <= public
        and set(_WORD.findall(text)) <= words
        and re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", written)
    )


def differences(file: Path) -> list[str]:
    """Return in what the decisions on a file differ when it is renamed."""
    manifests = read_manifests([str(file)])
    renamed = anonymize([manifests], Key())
    again = read_again(renamed)
    problems = [note.message for note in renamed.notes if note.severity == "warning"]
    for seed, now in LUCK_AND_TIMES:
        before, after = decisions(manifests, seed, now), renamed.key.reveal(decisions(again, seed, now))
        pairs = zip(before.splitlines(), after.splitlines(), strict=False)
        problems += [f"seed {seed}: {one.strip()} / {other.strip()}" for one, other in pairs if one != other][:1]
        problems += [f"seed {seed}: longer or shorter"] if before.count("\n") != after.count("\n") else []
    return problems


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from (each for each in sorted(path.iterdir()) if _is_input(each))
        else:
            yield path


def _is_input(file: Path) -> bool:
    recorded = file.suffix == ".json" and file.with_suffix(".yaml").exists()
    return file.suffix in (".yaml", ".json") and ".outcome" not in file.name and not recorded


def main(paths: Sequence[str]) -> int:
    """Compare all files."""
    same = refused = 0
    files = list(_files(paths))
    for file in files:
        try:
            problems = differences(file)
        except InputErrors as errors:
            refused += 1
            sys.stdout.write(f"{file}: cannot be read: {errors.diagnostics[0].message}\n")
            continue
        same += not problems
        sys.stdout.writelines(f"{file}: {problem}\n" for problem in problems[:3])
    sys.stdout.write(f"the same decisions under other names: {same} of {len(files) - refused}\n")
    return int(same + refused < len(files))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
