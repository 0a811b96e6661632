"""Finding files and reading their text.

A source is a file, a folder (its ``*.yaml``, ``*.yml`` and ``*.json``, also in folders below, hidden ones left out, in
the order of their names), or ``-`` for standard input. Text is UTF-8, or UTF-16 if it says so with a byte order mark.
Each may be compressed, see `vqs.snapshot.compression`; in a folder, ``*.json.gz`` and the like are read too.
"""

import codecs
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from vqs.snapshot.compression import CompressionError, unpacked, without_suffix
from vqs.snapshot.diagnostics import Diagnostic, Position, Problems, Severity, excerpt_of

STDIN: Final = "-"
_STDIN_NAME: Final = "<stdin>"
_EXTENSIONS: Final = frozenset({".yaml", ".yml", ".json"})
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED: Final = 4096


class Source:
    """A file's name, as the user gave it, and its text."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset of each line, made when a position is asked for: most files never need it."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> Position:
        """Return the line and column of a character."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Return a line of the text, counted from one, or an empty text where there is none."""
        begin, end = self._bounds(number)
        return self.text[begin:end]

    def excerpt(self, position: Position) -> str:
        """Return what shows a position, see `excerpt_of`."""
        return excerpt_of(self.text, position.column, *self._bounds(position.line))

    def _bounds(self, number: int) -> tuple[int, int]:
        """Return the start and end of a line without its line break."""
        starts = self._line_starts
        if not 0 < number <= len(starts):
            return 0, 0
        begin = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return begin, end - 1 if self.text.endswith("\r", begin, end) else end


def read_sources(
    paths: Sequence[str],
    stdin: BinaryIO | None,
    problems: Problems,
    seen: set[str],
    *,
    repeats: bool = True,
    called: Mapping[str, str] = MappingProxyType({}),
) -> list[Source]:
    """Read everything that `paths` name, each file once. What cannot be read becomes a problem.

    Args:
        paths: files, folders and ``-``.
        stdin: what ``-`` stands for.
        problems: takes what is wrong.
        seen: what identifies the files that were read before; those read now are added.
        repeats: whether it is worth a note that a file was read before.
        called: what to call files that have a better name than their path.
    """
    sources = [source for path in paths for source in _read_path(path, stdin, problems, seen, repeats=repeats)]
    for source in sources:
        source.name = called.get(source.name, source.name)
    return sources


def _read_path(
    path: str, stdin: BinaryIO | None, problems: Problems, seen: set[str], *, repeats: bool
) -> Iterator[Source]:
    for name in files_of(path, problems):
        identity = name if name == STDIN else os.path.realpath(name)
        if identity in seen:
            if repeats:
                problems.add(_finding("read-once", "given more than once; it is read once", name, severity="note"))
            continue
        seen.add(identity)
        source = read_source(name, stdin, problems)
        if source is not None:
            yield source


def files_of(path: str, problems: Problems) -> list[str]:
    """Return the file itself, or the files of a folder."""
    if path == STDIN or not Path(path).is_dir():
        return [path]
    found = sorted(_walk(path))
    if not found:
        wanted = ", ".join(f"*{extension}" for extension in sorted(_EXTENSIONS))
        problems.add(_finding("empty-input", f"there is no file to read in this folder ({wanted})", path))
    return found


def _walk(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if is_manifest(name):
                yield str(Path(root) / name)


def is_manifest(name: str) -> bool:
    """Tell whether a file is read where it stands in a folder."""
    return not name.startswith(".") and Path(without_suffix(name)).suffix.lower() in _EXTENSIONS


def read_source(path: str, stdin: BinaryIO | None, problems: Problems) -> Source | None:
    """Read one file, or standard input; return None and add a problem if there is no text in it."""
    name = _STDIN_NAME if path == STDIN else path
    try:
        data = unpacked(_read_bytes(path, stdin))
    except OSError as error:
        problems.add(_finding("unreadable-file", f"cannot be read: {error.strerror or error}", name))
        return None
    except CompressionError as error:
        problems.add(_finding("unreadable-file", str(error), name))
        return None
    text = _decode(data, name, problems)
    return None if text is None else Source(name, text)


def _read_bytes(path: str, stdin: BinaryIO | None) -> bytes:
    if path != STDIN:
        return Path(path).read_bytes()
    return stdin.read() if stdin is not None else b""


def _decode(data: bytes, name: str, problems: Problems) -> str | None:
    mark, encoding = next(((m, e) for m, e in _BYTE_ORDER_MARKS if data.startswith(m)), (b"", "utf-8"))
    if not mark and b"\0" in data[:_SNIFFED]:
        message = "this is a binary file, or UTF-16 without a byte order mark; expected YAML or JSON in UTF-8"
        problems.add(_finding("wrong-encoding", message, name))
        return None
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        offset = error.start + len(mark)
        message = f"not {encoding.upper()} text: byte 0x{data[offset]:02x} at offset {offset} ({error.reason})"
        problems.add(_finding("wrong-encoding", message, name, line=data.count(b"\n", 0, offset) + 1))
        return None


def _finding(code: str, message: str, file: str, *, severity: Severity = "error", line: int = 0) -> Diagnostic:
    return Diagnostic(code=code, severity=severity, message=message, file=file, line=line)
