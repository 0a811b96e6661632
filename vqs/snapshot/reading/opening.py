"""Opening files without being held up or led astray: only regular ones are read, and none is waited for."""

import os
import re
import stat
from collections.abc import Callable
from typing import BinaryIO, Final

_OPENED: Final = re.compile(r"/dev/(?:stdin|null|fd/\d+)|/proc/self/fd/\d+")
_FLAGS: Final = ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
"""Not all systems have all of them."""
_PIECE: Final = 1024**2
_KINDS: Final[tuple[tuple[Callable[[int], bool], str], ...]] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link that leads to itself"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class SpecialFile(Exception):  # noqa: N818 - it is what was met
    """There is something else than a regular file; the message says what."""


class TooLong(Exception):  # noqa: N818 - likewise
    """There is more to read than may be read."""


def is_opened(path: str) -> bool:
    """True if a name stands for what whoever started this has opened for it, as a process substitution does.

    >>> is_opened("/dev/fd/63"), is_opened("/dev/zero")
    (True, False)
    """
    return _OPENED.fullmatch(path) is not None


def open_regular(path: str) -> BinaryIO:
    """Open a file by a path that has no links in it.

    Raises:
        OSError: it cannot be opened.
        SpecialFile: it is no regular file, or there is another one in its place since it was looked at.
    """
    before = os.lstat(path)
    _refuse_special(before)
    flags = 0
    for name in _FLAGS:
        flags |= getattr(os, name, 0)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _refuse_another(before, os.fstat(file.fileno()), path)
    except BaseException:
        file.close()
        raise
    return file


def content(file: BinaryIO, most: int) -> bytes:
    """All that is in a file.

    Raises:
        TooLong: that is more than `most` bytes.
    """
    try:
        found = os.fstat(file.fileno())
    except (OSError, ValueError):  # a file in memory has no number
        size = 0
    else:
        size = found.st_size if stat.S_ISREG(found.st_mode) else 0
    if size > most:
        raise TooLong
    pieces, length = [], 0
    while piece := file.read(max(size + 1 - length, _PIECE)):
        length += len(piece)
        if length > most:
            raise TooLong
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _refuse_another(before: os.stat_result, now: os.stat_result, path: str) -> None:
    """Refuse a file that was put in the place of another one while that was looked at."""
    _refuse_special(now)
    if not os.path.samestat(before, now) or os.path.realpath(path) != path:
        raise SpecialFile("a file that changes while it is read")


def _refuse_special(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SpecialFile(next((name for is_one, name in _KINDS if is_one(found.st_mode)), "no regular file"))
