"""What is known of older releases is so under them.

Each scenario says in its comment what is the case.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.explain.simulate import SimulateOptions, simulate
from vqs.releases.release import Release
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = sorted((Path(__file__).parent / "described").iterdir())


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_it_is_so_under_its_release(path: Path) -> None:
    """What the scenario states comes about in the release that it is about."""
    read = read_manifests([str(path)])
    assert read.profile.release == Release.V1_13
    result = simulate(read, SimulateOptions())
    assert result.expectations
    assert [each for each in result.expectations if not each.ok] == []
