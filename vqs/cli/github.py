"""What GitHub Actions shows: groups in the log, and the summary of a job.

The summary is markdown that is added to a file, of at most a mebibyte.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vqs.cli.failures import CommandError, say
from vqs.cli.output import check_links
from vqs.report.formats import Detail

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
RUNNING: Final = "GITHUB_ACTIONS"
LIMIT: Final = 1024 * 1024
_CUT: Final = "\n\n… cut here: a job summary has no room for more.\n"


def summary_file() -> Path:
    """Return the file that the summary is added to."""
    name = os.environ.get(VARIABLE, "")
    if not name:
        raise CommandError(f"--github-summary: {VARIABLE} is not set; GitHub sets it in the steps of a workflow")
    return Path(name)


def automatic_summary() -> Path | None:
    """Return the file that the summary is added to without being asked: only in a step of a GitHub workflow."""
    name = os.environ.get(VARIABLE, "")
    return Path(name) if name and in_workflow() else None


def in_workflow() -> bool:
    """Tell whether this runs in a GitHub workflow."""
    return os.environ.get(RUNNING) == "true"


def grouped(title: str, text: str) -> str:
    """Write a text as a group that the log of a workflow shows folded."""
    return f"::group::{title}\n{text}::endgroup::\n"


def add_summary(write: Callable[[Detail], str]) -> None:
    """Add a report to the job's summary without being asked; where that fails, a note says so."""
    target = automatic_summary()
    if target is not None:
        try:
            append_summary(target, write)
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
