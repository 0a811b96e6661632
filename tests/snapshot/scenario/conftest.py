"""Scenarios as texts, read as files would be."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable

import pytest

from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"


def _read(text: str) -> Manifests:
    document = HEAD + textwrap.dedent(text).lstrip("\n")
    return read_manifests(["-"], stdin=io.BytesIO(document.encode()))


@pytest.fixture
def read() -> Callable[[str], Manifests]:
    """Return a function that reads a scenario; apiVersion and kind are added, so its text begins on line 3."""
    return _read


@pytest.fixture
def errors() -> Callable[[str], list[Diagnostic]]:
    """Return a function that reads a scenario, and returns the errors in it."""

    def errors_of(text: str) -> list[Diagnostic]:
        with pytest.raises(InputErrors) as caught:
            _read(text)
        return [each for each in caught.value.diagnostics if each.severity == "error"]

    return errors_of
