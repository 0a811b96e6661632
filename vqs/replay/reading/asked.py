"""Refuses what cannot be had of a workload: options of other formats, files given twice, plans, no jobs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from vqs.model.wording import listed_names
from vqs.paths import STDIN, printable
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.replay.workload import Workload
from vqs.snapshot.reading.diagnostics import Diagnostic, Problems
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import PLAN_NOT_READ

_CODE: Final = "invalid-value"
_QUEUES: Final[Mapping[WorkloadFormat, frozenset[QueueOf]]] = {
    WorkloadFormat.OPENB: frozenset({QueueOf.QOS, QueueOf.NONE}),
    WorkloadFormat.SWF: frozenset({QueueOf.QUEUE, QueueOf.PARTITION, QueueOf.USER, QueueOf.GROUP, QueueOf.NONE}),
    WorkloadFormat.METRICS: frozenset({QueueOf.QUEUE, QueueOf.NAMESPACE}),
}
_MAKE_JOBS: Final = ("pods", "pod_groups", "volcano_jobs", "jobs", "workloads", "deployments")
"""The lists of objects that are jobs at the start, or of which controllers make some."""


def check_options(found: WorkloadFormat, options: ReadingOptions, problems: Problems) -> None:
    """Refuse options that mean nothing for a workload of the format that was found, and a format that is another."""
    if options.format not in (None, found):
        _refuse(problems, f"--workload-format {options.format} is given, but the workload is {_called(found)}")
    for option, value, formats in (
        ("--most-nodes", options.most_nodes, [WorkloadFormat.OPENB]),
        ("--processors-per-pod", options.processors_per_pod, [WorkloadFormat.SWF]),
        (f"--queue-by {options.queue_of}", options.queue_of, _formats_with(options.queue_of)),
    ):
        if value is not None and found not in formats:
            named = listed_names([each.value for each in formats])
            _refuse(problems, f"{option} is for workloads in {named}, and this one is {_called(found)}")


def _formats_with(queue_of: QueueOf | None) -> list[WorkloadFormat]:
    return [each for each, names in _QUEUES.items() if queue_of in names]


def _called(found: WorkloadFormat) -> str:
    match found:
        case WorkloadFormat.SCENARIO:
            return "a scenario or a snapshot"
        case WorkloadFormat.DUMPS:
            return "read as dumps"
        case _:
            return f"in {found}"


def check_given_once(paths: Sequence[str], problems: Problems) -> None:
    """Refuse a file that is given twice: its jobs would arrive once, or twice, by its format."""
    known: set[str] = set()
    for path in paths:
        place = path if path == STDIN else os.path.realpath(path)
        if place in known:
            _refuse(problems, "this file is given twice", file=printable(path))
        known.add(place)


def check_has_jobs(workload: Workload, problems: Problems) -> None:
    """Refuse a workload in which no job arrives, and none is there at the start."""
    there = any(getattr(workload.start, name) for name in _MAKE_JOBS)
    if not there and not workload.arrivals and not workload.generators:
        message = "there is nothing to replay: no job arrives, and none is there at the start"
        _refuse(problems, message, code="empty-input")


def check_no_plan(manifests: Manifests, paths: Sequence[str], problems: Problems) -> None:
    """Refuse the plan of a sweep that is named as a workload; those in a folder of workloads are passed over."""
    named = {printable(path) for path in paths}
    for note in manifests.notes:
        if note.code == PLAN_NOT_READ and note.file in named:
            problems.add(structs.replace(note, severity="error"))


def _refuse(problems: Problems, message: str, *, code: str = _CODE, file: str = "") -> None:
    problems.add(Diagnostic(code=code, severity="error", message=message, file=file))
