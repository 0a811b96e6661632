"""The reference is what the program says of itself."""

from __future__ import annotations

import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.docs import reference
from tests.docs.examples import ROOT

HELP = (reference.FOLDER / "commands.md", reference.MANUAL)
"""What has the help of commands in it, which another click lays out in another way."""


def is_locked(package: str) -> bool:
    """Tell whether a package is installed in the minor version that is locked, with which the reference is made."""
    constraints = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8")
    return f"\n{package}=={'.'.join(version(package).split('.')[:2])}." in constraints


@pytest.mark.parametrize("path", reference.makers(), ids=lambda path: path.name)
def test_reference_is_up_to_date(path: Path) -> None:
    """What is in the repository is what .ci/docs makes."""
    if path in HELP and not is_locked("click"):
        pytest.skip("the help is laid out by another click than the locked one")
    assert path.read_text(encoding="utf-8") == reference.makers()[path]()


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
