"""Linting what was recorded from the real scheduler, which is plausible input, and some that is broken."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from vqs.lint.outcome import Lint
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reader import read_leniently

ROOT = Path(__file__).parents[2]
FOLDERS = [
    ROOT / "scenarios",
    ROOT / "tests" / "conformance" / "random",
    *sorted((ROOT.parent / "shared" / "conformance").glob("*/")),
]


@cache
def first_files() -> dict[bytes, Path]:
    """Return the files by what is in them: some stand in two folders."""
    return {file.read_bytes(): file for folder in reversed(FOLDERS) for file in folder.glob("*.yaml")}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_scenarios(folder: Path) -> None:
    """Every one can be looked at; what is found has a code that can be looked up, and a place in the file."""
    for file in sorted(each for each in first_files().values() if each.parent == folder):
        result = lint(read_leniently([str(file)]), LintOptions())
        assert isinstance(result, Lint)
        assert {each.code for each in result.findings} <= RULES.keys()
        assert {each.file for each in result.findings} <= {str(file), ""}
