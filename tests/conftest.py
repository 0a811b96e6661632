"""What all tests share."""

import gc
import os
import sys
from collections.abc import Iterator
from typing import Final
from zlib import crc32

import pytest
from hypothesis import given, settings, strategies

from tests.properties import PART, WHOLE

# Where Python is asked to keep no bytecode, as in many containers, each worker, and each command that is run as a
# process of its own, would compile everything anew: a third of their time.
sys.dont_write_bytecode = False

# Random input is the same on every run, so that a failure tells of a change; and a busy machine is no failure.
settings.register_profile("part", deadline=None, derandomize=True, max_examples=PART)
settings.register_profile("every-case", deadline=None, derandomize=True, max_examples=WHOLE)
settings.load_profile("part")

_PIPELINE = ("GITHUB_WORKSPACE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR")
_LOOKS = ("NO_COLOR", "COLUMNS")
_BYTECODE = ("PYTHONDONTWRITEBYTECODE",)
_PART: Final = 5
"""Of the cases of thorough tests, one in so many is run where not all are asked for."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the session "thorough" of noxfile.py."""
    parser.addoption("--every-case", action="store_true", help="run thorough tests and properties with all their cases")


def pytest_configure(config: pytest.Config) -> None:
    """Try properties with all of their examples where all cases are asked for, before their modules are imported."""
    if config.getoption("--every-case"):
        settings.load_profile("every-case")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out four fifths of the cases of thorough tests: the same ones in every run, also in another order.

    Properties are thorough tests that have fewer examples, and no fewer cases.
    """
    if config.getoption("--every-case"):
        for item in items:
            if isinstance(item, pytest.Function) and getattr(item.obj, "is_hypothesis_test", False):
                item.add_marker("thorough")
        return
    left_out = [
        item for item in items if crc32(item.name.encode()) % _PART != 0 and item.get_closest_marker("thorough")
    ]
    if left_out:
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=left_out)


@settings(max_examples=1)
@given(strategies.none())
def _first_property(_: None) -> None:
    """Hold, whatever is given."""


@pytest.fixture(autouse=True, scope="session")
def _no_garbage_collector() -> None:
    """Keep the collector from walking over all that the tests have imported: that takes longer than a sweep."""
    _first_property()  # Hypothesis warns where it cannot see who holds its random numbers, as once all is frozen
    gc.disable()
    gc.freeze()


@pytest.fixture(autouse=True)
def _frozen_again() -> Iterator[None]:
    """Leave out what there is now when a sweep collects garbage: it thaws what was frozen as it ends."""
    yield
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _environment() -> Iterator[None]:
    """Keep out what the environment of who runs the tests would change."""
    options = [name for name in os.environ if name.startswith("VQS_") and name != "VQS_CHROMIUM"]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in (*options, *_PIPELINE, *_LOOKS, *_BYTECODE):
            monkeypatch.delenv(name, raising=False)
        yield
