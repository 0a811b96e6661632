"""What the documents say of older releases, that vqs was asked for from, is so under the release that they describe.

Each scenario is named after its document, and says in its comment what the document states.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.explain.simulate import SimulateOptions, simulate
from vqs.releases.release import Release
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = sorted((Path(__file__).parent / "seeds").iterdir())


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_document_is_right_about_its_release(path: Path) -> None:
    """What it states comes about in the release that it is about."""
    read = read_manifests([str(path)])
    assert read.profile.release == Release.V1_13
    result = simulate(read, SimulateOptions())
    assert result.expectations
    assert [each for each in result.expectations if not each.ok] == []
