"""Which lines of what decides each recording runs."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from coverage import Coverage, CoverageData

from tests.conformance.cases import Case
from tests.conformance.parts import CONTROLLERS, ENGINE, Function, parsed

WORKERS: Final = min(os.cpu_count() or 1, 4)


class Reach:
    """What was measured: lines by recording, and the recordings that disagree.

    The recordings run in processes of their own, so that nothing is remembered in this one.
    """

    def __init__(
        self, recordings: Sequence[Case], folder: Path, source: Sequence[Path] = (ENGINE, CONTROLLERS)
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._recordings = recordings
        files = [folder / f"{worker}.coverage" for worker in range(WORKERS)]
        if not all(each.exists() for each in files):
            children = [_forked(recordings, each, worker, source) for worker, each in enumerate(files)]
            assert all(os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) == 0 for each in children)
        self._data = []
        for file in files:
            data = CoverageData(str(file))
            data.read()
            self._data.append(data)
        read = (json.loads(each.with_suffix(".json").read_text(encoding="utf-8")) for each in files)
        self.wrong: list[str] = sorted(name for names in read for name in names)

    @cached_property
    def _lines(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for data in self._data:
            for file in data.measured_files():
                found.setdefault(file, set()).update(data.lines(file) or ())
        return found

    def lines(self, file: Path) -> set[int]:
        """The lines of a module that any recording runs, and those on which the statements begin that they are of."""
        run = self._lines.get(str(file), set())
        return run | {begins for line, begins in beginnings(file).items() if line in run}

    def of(self, file: Path, line: int) -> list[Case]:
        """The recordings that run a line, or the statement that begins on it."""
        lines = {line, *(each for each, begins in beginnings(file).items() if begins == line)}
        numbers = {
            int(each)
            for data in self._data
            for run, names in data.contexts_by_lineno(str(file)).items()
            if run in lines
            for each in names
            if each
        }
        return [self._recordings[number] for number in sorted(numbers)]


def _forked(recordings: Sequence[Case], file: Path, worker: int, source: Sequence[Path]) -> int:
    """Run every so manieth recording in another process, which writes what it measured; return its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        coverage = Coverage(data_file=str(file), config_file=False, source=[*map(str, source)])
        coverage.start()
        wrong = []
        for number in range(worker, len(recordings), WORKERS):
            coverage.switch_context(str(number))
            if not recordings[number].agrees():
                wrong.append(recordings[number].name)
        coverage.stop()
        coverage.save()
        file.with_suffix(".json").write_text(json.dumps(wrong), encoding="utf-8")
        status = 0
    finally:
        os._exit(status)


@cache
def statements(file: Path) -> frozenset[int]:
    """The lines on which a statement of a module begins."""
    return frozenset(Coverage(data_file=None, config_file=False).analysis2(str(file))[1])


@cache
def beginnings(file: Path) -> dict[int, int]:
    """Where the statement of each line begins: of a condition that is written on several, the first is never run."""
    found: dict[int, int] = {}
    for node in ast.walk(parsed(file)):  # what is within a statement comes after it
        if isinstance(node, ast.stmt):
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno)
    return found


def within(function: Function, lines: Iterable[int]) -> set[int]:
    """The lines that are in the body of a function."""
    return {each for each in lines if function.body[0].lineno <= each <= (function.end_lineno or 0)}
