"""The third stage of a job's life: every attempt to place its tasks, what was refused and why, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.outcome import HyperNodeChoice, JobReport, Try, TryStep
from vqs.model.wording import and_more, count
from vqs.report.grid import Column, Grid, Row, Span, cell
from vqs.report.page import Part, out_of
from vqs.report.phrases import among_ties
from vqs.report.visible import visible

TITLE: Final = "Placement attempts"

_TRIES: Final = 8
_NODES: Final = 4
_HYPER_NODES: Final = 12
"""Longer lists than these are folded, unless everything is asked for."""

_ENDS: Final = {
    "commit": ("committed", "each committed", "green"),
    "keep": (
        "reserved: waits for resources to be released",
        "each reserved: waits for resources to be released",
        "cyan",
    ),
    "discard": ("rolled back: gang incomplete", "each rolled back: gang incomplete", "red"),
    "refused": ("no task placed", "none placed a task", "red"),
}
"""How an attempt ends, how each of several does, and the colour of that."""


def tries(report: JobReport, *, everything: bool) -> Part:
    """Show the tries; several in a row that came to the same are one."""
    if not report.tries:
        return Part(TITLE, (_untried(report),))
    together = [list(group) for _, group in groupby(report.tries, _alike)]
    groups = [[each] for each in report.tries] if everything else together
    shown = groups if everything else groups[:_TRIES]
    rows: list[Row | Span] = []
    for group in shown:
        rows.append(Span(_heading(group)))
        rows += [_row(steps, everything=everything) for steps in _merged(group)]
    number = len(report.tries)
    title = f"{TITLE}: {number:,}" if number > 1 else TITLE
    grid = Grid((Column("  ROLE"), Column("TASKS", numeric=True), Column("WHERE")), rows, "REASON")
    return Part(out_of(title, len(shown), len(groups)), (), grid)


def hyper_nodes(report: JobReport, *, everything: bool) -> Part:
    """Show the HyperNodes of the last attempt; those that have room first."""
    ordered = sorted(report.hyper_nodes, key=lambda each: (not each.chosen, each.placed is None, each.tier))
    shown = ordered if everything else ordered[:_HYPER_NODES]
    columns = (
        Column("HYPERNODE"),
        Column("TIER", numeric=True),
        Column("FOR"),
        Column("PLACED", numeric=True),
        Column("SCORE", numeric=True),
        Column("CHOSEN"),
    )
    rows: list[Row | Span] = [_hyper_node(each) for each in shown]
    return Part(out_of("HyperNodes in the last attempt", len(shown), len(ordered)), (), Grid(columns, rows, "WHY NOT"))


def _hyper_node(choice: HyperNodeChoice) -> Row:
    cells = (
        cell(choice.hyper_node),
        cell(f"{choice.tier:,}"),
        cell(choice.sub_job or "the job"),
        cell(ABSENT if choice.placed is None else f"{choice.placed:,}"),
        cell(ABSENT if choice.score is None else f"{choice.score:.1f}"),
        cell("yes" if choice.chosen else "no"),
    )
    return Row(cells, choice.why)


def _untried(report: JobReport) -> str:
    if report.stopped_at:
        return "No attempt: the job was stopped before it was tried."
    waits = any(task.status_before == "Pending" for task in report.tasks)
    return "No attempt." if waits else "No task had to be placed."


def _alike(each: Try) -> Hashable:
    """Return what tries have in common that share a row."""
    steps = tuple((step.role, step.placed, step.waits, step.verdict and step.verdict.code) for step in each.steps)
    return (each.action, each.hyper_node, each.result, bool(each.evicted), steps)


def _heading(group: Sequence[Try]) -> Text:
    first = group[0]
    once, each_time, style = _ENDS[first.result]
    said = f"{len(group):,} attempts, {each_time}" if len(group) > 1 else once
    line = Text().append(visible(first.action), "bold")
    if first.hyper_node:
        line.append(f" in HyperNode {visible(first.hyper_node)}")
    line.append(", ").append(said, style)
    evicted = sum(len(attempt.evicted) for attempt in group)
    evicts = f"; evicts {count(evicted, 'task')}" if evicted and first.result != "discard" else ""
    return line.append(evicts)


def _merged(group: Sequence[Try]) -> list[list[TryStep]]:
    """Return the steps of alike tries, those of a role that were placed, one after the other, together."""
    steps = [step for each in group for step in each.steps]
    return [list(together) for _, together in groupby(steps, _kind)]


def _kind(step: TryStep) -> Hashable:
    return (step.role, step.placed, step.waits, step.verdict and step.verdict.text)


def _row(steps: Sequence[TryStep], *, everything: bool) -> Row:
    first = steps[0]
    where = cell(_where(steps, everything=everything), "" if first.placed else "red")
    cells = (cell(f"  {first.role or ABSENT}"), cell(f"{sum(len(step.tasks) for step in steps):,}"), where)
    return Row(cells, _why(first))


def _where(steps: Sequence[TryStep], *, everything: bool) -> str:
    if not steps[0].placed:
        return "not placed"
    nodes = Counter({step.node: 0 for step in steps})
    for step in steps:
        nodes[step.node] += len(step.tasks)
    named = list(nodes.items()) if everything else list(nodes.items())[:_NODES]
    counted = 1 < len(nodes) < nodes.total()
    text = ", ".join(f"{number} on {node}" if counted else node for node, number in named)
    tied = among_ties(steps[0].tied) if len(nodes) == 1 else ""
    reserved = "reserved: " if steps[0].waits else ""
    return f"{reserved}{text}{and_more(len(nodes) - len(named), 'node')}{tied}"


def _why(step: TryStep) -> str:
    if step.verdict is None:
        return ""
    text = f"{step.verdict.code}: {step.verdict.text}"
    if step.fit_errors is None:
        return text
    reasons = [f"{number} {reason}" for reason, number in step.fit_errors.reasons.items()]
    missing = [reason for reason in reasons if reason not in text]
    return f"{text}; of {count(step.fit_errors.nodes, 'node')}: {', '.join(missing)}" if missing else text
