"""A plan: which snapshots, which space of edits, and which figures of each of its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

from vqs.diff.conditions import Condition, Figure
from vqs.explain.simulate import SimulateOptions
from vqs.model.scheduler_flags import NodeSample
from vqs.releases.release import Build
from vqs.replay import timing
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.repeated import RUNS
from vqs.replay.workload import Workload
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import Limits
from vqs.sweep.constraints import Constraint
from vqs.sweep.domains import Domain, Edit, Value, edits_of

Method = Literal["grid", "list", "random", "latin-hypercube"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One dimension of the space.

    Attributes:
        name: an identifier, which constraints use.
        domain: its values; of a parameter with options, their names.
        edits: what makes a value, with ``{}`` for the value.
        options: what makes each option, where it has some.
    """

    name: str
    domain: Domain
    edits: tuple[Edit, ...] = ()
    options: Mapping[str, tuple[Edit, ...]] | None = None

    def edits_of(self, value: Value) -> list[Edit]:
        """Return the edits that make a value."""
        return edits_of(value, self.edits, self.options)


@dataclass(frozen=True, slots=True)
class Choice:
    """How points of the space are chosen.

    Attributes:
        method: all (grid), those that are listed, or as many as `points` says.
        points: how many are drawn.
        seed: what they are drawn with.
        listed: the points of a list, each a value for each parameter.
    """

    method: Method = "grid"
    points: int = 0
    seed: int = 0
    listed: Sequence[Mapping[str, Value]] = ()


@dataclass(frozen=True, slots=True)
class Base:
    """A snapshot that is edited.

    Attributes:
        name: what the plan calls it.
        manifests: what was read.
        files: from which files and folders.
        workload: the workload whose start it is, where points are replayed.
    """

    name: str
    manifests: Manifests
    files: tuple[str, ...] = ()
    workload: Workload | None = None


@dataclass(frozen=True, slots=True)
class Replaying:
    """How the points of a plan are replayed, and how their workloads are read; times are in seconds.

    Attributes:
        period: from the end of a session to the start of the next one.
        start_delay: from being bound to running, for pods without a start delay of their own; None for as measured.
        until: when a replay ends at the latest; None for when nothing happens any more.
        runs: under how many seeds a point without a seed is replayed; its figures are means over these.
        reading: how recordings are read.
    """

    period: float = timing.PERIOD
    start_delay: float | None = None
    until: float | None = None
    runs: int = RUNS
    reading: ReadingOptions = field(default_factory=ReadingOptions)

    def seeds(self, seed: int | None) -> Sequence[int]:
        """Under which seeds a point is replayed: its own, or as many as there are runs, the same for all points."""
        return range(1, self.runs + 1) if seed is None else (seed,)

    def options(self, seed: int | None, sample: NodeSample | None, cache: SessionCache) -> ReplayOptions:
        """Return how to replay a point as `vqs replay --seed` does, with the cache of points before it."""
        return ReplayOptions(
            period=self.period,
            start_delay=None if self.start_delay is None else Fixed(self.start_delay),
            seed=seed or 0,
            until=self.until,
            session=SimulateOptions(seed=seed, sample=sample, cache=cache),
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that was read, with its snapshots.

    Attributes:
        name: what people call it.
        origin: where it stands, for what is found wrong with it later.
        value: the document, as plain values: two plans with the same value, and the same content of files, are one.
        inputs: what identifies the content of the snapshots.
        bases: the snapshots.
        parameters: the dimensions of the space.
        choice: which points of it are run.
        constraints: what holds for each point.
        seeds: with what ties are broken; None takes the lowest name.
        releases: which releases of Volcano are modelled; None is that of the snapshot.
        cycles: how many sessions are run at most for figures that tell of several.
        figures: what is collected of each point.
        fail_on: what must not hold for any point.
        assume_admitted: whether edits that admission would deny are simulated.
        limits: what the command line allows, also in other processes: how many pods an edit may create.
        replaying: how points are replayed; None where no figure asks for that.
    """

    name: str
    origin: Origin
    value: Mapping[str, Any]
    inputs: str
    bases: tuple[Base, ...]
    parameters: tuple[Parameter, ...]
    choice: Choice
    constraints: tuple[Constraint, ...]
    seeds: tuple[int | None, ...]
    releases: tuple[Build | None, ...]
    cycles: int
    figures: tuple[Figure, ...]
    fail_on: tuple[Condition, ...]
    assume_admitted: bool = False
    limits: Limits = field(default_factory=Limits)
    replaying: Replaying | None = None

    @property
    def needed(self) -> list[Figure]:
        """All figures that a point has to be evaluated for, each once: those collected, and those of conditions."""
        figures = [*self.figures, *(each.figure for each in self.fail_on)]
        return list({each.text: each for each in figures}.values())

    @property
    def sides(self) -> list[tuple[int, Build | None, int | None]]:
        """What each change is run with: each snapshot by its number, release and seed; seeds change fastest."""
        return [*product(range(len(self.bases)), self.releases, self.seeds)]

    def edits_of(self, values: Mapping[str, Value]) -> tuple[Edit, ...]:
        """Return the edits that make a value of each parameter, in the order of the parameters."""
        return tuple(edit for each in self.parameters for edit in each.edits_of(values[each.name]))

    def place(self, *path: str | int) -> Path:
        """Return the path in the document of something of the plan."""
        return (*self.origin.path, *path)
