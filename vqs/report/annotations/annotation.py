"""Annotations on lines of files, from which the formats `github`, `gitlab`, `sarif` and `junit` are written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from vqs import inert
from vqs.inert import name as visible
from vqs.lint.outcome import with_denier
from vqs.report.as_json import document
from vqs.report.formats import View
from vqs.snapshot.reading.reach import CHECKOUTS

Level = Literal["error", "warning", "note"]

SILENCED: Final = "silenced"
"""The code of an annotation that counts what is silenced."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file: line and column are 0 where it is all of the file, and the name is empty where it is none."""

    file: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Related:
    """Something that belongs to an annotation, and where it stands."""

    text: str
    at: Location


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing to say about a line of a file.

    Attributes:
        code: what kind of thing it is.
        level: how bad it is.
        message: what it is.
        at: where it is.
        help: what to do.
        about: the object that it is about, by kind and name.
        excerpt: the line of the file, with a caret below the place.
        related: what else there is to look at.
        fingerprint: stays the same when lines move.
        silenced: the reason for which it is silenced.
        fails: whether it makes the whole fail.
        denied: who denies the object, ``apiserver`` or ``webhook``; empty where it gets in.
    """

    code: str
    level: Level
    message: str
    at: Location
    help: str = ""
    about: str = ""
    excerpt: str = ""
    related: tuple[Related, ...] = ()
    fingerprint: str = ""
    silenced: str | None = None
    fails: bool = False
    denied: str = ""

    @property
    def text(self) -> str:
        """The message, and who denies the object."""
        return with_denier(self.message, self.denied)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What a code means."""

    code: str
    level: Level
    title: str
    text: str
    help: str


@dataclass(frozen=True, slots=True)
class AnnotationSet:
    """All annotations that a result leads to.

    Attributes:
        tool: the command that makes them.
        annotations: in the order of the files.
        descriptors: what the codes mean.
        files: what was looked at.
        notes: what is worth knowing about how it was done.
        refused: whether the input could not be used, so that nothing was done.
    """

    tool: str
    annotations: tuple[Annotation, ...]
    descriptors: Mapping[str, Descriptor]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()
    refused: bool = False

    @property
    def active(self) -> list[Annotation]:
        """The annotations that are not silenced, and a count of those that are: a reader has to know of them."""
        silenced = [annotation for annotation in self.annotations if annotation.silenced is not None]
        active = [annotation for annotation in self.annotations if annotation.silenced is None]
        if not silenced:
            return active
        number = "1 finding is" if len(silenced) == 1 else f"{len(silenced):,} findings are"
        codes = ", ".join(sorted({annotation.code for annotation in silenced}))
        message, digest = f"{number} silenced: {codes}", fingerprint_of(SILENCED)
        return [*active, Annotation(SILENCED, "note", message, silenced[0].at, fingerprint=digest)]


def fingerprint_of(*parts: str) -> str:
    """Return what identifies an annotation as long as these parts of it are the same."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]


def relative(file: str) -> str:
    """Name a file as its repository knows it: as seen from the root of that in a pipeline, else from here."""
    if not file or file.startswith("<"):
        return file
    root = next(filter(None, map(os.environ.get, CHECKOUTS)), None)
    if root is not None and Path(root).is_dir():
        from_root = os.path.relpath(Path(file).absolute(), Path(root).absolute())
        if not from_root.startswith(".."):
            return Path(from_root).as_posix()
    inside = os.path.relpath(file) if Path(file).is_absolute() else os.path.normpath(file)
    return Path(file if inside.startswith("..") else inside).as_posix()


# --- GitHub and GitLab ------------------------------------------------------------------------------------------------

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_ESCAPES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_ESCAPES_IN_PROPERTIES: Final = _ESCAPES | str.maketrans({":": "%3A", ",": "%2C"})
_SEVERITIES: Final = {"error": "major", "warning": "minor", "note": "info"}


def write_github(found: AnnotationSet, _view: View, /) -> str:
    """Write commands for the log of a GitHub workflow, which shows them as annotations on the lines of a change.

    GitHub shows the first ten of each level in a step.
    """
    lines = []
    for annotation in found.active:
        at = annotation.at
        place = {"file": at.file, "line": at.line, "col": at.column}
        if at.file.startswith("<"):
            place = {}  # standard input is no file of the repository
        properties = {**{key: value for key, value in place.items() if value}, "title": annotation.code}
        listed = ",".join(
            f"{key}={visible(str(value)).translate(_ESCAPES_IN_PROPERTIES)}" for key, value in properties.items()
        )
        texts = [annotation.text, *(related.text for related in annotation.related), annotation.help]
        message = "\n".join(inert.line(text) for text in texts if text).translate(_ESCAPES)
        lines.append(f"::{_COMMANDS[annotation.level]} {listed}::{message}\n")
    return "".join(lines)


def write_gitlab(found: AnnotationSet, _view: View, /) -> str:
    """Write a code quality report, as GitLab shows it in a merge request.

    GitLab recognizes what is new by the fingerprints. An annotation without a place is put on line 1 of the first file.
    """
    usual = next(iter(found.files), ".")
    return document(
        [
            {
                "type": "issue",
                "check_name": each.code,
                "description": f"{each.text}. {each.help}" if each.help else each.text,
                "categories": ["Bug Risk"],
                "severity": _SEVERITIES[each.level],
                "fingerprint": each.fingerprint,
                "location": {"path": each.at.file or usual, "lines": {"begin": each.at.line or 1}},
            }
            for each in found.active
        ]
    )
