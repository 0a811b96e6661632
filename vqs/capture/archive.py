"""The file that captured objects are written to: a List in JSON, an object a line, compressed or not.

It is written in parts, of which the last can be taken back as if it had never been begun. Each is compressed for
itself; what reads compressed files reads parts that follow one another as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import msgspec

from vqs import inert
from vqs.snapshot.reading.compression import Compression

Add = Callable[[Any], None]

_HEAD: Final = b'{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":['
_END: Final = b"\n]}\n"

_encoder: Final = msgspec.json.Encoder()


class Archive:
    """A List that is being written to a file that can be sought in."""

    def __init__(self, file: BinaryIO, compression: Compression | None) -> None:
        self._file = file
        self._compression = compression
        self._objects = 0
        with self._opened() as stream:
            stream.write(_HEAD)

    @contextmanager
    def part(self) -> Iterator[Add]:
        """Yield what takes an object of a part; if an error comes out of it, all its objects are taken back."""
        start, objects = self._file.tell(), self._objects
        try:
            with self._opened() as stream:

                def add(value: Any) -> None:
                    stream.write((b",\n" if self._objects else b"\n") + _encode(value))
                    self._objects += 1

                yield add
        except BaseException:
            self._objects = objects
            self._file.seek(start)
            self._file.truncate()
            raise

    def finish(self) -> None:
        """Write the end of the List."""
        with self._opened() as stream:
            stream.write(_END)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """Yield what writes into the file, compressed."""
        if self._compression is None:
            yield self._file
            return
        with self._compression.writer(self._file) as stream:
            yield stream


def _encode(value: Any) -> bytes:
    return inert.json(_encoder.encode(value).decode()).encode()
