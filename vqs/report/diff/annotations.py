"""A difference as annotations on the lines of a change: what must not be, then who loses, then the rest.

A queue, a job or a setting that is written in a file of the candidate is annotated on its line there, everything else
where the change is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from vqs.diff.outcome import Diff, Effect, JobDifference, QueueDifference, SettingDifference
from vqs.report.annotations.annotation import (
    Annotation,
    AnnotationSet,
    Descriptor,
    Level,
    Location,
    fingerprint_of,
    relative,
)
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
from vqs.report.lint import annotations as lint

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
