"""What all tests share."""

import pytest
from hypothesis import settings

# Random input is the same on every run, so that a failure tells of a change; and a busy machine is no failure.
settings.register_profile("vqs", deadline=None, derandomize=True)
settings.load_profile("vqs")


@pytest.fixture(autouse=True)
def _no_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out where the pipeline that runs the tests has its repository."""
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
