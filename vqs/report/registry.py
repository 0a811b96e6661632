"""Which function writes a result in a format, for each kind of result and each format that it has.

Functions are named by text, so that a format's imports are paid for only when the format is asked for, and kinds of
results by their class, so that the command line knows their formats without the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from vqs.extensible import load
from vqs.report.formats import Format, View


class Writer(NamedTuple):
    """What writes a result: `write(prepare(result, view), view)`; without `prepare`, the result itself is written."""

    write: str
    prepare: str = ""


_JSON: Final = Writer("vqs.report.as_json:write")


def _pages(page: str) -> dict[Format, Writer]:
    return {
        Format.TABLE: Writer("vqs.report.terminal:write", page),
        Format.JSON: _JSON,
        Format.MARKDOWN: Writer("vqs.report.markdown:write", page),
    }


def _annotations(prepare: str) -> dict[Format, Writer]:
    return {
        Format.GITHUB: Writer("vqs.report.annotations.annotation:write_github", prepare),
        Format.GITLAB: Writer("vqs.report.annotations.annotation:write_gitlab", prepare),
        Format.SARIF: Writer("vqs.report.annotations.sarif:write", prepare),
        Format.JUNIT: Writer("vqs.report.annotations.junit:write", prepare),
    }


WRITERS: Final[Mapping[str, Mapping[Format, Writer]]] = {
    "Simulation": {
        **_pages("vqs.report.simulation.page:page"),
        Format.HTML: Writer("vqs.report.html.simulation:write"),
    },
    "Cycles": _pages("vqs.report.simulation.page:page_of_cycles"),
    "QueueReport": {
        **_pages("vqs.report.queues.page:page"),
        Format.HTML: Writer("vqs.report.html.queues:write"),
        Format.PROMETHEUS: Writer("vqs.report.queues.prometheus:write"),
    },
    "JobReport": {
        **_pages("vqs.report.job.page:page"),
        Format.HTML: Writer("vqs.report.html.job:write_job"),
    },
    "JobReports": _pages("vqs.report.job.page:page_of_jobs"),
    "WaitingJobs": {
        **_pages("vqs.report.job.page:page_of_waiting"),
        Format.HTML: Writer("vqs.report.html.document:write_waiting"),
    },
    "Lint": {
        Format.TABLE: Writer("vqs.report.lint:write"),
        Format.JSON: _JSON,
        **_annotations("vqs.report.annotations.lint:annotate"),
        Format.MARKDOWN: Writer("vqs.report.markdown:write", "vqs.report.lint:page"),
    },
    "Diff": {
        **_pages("vqs.report.diff.page:page"),
        Format.HTML: Writer("vqs.report.html.diff:write"),
        **_annotations("vqs.report.diff.annotations:annotate"),
        Format.JUNIT: Writer("vqs.report.diff.annotations:write"),
    },
    "Fit": {
        **_pages("vqs.report.fit:page"),
        Format.HTML: Writer("vqs.report.html.document:write_fit"),
    },
    "Sweep": {
        **_pages("vqs.report.sweep.page:page"),
        Format.HTML: Writer("vqs.report.html.sweep:write"),
        Format.CSV: Writer("vqs.report.sweep.points:write_csv"),
        Format.PARQUET: Writer("vqs.report.sweep.points:write_parquet"),
    },
    "Tune": {**_pages("vqs.report.sweep.page:page_of_tune"), Format.HTML: Writer("vqs.report.html.sweep:write_tune")},
    "Replay": {
        **_pages("vqs.report.replay.page:page"),
        Format.HTML: Writer("vqs.report.html.replay:write"),
        Format.PARQUET: Writer("vqs.report.replay.parquet:write"),
    },
    "Replays": {
        **_pages("vqs.report.replay.page:page_of_many"),
        Format.HTML: Writer("vqs.report.html.replay:write"),
        Format.PARQUET: Writer("vqs.report.replay.parquet:write"),
    },
    "When": {**_pages("vqs.report.when:page"), Format.HTML: Writer("vqs.report.html.document:write_when")},
    "Verification": _pages("vqs.report.verify:page"),
    "Starts": _pages("vqs.report.verify:page_of_starts"),
    "PluginReport": _pages("vqs.report.plugins:page"),
    "VersionReport": _pages("vqs.report.plugins:page_of_releases"),
    "Refusal": {
        Format.TABLE: Writer("vqs.report.terminal:write", "vqs.report.lint:page_of_refusal"),
        Format.JSON: _JSON,
        **_annotations("vqs.report.annotations.lint:annotate_refusal"),
        Format.MARKDOWN: Writer("vqs.report.markdown:write", "vqs.report.lint:page_of_refusal"),
    },
}
"""The writers of each kind of result, its usual format first."""


def formats_of(kind: str) -> tuple[Format, ...]:
    """Return the formats of a kind of result."""
    return tuple(WRITERS[kind])


def write(result: object, chosen: Format, view: View) -> str:
    """Write a result in a format of text that it has; where there is any text, with a newline at its end."""
    text: str = _written(result, chosen, view)
    return text


def write_data(result: object, chosen: Format, view: View) -> bytes:
    """Write a result in any format that it has; text is UTF-8."""
    data: str | bytes = _written(result, chosen, view)
    return data.encode() if isinstance(data, str) else data


def _written(result: object, chosen: Format, view: View) -> Any:
    writer = WRITERS[type(result).__name__][chosen]
    view = replace(view, folds=chosen is Format.MARKDOWN)
    prepared = load(writer.prepare)(result, view) if writer.prepare else result
    return load(writer.write)(prepared, view)
