"""What all tests share."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final
from unittest.mock import Mock
from zlib import crc32

import pytest
import typer.main
from hypothesis import settings

# Where Python is asked to keep no bytecode, as in many containers, each worker, and each command that is run as a
# process of its own, would compile everything anew: a third of their time.
sys.dont_write_bytecode = False

# Random input is the same on every run, so that a failure tells of a change; and a busy machine is no failure.
settings.register_profile("vqs", deadline=None, derandomize=True)
settings.load_profile("vqs")

_PIPELINE = ("GITHUB_WORKSPACE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR")
_LOOKS = ("NO_COLOR", "COLUMNS")
_BYTECODE = ("PYTHONDONTWRITEBYTECODE",)
_PATIENCE = 1_000_000
_PART: Final = 3
"""Of the cases of thorough tests, one in so many is run where not all are asked for."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that .ci/run gives."""
    parser.addoption("--every-case", action="store_true", help="run all cases of the tests that are marked thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out two thirds of the cases of thorough tests: the same ones in every run, also in another order."""
    if config.getoption("--every-case"):
        return
    left_out = [
        item for item in items if crc32(item.name.encode()) % _PART != 0 and item.get_closest_marker("thorough")
    ]
    if left_out:
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True, scope="session")
def _seldom_look_for_garbage() -> Iterator[None]:
    """Look for garbage after many objects only, here and in commands: a session makes many that go by themselves.

    What all tests have imported is never looked at again; looking at it takes longer than a sweep.
    """
    before = gc.get_threshold()
    gc.set_threshold(_PATIENCE)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("vqs.cli.main._PATIENCE", _PATIENCE)
        yield
    gc.set_threshold(*before)


@cache
def _entry_points(path: tuple[str, ...]) -> Any:
    """Return the entry points of the packages in the folders of `sys.path`."""
    assert path == tuple(sys.path)
    return entry_points()


@pytest.fixture(autouse=True, scope="session")
def _commands_start_once() -> Iterator[None]:
    gc.freeze()
    """Put the command line together, and look for packages with plugins, once and not in each command."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("vqs.sweep.engines.local.gc", Mock(gc))
        for module in ("vqs.cli.execution", "vqs.extensions.loading"):
            monkeypatch.setattr(f"{module}.entry_points", lambda: _entry_points(tuple(sys.path)))
    gc.unfreeze()
        monkeypatch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(autouse=True, scope="session")
def _environment() -> Iterator[None]:
    """Keep out what the environment of who runs the tests would change."""
    options = [name for name in os.environ if name.startswith("VQS_") and name != "VQS_CHROMIUM"]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in (*options, *_PIPELINE, *_LOOKS, *_BYTECODE):
            monkeypatch.delenv(name, raising=False)
        yield
