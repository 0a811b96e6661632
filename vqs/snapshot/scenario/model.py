"""What remains of a scenario when its objects are made: what it is called, its time, and what it expects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from vqs.model.sharding import Sharding
from vqs.releases.profile import ReleaseChoice
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Origin

UNLIMITED: Final = "unlimited"
NONE: Final = "none"
AMOUNTS: Final = frozenset(
    {"deserved", "request", "guarantee", "capability", "realCapability", "elastic", "allocated", "inqueue"}
)
"""What a queue may be expected to have an amount of, by resource."""

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


class PlannedRole(NamedTuple):
    """Pods of a job that are alike.

    Attributes:
        name: the name of the role.
        entry: the keys that describe them, as they are written.
        origin: where these stand.
        replicas: how many there are.
        spec: the spec of each pod, as Kubernetes has it.
        places: where in the entry the parts of a pod are written.
    """

    name: str
    entry: Mapping[str, Any]
    origin: Origin
    replicas: int
    spec: Mapping[str, Any]
    places: Mapping[Path, Path]


class PlannedJob(NamedTuple):
    """An entry of `jobs`, whether its objects are there at the start or arrive in a replay.

    Attributes:
        entry: the entry as it is written.
        origin: where it stands.
        roles: its kinds of pods.
        min_available: how many pods must find a place for it to start.
        names: the names of the jobs that it stands for; that of its template where jobs like it arrive again and again.
    """

    entry: Mapping[str, Any]
    origin: Origin
    roles: tuple[PlannedRole, ...]
    min_available: int
    names: tuple[str, ...]

    @property
    def namespace(self) -> str:
        """Their namespace."""
        namespace: str = self.entry.get("namespace", "default")
        return namespace


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that was read. Its objects are among those of the snapshot.

    `jobs` are the entries that jobs are made from, those that arrive only in a replay among them; `node_events` is what
    happens to nodes in one, and `start_delays` how long pods take to start by their images, as it is written;
    so are `latencies`, how long all else takes beside the sessions, and `prices`, what nodes cost.
    `node_groups` come and go by the rules of an `autoscaler`, and `rollouts` replace the pods of Deployments.
    """

    name: str
    description: str
    now: datetime | None
    sharding: Sharding | None
    csi_storage: bool
    release: ReleaseChoice
    expectations: tuple[Expectation, ...]
    origin: Origin
    jobs: tuple[PlannedJob, ...] = ()
    node_events: tuple[Mapping[str, Any], ...] = ()
    start_delays: Mapping[str, Any] = field(default_factory=dict)
    latencies: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    node_groups: tuple[Mapping[str, Any], ...] = ()
    rollouts: tuple[Mapping[str, Any], ...] = ()
    autoscaler: Mapping[str, Any] = field(default_factory=dict)
