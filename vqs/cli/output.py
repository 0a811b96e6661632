"""Where a result goes: standard output, a file that is there completely or not at all, or the summary of a job.

GitHub Actions shows groups in the log, and the summary of a job: markdown that is added to a file, of at most a
mebibyte.

Those who wait at a terminal see a progress bar on stderr.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from vqs.cli import process
from vqs.cli.command import say_errors
from vqs.cli.failures import FAILURE, CommandError, forget_stdout, say, unwritable
from vqs.cli.groups import Output
from vqs.paths import STDIN, is_folder
from vqs.report import registry
from vqs.report.formats import Detail, Format, View
from vqs.snapshot.reading.reach import in_force, real_path

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
RUNNING: Final = "GITHUB_ACTIONS"
LIMIT: Final = 1024 * 1024
_CUT: Final = "\n\n… cut here: a job summary has no room for more.\n"
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
        origin = process.setting(["--format"])
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


def fitted(view: View, chosen: Output) -> View:
    """Fit a view to what is shown, and to where it goes; only a terminal has a width, and colours."""
    view = replace(view, detail=chosen.detail)
    if chosen.format.for_machines or chosen.target is not None:
        return view
    return on_terminal(view, no_color=chosen.no_color)


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


def say_written(answer: str, chosen: Output) -> None:
    """Say on stderr what a result says that was written to a file, and to which."""
    if chosen.target and not chosen.quiet:
        say(f"{answer} Written to {chosen.target}")


def finish(text: str, chosen: Output) -> None:
    """Write a result of which nothing else is to be said on stderr than where it went."""
    write(text, chosen.target)
    if chosen.target and not chosen.quiet:
        say(f"written to {chosen.target}")


@contextmanager
def opened(target: Path | None) -> Iterator[BinaryIO]:
    """Yield a file that can be sought in; what is written to it gets to its place once that is all, else not at all."""
    try:
        # A pipe, a device, or a descriptor opened for this process cannot be replaced.
        if target is not None and not (_is_opened(target) or (target.exists() and not target.is_file())):
            with _drafted(target) as file:
                yield file
            return
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            yield file
            file.seek(0)
            if target is None:
                _copy_to_stdout(file)
            else:
                with target.open("ab") as place:
                    shutil.copyfileobj(file, place)
    except OSError as error:
        if target is not None:
            raise CommandError(f"cannot write to {target}: {error.strerror}", str(target)) from error
        raise CommandError(unwritable(error)) from error


def _holds(path: str, target: Path) -> bool:
    """True if a file is the target, or a folder holds it."""
    try:
        if path == STDIN:
            return os.path.samestat(os.fstat(0), target.stat())
        return target.samefile(path) or Path(path).resolve() in target.resolve().parents
    except (OSError, UnicodeEncodeError):  # the latter for a name that is shown, and that the locale has no bytes for
        return False


def _is_opened(target: Path) -> bool:
    """True if the name of the target stands for a descriptor opened for this process."""
    return any(target.match(pattern) for pattern in _OPENED)


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


# --- input errors for programs ----------------------------------------------------------------------------------------


@contextmanager
def refused_as(command: str, chosen: Output, *, github_summary: bool = False) -> Iterator[None]:
    """Write the errors of an input for programs, too: in the format that was asked for, where the result would go."""
    from vqs.snapshot.reading.diagnostics import InputErrors

    try:
        yield
    except InputErrors as errors:
        from vqs.explain.refusal import refusal

        say_errors(errors)
        result = refusal(command, errors.diagnostics)
        if chosen.format.for_machines and chosen.format in registry.formats_of("Refusal"):
            check(chosen.target, [each.file for each in errors.diagnostics])
            write(registry.write(result, chosen.format, View()), chosen.target)
        if github_summary:
            append_summary(summary_file(), lambda detail: registry.write(result, Format.MARKDOWN, View(detail=detail)))
        raise click.exceptions.Exit(FAILURE) from None


# --- GitHub Actions ---------------------------------------------------------------------------------------------------


def summary_file() -> Path:
    """Return the file that the summary is added to."""
    name = os.environ.get(VARIABLE, "")
    if not name:
        raise CommandError(f"--github-summary: {VARIABLE} is not set; GitHub sets it in the steps of a workflow")
    return Path(name)


def in_workflow() -> bool:
    """True if this runs in a GitHub workflow."""
    return os.environ.get(RUNNING) == "true"


def publish(
    command: str,
    text: str,
    chosen: Output,
    write_as: Callable[[Format, View], str],
    view: View,
    *,
    in_log: bool,
    summary: Path | None = None,
) -> None:
    """Write a result, and add it to the summary of a job where that is asked for, or this is a step of a workflow.

    Args:
        command: what the result is of.
        text: the result.
        chosen: where it goes; in the log of a workflow, a long table is a group, with the summary below it.
        write_as: writes the result in a format.
        view: what the text shows.
        in_log: whether the text goes to the log of a workflow.
        summary: the file of the summary, if it was asked for.
    """

    def markdown(detail: Detail) -> str:
        return write_as(Format.MARKDOWN, View(detail=detail, filters=view.filters))

    if in_log and chosen.format is Format.TABLE and chosen.target is None and not chosen.quiet:
        below = write_as(Format.TABLE, replace(view, detail=Detail.SUMMARY))
        text = f"::group::vqs {command}\n{text}::endgroup::\n{below}"
    write(text, chosen.target)
    if summary is not None:
        append_summary(summary, markdown)
    elif in_log and os.environ.get(VARIABLE):
        try:
            append_summary(summary_file(), markdown)
        except CommandError as error:
            say(f"note: no summary of the job: {error}")


def append_summary(target: Path, write: Callable[[Detail], str]) -> None:
    """Add a report to the summary: the usual one, else only its summary, else as much of that as there is room for."""
    check_links(target)
    try:
        room = LIMIT - (target.stat().st_size if target.exists() else 0)
        text = next((each for each in map(write, (Detail.USUAL, Detail.SUMMARY)) if len(each.encode()) < room), None)
        if text is None:
            text = cut(write(Detail.SUMMARY), room)
        with target.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"cannot write to {target}: {error.strerror}", str(target)) from error


def cut(text: str, room: int) -> str:
    """Return the first lines of a text, as many as there is room for, and say that there are more."""
    left = room - len(_CUT.encode()) - 1
    kept = text.encode()[: max(left, 0)].decode(errors="ignore").rpartition("\n")[0]
    return kept + _CUT if kept else ""


_PATIENCE: Final = 1.0
_INTERVAL: Final = 0.1


class Progress(AbstractContextManager["Progress"]):
    """Shows a stage and how far it is, once the whole has taken a second; leaves nothing behind."""

    def __init__(self, *, times: bool = False) -> None:
        """Begin; `times` adds how much is done, and how much time that leaves."""
        self._next = time.monotonic() + _PATIENCE
        self._enabled = sys.stderr is not None and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._stage: TaskID | None = None
        self._name = ""
        self._times = times

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, stage: str | Callable[[], str], done: int, total: int) -> None:
        """Take note of progress; mostly this costs a look at the clock, and no text of a stage that changes."""
        now = time.monotonic()
        if not self._enabled or now < self._next:
            return
        self._next = now + _INTERVAL
        if isinstance(stage, str):
            self._show(stage, stage, done, total)
        else:
            self._show("", stage(), done, total)

    def _show(self, name: str, text: str, done: int, total: int) -> None:
        bar = self._bar = self._bar or _start_bar(times=self._times)
        if self._stage is None or name != self._name:
            if self._stage is not None:
                bar.remove_task(self._stage)
            self._stage, self._name = bar.add_task(text, total=total), name
        bar.update(self._stage, description=text, completed=done, total=total, refresh=True)


def _start_bar(*, times: bool) -> Bar:
    # Imported late: most runs are over before there is anything to show.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    more = (MofNCompleteColumn(), TimeRemainingColumn()) if times else ()
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        *more,
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
    bar.start()
    return bar
