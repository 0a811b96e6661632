"""What may be read: which files, and how much of them.

Those who write what is read are not always those who run vqs: a pull request may have a link or an `include` that leads
to the credentials of its reviewer. So files are read only where the command line has led: the files and folders
that it names, and what a scenario that it names includes from beneath its own folder, or else all that is beneath the
folders of ``--root``. That holds for where links lead in the end. Hidden files have to be named, too.

One `Reach` is in force while a command runs; every reader asks `in_force`, so that no way to a file goes around it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import BinaryIO, Final

from vqs.snapshot.reading.compression import SpecialFile, TooLong, beginning, content, is_opened, open_regular, unpacked

MOST_PODS: Final = 250_000
"""How many pods one object may ask for, unless the command line allows more for all objects together."""

MAX_PODS: Final = 50_000
"""How many pods controllers may create for all objects together, unless the command line says otherwise."""

MAX_DEPTH: Final = 200
"""The most levels of nesting of a document in YAML or JSON, far beyond any manifest."""


MAX_BYTES: Final = 2_000_000_000
MAX_FILES: Final = 100_000
CHECKOUTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""The variables by which pipelines say where the repository is."""

_MOUNTED: Final = re.compile(r"\.\.(?:data|\d{4}_[\d_.]+)")
"""What Kubernetes calls the hidden folders that a mounted ConfigMap links to."""
_ALLOW: Final = "name it on the command line, or allow its folder with --root DIR"
_WHERE_IT_IS: Final = "name it by where it is, or allow its folder with --root DIR"


class ReadRefused(Exception):  # noqa: N818 - it is no failure
    """Something is not read.

    Attributes:
        code: the code of the diagnostic.
        help: what to do about it.
    """

    def __init__(self, message: str, help: str = "", code: str = "out-of-reach") -> None:  # noqa: A002 - as in Diagnostic
        super().__init__(message)
        self.code = code
        self.help = help


@dataclass(frozen=True, slots=True)
class Limits:
    """What the command line allows.

    Attributes:
        roots: the folders beneath which everything has to be; without any, what the command line names decides.
        max_bytes: how much is read at most, after unpacking.
        max_files: how many files are read at most.
        max_pods: how many pods controllers create at most for what is read.
        is_rendering: whether programs are run that render what is read; no file can ask for that.
    """

    roots: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    max_files: int = MAX_FILES
    max_pods: int = MAX_PODS
    is_rendering: bool = False


@dataclass(slots=True)
class _Account:
    """How much may still be read."""

    limits: Limits
    bytes: int
    files: int

    def take_file(self) -> None:
        """Count a file."""
        self.files -= 1
        if self.files < 0:
            raise too_many_files(self.limits.max_files)

    def take_bytes(self, length: int) -> None:
        """Count bytes."""
        self.bytes -= length
        if self.bytes < 0:
            raise self.too_long()

    def expect_bytes(self, length: int) -> None:
        """Refuse too many bytes before they are there."""
        if length > self.bytes:
            raise self.too_long()

    def too_long(self) -> ReadRefused:
        """The complaint that there is more to read; nothing is allowed from now on."""
        self.bytes = 0
        message = f"the input is longer than the {self.limits.max_bytes:,} bytes that are read at most"
        return ReadRefused(message, "allow more with --max-bytes", "too-much-input")


def too_many_files(most: int) -> ReadRefused:
    """The complaint that there are more files than may be read."""
    return ReadRefused(f"there are more than {most:,} files to read", "allow more with --max-files", "too-much-input")


