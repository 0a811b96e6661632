"""Reading a workload, whatever it is written as.

Recordings (the tables of openb, logs in SWF, metrics) are recognised by how they begin. Everything else are manifests:
scenarios, and dumps of a cluster, which are the state at the start unless they are said to be its history. What cannot
be had of a workload is refused: options of other formats, files given twice, plans, no jobs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO, Final

from msgspec import structs

from vqs.model.wording import listed_names
from vqs.paths import STDIN, is_folder, printable
from vqs.replay.reading import metrics, openb, swf
from vqs.replay.reading.dumps import present_of, read_dumps, unknown_durations, without_pods_yet
from vqs.replay.reading.faults import Faults
from vqs.replay.reading.metrics import are_samples
from vqs.replay.reading.objects import of_recording
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.replay.reading.recorded import Recording
from vqs.replay.reading.scenario import workload_of
from vqs.replay.when.durations import Durations, with_durations
from vqs.replay.workload import Workload
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.compression import CompressionError
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Problems
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import ReadRefused, begun, in_force
from vqs.snapshot.reading.reader import PLAN_NOT_READ
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.scenario.jobs import ARRIVES_LATER

_HEAD: Final = 4096
"""How many bytes of a file are looked at to recognise its format."""

_RECORDINGS: Final = (WorkloadFormat.OPENB, WorkloadFormat.SWF, WorkloadFormat.METRICS)

ReadManifests = Callable[[Sequence[str]], Manifests]
"""Reads files with manifests and scenarios, with the configuration and release that were asked for."""


@begun()
def read_workload(
    paths: Sequence[str], name: str, read: ReadManifests, options: ReadingOptions, stdin: BinaryIO | None = None
) -> Workload:
    """Read a workload and the snapshots beside it.

    Raises:
        InputErrors: something cannot be used; it holds everything that is wrong with the recordings or the manifests.
    """
    problems = Problems()
    check_given_once(paths, problems)
    if options.workload_format is WorkloadFormat.DUMPS:
        check_options(WorkloadFormat.DUMPS, options, problems)
        problems.raise_errors()
        dumps = []
        for path in paths:
            dumps.append(_read(read, [path]))
            if dumps[-1].scenarios:  # a scenario says itself what arrives
                check_options(WorkloadFormat.SCENARIO, ReadingOptions(WorkloadFormat.DUMPS), problems)
            check_no_plan(dumps[-1], [path], problems)
            problems.raise_errors()
        return _finished(read_dumps(dumps, name, problems), problems)
    recorded = {path: _format(path, options.workload_format) for path in paths}
    formats = {found for found in recorded.values() if found is not None}
    for found in formats or {WorkloadFormat.SCENARIO}:
        check_options(found, options, problems)
    problems.raise_errors()
    others = [path for path, found in recorded.items() if found is None]
    manifests = _read(read, others) if others else None
    if manifests is not None:
        check_no_plan(manifests, others, problems)
        problems.raise_errors()
    base = of_manifests(manifests, name, options.durations) if manifests is not None else None
    if not formats:
        if base is None:
            raise AssertionError(paths)
        check_has_jobs(base, problems)
        problems.raise_errors()
        return base
    if len(formats) > 1:
        named = " and ".join(sorted(each.value for each in formats))
        message = f"the recordings are of different formats, {named}; give those of one"
        problems.add(Diagnostic(code="invalid-recording", severity="error", message=message))
        problems.raise_errors()
    given = [path for path, found in recorded.items() if found is not None]
    told = replace(options, has_nodes=manifests is not None and bool(manifests.nodes))
    with paused_collector():
        recording, faults = _recording(formats.pop(), given, told, stdin, problems)
        problems.raise_errors()
        workload = of_recording(recording, faults, name, manifests)
    if not workload.start.nodes:
        hint = "give a snapshot or a scenario with nodes beside it"
        faults.refuse("the recording has no nodes", hint=hint, code="no-nodes")
    return _finished(_beside(workload, base), problems)


def of_manifests(manifests: Manifests, name: str, durations: Durations | None = None) -> Workload:
    """Return the workload of manifests: what a file of durations says of it goes before what scenarios say.

    What is guessed of running pods comes last.

    Raises:
        InputErrors: scenarios say something of it that cannot be replayed.
    """
    workload = workload_of(manifests, name)
    present = {**present_of(manifests), **workload.present}
    start, submitted = without_pods_yet(workload.start)
    arrivals = sorted([*submitted, *workload.arrivals], key=lambda each: each.time)
    whole, notes = replace(workload, present=present, start=start, arrivals=tuple(arrivals)), list[Diagnostic]()
    made = complete(start) if start.jobs or durations is not None else start
    if durations is not None:
        whole, notes = with_durations(whole, made, durations)
    said = {key for key, each in whole.present.items() if key in workload.present or each is not present.get(key)}
    jobs = {id(each.job) for each in submitted}
    come = [each for each in whole.arrivals if id(each.job) in jobs]
    notes += unknown_durations(made if start.jobs else start, whole.present, said, come)
    return replace(whole, start=replace(start, notes=[*start.notes, *notes]))


def _read(read: ReadManifests, paths: Sequence[str]) -> Manifests:
    """Read manifests, without the notes that jobs which arrive are left out: a replay has them."""
    try:
        manifests = read(paths)
    except InputErrors as errors:
        raise InputErrors([each for each in errors.diagnostics if each.code != ARRIVES_LATER]) from None
    return replace(manifests, notes=[each for each in manifests.notes if each.code != ARRIVES_LATER])


def _beside(workload: Workload, base: Workload | None) -> Workload:
    """Return the workload of a recording with what the manifests beside it say."""
    if base is None:
        return workload
    arrivals = sorted([*workload.arrivals, *base.arrivals], key=lambda each: each.time) if base.arrivals else None
    return replace(
        base,
        begin=workload.begin,
        start=workload.start,
        arrivals=workload.arrivals if arrivals is None else arrivals,
    )


def _finished(workload: Workload, problems: Problems) -> Workload:
    """Return a workload whose start has the notes on how it was read."""
    problems.raise_errors()
    return replace(workload, start=replace(workload.start, notes=[*workload.start.notes, *problems.diagnostics]))


# --- recordings -------------------------------------------------------------------------------------------------------


def _format(path: str, given: WorkloadFormat | None) -> WorkloadFormat | None:
    """Return the format of a recording; None for what is none, or cannot be read as one."""
    if given is WorkloadFormat.SCENARIO or (path != STDIN and is_folder(path)):
        return None
    found = None if path == STDIN else _recognised(path)
    is_manifest = path.lower().removesuffix(".gz").removesuffix(".zst").endswith((".yaml", ".yml", ".json"))
    is_given = given in _RECORDINGS and (path == STDIN or found is not None or not is_manifest)
    return given if is_given else found


def _recognised(path: str) -> WorkloadFormat | None:
    """Recognise a recording by how it begins."""
    try:
        text = in_force().beginning(path, _HEAD).decode(errors="replace").removeprefix("\ufeff")
    except (OSError, CompressionError, ReadRefused):
        return None  # reading it as a manifest says what is wrong
    if openb.table_beginning(text):
        return WorkloadFormat.OPENB
    if are_samples(text):
        return WorkloadFormat.METRICS
    return WorkloadFormat.SWF if swf.is_log(text) else None


def _recording(
    found: WorkloadFormat, paths: Sequence[str], options: ReadingOptions, stdin: BinaryIO | None, problems: Problems
) -> tuple[Recording, Faults]:
    """Return what the files of a recording tell, and what takes faults of the first of them."""
    in_force().name(path for path in paths if path != STDIN)
    sources = [read_source(path, stdin, problems) for path in paths]
    files = [Faults(source, problems) for source in sources if source is not None]
    problems.raise_errors()
    match found:
        case WorkloadFormat.OPENB:
            return openb.read_tables(files, options), files[0]
        case WorkloadFormat.SWF:
            if len(files) > 1:
                files[1].refuse("this is a second log; a replay has one")
            return swf.read_swf(files[0], options), files[0]
        case _:
            return metrics.read_metrics(files, options), files[0]


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
    if options.workload_format not in (None, found):
        _refuse(problems, f"--workload-format {options.workload_format} is given, but the workload is {_called(found)}")
    with_queues = [each for each, names in _QUEUES.items() if options.queue_of in names]
    for option, value, formats in (
        ("--most-nodes", options.most_nodes, [WorkloadFormat.OPENB]),
        ("--processors-per-pod", options.processors_per_pod, [WorkloadFormat.SWF]),
        ("--durations", options.durations, [WorkloadFormat.SCENARIO]),
        (f"--queue-by {options.queue_of}", options.queue_of, with_queues),
    ):
        if value is not None and found not in formats:
            named = listed_names([each.value for each in formats])
            _refuse(problems, f"{option} is for workloads in {named}, and this one is {_called(found)}")


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
