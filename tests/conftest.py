"""What all tests share."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Random input is the same on every run, so that a failure tells of a change; and a busy machine is no failure.
settings.register_profile("vqs", deadline=None, derandomize=True)
settings.load_profile("vqs")

_PIPELINE = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
_LOOKS = ("NO_COLOR", "COLUMNS")


@pytest.fixture(autouse=True, scope="session")
def _environment() -> Iterator[None]:
    """Keep out the environment of who runs the tests: the options, the looks, and where a pipeline's repository is."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in [*filter(lambda name: name.startswith("VQS_"), os.environ), *_PIPELINE, *_LOOKS]:
            monkeypatch.delenv(name, raising=False)
        yield
