"""Commands that fail, and their messages on stderr."""

import os
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import Final

from vqs import inert

FAILURE: Final = 2


class CommandError(Exception):
    """The command was asked for something that it cannot do; the message says what would do.

    `file` is the one that it is about, if any.
    """

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.file = file


def say(*texts: str) -> None:
    """Write to stderr; where that is closed or full, nothing can be reported."""
    lines = [inert.line(line) for text in texts for line in text.split("\n")]
    if sys.stderr is not None:
        if sys.stderr.isatty():
            lines = [part for line in lines for part in _fitted(line)]
        with suppress(OSError):
            sys.stderr.write("".join(f"{line}\n" for line in lines))


def _fitted(line: str) -> list[str]:
    """Break a line between words where the terminal ends; one that begins with a space shows what stands in a file."""
    width = shutil.get_terminal_size().columns
    if len(line) <= width or line.startswith(" "):
        return [line]
    return textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def unwritable(error: OSError) -> str:
    """Say why standard output takes nothing."""
    return f"cannot write: {error.strerror}"


def forget_stdout() -> None:
    """Send what is still buffered nowhere: there is no reader or no room, and flushing at exit would complain again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
