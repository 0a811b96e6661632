"""Running a plan: its points, what comes of them, and what must not be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from vqs.diff.conditions import Condition, Figure
from vqs.sweep.engines import Engine
from vqs.sweep.evaluate import edit_text
from vqs.sweep.journal import Journal, rejudged
from vqs.sweep.outcome import (
    ConditionOutcome,
    FigureInfo,
    ParameterInfo,
    ReplayInfo,
    Row,
    SnapshotInfo,
    Sweep,
)
from vqs.sweep.plan import Base, Parameter, Plan, Replaying
from vqs.sweep.snapshots import with_analysis
from vqs.sweep.space import Space, baseline_of

Advance = Callable[[int, int], None]
"""Told how many points are done, and how many there are."""
_NAMED: Final = 10
"""How many points are named for a condition."""


def sweep(
    plan: Plan, space: Space, engine: Engine, journal: Journal | None = None, progress: Advance | None = None
) -> Sweep:
    """Run the points of a plan that a journal does not have yet, and return what came of all."""
    baseline = baseline_of(plan)
    rows: dict[int, Row] = {}
    if journal is not None:
        rows = {row.number: row for row in rejudged(plan, journal.others, journal.rows)} | journal.rows
    missing = (point for point in chain(baseline, space) if point.number not in rows)
    total = len(baseline) + len(space)
    if len(rows) < total:
        with engine:
            for row in engine.rows(missing):
                rows[row.number] = row
                if journal is not None:
                    journal.add(row)
                if progress is not None:
                    progress(len(rows), total)
    return outcome(
        plan, [rows[point.number] for point in baseline], [rows[number] for number in range(1, len(space) + 1)]
    )


def outcome(plan: Plan, baseline: Sequence[Row], rows: Sequence[Row]) -> Sweep:
    """Return the result of a plan, given its rows in their order."""
    conditions = [_condition(each, rows) for each in plan.fail_on]
    result = Sweep(
        name=plan.name,
        plan=plan.origin.document.source.name,
        method=plan.choice.method,
        bases=[snapshot_info(each) for each in plan.bases],
        parameters=[parameter_info(each) for each in plan.parameters],
        figures=[figure_info(each) for each in plan.figures],
        fail_on=conditions,
        failed=any(each.points or each.unknown for each in conditions),
        errors=sum(row.error is not None for row in rows),
        assume_admitted=plan.assume_admitted,
        replay=replay_info(plan.replaying),
        baseline=list(baseline),
        rows=list(rows),
    )
    return with_analysis(result)


def _condition(condition: Condition, rows: Sequence[Row]) -> ConditionOutcome:
    failing = [(row, each) for row in rows for each in row.failures if each.condition == condition.text]
    held = [row.number for row, failure in failing if not failure.unknown]
    unknown = len(failing) - len(held)
    return ConditionOutcome(
        condition=condition.text,
        points=len(held),
        first=held[:_NAMED],
        known=len(rows) - unknown,
        unknown=unknown,
    )


def snapshot_info(base: Base) -> SnapshotInfo:
    """Return what a result says of a snapshot."""
    return SnapshotInfo(
        name=base.name, files=list(base.files), nodes=len(base.manifests.nodes), pods=len(base.manifests.pods)
    )


def replay_info(replaying: Replaying | None) -> ReplayInfo | None:
    """Return what a result says of how points were replayed."""
    if replaying is None:
        return None
    reading = replaying.reading
    return ReplayInfo(
        period=replaying.period,
        start_delay=replaying.start_delay,
        until=replaying.until,
        format=reading.workload_format,
        queue_by=reading.queue_of,
        most_nodes=reading.most_nodes,
        processors_per_pod=reading.processors_per_pod,
        runs=replaying.runs,
    )


def parameter_info(parameter: Parameter) -> ParameterInfo:
    """Return what a result says of a parameter."""
    options = parameter.options or {}
    return ParameterInfo(
        name=parameter.name,
        edits=[*map(edit_text, parameter.edits)],
        options={name: [*map(edit_text, edits)] for name, edits in options.items()},
        numeric=parameter.domain.is_numeric,
    )


def figure_info(figure: Figure) -> FigureInfo:
    """Return what a result says of a figure."""
    kind = figure.kind
    return FigureInfo(name=figure.text, unit=kind.unit, resource=figure.resource, missing=kind.missing)
