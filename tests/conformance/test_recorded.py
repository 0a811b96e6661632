"""vqs decides as the real scheduler did, in every recorded scenario that is built."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.conformance.built import built
from tests.conformance.recorded import disagreements, outcomes
from tests.conformance.verdicts import check_verdicts
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reader import read_manifests

HERE = Path(__file__).parent
BESIDE = HERE.parents[2] / "shared" / "conformance"
RECORDED_AT = datetime.fromisoformat("2026-11-21T12:00:00Z")

SCENARIOS = [*sorted((HERE / "random").glob("*.yaml")), *[p for p in built(BESIDE) if p.parent.name == "volcano-unit"]]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_the_outcome_is_one_that_was_recorded(scenario: Path) -> None:
    """Queue figures, tasks, jobs and their conditions are the real ones, and the verdicts agree with what was said."""
    recorded = outcomes(scenario)
    result = simulate(read_manifests([str(scenario)]), SimulateOptions(now=RECORDED_AT))
    assert disagreements(recorded, result) == []
    check_verdicts(recorded, result)
