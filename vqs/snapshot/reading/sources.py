"""Finding files, in folders too, and reading their text.

A source is a file, a folder (its ``*.yaml``, ``*.yml`` and ``*.json``, also in folders below, hidden ones left out, in
the order of their names), or ``-`` for standard input. Text is UTF-8, or UTF-16 if it says so with a byte order mark.
Each may be compressed, see `vqs.snapshot.reading.compression`; in a folder, ``*.json.gz`` and the like are read too.
"""

import codecs
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import BinaryIO, Final, NamedTuple

from vqs.model.wording import first_names
from vqs.paths import STDIN, identity, is_folder, printable
from vqs.snapshot.reading.compression import CompressionError, without_suffix
from vqs.snapshot.reading.diagnostics import Diagnostic, Position, Problems, Severity, excerpt_of
from vqs.snapshot.reading.reach import Reach, ReadRefused, in_force, too_many_files

_STDIN_NAME: Final = "<stdin>"
_EXTENSIONS: Final = frozenset({".yaml", ".yml", ".json"})
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENDINGS: Final = tuple(_EXTENSIONS)
_SNIFFED: Final = 4096
_PIECE: Final = 1024**2
_MOST_NAMED: Final = 5


class Encoded(NamedTuple):
    """A text as UTF-8, and how many characters it has."""

    data: bytes
    length: int


