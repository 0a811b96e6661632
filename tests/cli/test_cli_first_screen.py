"""What a person sees of a waiting job without scrolling, 24 lines of 80 columns: they name the cause and a fix."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap

import pytest

from tests.causes import CAUSES, written


@pytest.mark.parametrize("name", CAUSES)
def test_first_screen(
    name: str, tmp_path: Path, on_terminal: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Cause and fix are there before anybody scrolls."""
    _, cause, fix = CAUSES[name]
    command = ["explain-job", written(name, tmp_path), "--job", "new", "--no-color"]
    shown = on_terminal(command, 0)
    lines = [part for line in (shown + capsys.readouterr().err).splitlines() for part in wrap(line, 80)]
    screen = " ".join(" ".join(lines[:24]).split())
    assert re.search(cause, screen), screen
    assert re.search(fix, screen), screen
