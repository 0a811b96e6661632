"""vqs decides as the real scheduler did, in every recorded scenario that is built."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from tests.conformance.built import built
from tests.conformance.recorded import disagreements, outcomes
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reader import read_manifests

HERE = Path(__file__).parent
BESIDE = HERE.parents[2] / "shared" / "conformance"
RECORDED_AT = datetime.fromisoformat("2026-11-21T12:00:00Z")

SCENARIOS = [*sorted((HERE / "random").glob("*.yaml")), *[p for p in built(BESIDE) if p.parent.name == "volcano-unit"]]


@cache
def simulated(scenario: Path) -> Simulation:
    """Simulate a scenario once for all tests."""
    return simulate(read_manifests([str(scenario)]), SimulateOptions(now=RECORDED_AT))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_the_outcome_is_one_that_was_recorded(scenario: Path) -> None:
    """Queue figures, every task's status, node and message, and every job's phase and condition are the real ones."""
    assert disagreements(outcomes(scenario), simulated(scenario)) == []
