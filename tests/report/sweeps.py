"""Sweeps to look at, made by hand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from copy import deepcopy

from tests.report.html_pages import HOSTILE
from vqs.diff.outcome import Failure
from vqs.sweep.domains import Value
from vqs.sweep.outcome import (
    ConditionOutcome,
    FigureInfo,
    ParameterInfo,
    PointError,
    Row,
    SnapshotInfo,
    Sweep,
)

PLACED = FigureInfo(name="placed", unit="count", resource="", missing="unknown")
EVICTIONS = FigureInfo(name="evictions", unit="count", resource="", missing="unknown")
USED = FigureInfo(name="utilisation.cpu", unit="part", resource="cpu", missing="unknown")
MEMORY = FigureInfo(name="queue:b.allocated.memory", unit="amount", resource="memory", missing="unlimited")
START = FigureInfo(name="job:ns/train.startCycle", unit="count", resource="", missing="never")
VERDICT = FigureInfo(name="job:ns/train.verdict", unit="text", resource="", missing="missing")

WEIGHT = ParameterInfo(name="weight", edits=["queue/b.spec.weight={}"], options={}, numeric=True)
REPLICAS = ParameterInfo(name="replicas", edits=["scale ns/train={}"], options={}, numeric=True)
POLICY = ParameterInfo(
    name="policy",
    edits=[],
    options={"as it is": [], "preempt": ['conf.actions="enqueue, allocate, preempt"', "remove job/ns/old"]},
    numeric=False,
)


def row(
    number: int,
    parameters: Mapping[str, Value],
    figures: Mapping[str, float | str | None],
    edits: Sequence[str] = ("queue/b.spec.weight=2",),
    **more: object,
) -> Row:
    """Return a point."""
    given = {"base": "cluster.json", "release": "1.14", "seed": None, "failures": [], "error": None, **more}
    return Row(number=number, parameters={**parameters}, edits=[*edits], figures={**figures}, **given)  # type: ignore[arg-type]


def sweep(
    parameters: Sequence[ParameterInfo],
    figures: Sequence[FigureInfo],
    rows: Sequence[Row],
    baseline: Sequence[Row] = (),
    condition: str = "",
) -> Sweep:
    """Return a sweep with its points; a condition is one of --fail-on, whether or not it holds anywhere."""
    held = [each.number for each in rows if each.failures]
    outcome = ConditionOutcome(condition=condition, points=len(held), first=held[:10], known=len(rows), unknown=0)
    return Sweep(
        name="weights",
        plan="plan.yaml",
        method="grid",
        bases=[SnapshotInfo(name="cluster.json", files=["cluster.json"], nodes=4, pods=16)],
        parameters=[*parameters],
        figures=[*figures],
        fail_on=[outcome] if condition else [],
        failed=bool(held),
        errors=sum(each.error is not None for each in rows),
        baseline=[*baseline],
        rows=[*rows],
    )


def weights() -> Sweep:
    """Return a sweep of one parameter: more is placed with more weight, and from a weight of 3 pods are evicted."""
    placed, evicted = [2, 4, 6, 8, 8], [0, 0, 1, 2, 3]
    rows = [
        row(
            weight,
            {"weight": weight},
            {"placed": float(placed[weight - 1]), "evictions": float(evicted[weight - 1])},
            [f"queue/b.spec.weight={weight}"],
            failures=[Failure(condition="evictions>2", text="evictions is 3, and must not be > 2")]
            if weight > 4
            else [],
        )
        for weight in range(1, 6)
    ]
    base = row(0, {}, {"placed": 3.0, "evictions": 0.0}, ())
    return sweep([WEIGHT], [PLACED, EVICTIONS], rows, [base], "evictions>2")


def mixed() -> Sweep:
    """Return a sweep of numbers and options, in which points have errors, and figures of all kinds have no number."""
    rows: list[Row] = []
    for weight in (1, 2, 4):
        for replicas in (4, 8):
            for policy in POLICY.options:
                number = len(rows) + 1
                values: dict[str, Value] = {"weight": weight, "replicas": replicas, "policy": policy}
                if number == 6:
                    error = PointError(code="queue-denied", message="queue b: guarantee is more than deserved")
                    rows.append(row(number, values, dict.fromkeys(_names(ALL)), error=error))
                    continue
                is_placed = weight * 4 >= replicas
                figures = {
                    "placed": float(min(replicas, weight * 4)),
                    "evictions": float(weight if policy == "preempt" else 0),
                    "utilisation.cpu": min(replicas, weight * 4) / 9,
                    "queue:b.allocated.memory": min(replicas, weight * 4) * 2.0**31,
                    "job:ns/train.startCycle": 1.0 if is_placed else None,
                    "job:ns/train.verdict": "" if is_placed else "queue-limit",
                }
                edits = [f"queue/b.spec.weight={weight}", f"scale ns/train={replicas}", *POLICY.options[policy]]
                rows.append(row(number, values, figures, edits))
    return sweep([WEIGHT, REPLICAS, POLICY], ALL, rows, condition="placed<1")


ALL = (PLACED, EVICTIONS, USED, MEMORY, START, VERDICT)


def _names(figures: Sequence[FigureInfo]) -> list[str]:
    return [each.name for each in figures]


def single() -> Sweep:
    """Return a sweep of one point."""
    return sweep([WEIGHT], [PLACED], [row(1, {"weight": 3}, {"placed": 6.0})])


def sample(points: int) -> Sweep:
    """Return a random sample of a space, in which no two points have the same values."""
    random_ = random.Random(1)
    rows = []
    for number in range(1, points + 1):
        weight, replicas = round(random_.uniform(1, 1000), 3), random_.randint(1, 10**6)
        placed = min(replicas / 10**5, weight / 100)
        figures = {
            "placed": round(placed * 10),
            "evictions": float(random_.randint(0, int(weight / 50))),
            "utilisation.cpu": placed / 10,
        }
        edits = [f"queue/b.spec.weight={weight}", f"scale ns/train={replicas}"]
        rows.append(row(number, {"weight": weight, "replicas": replicas}, figures, edits))
    return sweep([WEIGHT, REPLICAS], [PLACED, EVICTIONS, USED], rows)


def hostile() -> Sweep:
    """Return a sweep in which every name tries to be something else."""
    result = deepcopy(mixed())
    renamed = dict(zip(("weight", "replicas", "policy"), HOSTILE, strict=False))
    for parameter in result.parameters:
        parameter.name = renamed[parameter.name]
        parameter.edits = [*HOSTILE] if parameter.edits else []
        parameter.options = {HOSTILE[at]: [HOSTILE[at]] for at, _ in enumerate(parameter.options)}
    figure = f"job:ns/{HOSTILE[0]}.placed"
    result.figures[0].name = figure
    result.name = result.plan = HOSTILE[0]
    result.bases[0].name, result.bases[0].files = HOSTILE[1], [HOSTILE[2]]
    for at, each in enumerate(result.rows):
        each.base = HOSTILE[1]
        each.parameters = {renamed[name]: value for name, value in each.parameters.items()}
        each.parameters[renamed["policy"]] = HOSTILE[at % 2]
        each.edits = [*HOSTILE]
        each.figures = {figure: each.figures["placed"], **each.figures, "job:ns/train.verdict": HOSTILE[3]}
        if each.error:
            each.error.message = HOSTILE[0]
        else:
            each.failures = [Failure(condition=HOSTILE[0], text=HOSTILE[at % len(HOSTILE)])]
    return result


def on_two_snapshots() -> Sweep:
    """Return a sweep of one parameter on a small and a large cluster."""
    figures = [(1, 0), (2, 1), (2, 0), (10, 0), (20, 1), (30, 2)]
    rows = [
        row(
            number,
            {"weight": (number - 1) % 3 + 1},
            {"placed": float(placed), "evictions": float(evicted)},
            base="small.json" if number <= len(figures) // 2 else "large.json",
        )
        for number, (placed, evicted) in enumerate(figures, 1)
    ]
    baseline = [
        row(0, {}, {"placed": 1.0, "evictions": 0.0}, (), base="small.json"),
        row(-1, {}, {"placed": 5.0, "evictions": 0.0}, (), base="large.json"),
    ]
    return sweep([WEIGHT], [PLACED, EVICTIONS], rows, baseline)
