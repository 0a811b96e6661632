"""Recordings in files of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.replay.workload import Workload
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.reader import read_manifests

AS_USUAL = ReadingOptions()


class Files:
    """Writes texts into files and reads them as a workload."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, texts: Mapping[str, str], options: ReadingOptions = AS_USUAL) -> Workload:
        """Read texts as files of some names."""
        paths = []
        for name, text in texts.items():
            path = self.folder / name
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
        return self.of_paths(paths, options)

    def of_paths(self, paths: Sequence[str], options: ReadingOptions = AS_USUAL) -> Workload:
        """Read files that are there."""
        return read_workload(paths, "test", read_manifests, options)


def errors_in(files: Files, texts: Mapping[str, str], options: ReadingOptions = AS_USUAL) -> list[Diagnostic]:
    """Return the errors in some texts."""
    with pytest.raises(InputErrors) as caught:
        files.read(texts, options)
    return [each for each in caught.value.diagnostics if each.severity == "error"]


def notes_of(workload: Workload) -> list[str]:
    """Return what is noted of how a workload was read."""
    return [each.message for each in workload.start.notes if each.severity == "note"]
