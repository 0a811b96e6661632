"""Compressed files: those to read are recognised by their first bytes, those to write by their names.

What is unpacked has a limit: a few kilobytes can stand for more than there is memory.
"""

import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from gzip import GzipFile
from io import BytesIO
from typing import IO, Any, BinaryIO, Final, cast

from vqs.snapshot.reading.opening import TooLong

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
