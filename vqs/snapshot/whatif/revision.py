"""Files as they are in another revision of a git repository: those of a commit by name, and where its links lead."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import structs

from vqs.paths import is_there
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import Checkout, ReadRefused, begun, enforced, in_force
from vqs.snapshot.reading.sources import refused
from vqs.snapshot.whatif.sides import is_hidden, is_read

# --- git --------------------------------------------------------------------------------------------------------------

_GIT: Final = "git"
OPTIONS: Final = ("-c", "safe.bareRepository=explicit")
"""A folder that only looks like a repository is none: a change may have one in it, with revisions and settings."""


class RevisionError(Exception):
    """Files cannot be taken from a revision; the message says why."""


class GitError(RevisionError):
    """Git fails.

    Attributes:
        stderr: what it writes about it.
        reason: the first line of that.
    """

    def __init__(self, command: str, stderr: str) -> None:
        self.stderr = stderr
        self.reason = stderr.partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
        super().__init__(f"git {command} fails: {self.reason or 'it does not say why'}")


def git(*arguments: str, folder: str | os.PathLike[str], stdin: bytes = b"") -> bytes:
    """What git writes where it is run in a folder.

    Raises:
        GitError: it fails.
        RevisionError: it is not installed.
    """
    english = {**os.environ, "LC_ALL": "C"}  # what it says is looked into
    try:
        command = [_GIT, *OPTIONS, "-C", folder, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, input=stdin, env=english)  # noqa: S603 - no shell is involved
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
    if done.returncode != 0:
        raise GitError(arguments[0], done.stderr.decode(errors="replace").strip())
    return done.stdout


# --- commits ----------------------------------------------------------------------------------------------------------

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
        """True if there is a file or a folder of a name."""
        return name in self.files or name in self.folders

    def below(self, folder: str) -> list[str]:
        """The files, links and submodules in a folder and in those below."""
        prefix = f"{folder}/" if folder else ""
        kinds = (self.files, self.links, self.overlong, self.submodules)
        return [name for names in kinds for name in names if name.startswith(prefix)]

    def size(self, names: Collection[str]) -> int:
        """How many bytes there are in files."""
        return sum(_sizes(self.top, map(self.files.__getitem__, names)))

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield files with what is in them."""
        yield from zip(names, _contents(self.top, (self.files[name] for name in names)), strict=True)

    def follow(self, name: str) -> tuple[str, list[str]]:
        """Where a name leads, and the links on the way; there may be nothing.

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
        """The complaint that a link leads where it must not."""
        return RevisionError(f"'{link}' in {self.reference} is a link that leads {where}: {self.links[link]}")


def in_submodule(name: str, where: str = "") -> RevisionError:
    """The complaint that something is in a submodule."""
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


_BRANCH: Final = re.compile(r"[\w.-]+")
_FETCHED: Final = re.compile(r"origin/([\w./-]+)")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORTENED: Final = re.compile(r"[0-9a-f]{7,39}")
_WHOLE: Final = "git fetch --unshallow"
_EXPRESSION: Final = re.compile(r"[~^:]|@\{")
"""What begins the part of a revision that follows a name, as in main~2."""
_NO_NAME: Final = re.compile(r"^\^|[\x00-\x1f\x7f]")
_NAMED: Final = "GIT_DIR"
_NO_REPOSITORY: Final = "not a git repository ("
_TRUST: Final = re.compile(r"^\s*(git config --global --add safe\.directory .+)$", re.MULTILINE)


class _NoRepositoryError(RevisionError):
    """A folder is in no repository."""


@begun()
def read_revision(
    top: Path, reference: str, paths: Sequence[str], read: Callable[[Sequence[str]], Manifests]
) -> Manifests:
    """Read files and folders as they are in a revision; what is said about them names the revision.

    Args:
        top: where the repository is, as `top_folder` returns it.
        reference: a branch, a tag or a commit.
        paths: files and folders, as seen from the working directory; those that are only here are not there to be read.
        read: reads them, and what they include, which is taken from the revision too.

    Raises:
        RevisionError: there is no such revision, a file is neither in it nor here, a link leads
            where there is nothing to be read, or something is in a submodule.
        InputErrors: something in them cannot be used.
    """
    with _checked_out(top, reference, paths) as (folder, copies):

        def renamed(diagnostic: Diagnostic) -> Diagnostic:
            message = diagnostic.message.replace(f"{folder}/", f"{reference}:")
            return structs.replace(diagnostic, file=named(diagnostic.file), message=message)

        def named(file: str) -> str:
            prefix = f"{folder}/"
            return f"{reference}:{file.removeprefix(prefix)}" if file.startswith(prefix) else file

        try:
            manifests = read(copies)
        except InputErrors as errors:
            raise InputErrors(map(renamed, errors.diagnostics)) from None
    origins = [each.origin for each in manifests.passed_over.values() if each.origin is not None]
    for origin in (*chain.from_iterable(manifests.origins.values()), *origins, *manifests.setting.values()):
        origin.document.source.name = named(origin.document.source.name)
    manifests.passed_over = {key: each._replace(file=named(each.file)) for key, each in manifests.passed_over.items()}
    if manifests.configuration is not None:
        source = manifests.configuration.text.document.source
        source.name = named(source.name)
        manifests.configuration = manifests.configuration.renamed(renamed)
    manifests.notes = [*map(renamed, manifests.notes)]
    return manifests


@contextmanager
def _checked_out(top: Path, reference: str, paths: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Put files of a revision into a folder of their own for a while; yield that, and where they are in it.

    What may be read meanwhile is what may be read here, as it is there.
    """
    commit = Commit(top, reference, _identity(top, reference))
    with TemporaryDirectory(prefix="vqs-") as made:
        folder = os.path.realpath(made)
        selection, names = _Selection(commit, Path(folder)), [_inside(path, top) for path in paths]
        for path, name in zip(paths, names, strict=True):
            selection.add(path, name)
        try:
            selection.write()
        except ReadRefused as refusal:
            raise InputErrors([refused(refusal, reference)]) from None
        with enforced(in_force().in_revision(Checkout(folder, os.path.realpath(top), selection.take))):
            yield folder, [str(Path(folder, name)) for name in names]


