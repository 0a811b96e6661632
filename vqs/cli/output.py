"""Where a result goes: standard output, or a file that is there completely or not at all."""

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer

from vqs.cli.failures import CommandError, forget_stdout, unwritable
from vqs.report.formats import DiffFormat, FitFormat, Format, JobFormat, LintFormat, QueueFormat, VerifyFormat, View

AnyFormat = DiffFormat | FitFormat | Format | JobFormat | LintFormat | QueueFormat | VerifyFormat

_STDOUT: Final = ("-", "/dev/stdout", "/dev/fd/1")
_STDIN: Final = "-"
_OPENED: Final = ("/dev/fd/*", "/dev/stderr", "/proc/*/fd/*")


def place(text: str) -> Path | None:
    """Read the value of --output; None is standard output."""
    if not text:
        raise typer.BadParameter("the name of the file is empty")
    return None if text in _STDOUT else Path(text)


def check(target: Path | None, read: Iterable[str | None] = ()) -> None:
    """Refuse a target that cannot be written, or is one of the files to read, before anything else takes its time."""
    if target is None:
        return
    if target.is_dir():
        raise CommandError(f"cannot write to {target}: it is a folder", str(target))
    if not target.parent.is_dir():
        raise CommandError(f"cannot write to {target}: there is no folder {target.parent}", str(target))
    if target.is_file() and any(_holds(path, target) for path in read if path):
        raise CommandError(f"cannot write to {target}: it is one of the files to read", str(target))


def fitted(view: View, chosen: AnyFormat, target: Path | None, *, no_color: bool) -> View:
    """Fit a view to where the result goes; only a terminal has a width, and colours."""
    if chosen.for_machines or target is not None or sys.stdout is None or not sys.stdout.isatty():
        return view
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return replace(view, width=shutil.get_terminal_size().columns, color=not plain)


def write(text: str, target: Path | None) -> None:
    """Write a result, always in UTF-8."""
    if target is None:
        _write_stdout(text.encode())
        return
    try:
        _write_file(text.encode(), target)
    except OSError as error:
        raise CommandError(f"cannot write to {target}: {error.strerror}", str(target)) from error


def _holds(path: str, target: Path) -> bool:
    """Tell whether a file is the target, or a folder holds it."""
    try:
        if path == _STDIN:
            return os.path.samestat(os.fstat(0), target.stat())
        return target.samefile(path) or Path(path).resolve() in target.resolve().parents
    except OSError:
        return False


def _is_open(target: Path) -> bool:
    """Tell whether the target cannot be replaced: a pipe, a device, or what somebody has opened for this process."""
    return any(target.match(pattern) for pattern in _OPENED) or (target.exists() and not target.is_file())


def _write_stdout(data: bytes) -> None:
    if sys.stdout is None:
        raise CommandError("cannot write: standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_stdout()
        raise CommandError(unwritable(error)) from error


def _write_file(data: bytes, target: Path) -> None:
    if _is_open(target):
        with target.open("ab") as file:
            file.write(data)
        return
    target = target.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
