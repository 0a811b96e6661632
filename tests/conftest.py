"""What all tests share."""

import os
import sys
from collections.abc import Iterator

import pytest
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


@pytest.fixture(autouse=True, scope="session")
def _environment() -> Iterator[None]:
    """Keep out what the environment of who runs the tests would change."""
    options = [name for name in os.environ if name.startswith("VQS_") and name != "VQS_CHROMIUM"]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in (*options, *_PIPELINE, *_LOOKS, *_BYTECODE):
            monkeypatch.delenv(name, raising=False)
        yield
