"""What a change is tested for: the conditions of --fail-on, or else what everybody expects of a change.

Without conditions, the expectation is that no job and no queue is worse off, and that there is no new error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from vqs.diff.outcome import STANDSTILL, Diff
from vqs.report.diff.phrases import changes_of, failure_line, queue_changes, remark_of
from vqs.report.lint.summary import place_of, with_denier

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
