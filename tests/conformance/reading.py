"""Recorded scenarios as they are read: several tests look at each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests


@cache
def read_scenario(path: Path) -> Manifests:
    """Read a scenario, for all tests that want it; nothing changes what was read."""
    return read_manifests([str(path)])