def top_folder(paths: Sequence[str]) -> Path:
    """Where the repository is: the one that the working directory is in, else the one of what is named first.

    Raises:
        RevisionError: there is none, or git cannot use it.
    """
    try:
        return _top_of(Path.cwd())
    except _NoRepositoryError:
        # The folder of what is named, or the nearest one above that is there.
        given = Path.cwd() / paths[0]
        folder = next(each for each in (given, *given.parents) if each.is_dir())
        if folder == Path.cwd():
            raise
        return _top_of(folder)


def _top_of(folder: Path) -> Path:
    try:
        answers = (git("rev-parse", each, folder=folder) for each in ("--show-toplevel", "--absolute-git-dir"))
        top, own = (Path(os.fsdecode(answer.removesuffix(b"\n"))) for answer in answers)
    except GitError as error:
        trust = _TRUST.search(error.stderr)
        if trust is not None:
            message = f"git does not trust the repository, as it belongs to another user; if you do: {trust[1]}"
        elif error.reason.startswith(_NO_REPOSITORY):
            raise _NoRepositoryError(f"{folder} is not in a git repository") from None
        else:
            message = f"git cannot use the repository of {folder}: {error.reason}"
        raise RevisionError(message) from None
    if _NAMED not in os.environ and folder.is_relative_to(own):  # git before 2.38 takes it
        raise RevisionError(f"{own} looks like a bare repository; name it with {_NAMED} if it is meant")
    return top


def refuse_submodules(top: Path, paths: Sequence[str]) -> None:
    """Refuse submodules in what is compared, as it is here: they may be empty here, and full where it is applied.

    Raises:
        RevisionError: there is one.
    """
    listed = git("ls-files", "-z", "--stage", folder=top)
    for entry in map(os.fsdecode, listed.split(b"\0")):
        described, _, name = entry.partition("\t")
        if described.startswith(SUBMODULE) and not all(
            is_hidden(PurePath(os.path.relpath(os.path.realpath(top / name), os.path.realpath(path)))) for path in paths
        ):
            raise in_submodule(name)


def _identity(top: Path, reference: str) -> str:
    if _NO_NAME.search(reference):
        raise RevisionError("no revision begins with ^, or has control characters in its name")
    # Refuse a name that several revisions have: git takes the tag, which more people may make than the branch.
    name = _EXPRESSION.split(reference, maxsplit=1)[0]
    candidates = [f"refs/{folder}{name}" for folder in ("", "tags/", "heads/", "remotes/")]
    known = git("for-each-ref", "--format=%(refname)", *candidates, folder=top).split(b"\n") if name else []
    found = [each for each in candidates if os.fsencode(each) in known]
    if len(found) > 1:
        raise RevisionError(f"'{name}' is the name of more than one revision: {', '.join(found)}; name the one in full")
    try:
        return (
            git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}", folder=top)
            .decode()
            .strip()
        )
    except GitError as error:
        more = f": {error.reason}" if error.reason else _how_to_get(top, reference)
        raise RevisionError(f"there is no revision '{reference}'{more}") from None


