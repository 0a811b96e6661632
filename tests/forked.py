"""Commands in processes of their own that have the modules of this one already, so that no interpreter is started."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from vqs.cli.main import main


@dataclass(frozen=True)
class Ended:
    """A command that is over: its exit code, negative for a signal, and what it wrote."""

    code: int
    out: bytes
    err: bytes


class Forked:
    """A command that runs in a process of its own, as ``python -m vqs`` would."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        seconds: int | None = None,
    ) -> None:
        """Start it, as the first process of a session.

        Args:
            arguments: the command line.
            stdin: the descriptor of its standard input; without one, it has nothing to read.
            stdout: the descriptor of its standard output; without one, what it writes is kept.
            seconds: the processor time after which it is killed.
        """
        self._out = TemporaryFile()  # noqa: SIM115 - read, and closed, by wait
        self._err = TemporaryFile()  # noqa: SIM115 - likewise
        streams = stdin, self._out.fileno() if stdout is None else stdout, self._err.fileno()
        self._process = multiprocessing.get_context("fork").Process(target=_run, args=(arguments, *streams, seconds))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: the child uses none of them
            self._process.start()

    @property
    def pid(self) -> int:
        """The process, and the session that it leads."""
        assert self._process.pid is not None
        return self._process.pid

    def is_alive(self) -> bool:
        """Tell whether it runs."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it with SIGKILL, whatever it is at."""
        self._process.kill()

    def wait(self) -> Ended:
        """Wait for its end."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        return Ended(code, _text(self._out), _text(self._err))


def ran(
    arguments: Sequence[str], *, stdin: int | None = None, stdout: int | None = None, seconds: int | None = None
) -> Ended:
    """Run a command in a process of its own, and wait for its end."""
    return Forked(arguments, stdin=stdin, stdout=stdout, seconds=seconds).wait()


def _text(file: IO[bytes]) -> bytes:
    with file:
        file.seek(0)
        return file.read()


def _run(arguments: Sequence[str], stdin: int | None, stdout: int, stderr: int, seconds: int | None) -> None:
    """Put the streams in their places, run the command, and flush them as an interpreter does in the end."""
    os.setsid()
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a Path has no devnull
        for number, stream in enumerate((nothing.fileno() if stdin is None else stdin, stdout, stderr)):
            os.dup2(stream, number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    code = main(arguments)
    sys.stdout.flush()
    sys.exit(code)