class Reach:
    """Decides what is read in one run, and keeps count of it."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.account = _Account(self.limits, self.limits.max_bytes, self.limits.max_files)
        self._roots = tuple(map(os.path.realpath, self.limits.roots))
        self._named: set[str] = set()
        self._own: set[str] = set()
        self._targets: list[os.stat_result] = []
        self._kept: dict[str, bytes] = {}
        self._checkout: Checkout | None = None

    # --- which files --------------------------------------------------------------------------------------------------

    def name(self, paths: Iterable[str]) -> None:
        """Take note of files and folders that the command line names: others may lead to them."""
        for path in paths:
            try:
                self._named.add(self.named(path))
            except ReadRefused:
                continue  # reading it reports that

    def trust(self, path: str) -> None:
        """Take note of a file that vqs itself has made."""
        self._own.add(real_path(path))

    def keep(self, target: str) -> None:
        """Take note of a file that will be written, and must not be read."""
        try:
            self._targets.append(os.stat(target))
        except (OSError, ValueError):
            return  # what is not there cannot be read

    def named(self, path: str) -> str:
        """Where a file or folder is that the command line names.

        A path within the current folder, or the repository that it is in, has to stay there: it is the path that was
        chosen, not where a link in them may lead. Elsewhere, it has to stay in its folder.

        Raises:
            ReadRefused: it may not be read.
        """
        if is_opened(path):
            return path
        real = real_path(path)
        if real in self._own:
            return real
        if not self._roots:
            if self.stays(path):
                return real
            raise ReadRefused(f"this is a link that leads elsewhere, to {real}", _WHERE_IT_IS)
        if any(_is_open(real, root, _parts(path)) for root in self._roots):
            return real
        raise ReadRefused(f"this is not beneath a folder of --root: {real}", "allow its folder with another --root DIR")

    def found(self, path: str, home: str | None = None) -> str:
        """Where a file or folder is that something else leads to: a folder that is read, an include, or a link.

        Args:
            path: what leads there.
            home: a folder that is allowed too.

        Raises:
            ReadRefused: it may not be read. Whether it is there is not disclosed.
        """
        real = real_path(path)
        folder, inner = real, ""
        while True:
            is_allowed = folder in self._roots if self._roots else folder in self._named or folder == home
            if is_allowed and not _hides(inner):
                return real
            parent, part = os.path.split(folder)
            if parent == folder:
                raise ReadRefused("this is outside of what may be read", _ALLOW)
            folder, inner = parent, f"{part}/{inner}"

    def home(self, path: str) -> str | None:
        """The folder of a file that the command line names, beneath which it may include others."""
        if is_opened(path):
            return None
        try:
            return self.named(os.path.dirname(path) or os.curdir)
        except ReadRefused:
            return None

    def stays(self, path: str) -> bool:
        """True if a path that the command line names leads to where it seems to, and not to anything hidden."""
        real = real_path(path)
        return all(_is_open(real, os.path.realpath(base), _parts(path)) for base in self._bases(path))

    def _bases(self, path: str) -> Iterator[str]:
        """Yield the folders that a path must not leave."""
        whole, here = os.path.abspath(path), os.getcwd()
        if self._checkout is not None and _inside(whole, self._checkout.folder) is not None:
            yield self._checkout.folder
        else:
            own = (folder for folder in (here, _repository(here)) if _inside(whole, folder) is not None)
            yield next(own, os.path.dirname(whole))
        for top in filter(None, map(os.environ.get, CHECKOUTS)):
            if _inside(whole, os.path.abspath(top)) is not None:
                yield top

    # --- how much of them ---------------------------------------------------------------------------------------------

    def read_named(self, path: str, *, is_rewritten: bool = False) -> bytes:
        """What is in a file that the command line names, unpacked.

        Args:
            path: the file.
            is_rewritten: whether it may be written afterwards.

        Raises:
            OSError: it cannot be read.
            CompressionError: it cannot be unpacked.
            ReadRefused: it may not be read.
        """
        if is_opened(path):
            return self._unpacked(self._opened(path))
        return self._read(self.named(path), is_rewritten=is_rewritten)

    def read_found(self, path: str, home: str | None = None) -> bytes:
        """What is in a file that something else leads to; it raises what `read_named` does."""
        return self._read(self.found(path, home))

    def hidden_content(self, path: str) -> bytes | None:
        """What tells whether a hidden file in a folder that is read stays the same; it is never shown.

        Of a link that is where it leads; None is returned where there is no regular file that can be read.

        Raises:
            ReadRefused: there is too much to read.
        """
        if os.path.islink(path):
            end = os.path.relpath(real_path(path), real_path(os.path.dirname(path)))
            return os.fsencode(end) if os.path.isfile(path) else None
        try:
            file = open_regular(real_path(path))
        except (OSError, SpecialFile):
            return None
        self.account.take_file()
        with file:
            data = self._content(file)
        self.account.take_bytes(len(data))
        return data

    def read_stream(self, stream: BinaryIO) -> bytes:
        """What comes out of a pipe; it raises what `read_named` does."""
        self.account.take_file()
        return self._unpacked(self._content(stream))

    def beginning(self, path: str, size: int) -> bytes:
        """The first bytes of a file that the command line names; it raises what `read_named` does."""
        if is_opened(path):
            return unpacked(self._opened(path), self.account.bytes)[:size]
        with self._open(self.named(path)) as file:
            return beginning(file, size)

    def _read(self, real: str, *, is_rewritten: bool = False) -> bytes:
        self.account.take_file()
        with self._open(real, is_rewritten=is_rewritten) as file:
            return self._unpacked(self._content(file))

    def _opened(self, path: str) -> bytes:
        """What is in a file that is open already. It is read once, as a pipe has nothing the second time."""
        if path not in self._kept:
            self.account.take_file()
            with open(path, "rb") as file:
                self._kept[path] = self._content(file)
        return self._kept[path]

    def _open(self, real: str, *, is_rewritten: bool = False) -> BinaryIO:
        try:
            file = open_regular(real)
        except SpecialFile as special:
            advice = "feed it to standard input, -" if str(special) == "a pipe" else ""
            raise ReadRefused(
                f"this is {special}, and only regular files are read", advice, "unreadable-file"
            ) from None
        if not is_rewritten and any(os.path.samestat(os.fstat(file.fileno()), target) for target in self._targets):
            file.close()
            raise ReadRefused(
                "the result is to be written to this file, which is to be read, too", "name another --output"
            )
        return file

    def _content(self, file: BinaryIO) -> bytes:
        try:
            return content(file, self.account.bytes)
        except TooLong:
            raise self.account.too_long() from None

    def _unpacked(self, data: bytes) -> bytes:
        """Unpack what may be packed, and count what comes out of it."""
        try:
            text = unpacked(data, self.account.bytes)
        except TooLong:
            raise self.account.too_long() from None
        self.account.take_bytes(len(text))
        return text

    # --- other revisions ----------------------------------------------------------------------------------------------

    def located(self, path: str, home: str | None) -> str:
        """Where to look for what is included: in a revision it may have to be taken from there first.

        Raises:
            ReadRefused: it may not be read.
        """
        if self._checkout is None:
            return path
        inner = _inside(path, self._checkout.folder)
        if inner is None:  # as it is here
            return os.path.normpath(os.path.join(self._checkout.top, os.path.relpath(path, self._checkout.folder)))
        self._checkout.take(inner, lambda end: self.found(end, home))
        return path

    def in_revision(self, checkout: Checkout) -> Reach:
        """What may be read of a revision: what may be read here, as it is there."""
        there = Reach(self.limits)
        there.account = self.account
        there._checkout = checkout
        there._roots = tuple(checkout.places(self._roots))
        there._named = set(checkout.places(self._named))
        there._own = self._own
        there._targets = self._targets
        there._kept = self._kept
        return there


@dataclass(frozen=True, slots=True)
class Checkout:
    """Files of a revision in a folder of their own.

    Attributes:
        folder: where they are; there are no links on the way there.
        top: where the repository is.
        take: puts a file or folder there, by its path within, and checks whether where it leads may be read.
    """

    folder: str
    top: str
    take: Callable[[str, Callable[[str], str]], None]

    def places(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield where things of the repository are in the folder; all else stays where it is."""
        for path in paths:
            inner = _inside(path, self.top)
            yield path if inner is None else os.path.normpath(os.path.join(self.folder, inner))
            if _inside(self.top, path) is not None:
                yield self.folder


