"""Opening files, compressed ones too, without being held up or led astray.

What is unpacked has a limit: a few kilobytes can stand for more than there is memory. Only regular ones are read, and
none is waited for.
"""

import os
import re
import stat
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from gzip import GzipFile
from io import BytesIO
from typing import IO, Any, BinaryIO, Final, cast

_OPENED: Final = re.compile(r"/dev/(?:stdin|null|fd/\d+)|/proc/self/fd/\d+")
_FLAGS: Final = ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
"""Not all systems have all of them."""
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


_PIECE: Final = 1024**2
_ALWAYS_FINE: Final = 32 * 1024**2
_MOST_TIMES: Final = 200
"""Snapshots of clusters with thousands of equal pods are packed to a hundredth."""


class CompressionError(Exception):
    """Something compressed cannot be unpacked; the message says why."""


@dataclass(frozen=True, slots=True)
class Compression:
    """A way to compress.

    Attributes:
        name: what people call it.
        suffix: how the names of its files end.
        magic: the first bytes of everything that is compressed in this way.
        unpacker: the command that unpacks a file.
        reader: returns a file that reads from a compressed one.
        writer: returns a file that compresses into another one, which stays open when the first is closed.
        errors: returns what a reader raises for damaged files; the libraries have no type in common.
    """

    name: str
    suffix: str
    magic: bytes
    unpacker: str
    reader: Callable[[IO[bytes]], BinaryIO]
    writer: Callable[[IO[bytes]], BinaryIO]
    errors: Callable[[], tuple[type[Exception], ...]]


def _zstd() -> Any:
    """Load the library late: few files need it."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd


GZIP: Final = Compression(
    "gzip",
    ".gz",
    b"\x1f\x8b",
    "gzip -d",
    reader=lambda file: cast("BinaryIO", GzipFile(fileobj=file, mode="rb")),
    # Without a name and a time in it, equal content makes equal files.
    writer=lambda file: cast("BinaryIO", GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)),
    errors=lambda: (OSError, zlib.error),
)
ZSTD: Final = Compression(
    "zstd",
    ".zst",
    b"\x28\xb5\x2f\xfd",
    "zstd -d",
    reader=lambda file: cast("BinaryIO", _zstd().ZstdFile(file)),
    writer=lambda file: cast("BinaryIO", _zstd().ZstdFile(file, "wb")),
    errors=lambda: (OSError, _zstd().ZstdError),
)
_ALL: Final = (GZIP, ZSTD)


def compression_of(data: bytes) -> Compression | None:
    """How some bytes are compressed; None if they are not."""
    return next((each for each in _ALL if data.startswith(each.magic)), None)


def compression_named(name: str) -> Compression | None:
    """How a file of a name is compressed; None if it is not."""
    return next((each for each in _ALL if name.lower().endswith(each.suffix)), None)


def without_suffix(name: str) -> str:
    """The name of a file without what tells how it is compressed.

    >>> without_suffix("snapshot.json.gz")
    'snapshot.json'
    """
    compression = compression_named(name)
    return name if compression is None else name[: -len(compression.suffix)]


def unpacked(data: bytes, most: int) -> bytes:
    """What some bytes hold if they are compressed, else the bytes themselves.

    Raises:
        CompressionError: they are damaged, end too early, or hold far more than snapshots do.
        TooLong: they hold more than `most` bytes.
    """
    compression = compression_of(data)
    if compression is None:
        return data
    pieces, length, plausible = [], 0, max(_ALWAYS_FINE, _MOST_TIMES * len(data))
    with compression.reader(BytesIO(data)) as file:
        while piece := _read(file, _PIECE, compression):
            length += len(piece)
            if length > most:
                raise TooLong
            if length > plausible:
                raise CompressionError(
                    f"this {compression.name} file holds more than {_MOST_TIMES} times as much as it is long; "
                    f"if that is as it should be, unpack it first: {compression.unpacker}"
                )
            pieces.append(piece)
    return b"".join(pieces)


def beginning(file: BinaryIO, size: int) -> bytes:
    """The first bytes of a file, unpacked.

    Raises:
        OSError: the file cannot be read.
        CompressionError: it cannot be unpacked.
    """
    head = file.read(size)
    compression = compression_of(head)
    if compression is None:
        return head
    file.seek(0)
    with compression.reader(file) as inner:
        return _read(inner, size, compression)


def _read(file: BinaryIO, size: int, compression: Compression) -> bytes:
    """Read some of what is in a compressed file."""
    try:
        return file.read(size)
    except EOFError:
        raise CompressionError(f"this {compression.name} file ends too early: a part of it is missing") from None
    except compression.errors() as error:
        raise CompressionError(f"this {compression.name} file is damaged: {error}") from None
