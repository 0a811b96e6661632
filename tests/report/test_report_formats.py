"""The registry of formats, and the examples in the docstrings."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest

from vqs.explain import amounts
from vqs.report import phrases, visible
from vqs.report.formats import SIMULATION, Format, View, simulation_reporter

if TYPE_CHECKING:
    from types import ModuleType

    from vqs.explain.outcome import Simulation


@pytest.mark.parametrize("chosen", Format)
def test_every_format_writes_a_simulation(chosen: Format, result: Simulation) -> None:
    """Each format has a reporter, whose text ends with a newline and is the same every time."""
    report = simulation_reporter(chosen)
    text = report(result, View())
    assert text.endswith("\n")
    assert text == report(result, View())
    assert chosen in SIMULATION


@pytest.mark.parametrize("module", [phrases, amounts, visible])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed
