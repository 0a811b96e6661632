"""A difference for pipelines: annotations on the lines of a change, and test cases in JUnit's XML.

A queue, a job or a setting that is written in a file of the candidate is annotated on its line there, everything else
where the change is. A test case is a condition of --fail-on; without conditions, the cases are that no job and no queue
is worse off, and that there is no new error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from vqs.diff.outcome import STANDSTILL, Diff, Effect, JobDifference, QueueDifference, SettingDifference
from vqs.lint.outcome import place_of, with_denier
from vqs.report.annotations import lint
from vqs.report.annotations.annotation import (
    Annotation,
    AnnotationSet,
    Descriptor,
    Level,
    Location,
    fingerprint_of,
    relative,
)
from vqs.report.annotations.junit import document
from vqs.report.diff.phrases import (
    CHANGES,
    changes_of,
    configuration_lines,
    failure_line,
    queue_changes,
    remark_of,
    sentence,
    tie_dependent_failure_lines,
    value,
)
from vqs.report.formats import View
from vqs.report.visible import visible

_NEVER: Final = 4
"""Above the rank of an error: a finding does not fail by itself."""
_LOOK: Final = "Run vqs diff-configs on the same files to see all differences."
_LEVELS: Final[Mapping[Effect, Level]] = {"loses": "warning", "both": "warning", "gains": "note", "neither": "note"}
_ORDER: Final[Mapping[Effect, int]] = {"loses": 0, "both": 1, "gains": 2, "neither": 3}

_SPEC: Final = frozenset({"parent", "weight", "priority", "state", "reclaimable", "guarantee", "capability"})
"""The fields of a queue that its manifest says, and the session does not find out."""

_ASKED: Final = frozenset({"added", "request"})
"""What becomes of a job that has another manifest in the candidate."""

SUMMARY: Final = "diff"
CONDITION: Final = "diff-condition"
QUEUE: Final = "diff-queue"
SETTING: Final = "diff-setting"
CONFIGURATION: Final = "diff-configuration"


def annotate(result: Diff, _view: View, /) -> AnnotationSet:
    """Turn a difference into annotations on what was changed."""
    return AnnotationSet(
        tool="vqs diff-configs",
        annotations=tuple(_annotations(result)),
        descriptors={**descriptors(), **lint.descriptors()},
        files=tuple(map(relative, result.after.files)),
        notes=tuple(each.message for each in result.after.diagnostics),
    )


def descriptors() -> Mapping[str, Descriptor]:
    """Return what the codes mean."""
    meanings: dict[str, tuple[Level, str]] = {
        SUMMARY: ("note", "what the change does"),
        CONDITION: ("error", "a condition of --fail-on holds, or scheduling would be blocked"),
        QUEUE: ("note", "the figures of a queue change"),
        CONFIGURATION: ("warning", "the scheduler's configuration is removed, new, or in another place"),
        SETTING: ("note", "an effective setting of the scheduler changes"),
        **{_code(change): ("warning", f"a job is {said}") for change, said in CHANGES.items()},
    }
    return {
        code: Descriptor(
            code, level, title, f"Compared with a session on the base, in a session on the candidate {title}.", _LOOK
        )
        for code, (level, title) in meanings.items()
    }


def cause(result: Diff) -> Location:
    """Return the place of the change, as far as it is known: what has no line of its own is annotated there.

    That is the configuration, else a queue or a job that the candidate defines otherwise, else its first file,
    or the base's where it has none any more.
    """
    if result.settings and result.after.conf_file:
        line = result.settings[0].line or result.after.conf_line
        return Location(relative(result.after.conf_file), line or 1)
    queues = (each.after for each in result.queues if each.change == "added" or not _SPEC.isdisjoint(each.fields))
    jobs = (each.after for each in result.jobs if not _ASKED.isdisjoint(each.changes))
    for side in (*queues, *jobs):
        if side is not None and side.file:
            return Location(relative(side.file), side.line or 1)
    gone = (file.partition(":")[2] or file for file in result.before.files)  # they are named REVISION:FILE
    file = next(iter(result.after.files or gone), "")
    return Location(relative(file), 1) if file else Location()


def _annotations(result: Diff) -> Iterator[Annotation]:
    """Yield the annotations: the conditions that hold, the summary, and what differs."""
    at = cause(result)
    for failure in result.failures:
        yield _annotation(CONDITION, "error", failure_line(failure), at)
    for line in tie_dependent_failure_lines(result):
        yield _annotation(CONDITION, "warning", line, at)
    if result.differs or result.silenced or result.not_read:
        yield _annotation(SUMMARY, "note", sentence(result), at)
    yield from _of_differences(result, at)


def _of_differences(result: Diff, at: Location) -> Iterator[Annotation]:
    for job in sorted(result.jobs, key=lambda job: (job.tie_dependent, _ORDER[job.effect])):
        yield _job(job, at)
    for queue in result.queues:
        if queue.change != "same":
            yield _queue(queue, at)
    for line in configuration_lines(result):
        yield _annotation(CONFIGURATION, "warning", line, at)
    for setting in result.settings:
        yield _setting(setting, _in(result.after.conf_file, setting.line or result.after.conf_line, at))
    for each in result.findings:
        if each.change == "new":
            yield lint.of_finding(each.finding, _NEVER)


def _in(file: str, line: int | None, usual: Location) -> Location:
    """Return the place in a file of the candidate, or the usual one."""
    return Location(relative(file), line or 1) if file else usual


def _job(job: JobDifference, at: Location) -> Annotation:
    name = job.called
    level: Level = "note" if job.tie_dependent else _LEVELS[job.effect]
    message = f"{name}: {changes_of(job)}: {remark_of(job)}"
    at = _in(job.after.file, job.after.line, at) if job.after else at
    return _annotation(_code(job.changes[0]), level, message, at, f"Job {name}")


def _queue(queue: QueueDifference, at: Location) -> Annotation:
    message = f"queue {queue.name}: {queue_changes(queue) or ', '.join(queue.fields)}"
    level: Level = "note" if queue.tie_dependent else _LEVELS[queue.effect]
    at = _in(queue.after.file, queue.after.line, at) if queue.after else at
    return _annotation(QUEUE, level, message, at, f"Queue {queue.name}")


def _setting(setting: SettingDifference, at: Location) -> Annotation:
    message = f"{setting.key}: {value(setting.before)} → {value(setting.after)}"
    return _annotation(SETTING, "note", message, at, setting.key)


def _annotation(code: str, level: Level, message: str, at: Location, about: str = "") -> Annotation:
    return Annotation(
        code=code,
        level=level,
        message=message,
        at=at,
        about=about,
        fingerprint=fingerprint_of(code, at.file, about or message),
    )


def _code(change: str) -> str:
    return f"diff-{change}"


_DIFF: Final = "vqs diff-configs"


def write(result: Diff, _view: View, /) -> str:
    """Write conditions, or else expectations, as test cases; what differs stands in the output."""
    tested = [*cases(result)]
    failed = sum(bool(case.faults) for case in tested)
    totals = {"tests": str(len(tested)), "failures": str(failed), "errors": "0"}
    root = ET.Element("testsuites", {"name": _DIFF, **totals})
    suite = ET.SubElement(root, "testsuite", {"name": _DIFF, **totals, "skipped": "0"})
    for name, faults in tested:
        case = ET.SubElement(suite, "testcase", {"name": visible(name), "classname": _DIFF})
        if faults:
            failure = ET.SubElement(case, "failure", {"message": visible(faults[0]), "type": "diff-condition"})
            failure.text = "\n".join(map(visible, faults))
    ET.SubElement(suite, "system-out").text = visible(sentence(result))
    return document(root)


_WORSE: Final = ("loses", "both")
_NO_STANDSTILL: Final = "scheduling is not blocked"
_NO_LOSERS: Final = "no job is worse off"
_NO_LOSSES: Final = "no queue is worse off"
_NO_ERRORS: Final = "no new lint error"


class Case(NamedTuple):
    """A condition or an expectation, and what goes against it."""

    name: str
    faults: tuple[str, ...]


def cases(result: Diff) -> Iterator[Case]:
    """Yield the test cases, those that fail with the reasons."""
    yield Case(_NO_STANDSTILL, tuple(_failed(result, STANDSTILL)))
    if result.fail_on:
        for condition in dict.fromkeys(result.fail_on):
            yield Case(condition, tuple(_failed(result, condition)))
        return
    yield Case(_NO_LOSERS, tuple(_losers(result)))
    yield Case(_NO_LOSSES, tuple(_losses(result)))
    yield Case(_NO_ERRORS, tuple(_errors(result)))


def _failed(result: Diff, condition: str) -> Iterator[str]:
    return (failure_line(failure) for failure in result.failures if failure.condition == condition)


def _losers(result: Diff) -> Iterator[str]:
    for job in result.jobs:
        if job.effect in _WORSE and not job.tie_dependent:
            yield f"{job.called}: {changes_of(job)}: {remark_of(job)}"


def _losses(result: Diff) -> Iterator[str]:
    for queue in result.queues:
        if queue.change != "same" and queue.effect in _WORSE and not queue.tie_dependent:
            yield f"{queue.name}: {queue_changes(queue) or ', '.join(queue.fields)}"


def _errors(result: Diff) -> Iterator[str]:
    for each in result.findings:
        if each.change == "new" and each.finding.severity == "error":
            text = with_denier(each.finding.message, each.finding.denied)
            yield ": ".join(filter(None, (place_of(each.finding), each.finding.code, text)))
