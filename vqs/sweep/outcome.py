"""The result of a sweep: the document that `vqs sweep --format json` prints.

A row is a point, in the order of the plan. Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes,
parts of a whole between 0 and 1. A figure that is null has no number: `figures` says what that means. The document is
the same, byte for byte, whatever ran the points, in which order, and however often it was interrupted.
"""

from __future__ import annotations

from typing import Final, Literal

from vqs.diff.outcome import Failure
from vqs.explain.outcome import Result

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
    at a point that could not be run, as its figures are not known.
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


class ParameterInfo(Result, kw_only=True, omit_defaults=False):
    """A parameter: what makes its values, and whether these are numbers."""

    name: str
    edits: list[str]
    options: dict[str, list[str]]
    numeric: bool


class FigureInfo(Result, kw_only=True, omit_defaults=False):
    """A figure that was collected: whether it is a count, a part of a whole, an amount of a resource or a text.

    `missing` is what null means.
    """

    name: str
    unit: Literal["count", "part", "amount", "text"]
    resource: str
    missing: str


class SnapshotInfo(Result, kw_only=True, omit_defaults=False):
    """A snapshot that was edited: what the plan calls it, its files, and how many nodes and pods these have."""

    name: str
    files: list[str]
    nodes: int
    pods: int


class ConditionOutcome(Result, kw_only=True, omit_defaults=False):
    """A condition of --fail-on: for how many points it holds, and the numbers of the first."""

    condition: str
    points: int
    first: list[int]


class Sweep(Result, tag_field="schema", tag="vqs/sweep/v1", kw_only=True, omit_defaults=False):
    """A plan, and what came of its points.

    `baseline` has a row for each base, release and seed, without edits. `failed` tells whether a condition of --fail-on
    holds for any point; `errors` is how many could not be run.
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
    baseline: list[Row]
    rows: list[Row]
