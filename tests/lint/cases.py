"""The bad and the good input of each rule, and what is expected of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from vqs.lint.outcome import Lint
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.reader import read_leniently

FOLDER: Final = Path(__file__).parent / "fixtures"
_EXPECTED: Final = re.compile(r"#\s*<-\s*(?P<codes>[a-z0-9, -]+?)\s*$")


def folder_of(code: str) -> Path:
    """Return where the fixture of a rule stands: the folders are those of the rules."""
    check = RULES[code].check
    return FOLDER / (check.__module__.split(".")[-2] if check else "reading") / code


def files(code: str, quality: str) -> tuple[list[str], str | None]:
    """Return the manifests and the configuration of a rule's fixture."""
    folder = folder_of(code)
    conf = folder / f"{quality}.conf"
    manifests = [path for path in (folder / f"{quality}.yaml", folder / f"{quality}.json") if path.exists()]
    return [str(path) for path in manifests], str(conf) if conf.exists() else None


def expected_lines(paths: Collection[str], code: str) -> set[tuple[str, int]]:
    """Return the names and lines that say that a finding of a code is expected there."""
    return {
        (Path(path).name, number)
        for path in paths
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1)
        if (match := _EXPECTED.search(line)) and code in match["codes"].replace(",", " ").split()
    }


def linted(paths: list[str], conf: str | None, codes: Collection[str]) -> Lint:
    """Look for findings of some codes in files."""
    return lint(read_leniently(paths, conf), LintOptions(codes=frozenset(codes)))


def found_lines(result: Lint, code: str) -> set[tuple[str, int]]:
    """Return the names and lines of the findings of a code."""
    return {(Path(each.file).name, each.line or 0) for each in result.findings if each.code == code}
