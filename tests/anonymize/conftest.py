"""Snapshots to rename."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Manifests]:
    """Return a function that reads objects, which are written as plain values."""

    def reader(*objects: dict[str, Any], name: str = "snapshot.yaml") -> Manifests:
        file = tmp_path / name
        file.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        return read_manifests([str(file)])

    return reader
