"""What `vqs lint` finds, and where."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from vqs.snapshot.reading.diagnostics import Path

Denier = Literal["apiserver", "webhook"]
"""What denies an object: the API server itself, or one of Volcano's webhooks."""


class Severity(IntEnum):
    """How bad a finding is; a worse one is larger."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


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
