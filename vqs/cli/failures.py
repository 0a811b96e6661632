"""What a command says when it cannot do its work: all that is wrong, on stderr, without a traceback."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from vqs.snapshot.diagnostics import InputErrors

FAILURE: Final = 2


class CommandError(Exception):
    """The command was asked for something that it cannot do; the message says what would do."""


@contextmanager
def reported(*, debug: bool) -> Iterator[None]:
    """Turn what a command raises into messages and an exit code."""
    # Imported late: `--help` has no use for it.
    from vqs.snapshot.diagnostics import InputErrors, render  # noqa: PLC0415

    try:
        yield
    except BrokenPipeError:
        _forget_stdout()
        raise typer.Exit(0) from None
    except InputErrors as errors:
        _say(*map(render, errors.diagnostics), _total(errors))
        raise typer.Exit(FAILURE) from None
    except CommandError as error:
        _say(f"error: {error}")
        raise typer.Exit(FAILURE) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, no traceback unless asked for
        _say(traceback.format_exc().rstrip() if debug else _internal(error))
        raise typer.Exit(FAILURE) from None


def _total(errors: "InputErrors") -> str:
    number = sum(diagnostic.severity == "error" for diagnostic in errors.diagnostics)
    return f"error: {number} {'error' if number == 1 else 'errors'} in the input, nothing was done"


def _internal(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"error: vqs failed, this is a bug: {type(error).__name__}: {text} (--debug shows where)"


def _say(*lines: str) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _forget_stdout() -> None:
    """Send what is still buffered nowhere: the reader has gone, and flushing at exit would complain about that."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