class Source:
    """A file's name, as it is shown, and its text.

    `path` is where it is, and `home` the folder beneath which it may include other files, if there is one. `inner` is
    where it is in a folder that the command line names, empty for a file that is named itself, None for others.
    `strict` is whether it has to be a manifest, as what is named itself has to.
    `encoded` is the text as it was read, until the text is asked for: of a big dump it may never be, and both
    would take twice the room.
    """

    def __init__(self, name: str, text: str | Encoded, path: str = "", home: str | None = None) -> None:
        self.name = name
        self.encoded = text if isinstance(text, Encoded) else None
        self._text = text if isinstance(text, str) else None
        self.path = path or name
        self.home = home
        self.inner: str | None = None
        self.strict = True

    @property
    def text(self) -> str:
        """The text of the file."""
        if self._text is None:
            self._text = self.encoded.data.decode() if self.encoded is not None else ""
            self.encoded = None
        return self._text

    @property
    def length(self) -> int:
        """The number of its characters."""
        return len(self.text) if self.encoded is None else self.encoded.length

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset of each line, made when a position is asked for: most files never need it."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> Position:
        """The line and column of a character."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """A line of the text, counted from one, or an empty text where there is none."""
        begin, end = self._bounds(number)
        return self.text[begin:end]

    def excerpt(self, position: Position) -> str:
        """What shows a position, see `excerpt_of`."""
        return excerpt_of(self.text, position.column, *self._bounds(position.line))

    def _bounds(self, number: int) -> tuple[int, int]:
        """The start and end of a line without its line break."""
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
    called: Mapping[str, str] = MappingProxyType({}),
    strict: bool = True,
) -> list[Source]:
    """Read everything that `paths` name, each file once. What cannot be read becomes a problem.

    Args:
        paths: files, folders and ``-``.
        stdin: what ``-`` stands for.
        problems: takes what is wrong.
        seen: what identifies the files that were read before; those read now are added.
        called: what to call files that have a better name than their path.
        strict: whether what is named itself has to be a manifest.
    """
    reach = in_force()
    reach.name(path for path in paths if path != STDIN)
    sources = [source for path in paths for source in _read_path(path, stdin, problems, seen, reach)]
    for source in sources:
        source.strict = strict and not source.inner
        source.name = called.get(source.path, source.name)
    return sources


def _read_path(path: str, stdin: BinaryIO | None, problems: Problems, seen: set[str], reach: Reach) -> Iterator[Source]:
    is_walked = path != STDIN and is_folder(path)
    for name in files_of(path, problems, reach) if is_walked else [path]:
        known = name if name == STDIN else identity(name)
        if known in seen:
            problems.add(
                _finding("read-once", "given more than once; it is read once", printable(name), severity="note")
            )
            continue
        seen.add(known)
        source = read_found(name, None, problems, reach) if is_walked else read_source(name, stdin, problems, reach)
        if source is not None:
            source.inner = os.path.relpath(name, path) if is_walked else ""
            yield source


def files_of(folder: str, problems: Problems, reach: Reach) -> list[str]:
    """The files that are read of a folder that the command line names."""
    try:
        reach.named(folder)
        found, hidden = list[str](), list[str]()
        for path in walk(folder, lambda below, error: problems.add(unreadable(below, error))):
            name = os.path.basename(path)
            if is_manifest(name):
                found.append(path)
                if len(found) > reach.limits.max_files:
                    raise too_many_files(reach.limits.max_files)
            elif name.lower().endswith(_ENDINGS):
                hidden.append(os.path.relpath(path, folder))
        if hidden:
            # kubectl, given the folder, would apply them.
            named = first_names([printable(path) for path in sorted(hidden)], _MOST_NAMED)
            number = "a hidden file is" if len(hidden) == 1 else f"{len(hidden):,} hidden files are"
            message = f"{number} skipped, though kubectl apply reads such files: {named}"
            problems.add(_finding("hidden-file", message, printable(folder), severity="warning"))
        if not found:
            problems.add(empty_folder(folder))
        return sorted(found)
    except ReadRefused as refusal:
        problems.add(refused(refusal, folder))
        return []


def is_manifest(name: str) -> bool:
    """True if a file is read where it stands in a folder."""
    return not name.startswith(".") and os.path.splitext(without_suffix(name))[1].lower() in _EXTENSIONS


def empty_folder(folder: str) -> Diagnostic:
    """The complaint that nothing in a folder is read."""
    wanted = ", ".join(f"*{extension}" for extension in sorted(_EXTENSIONS))
    return _finding("empty-input", f"there is no file to read in this folder ({wanted})", printable(folder))


def unreadable(path: str, error: OSError) -> Diagnostic:
    """The complaint that a file or folder cannot be read."""
    return _finding("unreadable-file", f"cannot be read: {error.strerror or error}", printable(path))


def refused(refusal: ReadRefused, path: str) -> Diagnostic:
    """The complaint that a file or folder may not be read; that there is too much is said once."""
    file = "" if refusal.code == "too-much-input" else printable(path)
    return Diagnostic(code=refusal.code, severity="error", message=str(refusal), file=file, help=refusal.help)


def read_source(path: str, stdin: BinaryIO | None, problems: Problems, reach: Reach | None = None) -> Source | None:
    """Read a file that the command line names, or standard input.

    Return None and add a problem if there is no text in it, or it may not be read.
    """
    chosen = reach or in_force()
    if path == STDIN:
        return _source(
            _STDIN_NAME, lambda: chosen.read_stream(stdin) if stdin else b"", chosen.home(_STDIN_NAME), problems
        )
    return _source(path, lambda: chosen.read_named(path), chosen.home(path), problems)


def read_found(path: str, home: str | None, problems: Problems, reach: Reach) -> Source | None:
    """Read a file that something else leads to; `home` is where it may be, too, and what it includes."""
    return _source(path, lambda: reach.read_found(path, home), home, problems)


def _source(path: str, read: Callable[[], bytes], home: str | None, problems: Problems) -> Source | None:
    try:
        data = read()
    except OSError as error:
        problems.add(unreadable(path, error))
        return None
    except CompressionError as error:
        problems.add(_finding("unreadable-file", str(error), printable(path)))
        return None
    except ReadRefused as refusal:
        problems.add(refused(refusal, path))
        return None
    text = _encoded(data) or _decode(data, printable(path), problems)
    return None if text is None else Source(printable(path), text, path, home)


def _encoded(data: bytes) -> Encoded | None:
    """A text in UTF-8 without a byte order mark as it is; None for what is, or may be, something else."""
    if b"\0" in data[:_SNIFFED] or any(data.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS):
        return None
    if data.isascii():
        return Encoded(data, len(data))
    decoder, length = codecs.getincrementaldecoder("utf-8")(), 0
    try:
        for at in range(0, len(data), _PIECE):
            length += len(decoder.decode(data[at : at + _PIECE], at + _PIECE >= len(data)))
    except UnicodeDecodeError:
        return None
    return Encoded(data, length)


def _decode(data: bytes, name: str, problems: Problems) -> str | None:
    mark, encoding = next(((m, e) for m, e in _BYTE_ORDER_MARKS if data.startswith(m)), (b"", "utf-8"))
    if not mark and b"\0" in data[:_SNIFFED]:
        message = "this is a binary file, or UTF-16 without a byte order mark; expected YAML or JSON in UTF-8"
        problems.add(_finding("wrong-encoding", message, name))
        return None
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        offset = error.start + len(mark)
        message = f"not {encoding.upper()} text: byte 0x{data[offset]:02x} at offset {offset} ({error.reason})"
        problems.add(_finding("wrong-encoding", message, name, line=data.count(b"\n", 0, offset) + 1))
        return None
    if encoding != "utf-8" and "\n---" in text:
        message = f"kubectl apply reads only the first document of this file, as it is {encoding.upper()} text"
        problems.add(_finding("not-applied", message, name, severity="warning"))
    return text


def _finding(code: str, message: str, file: str, *, severity: Severity = "error", line: int = 0) -> Diagnostic:
    return Diagnostic(code=code, severity=severity, message=message, file=file, line=line)


# --- folders ----------------------------------------------------------------------------------------------------------


class Listing(NamedTuple):
    """The files in a folder, hidden ones too, and the folders that are not hidden.

    A link to a folder is passed over, so that none is walked in a circle.
    """

    files: list[str]
    folders: list[str]


def listing(folder: str) -> Listing:
    """List a folder.

    Raises:
        OSError: it cannot be read.
    """
    files, folders = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not _is_folder(entry):
                files.append(os.path.join(folder, entry.name))
            elif not (entry.is_symlink() or entry.name.startswith(".")):
                folders.append(os.path.join(folder, entry.name))
    return Listing(files, folders)


def everything_in(folder: str, is_skipped: Callable[[str], bool]) -> Iterator[str]:
    """Yield the files in a folder and in those below, hidden ones too, in the order of their names.

    Folders with a name that is to be skipped are left out, as are links to folders, and what cannot be read.
    """
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        yield from (os.path.join(here, name) for name in sorted(files))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


def walk(folder: str, refuse: Callable[[str, OSError], object]) -> Iterator[str]:
    """Yield the files in a folder and in those below; `refuse` is called with those that cannot be read."""
    ahead = [folder]
    while ahead:
        here = ahead.pop()
        try:
            found = listing(here)
        except OSError as error:
            refuse(here, error)
            continue
        yield from found.files
        ahead += found.folders
