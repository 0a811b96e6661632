"""What a rule of `vqs lint` is, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vqs.lint.subject import Subject
    from vqs.snapshot.diagnostics import Path


Denier = Literal["apiserver", "webhook"]
"""Who does not let an object in: the API server by itself, or a webhook of Volcano that it asks."""


class Severity(IntEnum):
    """How bad a finding is; a worse one is larger."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


class Need(IntEnum):
    """What a rule looks at. One that needs more is left out where the input has errors.

    OBJECTS: objects as they are written, one by one or together; any of them may have faults of its own.
    CONFIGURATION: the scheduler's configuration as it was understood.
    SESSION: the cluster, and a session opened on it.
    """

    OBJECTS = 1
    CONFIGURATION = 2
    SESSION = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A value in an object of the snapshot: the list of `Manifests` it is in, its index there, and the path."""

    list_name: str
    index: int
    path: Path = ()


@dataclass(frozen=True, slots=True)
class ConfPlace:
    """A value in the scheduler's configuration, or its key."""

    path: Path = ()
    key: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows that a finding is true: a sentence with figures, and where that stands, if it stands anywhere."""

    text: str
    at: Place | ConfPlace | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found. Its `fix`, `severity` and `denied`, where given, go before those of the rule."""

    message: str
    at: Place | ConfPlace | None
    evidence: tuple[Evidence, ...] = ()
    fix: str = ""
    severity: Severity | None = None
    denied: Denier | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        code: names it; the module is named alike.
        severity: how bad what it finds is, unless a finding says otherwise.
        title: what it finds, in a few words.
        meaning: what that is, in full.
        why: what the scheduler or the API server does about it.
        fix: what to do.
        source: the file of volcano-sh/volcano at v1.14.4, or the seed, in which that can be read.
        check: finds it; None where it is found while the input is read.
        needs: what `check` looks at.
        looks_at: the lists of objects that `check` looks at, and ``conf`` if it looks at the configuration; it may look
            at anything where none is named.
        example: what it looks like, in a line or a few lines of YAML.
        denied: who does not let an object in that it finds something in; None where all such objects get in.
        stands: how bad that is in an object that is in already, which nobody denies any more.
        gives_way: whether it says nothing of a value with which reading finds fault already.
    """

    code: str
    severity: Severity
    title: str
    meaning: str
    why: str
    fix: str
    source: str
    check: Callable[[Subject], Iterator[Finding]] | None = None
    needs: Need = Need.OBJECTS
    looks_at: tuple[str, ...] = ()
    example: str = ""
    denied: Denier | None = None
    stands: Severity = Severity.NOTE
    gives_way: bool = False