def _how_to_get(top: Path, reference: str) -> str:
    """Say how to come by a revision that is not there."""
    if git("rev-parse", "--is-shallow-repository", folder=top).strip() == b"true":
        return (
            "; this clone is shallow, with neither history nor other branches: fetch it first, "
            f"by {_fetching(reference)}, or by fetch-depth: 0 in actions/checkout"
        )
    fetched = _FETCHED.fullmatch(reference)
    if fetched is not None:
        return (
            f"; if origin has that branch, fetch it first: git fetch origin {fetched[1]}, "
            "or fetch-depth: 0 in actions/checkout"
        )
    is_branch = _BRANCH.fullmatch(reference) is not None
    return f"; a branch that was only fetched is origin/{reference}" if is_branch else ""


def _fetching(reference: str) -> str:
    """The command that fetches a revision into a shallow clone."""
    fetched = _FETCHED.fullmatch(reference)
    if fetched is not None:
        return f"git fetch --depth=1 origin {fetched[1]}:refs/remotes/{reference}"
    if _COMMIT.fullmatch(reference):
        return f"git fetch --depth=1 origin {reference}"
    is_name = _BRANCH.fullmatch(reference) is not None and not _SHORTENED.fullmatch(reference)
    return f"git fetch --depth=1 origin {reference}:{reference}" if is_name else _WHOLE


def _inside(path: str, top: Path) -> str:
    """What git calls a path. Links in the repository are not followed: in a revision they may lead elsewhere."""
    given = Path.cwd() / path
    entered = None
    for each in (*reversed(given.parents), given):
        if entered is None or each.name == "..":
            entered = each if each.resolve().is_relative_to(top) else None
    if entered is None:
        raise RevisionError(f"'{path}' is not in the repository {top}")
    return (entered.resolve().relative_to(top) / given.relative_to(entered)).as_posix()


class _Selection:
    """The files of a commit, and the links, that it takes to read some files and folders, put into a folder."""

    def __init__(self, commit: Commit, folder: Path) -> None:
        self.commit = commit
        self.folder = folder
        self.files: set[str] = set()
        self.links: dict[str, str] = {}
        self.written: set[str] = set()

    def add(self, path: str, name: str) -> None:
        """Add a file or a folder, by its path here and the name that git has for it."""
        end, links = self.commit.follow(name)
        for link in links:
            self._led(link)
        self._add_links(links)
        if not self._add_end(end) and not is_there(path):
            raise RevisionError(f"'{path}' is neither in {self.commit.reference} nor here")

    def take(self, name: str, check: Callable[[str], object]) -> None:
        """Add a file or a folder that another one includes, and write it, if the place that it leads to may be read."""
        end, links = self.commit.follow(name)
        check(str(self.folder / end))
        self._add_links(links)
        self._add_end(end)
        self.write()

    def write(self) -> None:
        """Write what has been added."""
        new = self.files - self.written
        in_force().account.expect_bytes(self.commit.size(new))
        for name, content in self.commit.contents(new):
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        for link, end in self.links.items():
            target = self.folder / link
            if link not in self.written:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(self.folder / end)
        self.written |= {*new, *self.links}

    def _add_end(self, end: str) -> bool:
        """Add what a name leads to; tell whether there is anything."""
        if end in self.commit.files:
            self.files.add(end)
        elif end in self.commit.folders:
            # A link to another folder is passed over where a folder is read.
            for name in self.commit.below(end):
                if name in self.commit.files:
                    self.files.add(name)
                    continue
                try:
                    stop, links = self._led(name)
                except RevisionError:
                    inside = PurePosixPath(name).relative_to(end)
                    if is_read(inside) or (name in self.commit.submodules and not is_hidden(inside)):
                        raise
                    continue
                if stop in self.commit.files:
                    self.files.add(stop)
                    self._add_links(links)
        return end in self.commit

    def _led(self, link: str) -> tuple[str, list[str]]:
        """Where a link leads, and the links on the way, itself the first."""
        end, links = self.commit.follow(link)
        if end not in self.commit:
            raise self.commit.refusal(link, "nowhere")
        return end, links

    def _add_links(self, links: Iterable[str]) -> None:
        self.links |= {each: self.commit.follow(each)[0] for each in links}
