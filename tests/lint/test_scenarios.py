"""Linting what was recorded from the real scheduler, which is plausible input, and some that is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.reading import unpacked
from vqs.lint.outcome import Lint
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.reader import read_leniently

ROOT = Path(__file__).parents[2]
FOLDERS = [
    ROOT / "scenarios",
    unpacked("random"),
    unpacked("jobs"),
    unpacked("webhook"),
    *sorted((ROOT.parent / "shared" / "conformance").glob("*/")),
]


# Some files stand in two folders; plans are no snapshots.
FILES = {
    file.read_bytes(): file
    for folder in reversed(FOLDERS)
    for file in folder.glob("*.yaml")
    if not file.name.endswith(".plan.yaml")
}.values()


@pytest.mark.thorough
@pytest.mark.parametrize("file", sorted(FILES), ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_scenarios(file: Path) -> None:
    """Every one can be looked at; what is found has a code that can be looked up, and a place in the file."""
    result = lint(read_leniently([str(file)]), LintOptions())
    assert isinstance(result, Lint)
    assert {each.code for each in result.findings} <= RULES.keys()
    assert {each.file for each in result.findings} <= {str(file), ""}