_IN_FORCE: Final[ContextVar[Reach | None]] = ContextVar("reach", default=None)


def in_force() -> Reach:
    """What decides; by default, the usual limits do, for what is read next."""
    return _IN_FORCE.get() or Reach()


def most_pods_of_one() -> int:
    """How many pods one object may ask for; most of those in a dump need not be created."""
    return max(MOST_PODS, in_force().limits.max_pods)


@contextmanager
def enforced(reach: Reach) -> Iterator[Reach]:
    """Put into force what decides."""
    token = _IN_FORCE.set(reach)
    try:
        yield reach
    finally:
        _IN_FORCE.reset(token)


@contextmanager
def begun() -> Iterator[None]:
    """Go on with what is in force, or begin with the usual limits: one run reads from many places."""
    with enforced(in_force()):
        yield


def real_path(path: str) -> str:
    """Where a path leads in the end.

    Raises:
        ReadRefused: no file can have that name.
    """
    try:
        return os.path.realpath(path)
    except ValueError:
        raise ReadRefused("no file can have this name", code="unreadable-file") from None
    except (OSError, RecursionError):
        raise ReadRefused("this leads through too many links", code="unreadable-file") from None


def _repository(folder: str) -> str:
    """The folder of the repository that a folder is in, the outermost one, or the folder itself."""
    above = [folder]
    while (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    return next((each for each in reversed(above) if os.path.exists(os.path.join(each, ".git"))), folder)


def _parts(path: str) -> frozenset[str]:
    return frozenset(re.split(r"[/\\]" if os.sep == "\\" else "/", path))


def _is_open(real: str, base: str, spelt: frozenset[str]) -> bool:
    """True if a path is beneath a folder, and nothing hidden is on the way that was not spelt out."""
    inner = _inside(real, base)
    return inner is not None and not _hides("/".join(part for part in inner.split(os.sep) if part not in spelt))


def _inside(path: str, folder: str) -> str | None:
    """The path from a folder to something in it, None if it is elsewhere."""
    if path == folder:
        return ""
    prefix = folder if folder.endswith(os.sep) else folder + os.sep
    return path.removeprefix(prefix) if path.startswith(prefix) else None


def is_mounted(name: str) -> bool:
    """True if a hidden folder is one that Kubernetes mounts: what is in it has a link to it beside it."""
    return _MOUNTED.fullmatch(name) is not None


def _hides(inner: str) -> bool:
    """True if a path has something hidden in it, other than what Kubernetes mounts."""
    return any(part.startswith(".") and not is_mounted(part) for part in inner.split("/"))
