"""A difference for pipelines: annotations on the lines of a change, and test cases in JUnit's XML.

A queue, a job or a setting that is written in a file of the candidate is annotated on its line there, everything else
where the change is. A test case is a condition of --fail-on; without conditions, the cases are that no job and no queue
is worse off, and that there is no new error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from vqs.diff.outcome import STANDSTILL, Diff, Effect, JobDifference, JobSide, QueueDifference, QueueSide
from vqs.diff.sentences import CHANGES
from vqs.inert import name as visible
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
    configuration_lines,
    failure_line,
    queue_changes,
    sentence,
    tie_dependent_failure_lines,
    value,
)
from vqs.report.formats import View

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
    at = cause(result)
    found = [_annotation(CONDITION, "error", failure_line(each), at) for each in result.failures]
    found += [_annotation(CONDITION, "warning", line, at) for line in tie_dependent_failure_lines(result)]
    if result.differs or result.silenced or result.not_read:
        found.append(_annotation(SUMMARY, "note", sentence(result), at))
    return AnnotationSet(
        tool="vqs diff-configs",
        annotations=(*found, *_of_differences(result, at)),
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


def _of_differences(result: Diff, at: Location) -> Iterator[Annotation]:
    """Yield what differs."""
    for job in sorted(result.jobs, key=lambda job: (job.tie_dependent, _ORDER[job.effect])):
        level: Level = "note" if job.tie_dependent else _LEVELS[job.effect]
        place = _place_of(result, job, at)
        yield _annotation(_code(job.changes[0]), level, _job_line(job), place, f"Job {job.called}")
    for queue in result.queues:
        if queue.change != "same":
            level = "note" if queue.tie_dependent else _LEVELS[queue.effect]
            yield _annotation(
                QUEUE, level, f"queue {_queue_line(queue)}", _place(queue.after, at), f"Queue {queue.name}"
            )
    for line in configuration_lines(result):
        yield _annotation(CONFIGURATION, "warning", line, at)
    for each in result.settings:
        file, number = result.after.conf_file, each.line or result.after.conf_line
        message = f"{each.key}: {value(each.before)} → {value(each.after)}"
        yield _annotation(SETTING, "note", message, Location(relative(file), number or 1) if file else at, each.key)
    for found in result.findings:
        if found.change == "new":
            yield lint.of_finding(found.finding, _NEVER)


def _place(side: JobSide | QueueSide | None, at: Location) -> Location:
    """The place in a file of the candidate, or that of the change."""
    return Location(relative(side.file), side.line or 1) if side is not None and side.file else at


def _place_of(result: Diff, job: JobDifference, at: Location) -> Location:
    """The place of a job that asks for something else; of another, that of its queue's or a setting's change."""
    sides = [side for side in (job.after, job.before) if side is not None]
    if _ASKED.isdisjoint(job.changes):
        name = next((side.queue for side in sides), "")
        changed = (each for each in result.queues if each.name == name and not _SPEC.isdisjoint(each.fields))
        queue = next((each.after for each in changed if each.after is not None and each.after.file), None)
        found = _place(queue, at) if queue is not None else _setting_behind(result, job, sides)
        if found is not None:
            return found
    return _place(job.after, at)


def _setting_behind(result: Diff, job: JobDifference, sides: Sequence[JobSide]) -> Location | None:
    """The line of a setting of what refuses a job, or did before, or evicts its tasks: a plugin or an action."""
    if not result.after.conf_file:
        return None
    verdicts = (side.verdict for side in sides if side.verdict is not None)
    decided = [name for each in verdicts for name in (each.plugin, each.action)]
    decided += (gone.action for gone in result.evictions if gone.job == f"{job.namespace}/{job.name}")
    lines: dict[str, int] = {}
    for each in reversed(result.settings):
        names = {each.key.partition(".")[0]}
        if each.key == "actions":
            names = set.symmetric_difference(*({*f"{said or ''}".split(", ")} for said in (each.before, each.after)))
        lines |= dict.fromkeys(names, each.line or 0)
    line = next((lines[name] for name in decided if lines.get(name)), 0)
    return Location(relative(result.after.conf_file), line) if line else None


def _job_line(job: JobDifference) -> str:
    return f"{job.called}: {job.says}: {job.remark}"


def _queue_line(queue: QueueDifference) -> str:
    return f"{queue.name}: {queue_changes(queue) or ', '.join(queue.fields)}"


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


class Case(NamedTuple):
    """A condition or an expectation, and what goes against it."""

    name: str
    faults: tuple[str, ...]


def cases(result: Diff) -> Iterator[Case]:
    """Yield the test cases, those that fail with the reasons."""

    def failed(condition: str) -> tuple[str, ...]:
        return tuple(failure_line(failure) for failure in result.failures if failure.condition == condition)

    yield Case("scheduling is not blocked", failed(STANDSTILL))
    if result.fail_on:
        for condition in dict.fromkeys(result.fail_on):
            yield Case(condition, failed(condition))
        return
    jobs = (job for job in result.jobs if job.effect in _WORSE and not job.tie_dependent)
    yield Case("no job is worse off", tuple(map(_job_line, jobs)))
    queues = (
        queue
        for queue in result.queues
        if queue.change != "same" and queue.effect in _WORSE and not queue.tie_dependent
    )
    yield Case("no queue is worse off", tuple(map(_queue_line, queues)))
    errors = (each.finding for each in result.findings if each.change == "new" and each.finding.severity == "error")
    texts = ((place_of(each), each.code, with_denier(each.message, each.denied)) for each in errors)
    yield Case("no new lint error", tuple(": ".join(filter(None, text)) for text in texts))
