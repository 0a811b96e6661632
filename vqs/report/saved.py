"""Results that were written as JSON, read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Union

import msgspec

from vqs.diff.outcome import Diff
from vqs.explain.cycles import Cycles
from vqs.explain.jobs.outcome import JobReport, JobReports
from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.outcome import Simulation
from vqs.explain.plugins.outcome import PluginReport
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.refusal import Refusal
from vqs.explain.releases import VersionReport
from vqs.explain.words import complete_words, tell_of
from vqs.fit.outcome import Fit
from vqs.lint.outcome import Lint
from vqs.replay.outcome import Replay, Replays
from vqs.replay.when.outcome import When
from vqs.sweep.outcome import Sweep
from vqs.sweep.tune.outcome import Tune
from vqs.verify.outcome import Verification
from vqs.verify.starts import Starts

RESULTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "simulation": Simulation,
    "cycles": Cycles,
    "queues": QueueReport,
    "job": JobReport,
    "jobs": JobReports,
    "waiting": WaitingJobs,
    "lint": Lint,
    "diff": Diff,
    "fit": Fit,
    "sweep": Sweep,
    "tune": Tune,
    "replay": Replay,
    "replays": Replays,
    "when": When,
    "verification": Verification,
    "starts": Starts,
    "plugins": PluginReport,
    "versions": VersionReport,
    "refusal": Refusal,
}
"""The results that commands write with `--format json`, by the names of their schemas."""

Saved = msgspec.Struct
"""Any of these results."""

_TAGS: Final = tuple(str(kind.__struct_config__.tag) for kind in RESULTS.values())

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
        return _read(text)
    except RecursionError:
        raise UnreadableResult("it is no result of vqs: it is nested too deeply") from None


def _read(text: bytes) -> Saved:
    try:
        result: Saved = msgspec.json.decode(text, type=Union[tuple(RESULTS.values())])  # noqa: UP007 - it is made here
    except msgspec.ValidationError as error:
        raise UnreadableResult(_of_another_version(text) or f"it is no result of vqs: {error}") from None
    except msgspec.DecodeError as error:
        written = next((name for begin, name in _OTHER_FORMATS if text.lstrip().lower().startswith(begin)), "")
        if written:
            raise UnreadableResult(f"it is {written}: only results that were saved as JSON can be rendered") from None
        raise UnreadableResult(f"it is not JSON: {error}") from None
    for each in result.cycles if isinstance(result, Cycles) else ():
        complete_words(each.simulation)
    for report in result.jobs if isinstance(result, JobReports) else [result] if isinstance(result, JobReport) else ():
        tell_of([report.job], report.tasks)
    return complete_words(result) if isinstance(result, Simulation) else result


class _Header(msgspec.Struct):
    schema: object = ""


def _of_another_version(text: bytes) -> str:
    """Why a result of another version of its schema cannot be read; empty where it is none."""
    schema = str(msgspec.json.decode(text, type=_Header).schema) if text.lstrip().startswith(b"{") else ""
    kind, _, version = schema.rpartition("/v")
    known = next((tag for tag in _TAGS if tag.rpartition("/v")[0] == kind), "")
    if not known or not version.isdecimal() or schema == known:
        return ""
    if int(version) < int(known.rpartition("/v")[2]):
        return f"an earlier vqs has written it, as {schema}, and this one reads {known}: run the command again"
    return f"a later vqs has written it, as {schema}, and this one reads {known}: read it with that vqs"
