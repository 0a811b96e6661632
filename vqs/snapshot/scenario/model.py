"""What remains of a scenario when its objects are made: what it is called, its time, and what it expects."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from vqs.model.sharding import Sharding
from vqs.releases.choice import ReleaseChoice
from vqs.snapshot.diagnostics import Path, Position
from vqs.snapshot.documents import Origin

Subject = Literal["all", "queue", "job", "task"]


class Expectation(NamedTuple):
    """One thing that should hold when the session is over.

    Attributes:
        subject: what it is about; `all` is the whole cluster.
        name: the name of that, or a pattern of names; empty for the whole cluster.
        attribute: what of it, as a path in the scenario: ``("deserved", "cpu")``.
        wanted: what that should be, as it is written.
        tolerance: how far off an amount may be, as a part of it.
        origin: the object that it stands in.
        path: where in that object.
    """

    subject: Subject
    name: str
    attribute: tuple[str, ...]
    wanted: Any
    tolerance: float
    origin: Origin
    path: Path

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return self.origin.document.source.name

    @property
    def position(self) -> Position:
        """Its place in that file."""
        return self.origin.position(self.path)


class TimedJob(NamedTuple):
    """An entry of `jobs` with keys that only a replay reads: when it arrives, how long its pods run.

    Attributes:
        keys: the namespace/name of each job that it stands for.
        entry: the entry as it is written.
        origin: where it stands.
    """

    keys: tuple[str, ...]
    entry: Mapping[str, Any]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that was read. Its objects are among those of the snapshot."""

    name: str
    description: str
    now: datetime | None
    sharding: Sharding | None
    release: ReleaseChoice
    expectations: tuple[Expectation, ...]
    origin: Origin
    timed_jobs: tuple[TimedJob, ...] = ()
