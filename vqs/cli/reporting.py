"""What a command says when it cannot do its work: all that is wrong, on stderr, without a traceback."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from vqs.cli import environment
from vqs.cli.failures import FAILURE, CommandError, forget_stdout, say
from vqs.extensible import ExtensionFaultError
from vqs.snapshot.reading.diagnostics import InputErrors, render


@contextmanager
def reported(*, debug: bool) -> Iterator[None]:
    """Turn what a command raises into messages and an exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except BrokenPipeError:
        forget_stdout()
        raise typer.Exit(0) from None
    except InputErrors as errors:
        say_errors(errors)
        raise typer.Exit(FAILURE) from None
    except CommandError as error:
        say(f"error: {error}{environment.naming([error.file])}")
        raise typer.Exit(FAILURE) from None
    except ExtensionFaultError as error:
        if debug:
            say(traceback.format_exc().rstrip())
        say("; ".join([f"error: {error}", *(f"it comes from {origin}" for origin in getattr(error, "__notes__", []))]))
        raise typer.Exit(FAILURE) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, no traceback unless asked for
        say(traceback.format_exc().rstrip() if debug else _internal(error))
        raise typer.Exit(FAILURE) from None


def say_errors(errors: InputErrors) -> None:
    """Say what is wrong with an input."""
    wrong = [diagnostic.file for diagnostic in errors.diagnostics if diagnostic.severity == "error"]
    number = f"{len(wrong)} {'error' if len(wrong) == 1 else 'errors'}"
    total = f"error: {number} in the input, nothing was done{environment.naming(wrong)}"
    say(*map(render, errors.diagnostics), total)


def _internal(error: Exception) -> str:
    text = " ".join(str(error).split())
    notes: list[str] = getattr(error, "__notes__", [])
    failed = notes[0] if notes else "vqs failed, this is a bug"
    return f"error: {failed}: {type(error).__name__}: {text} (--debug shows where)"
