"""Whether installed packages may bring plugins along is told as their entry points tell it."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.extensions.installed import install
from vqs.cli.command import may_extend


@pytest.fixture(autouse=True)
def _usual_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no finders but the one that looks into folders: libraries add others."""
    monkeypatch.setattr(sys, "meta_path", [PathFinder])


@pytest.mark.parametrize(
    ("entry_points", "expected"),
    [
        ("[vqs.plugins]\nown = module:Plugin\n", True),
        ("[vqs.actions]\nown = module:Action\n", True),
        ("[console_scripts]\nown = module:main\n", False),
    ],
)
def test_packages_that_name_a_group(
    entry_points: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package may bring plugins along where its metadata names the group of their entry points."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "missing"), ""])
    install(tmp_path, "module", "", entry_points)
    assert may_extend() is expected


def test_places_that_only_finders_look_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive, and whatever another finder knows, may bring anything along."""
    archive = tmp_path / "packages.zip"
    archive.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not may_extend()
    monkeypatch.setattr(sys, "path", [str(archive)])
    assert may_extend()
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [PathFinder, SimpleNamespace(find_distributions=None)])
    assert may_extend()


@pytest.mark.parametrize("attribute", ["is_file", "read_bytes"])
def test_places_that_cannot_be_read(attribute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder or a file that is closed to the user is no error: it may bring anything along."""

    def refuse(_: Path) -> None:
        raise PermissionError

    install(tmp_path, "module", "", "[console_scripts]\nown = module:main\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not may_extend()
    monkeypatch.setattr(Path, attribute, refuse)
    assert may_extend()


def test_a_folder_in_place_of_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read as a file is no error either."""
    (tmp_path / "own-info" / "entry_points.txt").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert may_extend()
