"""An append-only file of what is finished, so that work that is stopped, or killed, goes on where it was.

Each line has a checksum and JSON. The first line says what the work is: a journal of other work, or of another version
of vqs, is refused. What was not written to its end is dropped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self
from zlib import crc32

import msgspec

_CHECKSUM: Final = 8
"""How many hexadecimal digits a checksum has."""


class JournalError(Exception):
    """A journal cannot be used: it is another one's, or no journal at all, or it cannot be read or written."""


class Journal:
    """The file; a kind of journal says what its lines are.

    Attributes:
        work: what the work is called in messages.
        another: what other work is called.
        differences: what to say of each field of the header that differs.
    """

    work: ClassVar[str]
    another: ClassVar[str]
    differences: ClassVar[Mapping[str, str]]

    def __init__(self, path: Path, header: msgspec.Struct) -> None:
        """Prepare to use a file.

        Args:
            path: the file; it need not exist.
            header: what the work is: two with the same header have the same result.
        """
        self.path = path
        self._header = header
        self._file = -1

    def __enter__(self) -> Self:
        """Read what is there, and get ready to write.

        Raises:
            JournalError: the file is the journal of other work, or none; or it cannot be read or written.
        """
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
            self._resume()
        except OSError as error:
            self._close()
            raise JournalError(f"cannot use {self.path}: {error.strerror}") from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def append(self, value: msgspec.Struct) -> None:
        """Write a line.

        Raises:
            JournalError: it cannot be written, as the disk is full.
        """
        try:
            self._write(msgspec.json.encode(value))
        except OSError as error:
            raise JournalError(f"cannot write to {self.path}: {error.strerror}") from error

    def take(self, lines: Sequence[bytes | None]) -> int:
        """Take the lines that are there, None for those without their checksum; return how many of them stay."""
        raise NotImplementedError

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, data: bytes) -> None:
        line = _line(data)
        while line:
            line = line[os.write(self._file, line) :]

    def _resume(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise JournalError(f"{self.path} is no regular file")
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            data = file.read()
        lines = data.split(b"\n")[:-1]
        if not lines:
            header = msgspec.json.encode(self._header)
            if not _line(header).startswith(data):
                raise JournalError(f"{self.path} is no journal of a {self.work}")
            os.ftruncate(self._file, 0)
            self._write(header)
            return
        self._check(_checked(lines[0]))
        stay = 1 + self.take([*map(_checked, lines[1:])])
        size = sum(len(line) + 1 for line in lines[:stay])
        if size < len(data):
            os.ftruncate(self._file, size)

    def _check(self, content: bytes | None) -> None:
        try:
            found = msgspec.json.decode(content or b"", type=type(self._header))
        except (msgspec.DecodeError, RecursionError):
            raise JournalError(f"{self.path} is no journal of a {self.work}") from None
        if found == self._header:
            return
        differs = [
            what for name, what in self.differences.items() if getattr(found, name) != getattr(self._header, name)
        ]
        raise JournalError(f"{self.path} is the journal of another {self.another}: {', '.join(differs)}")


def _line(data: bytes) -> bytes:
    return b"%08x %b\n" % (crc32(data), data)


def _checked(line: bytes) -> bytes | None:
    """The content of a line; None where it does not have its checksum."""
    checksum, content = line[:_CHECKSUM], line[_CHECKSUM + 1 :]
    return content if checksum == b"%08x" % crc32(content) else None
