"""What a command says when it cannot do its work: all that is wrong, on stderr, without a traceback."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import typer

from vqs import inert
from vqs.cli import environment

if TYPE_CHECKING:
    from vqs.snapshot.diagnostics import InputErrors

FAILURE: Final = 2


class CommandError(Exception):
    """The command was asked for something that it cannot do; the message says what would do.

    `file` is the one that it is about, if any.
    """

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.file = file


@contextmanager
def reported(*, debug: bool, errors_to: "Callable[[InputErrors], None] | None" = None) -> Iterator[None]:
    """Turn what a command raises into messages and an exit code; `errors_to` writes the errors of an input, too."""
    # Imported late: `--help` has no use for it.
    from vqs.snapshot.diagnostics import InputErrors, render  # noqa: PLC0415

    try:
        yield
    except typer.Exit:
        raise
    except BrokenPipeError:
        forget_stdout()
        raise typer.Exit(0) from None
    except InputErrors as errors:
        say(*map(render, errors.diagnostics), _total(errors))
        if errors_to is not None:
            with suppress(typer.Exit), reported(debug=debug):
                errors_to(errors)
        raise typer.Exit(FAILURE) from None
    except CommandError as error:
        say(f"error: {error}{environment.naming([error.file])}")
        raise typer.Exit(FAILURE) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, no traceback unless asked for
        say(traceback.format_exc().rstrip() if debug else _internal(error))
        raise typer.Exit(FAILURE) from None


def say(*texts: str) -> None:
    """Write to stderr; where that is closed or full, there is nobody to tell."""
    lines = [inert.line(line) for text in texts for line in text.split("\n")]
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write("".join(f"{line}\n" for line in lines))


def unwritable(error: OSError) -> str:
    """Say why standard output takes nothing."""
    return f"cannot write: {error.strerror}"


def forget_stdout() -> None:
    """Send what is still buffered nowhere: there is no reader or no room, and flushing at exit would complain again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _total(errors: "InputErrors") -> str:
    wrong = [diagnostic.file for diagnostic in errors.diagnostics if diagnostic.severity == "error"]
    number = f"{len(wrong)} {'error' if len(wrong) == 1 else 'errors'}"
    return f"error: {number} in the input, nothing was done{environment.naming(wrong)}"


def _internal(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"error: vqs failed, this is a bug: {type(error).__name__}: {text} (--debug shows where)"
