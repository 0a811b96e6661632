"""The reference is what the program says of itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs import reference
from tests.docs.examples import ROOT


@pytest.mark.parametrize("path", list(reference.pages()), ids=lambda path: path.name)
def test_reference_is_up_to_date(path: Path) -> None:
    """What is in the repository is what .ci/docs makes."""
    assert path.read_text(encoding="utf-8") == reference.pages()[path]


def test_the_manual_page_is_one() -> None:
    """Man finds nothing wrong with the manual page."""
    if shutil.which("man") is None:
        pytest.skip("there is no man here")
    done = subprocess.run(  # noqa: S603 - man of this machine
        ["man", "--warnings", "-l", str(ROOT / "docs" / "man" / "vqs.1")],  # noqa: S607 - as people call it
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert "explain-job" in done.stdout
