"""Texts as files, and what is wrong with them."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.replay.reading.files import Files
from vqs.replay.reading.scenario import workload_of
from vqs.replay.workload import Workload
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.reader import read_manifests

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"


def _read(text: str) -> Workload:
    document = HEAD + textwrap.dedent(text).lstrip("\n")
    return workload_of(read_manifests(["-"], stdin=io.BytesIO(document.encode())), "test")


@pytest.fixture
def read() -> Callable[[str], Workload]:
    """Return a function that reads the workload of a scenario; apiVersion and kind are added as two lines."""
    return _read


@pytest.fixture
def errors() -> Callable[[str], list[Diagnostic]]:
    """Return a function that reads the workload of a scenario, and returns the errors in it."""

    def errors_of(text: str) -> list[Diagnostic]:
        with pytest.raises(InputErrors) as caught:
            _read(text)
        return [each for each in caught.value.diagnostics if each.severity == "error"]

    return errors_of


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return what writes files and reads them."""
    return Files(tmp_path)
