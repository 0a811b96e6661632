"""The result of a sweep: the document that `vqs sweep --format json` prints.

A row is a point, in the order of the plan. Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes,
parts of a whole between 0 and 1. A figure that is null has no number: `figures` says what that means. The document is
the same, byte for byte, whatever ran the points, in which order, and however often it was interrupted.
"""

from __future__ import annotations

from typing import Final

import msgspec

from vqs.diff.figures import Better, Unit
from vqs.diff.outcome import Failure
from vqs.explain.outcome import Result
from vqs.replay.statistics import Estimate
from vqs.sweep.effects import Effect

Scalar = bool | int | float | str

WORKER_LOST: Final = "worker-lost"
"""The code of points whose process ended before they were over: another run may know more of them."""
INTERNAL: Final = "internal-error"
"""The code of points at which vqs, or a plugin of one's own, failed."""


class PointError(Result, kw_only=True):
    """Why a point could not be run: an edit that cannot be made, or a configuration that Volcano refuses."""

    code: str
    message: str


class Row(Result, kw_only=True, omit_defaults=False):
    """One point: its number, counted from 1, what was run, and what came of it.

    A baseline, which is a snapshot without edits, has the number 0 or a lower one. `edits` are those that make the
    point of its base, as the command line takes them. `failures` are the conditions of `failOn` that hold: all of them
    at a point that could not be run, as its figures are not known. Where a point without a seed is replayed several
    times, `figures` are means over these runs, and `intervals` say how sure they are; a figure that some runs do not
    have, such as a wait without a start, has none.
    """

    number: int
    base: str
    release: str
    seed: int | None
    parameters: dict[str, Scalar]
    edits: list[str]
    figures: dict[str, float | str | None]
    failures: list[Failure]
    error: PointError | None
    intervals: dict[str, Estimate] = msgspec.field(default_factory=dict)


class ParameterInfo(Result, kw_only=True, omit_defaults=False):
    """A parameter: what makes its values, and whether these are numbers."""

    name: str
    edits: list[str]
    options: dict[str, list[str]]
    numeric: bool


class FigureInfo(Result, kw_only=True, omit_defaults=False):
    """A figure that was collected: a count, a part of a whole, an amount of a resource, a time in seconds, or a text.

    `missing` is what null means.
    """

    name: str
    unit: Unit
    resource: str
    missing: str


class ReplayInfo(Result, kw_only=True, omit_defaults=False):
    """How points were replayed, and how their workloads were read; times are in seconds.

    `runs` is under how many seeds a point without a seed was replayed.

    Null is what `vqs replay` does without the option: `until` of the name, `format` for --workload-format, and so on.
    """

    period: float
    start_delay: float | None
    until: float | None
    format: str | None
    queue_by: str | None
    most_nodes: int | None
    processors_per_pod: int | None
    runs: int = 1


class SnapshotInfo(Result, kw_only=True, omit_defaults=False):
    """A snapshot that was edited: what the plan calls it, its files, and how many nodes and pods these have."""

    name: str
    files: list[str]
    nodes: int
    pods: int


class ConditionOutcome(Result, kw_only=True, omit_defaults=False):
    """A condition of --fail-on: for how many points it holds, and the numbers of the first.

    `known` is at how many points that is known. At the others, `unknown` of them, the point could not be run, or the
    figure is not known there: these count as failing, too.
    """

    condition: str
    points: int
    first: list[int]
    known: int
    unknown: int


class BestPoints(Result, kw_only=True, omit_defaults=False):
    """A figure of which more is better, or less: its best value, at how many points it has that, and the first.

    `base` is the snapshot whose points these are, where there are several. Where points are replayed under several
    seeds, `alike` is the number of other points whose 95% confidence interval overlaps that of the first best one:
    chance may explain their difference.
    """

    base: str | msgspec.UnsetType = msgspec.UNSET
    figure: str
    direction: Better
    value: float | None
    points: int
    first: list[int]
    alike: int | msgspec.UnsetType = msgspec.UNSET


class Front(Result, kw_only=True, omit_defaults=False):
    """The Pareto front: the points of which no other is as good in all of some figures, and better in one.

    `figures` are those with a direction that are not the same at all points; of fewer than two, there is no front.
    Points are compared with those of the same snapshot: where there are several, `points` are those that are on the
    front of their own.
    """

    figures: list[str]
    points: list[int]


class BestOnAll(Result, kw_only=True, omit_defaults=False):
    """The changes with which a figure is closest to its best on all snapshots; see `OnAll` for what a change is.

    `max_regret` is how far it is from that on the snapshot where it is farthest, as a part of what lies between the
    best and the worst of all changes there: 0 where they are best on each snapshot, and null where what happens with
    others never happens with them. `changes` is how many there are.
    """

    figure: str
    direction: Better
    max_regret: float | None
    changes: int
    first: list[list[int]]


class OnAll(Result, kw_only=True, omit_defaults=False):
    """How changes do on all snapshots: a change is the same parameters, release and seed on each of them.

    `on_every_front` is how many changes are on the Pareto front of each snapshot, or best where a single figure differs
    there; snapshots on which none does do not count. The first of such changes are lists of the numbers of their
    points, one of each snapshot in the order of `bases`.
    """

    on_every_front: int
    first: list[list[int]]
    best: list[BestOnAll]


class Sweep(Result, tag_field="schema", tag="vqs/sweep/v2", kw_only=True, omit_defaults=False):
    """A plan, and what came of its points.

    `baseline` has a row for each base, release and seed, without edits. `failed` tells whether a condition of --fail-on
    holds for any point, or is not known there; `errors` is how many could not be run. `assumeAdmitted` tells whether
    edits that admission would deny were simulated. `replay` tells how points were replayed, null where no figure asked
    for that. `effects`, `best` and `pareto_front` are of all points of a snapshot, which they name by their numbers;
    `acrossSnapshots` is there with several snapshots.
    """

    name: str
    plan: str
    method: str
    bases: list[SnapshotInfo]
    parameters: list[ParameterInfo]
    figures: list[FigureInfo]
    fail_on: list[ConditionOutcome]
    failed: bool
    errors: int
    assume_admitted: bool = False
    replay: ReplayInfo | None = None
    baseline: list[Row]
    rows: list[Row]
    effects: list[Effect] = msgspec.field(default_factory=list)
    best: list[BestPoints] = msgspec.field(default_factory=list)
    pareto_front: Front | None = None
    across_snapshots: OnAll | msgspec.UnsetType = msgspec.UNSET
