"""Snapshots to rename."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from vqs.snapshot.reader import read_manifests

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vqs.snapshot.manifests import Manifests


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Manifests]:
    """Return a function that reads objects, which are written as plain values."""

    def reader(*objects: dict[str, Any], name: str = "snapshot.yaml") -> Manifests:
        file = tmp_path / name
        file.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        return read_manifests([str(file)])

    return reader
