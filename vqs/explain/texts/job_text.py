"""The text about a job as a whole: `pod group is not ready, 3 Pending, 4 minAvailable; Pending: 3 Unschedulable`.

On a PodGroup, `3/4 tasks in gang unschedulable: ` stands before it.
Reference: pkg/scheduler/api/job_info.go (FitError), pkg/scheduler/plugins/gang/gang.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vqs.explain.texts.node_reasons import FIT_ERROR, read_fit_error
from vqs.explain.texts.reading import ON_POD_GROUPS, ON_PODS, Part, Reading, codes_shown_as
from vqs.explain.verdict_rules import VERDICT_RULES, PodText
from vqs.model.codes import VerdictCode
from vqs.model.task import VALID_STATUSES

_COUNTS: Final = r"\d{1,9} \w+(?:, \d{1,9} \w+)*"
JOB_TEXT: Final = re.compile(
    r"(?:(?P<gang>(?<!\d)-?\d{1,9}/\d{1,9}) tasks in gang unschedulable: )?(?P<state>pod group is (?:not )?ready)"
    rf"(?:, (?P<counts>{_COUNTS}))?(?:; Pending: (?P<pending>{_COUNTS}))?(?:\. (?P<origin>Origin reason is:? .*))?$"
)
_ORIGIN: Final = re.compile(r"Origin reason is (?P<task>\S+): (?P<text>.*)")
_MINIMUM: Final = "minAvailable"

_STATUSES: Final = {
    "Pending": "without a place",
    "Allocated": "with a node in this session, and not bound, as the gang is not complete",
    "Pipelined": "reserved on a node until it has room, or until the gang is complete",
    "Binding": "given their nodes in this session",
    "Bound": "bound to their nodes, and not running yet",
    "Running": "running",
    "Releasing": "being deleted, or evicted in this session",
    "Succeeded": "done",
    "Failed": "failed; they do not count for the gang",
    "Unknown": "in a state that the scheduler does not know",
}
_REASONS: Final = {
    "Unschedulable": "without a node: refused by nodes, or not tried",
    "Schedulable": "with a node that was rolled back, as the gang was incomplete",
}

_PLACED: Final = frozenset({"Binding", "Allocated", "Pipelined"})
"""Statuses that a session gives to tasks of jobs that are in their queues, and that have as many pods as they need."""


def counted(counts: str | None) -> dict[str, int]:
    """Return the numbers in a list of counts.

    >>> counted("3 Pending, 4 minAvailable")
    {'Pending': 3, 'minAvailable': 4}
    """
    return {
        name: int(number) for number, _, name in (each.partition(" ") for each in (counts or "").split(", ")) if name
    }


def read_job_text(found: re.Match[str]) -> Reading:
    """Read a text about a job."""
    counts, pending = counted(found["counts"]), counted(found["pending"])
    parts = [*_gang(found["gang"]), Part(found["state"], _state(found["state"]))]
    parts += [Part(f"{number} {name}", _count(name, number, counts)) for name, number in counts.items()]
    parts += [Part(f"Pending: {number} {reason}", _pending(reason, number)) for reason, number in pending.items()]
    parts += _origin(found["origin"])
    if found["gang"]:
        codes = _likely_first(found, counts, _codes_of_job(found, counts, pending))
        return Reading(found[0], ON_POD_GROUPS, tuple(parts), codes)
    codes = codes_shown_as(PodText.JOB, without=_ruled_out(found, counts)) if counts else ()
    codes = _likely_first(found, counts, codes)
    return Reading(found[0], ON_PODS, tuple(parts), codes, about=PodText.JOB)


def _likely_first(found: re.Match[str], counts: Mapping[str, int], codes: Sequence[str]) -> tuple[str, ...]:
    """Put what the nodes refused a task for first; last a standstill, in which only backfill tries and places tasks."""
    named = _ORIGIN.fullmatch(found["origin"] or "")
    refused = FIT_ERROR.search(named["text"]) if named else None
    first = read_fit_error(refused).codes if refused else ()
    placed_or_tried = refused or _PLACED & counts.keys()
    last = {VerdictCode.SCHEDULER_STANDS_STILL} & {*codes} if placed_or_tried else set()
    return (*first, *(code for code in codes if code not in {*first, *last}), *last)


def _ruled_out(found: re.Match[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the verdicts that nothing of a job is given once one of its tasks was tried."""
    if not found["origin"] and not _PLACED & counts.keys():
        return ()
    return (*(code for code, rule in VERDICT_RULES.items() if rule.stage == "enqueue"), VerdictCode.GANG_TOO_SMALL)


def _codes_of_job(found: re.Match[str], counts: Mapping[str, int], pending: Mapping[str, int]) -> tuple[str, ...]:
    """Return the verdicts that tasks of a job may have that is counted so, also where none of them waits."""
    ruled_out = _ruled_out(found, counts)
    codes = {*codes_shown_as(*_shown(counts, pending, origin=bool(found["origin"])), without=ruled_out)}
    codes |= {VerdictCode.GANG_TOO_SMALL} - {*ruled_out} | ({VerdictCode.EVICTED} if "Releasing" in counts else set())
    return tuple(code for code in VERDICT_RULES if code in codes)


def _shown(counts: Mapping[str, int], pending: Mapping[str, int], *, origin: bool) -> Iterator[PodText]:
    """Yield what the pods of a job may show that is counted so."""
    if pending:
        yield from (PodText.JOB, PodText.GATES, PodText.RELEASE)
    if origin:
        yield from (PodText.NODES, PodText.ROLE)
    if "Schedulable" in pending or "Allocated" in counts:
        yield PodText.PLACE
    if "Pipelined" in counts:
        yield PodText.RELEASE


def _gang(numbers: str | None) -> Iterator[Part]:
    if numbers:
        missing, _, tasks = numbers.partition("/")
        yield Part(
            f"{numbers} tasks in gang unschedulable",
            f"of the job's {int(tasks):,} tasks, {int(missing):,} more need a place for its gang to be complete; in an "
            "event, that many are pending",
        )


def _state(state: str) -> str:
    if " not " in state:
        return "fewer tasks than its minimum have a place, so that the gang is not complete"
    return (
        "its minimum has a place, or asks for nothing, so that the gang is complete: what waits is beyond the minimum"
    )


def _count(name: str, number: int, counts: Mapping[str, int]) -> str:
    if name == _MINIMUM:
        valid = sum(counts.get(status.name, 0) for status in VALID_STATUSES)
        few = f"; of those that there are, {valid:,} may count, which is too few" if valid < number else ""
        return f"the gang needs {number:,} tasks at least{few}"
    meaning = _STATUSES.get(name, "in that state")
    return f"{number:,} {'task is' if number == 1 else 'tasks are'} {meaning}"


def _pending(reason: str, number: int) -> str:
    return f"of the pending tasks, {number:,} {_REASONS.get(reason, 'of that status')}"


def _origin(origin: str | None) -> Iterator[Part]:
    """Yield what is quoted of one task of the job."""
    if not origin:
        return
    named = _ORIGIN.fullmatch(origin)
    if named is None:
        yield Part(origin, "what the job was refused for")
        return
    yield Part(
        f"Origin reason is {named['task']}",
        "what one task was refused for follows, of several one at random; mostly it is not the pod that shows this",
    )
    nodes = FIT_ERROR.search(named["text"])
    yield from read_fit_error(nodes).parts if nodes else (Part(named["text"], "what that task was refused for"),)
