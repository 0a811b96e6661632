"""A terminal to look at, what is piped in, and commands that are refused."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest

from vqs.cli.main import main


class Terminal(io.TextIOWrapper):
    """A standard output that says it is a terminal."""

    def __init__(self) -> None:
        self.screen = io.BytesIO()
        super().__init__(self.screen, encoding="utf-8")

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that runs the command on a terminal of 80 columns, and returns what it shows.

    It takes the arguments, and the exit status to expect if that is not 0.
    """
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")

    def run(arguments: Sequence[str], status: int = 0) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            assert main(arguments) == status
        return terminal.screen.getvalue().decode()

    return run


@pytest.fixture
def pipe_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that puts a short text into a pipe, and that in the place of the standard input."""
    with ExitStack() as readers:

        def put(text: str) -> None:
            reader, writer = os.pipe()
            with os.fdopen(writer, "w", encoding="utf-8") as written:
                written.write(text)
            monkeypatch.setattr(sys, "stdin", readers.enter_context(os.fdopen(reader, encoding="utf-8")))

        yield put


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Sequence[str]], str]:
    """Return a function that runs a command with nothing piped in, and returns what it says.

    It expects the exit status 2, and that nothing else is written.
    """

    def run(arguments: Sequence[str]) -> str:
        with open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123 - a Path has no devnull
            monkeypatch.setattr(sys, "stdin", nothing)
            assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        return err

    return run
