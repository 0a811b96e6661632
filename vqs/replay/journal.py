"""What the sessions of a replay have decided, in an append-only file, so that a replay that was killed goes on.

All else in a replay follows from the workload and from these decisions, at little cost. So a replay that goes on takes
the decisions of its first sessions from the file, and runs only the others: its result has the same bytes.

Each line has a checksum. The first one says what is replayed: a journal of another workload, other options or another
version of vqs is refused. A line that was not written to its end is dropped, with all that comes after it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from zlib import crc32

import msgspec

from vqs.replay.decisions import Decisions
from vqs.replay.workload import Workload
from vqs.snapshot.plain import plain_objects


class JournalError(Exception):
    """A journal cannot be used: it is another one's, or no journal at all, or it cannot be read or written."""


class Header(msgspec.Struct, kw_only=True, frozen=True):
    """What is replayed: two replays with the same header have the same result.

    Attributes:
        journal: the format.
        vqs: the version of vqs.
        workload: what identifies the workload.
        settings: what identifies how it is replayed.
    """

    journal: str = "vqs/replay-journal/v1"
    vqs: str
    workload: str
    settings: str


class Entry(msgspec.Struct, kw_only=True):
    """A session: when it was run, in seconds since the start, and what it decided."""

    time: float
    decisions: Decisions


_DIFFERENT: Final[Mapping[str, str]] = {
    "journal": "its format is another one",
    "vqs": "vqs has another version",
    "workload": "the workload is another one",
    "settings": "options of the command are others",
}


class Journal:
    """The sessions of one replay, in a file."""

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._header = header
        self._file = -1
        self._known: Iterator[Entry] = iter(())

    def __enter__(self) -> Self:
        """Read what is there, and get ready to write.

        Raises:
            JournalError: the file is the journal of another replay, or none; or it cannot be read or written.
        """
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
            self._known = iter(self._read())
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

    def known(self, time: float) -> Decisions | None:
        """Return what the next session has decided, at a time; None where it is not in the journal.

        Raises:
            JournalError: the journal has another session there.
        """
        entry = next(self._known, None)
        if entry is None:
            return None
        if entry.time != time:
            raise JournalError(f"{self._path} has a session after {entry.time} s, and there is one after {time} s")
        return entry.decisions

    def add(self, time: float, decisions: Decisions) -> None:
        """Write what a session has decided.

        Raises:
            JournalError: it cannot be written, as the disk is full.
        """
        try:
            self._write(msgspec.json.encode(Entry(time=time, decisions=decisions)))
        except OSError as error:
            raise JournalError(f"cannot write to {self._path}: {error.strerror}") from error

    def _write(self, data: bytes) -> None:
        line = _line(data)
        while line:
            line = line[os.write(self._file, line) :]

    def _read(self) -> list[Entry]:
        """Return the sessions in the file, which has nothing else from then on."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            lines = file.read().splitlines(keepends=True)
        header = msgspec.json.encode(self._header)
        if not lines or (len(lines) == 1 and _line(header).startswith(lines[0]) and lines[0] != _line(header)):
            os.ftruncate(self._file, 0)
            self._write(header)
            return []
        self._check(_content(lines[0]))
        size, entries = len(lines[0]), []
        for line in lines[1:]:
            content = _content(line)
            if content is None:
                break
            entries.append(msgspec.json.decode(content, type=Entry))
            size += len(line)
        os.ftruncate(self._file, size)
        return entries

    def _check(self, content: bytes | None) -> None:
        try:
            found = msgspec.json.decode(content or b"", type=Header)
        except msgspec.DecodeError:
            raise JournalError(f"{self._path} is no journal of a replay") from None
        if found != self._header:
            differs = [what for name, what in _DIFFERENT.items() if getattr(found, name) != getattr(self._header, name)]
            raise JournalError(f"{self._path} is the journal of another replay: {', '.join(differs)}")


def _line(data: bytes) -> bytes:
    return b"%08x %b\n" % (crc32(data), data)


def _content(line: bytes) -> bytes | None:
    """Return what a line has after its checksum; None where that is not its checksum."""
    content = line[9:-1]
    return content if line == _line(content) else None


def identity(workload: Workload) -> str:
    """Return what identifies a workload."""
    digest = blake2b(digest_size=16)
    for value in plain_objects(workload.start):
        digest.update(msgspec.json.encode(value))
    parts = workload.name, workload.begin, workload.present, workload.generators, workload.node_events
    for part in (*parts, *workload.arrivals):
        digest.update(msgspec.json.encode(part, enc_hook=_written))
    return digest.hexdigest()


def _written(value: Any) -> str:
    return repr(value)
