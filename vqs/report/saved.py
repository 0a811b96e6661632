"""Results that were written as JSON, read back, and the reporters for each kind of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from vqs.diff.fit_outcome import Fit
from vqs.diff.outcome import Diff
from vqs.explain.cycles import Cycles
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.outcome import Simulation
from vqs.explain.queues.answer import answer
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.refusal import Refusal
from vqs.lint.outcome import Lint
from vqs.report import formats
from vqs.verify.outcome import Verification

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

    from vqs.report.formats import Reporter

Saved = Simulation | Cycles | QueueReport | JobReport | Lint | Diff | Fit | Verification | Refusal


class _Kind(NamedTuple):
    """How a kind of result is written."""

    formats: Mapping[Any, str]
    reporter: Callable[[Any], Reporter[Any]]


_KINDS: Final[Mapping[type, _Kind]] = {
    Simulation: _Kind(formats.SIMULATION, formats.simulation_reporter),
    Cycles: _Kind(formats.CYCLES, formats.cycles_reporter),
    QueueReport: _Kind(formats.QUEUES, formats.queue_reporter),
    JobReport: _Kind(formats.JOBS, formats.job_reporter),
    Lint: _Kind(formats.LINT, formats.lint_reporter),
    Fit: _Kind(formats.FIT, formats.fit_reporter),
    Diff: _Kind(formats.DIFF, formats.diff_reporter),
    Verification: _Kind(formats.VERIFICATION, formats.verify_reporter),
    Refusal: _Kind(formats.REFUSAL, formats.refusal_reporter),
}


class UnreadableResult(Exception):  # noqa: N818 - it is the result that is unreadable
    """A text is no result that vqs has written; the message says why."""


def read_result(text: bytes) -> Saved:
    """Read a result.

    Raises:
        UnreadableResult: it is none.
    """
    try:
        result: Saved = msgspec.json.decode(text, type=Saved)
    except msgspec.ValidationError as error:
        raise UnreadableResult(f"it is no result of vqs: {error}") from None
    except msgspec.DecodeError as error:
        raise UnreadableResult(f"it is not JSON: {error}") from None
    if isinstance(result, QueueReport) and not result.answer:
        result.answer = answer(result)  # it was saved before results had one
    return result


def formats_of(result: Saved) -> list[StrEnum]:
    """Return the formats that a result can be written in."""
    return list(_KINDS[type(result)].formats)


def reporter_of(result: Saved, chosen: StrEnum) -> Reporter[Any]:
    """Load the reporter of a format for a result."""
    return _KINDS[type(result)].reporter(chosen)
