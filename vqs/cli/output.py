"""Where a result goes: standard output, or a file that is there completely or not at all."""

import os
import shutil
import sys
from pathlib import Path

from vqs.cli.failures import CommandError
from vqs.report.formats import Detail, Format, View


def check(target: Path | None) -> None:
    """Refuse a target that cannot be written, before anything else takes its time."""
    if target is None:
        return
    if target.is_dir():
        raise CommandError(f"cannot write to {target}: it is a folder")
    if not target.parent.is_dir():
        raise CommandError(f"cannot write to {target}: there is no folder {target.parent}")


def view(chosen: Format, target: Path | None, detail: Detail, *, no_color: bool) -> View:
    """Return how to write for where the result goes; only a terminal has a width, and colours."""
    if chosen.for_machines or target is not None or not sys.stdout.isatty():
        return View(detail=detail)
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return View(width=shutil.get_terminal_size().columns, color=not plain, detail=detail)


def write(text: str, target: Path | None) -> None:
    """Write a result, always in UTF-8."""
    if target is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        _write_file(text.encode(), target.resolve())
    except OSError as error:
        raise CommandError(f"cannot write to {target}: {error.strerror}") from error


def _write_file(data: bytes, target: Path) -> None:
    if target.exists() and not target.is_file():
        # A pipe or a device cannot be replaced.
        target.write_bytes(data)
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
