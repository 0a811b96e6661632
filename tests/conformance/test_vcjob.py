"""What vqs makes of Volcano's own example Jobs is what the real webhook and controller make of them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from vqs.report.as_manifests import manifests
from vqs.report.formats import Format
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

BESIDE = Path(__file__).parents[3] / "shared" / "conformance"


@pytest.fixture(scope="module")
def differences() -> Callable[[Any, Any], Iterable[str]]:
    """Return the comparison that stands beside the examples."""
    spec = importlib.util.spec_from_file_location("check_vcjob", BESIDE / "check_vcjob.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Any, Any], Iterable[str]] = module.differences
    return found


@pytest.mark.parametrize("example", sorted((BESIDE / "vcjob").glob("*.yaml")), ids=lambda path: path.stem)
def test_an_example_is_expanded(example: Path, differences: Callable[[Any, Any], Iterable[str]]) -> None:
    """PodGroups and pods are equal to the recorded ones."""
    recorded = json.loads(example.with_suffix(".json").read_text(encoding="utf-8"))
    ours = manifests(complete(read_manifests([str(example)])), Format.JSON)
    assert list(differences(recorded, json.loads(ours))) == []


@pytest.mark.parametrize("example", sorted((BESIDE / "vcjob-denied").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_denied_example_is_refused(example: Path) -> None:
    """A Job that the real webhook denies is an error with a place."""
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(example)])
    assert [(error.code, error.line > 0) for error in caught.value.diagnostics] == [("job-denied", True)]
