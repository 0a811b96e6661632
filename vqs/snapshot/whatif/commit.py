"""What a commit of a git repository has: its files and folders by name, and where its links lead."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from vqs.snapshot.whatif.git import GitError, RevisionError, git

SUBMODULE: Final = "160000"
_LINK: Final = "120000"
_TREE: Final = "tree"
_BLOB: Final = "blob"
_DESCRIBED: Final = 3
"""A blob that is there is described by its identity, its type and its size."""
_MOST_LINKS: Final = 40
"""How many links are followed, as operating systems do."""
_LONGEST: Final = 4095
"""No path has more bytes."""


class Commit:
    """A commit; names are those that git has, as seen from the top of the repository."""

    def __init__(self, top: Path, reference: str, identity: str) -> None:
        """List what there is.

        Args:
            top: where the repository is.
            reference: what people call it.
            identity: what git calls it.
        """
        self.top = top
        self.reference = reference
        self.folders = {""}
        self.files: dict[str, str] = {}
        self.submodules: set[str] = set()
        links: dict[str, str] = {}
        for mode, kind, blob, name in _listed(top, identity):
            if kind == _TREE:
                self.folders.add(name)
            elif kind == _BLOB:
                (links if mode == _LINK else self.files)[name] = blob
            else:
                self.submodules.add(name)
        lengths = dict(zip(links, _sizes(top, links.values()), strict=True))
        self.overlong = {name: length for name, length in lengths.items() if length > _LONGEST}
        usable = {name: blob for name, blob in links.items() if name not in self.overlong}
        self.links = dict(zip(usable, map(os.fsdecode, _contents(top, usable.values())), strict=True))

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a file or a folder of a name."""
        return name in self.files or name in self.folders

    def below(self, folder: str) -> list[str]:
        """Return the files, links and submodules in a folder and in those below."""
        prefix = f"{folder}/" if folder else ""
        kinds = (self.files, self.links, self.overlong, self.submodules)
        return [name for names in kinds for name in names if name.startswith(prefix)]

    def size(self, names: Collection[str]) -> int:
        """Return how many bytes there are in files."""
        return sum(_sizes(self.top, map(self.files.__getitem__, names)))

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield files with what is in them."""
        yield from zip(names, _contents(self.top, (self.files[name] for name in names)), strict=True)

    def follow(self, name: str) -> tuple[str, list[str]]:
        """Return where a name leads, and the links on the way; there may be nothing.

        Raises:
            RevisionError: a link leads out of the repository, or in a circle, or the name into a submodule.
        """
        ahead, here, passed = [*reversed(PurePosixPath(name).parts)], list[str](), list[str]()
        while ahead:
            part = ahead.pop()
            if part != "..":
                here.append(part)
            elif here:
                here.pop()
            else:
                raise self.refusal(passed[-1], "out of the repository")
            at = "/".join(here)
            if at in self.submodules:
                raise in_submodule(at, f" in {self.reference}")
            if at in self.overlong:
                message = f"its target has {self.overlong[at]:,} bytes"
                raise RevisionError(f"'{at}' in {self.reference} is a link that leads nowhere: {message}")
            if at in self.links:
                passed.append(at)
                if len(passed) > _MOST_LINKS:
                    raise self.refusal(at, "in a circle")
                if self.links[at].startswith("/"):
                    raise self.refusal(at, "out of the repository")
                here.pop()
                ahead += reversed(PurePosixPath(self.links[at]).parts)
        return "/".join(here), passed

    def refusal(self, link: str, where: str) -> RevisionError:
        """Return the complaint that a link leads where it must not."""
        return RevisionError(f"'{link}' in {self.reference} is a link that leads {where}: {self.links[link]}")


def in_submodule(name: str, where: str = "") -> RevisionError:
    """Return the complaint that something is in a submodule."""
    message = f"'{name}' is a submodule{where}, and what it has is in a repository of its own"
    return RevisionError(f"{message}; name the files and folders beside it")


def _listed(top: Path, identity: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the mode, the type, the identity and the name of everything."""
    for line in git("ls-tree", "-r", "-t", "-z", "--full-tree", identity, folder=top).split(b"\0")[:-1]:
        described, _, name = line.partition(b"\t")
        mode, kind, blob = described.decode().split()
        if name.startswith(b"/") or b".." in name.split(b"/"):  # git does not check it out either
            raise RevisionError(f"there is a file of an impossible name: {os.fsdecode(name)}")
        yield mode, kind, blob, os.fsdecode(name)


def _sizes(top: Path, blobs: Iterable[str]) -> Iterator[int]:
    """Yield how many bytes blobs have; that one is missing is found when it is read."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    output = git("cat-file", "--batch-check=%(objectsize)", folder=top, stdin=asked) if asked else b""
    yield from (int(line) if line.isdigit() else 0 for line in output.splitlines())


def _contents(top: Path, blobs: Iterable[str]) -> Iterator[bytes]:
    """Yield what blobs have in them."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    written = git("cat-file", "--batch", folder=top, stdin=asked) if asked else b""
    at = 0
    while at < len(written):
        begin = written.index(b"\n", at) + 1
        described = written[at:begin].decode().split()
        if len(described) < _DESCRIBED:
            raise GitError("cat-file", " ".join(described))
        at = begin + int(described[-1])
        yield written[begin:at]
        at += 1
