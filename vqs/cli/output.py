"""Where a result goes: standard output, or a file that is there completely or not at all."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from vqs.cli import environment
from vqs.cli.failures import CommandError, forget_stdout, say, unwritable
from vqs.cli.groups import Output, Verbosity
from vqs.paths import STDIN, is_folder
from vqs.report.formats import Format, View
from vqs.snapshot.reading.reach import in_force, real_path

_OPENED: Final = ("/dev/fd/*", "/dev/stderr", "/proc/*/fd/*")


def check(target: Path | None, read: Iterable[str | None] = ()) -> None:
    """Refuse a target that cannot be written, or is one of the files to read, before anything else takes its time.

    What is to be read, and must not be as it is the target, is known from then on to whoever decides what is read.
    """
    files, reach = [path for path in read if path], in_force()
    reach.name(path for path in files if path != STDIN)
    if target is None:
        return
    check_links(target)
    reach.keep(str(target))
    if is_folder(target):
        raise CommandError(f"cannot write to {target}: it is a folder", str(target))
    if not is_folder(target.parent):
        raise CommandError(f"cannot write to {target}: there is no folder {target.parent}", str(target))
    if target.is_file() and any(_holds(path, target) for path in files):
        raise CommandError(f"cannot write to {target}: it is one of the files to read", str(target))


def check_format(chosen: Format) -> None:
    """Refuse a format that needs a package that is not installed, before anything else takes its time."""
    if chosen is Format.PARQUET and find_spec("pyarrow") is None:
        origin = environment.setting(["--format"])
        raise CommandError(
            f"--format parquet needs pyarrow, which is not installed: pip install 'vqs[parquet]'{origin}"
        )


def check_links(target: Path) -> None:
    """Refuse a target that a link makes another file than the one that was named: it may belong to another user."""
    if not _is_opened(target) and not in_force().stays(str(target)):
        raise CommandError(
            f"cannot write to {target}: it is, or is in, a link that leads elsewhere, to "
            f"{real_path(str(target))}; name that file, or remove the link",
            str(target),
        )


def fitted(view: View, chosen: Output, verbosity: Verbosity) -> View:
    """Fit a view to what is shown, and to where it goes; only a terminal has a width, and colours."""
    view = replace(view, detail=verbosity.detail)
    if chosen.format.for_machines or chosen.target is not None:
        return view
    return on_terminal(view, no_color=verbosity.no_color)


def on_terminal(view: View, *, no_color: bool) -> View:
    """Fit a view to the terminal that it is shown on, if standard output is one."""
    if sys.stdout is None or not sys.stdout.isatty():
        return view
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return replace(view, width=shutil.get_terminal_size().columns, color=not plain)


def write(result: str | bytes, target: Path | None) -> None:
    """Write a result, text always in UTF-8, compressed where the name of the file says so."""
    data = result.encode() if isinstance(result, str) else result
    if target is None:
        _copy_to_stdout(BytesIO(data))
        return
    from vqs.snapshot.reading.compression import compression_named

    with opened(target) as file:
        compression = compression_named(target.name)
        if compression is None:
            file.write(data)
            return
        with compression.writer(file) as compressed:
            compressed.write(data)


def finish(text: str, chosen: Output, verbosity: Verbosity) -> None:
    """Write a result of which nothing else is to be said on stderr than where it went."""
    write(text, chosen.target)
    if chosen.target and not verbosity.quiet:
        say(f"written to {chosen.target}")


@contextmanager
def opened(target: Path | None) -> Iterator[BinaryIO]:
    """Yield a file that can be sought in; what is written to it gets to its place once that is all, else not at all."""
    try:
        if target is not None and not _is_open(target):
            with _drafted(target) as file:
                yield file
            return
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            yield file
            file.seek(0)
            _pass_on(file, target)
    except OSError as error:
        if target is not None:
            raise CommandError(f"cannot write to {target}: {error.strerror}", str(target)) from error
        raise CommandError(unwritable(error)) from error


def _holds(path: str, target: Path) -> bool:
    """Tell whether a file is the target, or a folder holds it."""
    try:
        if path == STDIN:
            return os.path.samestat(os.fstat(0), target.stat())
        return target.samefile(path) or Path(path).resolve() in target.resolve().parents
    except (OSError, UnicodeEncodeError):  # the latter for a name that is shown, and that the locale has no bytes for
        return False


def _is_open(target: Path) -> bool:
    """Tell whether the target cannot be replaced: a pipe, a device, or a descriptor opened for this process."""
    return _is_opened(target) or (target.exists() and not target.is_file())


def _is_opened(target: Path) -> bool:
    """Tell whether the name of the target stands for a descriptor opened for this process."""
    return any(target.match(pattern) for pattern in _OPENED)


def _pass_on(file: BinaryIO, target: Path | None) -> None:
    """Copy a file to where it cannot be put."""
    if target is None:
        _copy_to_stdout(file)
        return
    with target.open("ab") as place:
        shutil.copyfileobj(file, place)


def _copy_to_stdout(file: BinaryIO) -> None:
    if sys.stdout is None:
        raise CommandError("cannot write: standard output is closed")
    try:
        shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        forget_stdout()  # the reader has seen enough; what the exit status tells is true nevertheless
    except OSError as error:
        forget_stdout()
        raise CommandError(unwritable(error)) from error


@contextmanager
def _drafted(target: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces the target once all is written, and is deleted if writing fails."""
    target = target.resolve()
    draft = target.with_name(f".{target.name}.{os.urandom(8).hex()}")
    try:
        # Mode x refuses an existing file: a link of that name would redirect the output.
        with draft.open("xb+") as file:
            yield file
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
