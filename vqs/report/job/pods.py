"""What the pods of a job say once the session is over, beside the verdicts, and what that means."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from rich.text import Text

from vqs.explain.jobs.outcome import JobReport
from vqs.explain.outcome import TaskResult
from vqs.explain.texts.grammar import about
from vqs.explain.verdict_rules import PodText
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part, out_of
from vqs.report.phrases import in_brackets, pod_meaning

TITLE: Final = "Pod conditions (PodScheduled)"

_TEXTS: Final = 6
"""A longer list than this is cut, unless everything is asked for."""

_OF_ONE: Final = (PodText.ROLE, PodText.PLACE, PodText.RELEASE)
"""Texts that name the pod itself, so that no two pods have the same."""


def pods(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Yield what the pods that wait say; those that say the same share a row."""
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in report.tasks:
        if task.pod_scheduled is not None:
            groups.setdefault(_alike(task, everything=everything), []).append(task)
    if not groups:
        return
    shown = [*islice(groups.values(), None if everything else _TEXTS)]
    columns = (
        Column("PODS", numeric=True),
        Column("FIRST POD", dispensable=True),
        Column("VERDICT", dispensable=True),
        Column("REASON"),
    )
    yield Part(out_of(TITLE, len(shown), len(groups)), (), Grid(columns, [_row(alike) for alike in shown], "MESSAGE"))


def _alike(task: TaskResult, *, everything: bool) -> tuple[str, ...]:
    """Return what tasks that share a row have in common."""
    text = task.pod_scheduled or ""
    kind = about(text)
    code = task.verdict.code if task.verdict else ""
    return (task.pod_scheduled_reason or "", code, kind if kind in _OF_ONE and not everything else text)


def _row(alike: list[TaskResult]) -> Row:
    first = alike[0]
    cells = (
        cell(f"{len(alike):,}"),
        cell(first.name),
        Text(first.verdict.code if first.verdict else ""),
        cell(first.pod_scheduled_reason or ""),
    )
    return Row(cells, f'"{first.pod_scheduled}"{in_brackets(pod_meaning(first))}')
