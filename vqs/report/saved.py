"""Results that were written as JSON, read back."""

from __future__ import annotations

from typing import Final

import msgspec

from vqs.diff.outcome import Diff
from vqs.explain.cycles import Cycles
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.outcome import Simulation
from vqs.explain.plugins.outcome import PluginReport
from vqs.explain.queues.answer import answer
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.refusal import Refusal
from vqs.explain.releases import VersionReport
from vqs.fit.outcome import Fit
from vqs.lint.outcome import Lint
from vqs.replay.outcome import Replay, Replays
from vqs.sweep.outcome import Sweep
from vqs.sweep.tune.outcome import Tune
from vqs.verify.outcome import Verification

Saved = (
    Simulation
    | Cycles
    | QueueReport
    | JobReport
    | WaitingJobs
    | Lint
    | Diff
    | Fit
    | Replay
    | Replays
    | Sweep
    | Tune
    | Verification
    | PluginReport
    | VersionReport
    | Refusal
)


_OTHER_FORMATS: Final = ((b"par1", "a table in Parquet"), (b"<!doctype html", "a page in HTML"), (b"<?xml", "XML"))
"""Other formats that results are written in, by how these begin."""


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
        written = next((name for begin, name in _OTHER_FORMATS if text.lstrip().lower().startswith(begin)), "")
        if written:
            raise UnreadableResult(f"it is {written}: only results that were saved as JSON can be rendered") from None
        raise UnreadableResult(f"it is not JSON: {error}") from None
    if isinstance(result, QueueReport) and not result.answer:
        result.answer = answer(result)  # it was saved before results had one
    return result
