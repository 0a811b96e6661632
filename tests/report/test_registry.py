"""The registry of formats, and the examples in the docstrings."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from vqs.explain import amounts
from vqs.explain.outcome import Simulation
from vqs.extensible import load
from vqs.report import formats
from vqs.report.formats import Format, View
from vqs.report.registry import WRITERS, formats_of, write
from vqs.report.saved import RESULTS


@pytest.mark.parametrize("chosen", formats_of("Simulation"))
def test_every_format_writes_a_simulation(chosen: Format, result: Simulation) -> None:
    """Each format has a reporter, whose text ends with a newline and is the same every time."""
    text = write(result, chosen, View())
    assert text.endswith("\n")
    assert text == write(result, chosen, View())


def test_every_kind_of_result_has_writers() -> None:
    """Each writer that is named exists, and what can be saved can be written."""
    assert WRITERS.keys() == {kind.__name__ for kind in RESULTS.values()}
    for writers in WRITERS.values():
        for writer in writers.values():
            assert all(callable(load(name)) for name in filter(None, writer))


@pytest.mark.parametrize("module", [formats, amounts])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed
