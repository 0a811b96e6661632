"""The result of tuning: the document that `vqs tune --format json` prints.

A change is a value for each parameter of the plan. It is run once for each snapshot, release and seed, and reaches the
goal where all of these points do. Costs are those of the plan. The document is the same, byte for byte, whatever ran
the points, and however often that was interrupted.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import Result
from vqs.sweep.outcome import FigureInfo, ParameterInfo, ReplayInfo, Row, Scalar, SnapshotInfo

Proof = Literal["all", "monotone", "steps", "none"]


class Change(Result, kw_only=True, omit_defaults=False):
    """A change: the edits that make it, what it costs, and what came of its points, in `rows`.

    `unmet` tells, in words, what of the goal it does not reach, and where there are several snapshots, on which.
    """

    parameters: dict[str, Scalar]
    edits: list[str]
    cost: float
    reaches_goal: bool
    unmet: list[str]
    rows: list[Row]


class Tune(Result, tag_field="schema", tag="vqs/tune/v2", kw_only=True, omit_defaults=False):
    """A plan, and the cheapest change that reaches its goal.

    `change` is null where none was found that reaches it; `nearest` is then the one that comes nearest. `proof` tells
    why none that is cheaper reaches it, or none at all: all were run; those that were not run do not, provided that the
    parameter is monotone, as the plan claims; none does that is cheaper by one step of one parameter; or nothing was
    shown, as `sessions`, the most points to run, were spent. `cheaper` are the next cheaper changes, which were run and
    do not reach the goal. `baseline` has the snapshots without a change, and `baselineReachesGoal` tells whether they
    reach the goal, all of them. `changes` tells how many the plan allows; it is null where that is too many to count
    those that constraints exclude. `tried` has all changes that were run, the cheapest first. `assumeAdmitted` and
    `replay` are as for a sweep.
    """

    name: str
    plan: str
    bases: list[SnapshotInfo]
    parameters: list[ParameterInfo]
    figures: list[FigureInfo]
    goal: list[str]
    cost: str
    method: Literal["exhaustive", "bisection", "optuna"]
    changes: int | None
    points: int
    sessions: int
    assume_admitted: bool = False
    replay: ReplayInfo | None = None
    answer: str
    proof: Proof
    notes: list[str] = msgspec.field(default_factory=list)
    baseline: list[Row] = msgspec.field(default_factory=list)
    baseline_reaches_goal: bool = False
    change: Change | None
    nearest: Change | None
    cheaper: list[Change] = msgspec.field(default_factory=list)
    tried: list[Change] = msgspec.field(default_factory=list)
