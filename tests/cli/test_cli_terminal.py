"""Every command that writes for people, on a terminal of 80 columns, and without colours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Terminal
from vqs.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SPARED = str(SCENARIOS / "preempt-spared-by-gang.yaml")
TREE = str(SCENARIOS / "hierarchy-queue-above-is-full.yaml")
NEW_JOB = str(SCENARIOS / "snapshot" / "new-job.yaml")
FIRST_LOOK = str(SCENARIOS / "first-look.yaml")
ESCAPE = "\x1b"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["simulate", FIRST_LOOK], 0),
        (["explain-queue", TREE, "--queue", "research"], 0),
        (["explain-job", SPARED, "--job", "urgent"], 0),
        (["fit", NEW_JOB, "--on", FIRST_LOOK], 0),
        (["diff-configs", "--on", FIRST_LOOK, "--clone-node", "gpu-1=2", "-v"], 1),
        (["lint", TREE, "--exit-zero", "-v"], 0),
        (["rule", "queue-limit"], 0),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_terminal_has_colours_and_a_width(
    command: Sequence[str], status: int, on_terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colours go off with --no-color and NO_COLOR; the width stays."""
    assert ESCAPE in on_terminal(command, status)
    plain = on_terminal([*command, "--no-color"], status)
    assert ESCAPE not in plain
    assert max(map(len, plain.splitlines())) <= 80
    monkeypatch.setenv("NO_COLOR", "1")
    assert on_terminal(command, status) == plain


@pytest.mark.parametrize("given", [[], ["-q"]])
def test_progress_is_shown(given: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits at a terminal sees how far a command is, also where only the summary is asked for."""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("vqs.cli.output._PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["simulate", FIRST_LOOK, *given]) == 0
    assert b"%" in terminal.screen.getvalue()
