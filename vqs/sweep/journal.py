"""Finished rows in an append-only file, so that a run that is stopped, or killed, goes on where it was.

Each line has a checksum and a row. The first line says what is run: a journal of another plan, other snapshots or
another release of vqs is refused. A line that was not written to its end is dropped, and its point is run again. A row
is written by one call, and it is the same whoever writes it: two processes with one journal do work twice, and no harm.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from zlib import crc32

import msgspec

from vqs.sweep.outcome import Row

_CHECKSUM: Final = 8
"""How many hexadecimal digits a checksum has."""


class JournalError(Exception):
    """A journal cannot be used: it is another one's, or no journal at all."""


class Header(msgspec.Struct, kw_only=True, frozen=True):
    """What is run: two runs with the same header have the same rows.

    Attributes:
        journal: the format.
        vqs: the version of vqs.
        plan: what identifies the plan.
        inputs: what identifies the content of its snapshots.
        settings: what else decides the rows, such as the time of the sessions.
        points: how many rows there will be.
    """

    journal: str = "vqs/sweep-journal/v1"
    vqs: str
    plan: str
    inputs: str
    settings: str
    points: int


class Journal:
    """The rows of one run, in a file; `rows` are those that were in it, by number."""

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._header = header
        self._file = -1
        self.rows: dict[int, Row] = {}

    def __enter__(self) -> Self:
        """Read what is there, and get ready to write.

        Raises:
            JournalError: the file is the journal of another run, or none; or it cannot be read or written.
        """
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
            self._resume()
        except OSError as error:
            self._close()
            raise JournalError(f"cannot use {self._path}: {error.strerror}") from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def add(self, row: Row) -> None:
        """Write a finished row.

        Raises:
            JournalError: it cannot be written, as the disk is full.
        """
        try:
            self._write(msgspec.json.encode(row))
        except OSError as error:
            raise JournalError(f"cannot write to {self._path}: {error.strerror}") from error

    def _write(self, data: bytes) -> None:
        line = b"%08x %b\n" % (crc32(data), data)
        while line:
            line = line[os.write(self._file, line) :]

    def _resume(self) -> None:
        """Read the header and the rows, and drop a line at the end that was not finished."""
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise JournalError(f"{self._path} is no regular file")
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            data = file.read()
        end = data.rfind(b"\n") + 1
        lines = data[:end].split(b"\n")[:-1]
        if not lines:
            self._begin(data)
            return
        self._check(_checked(lines[0]))
        for line in lines[1:]:
            with suppress(msgspec.DecodeError):
                row = msgspec.json.decode(_checked(line) or b"", type=Row)
                self.rows[row.number] = row
        if end < len(data):
            os.ftruncate(self._file, end)

    def _begin(self, data: bytes) -> None:
        header = msgspec.json.encode(self._header)
        if data and not (b"%08x %b\n" % (crc32(header), header)).startswith(data):
            raise JournalError(f"{self._path} is no journal of a sweep")
        os.ftruncate(self._file, 0)
        self._write(header)

    def _check(self, content: bytes | None) -> None:
        try:
            found = msgspec.json.decode(content or b"", type=Header)
        except msgspec.DecodeError:
            raise JournalError(f"{self._path} is no journal of a sweep") from None
        if found == self._header:
            return
        differs = [what for name, what in _DIFFERENT.items() if getattr(found, name) != getattr(self._header, name)]
        raise JournalError(f"{self._path} is the journal of another run: {', '.join(differs)}")


_DIFFERENT: Final[Mapping[str, str]] = {
    "journal": "its format is another one",
    "vqs": "vqs has another version",
    "plan": "the plan is another one",
    "inputs": "the snapshots have another content",
    "settings": "options of the command are others",
    "points": "there are more or fewer points",
}


def _checked(line: bytes) -> bytes | None:
    """Return the content of a line; None where it does not have its checksum."""
    checksum, content = line[:_CHECKSUM], line[_CHECKSUM + 1 :]
    return content if checksum == b"%08x" % crc32(content) else None
