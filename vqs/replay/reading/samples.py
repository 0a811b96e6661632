"""Samples of metrics in a file: the text of exporters and of ``promtool tsdb dump``, or answers of Prometheus in JSON.

A line of text is ``name{label="value"} 12.5 1700000000000``, or has the name as the label ``__name__``; the time, in
milliseconds, may be missing. An answer is what ``/api/v1/query`` and ``/api/v1/query_range`` return. Reference:
https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/prometheus/latest/querying/api/
The parser of `prometheus_client` names no places and takes no lines without a name, so that lines are taken apart here.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from vqs.model.number_text import finite_number
from vqs.replay.reading.faults import WRONG_FORM, Faults
from vqs.snapshot.reading import json_text
from vqs.snapshot.reading.decoding import decode
from vqs.snapshot.reading.documents import Origin, documents

# No quantifier gives back what it took, so that a line takes no longer than its length.
_SAMPLE: Final = re.compile(
    r"""\s*+(?P<name>[A-Za-z_:][\w:]*+)?+\s*+
        (?:\{(?P<labels>(?:[^"{}]|"(?:[^"\\]|\\.)*+")*+)\})?+\s*+
        (?P<value>(?<=[\s}])\S++)(?:[ \t]++(?P<time>\S++))?+\s*+$""",
    re.VERBOSE | re.ASCII,
)
_LABEL: Final = re.compile(r'\s*([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n"}
_NAME: Final = "__name__"
_LOOKS_LIKE_SAMPLES: Final = re.compile(r'\s*(?:# (?:HELP|TYPE) |(?:kube|volcano)_\w+\{|\{__name__=")', re.ASCII)
_LOOKS_LIKE_ANSWER: Final = re.compile(r'[\s\[]*\{\s*"(?:status|data|resultType)"\s*:', re.ASCII)


class Sample(NamedTuple):
    """What a metric was: its name, labels and value, and the time in seconds since 1970, None where there is none."""

    name: str
    labels: Mapping[str, str]
    value: float
    time: float | None


class _Series(msgspec.Struct):
    metric: dict[str, str]
    values: list[tuple[float, str]] = []
    value: tuple[float, str] | None = None


class _Data(msgspec.Struct, rename="camel"):
    result_type: str = ""
    result: list[_Series] = []


class _Answer(msgspec.Struct):
    status: str = ""
    error: str = ""
    data: _Data | None = None


def are_samples(text: str) -> bool:
    """Tell samples, as text or as an answer, from other files by their beginning."""
    return bool(_LOOKS_LIKE_SAMPLES.match(text) or _LOOKS_LIKE_ANSWER.match(text))


def samples(faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    """Yield the samples of some metrics; those of others are passed over."""
    if json_text.looks_like_json(faults.source.text):
        yield from _of_answers(faults, wanted)
    else:
        yield from _of_text(faults, wanted)


# --- text -------------------------------------------------------------------------------------------------------------


class _Fault(Exception):  # noqa: N818 - it is caught where the line is known
    """What is wrong with a line, and the column."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.column = offset + 1


def _of_text(faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    known: dict[str, Mapping[str, str]] = {}
    for number, line in enumerate(io.StringIO(faults.source.text), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            sample = _sample(line, wanted, known)
        except _Fault as fault:
            faults.refuse(str(fault), number, fault.column, code=WRONG_FORM)
        else:
            if sample is not None:
                yield sample


def _sample(line: str, wanted: Collection[str], known: dict[str, Mapping[str, str]]) -> Sample | None:
    """Return the sample of a line; None where it is of no metric that is wanted, or its value is no finite number.

    `known` has the labels that were read before, by their text.
    """
    match = _SAMPLE.match(line)
    if match is None:
        raise _Fault("expected a sample such as kube_job_created{...} 1700000000", 0)
    name = match["name"]
    if name is not None and name not in wanted:
        return None
    written = match["labels"] or ""
    labels = known.get(written)
    if labels is None:
        labels = known[written] = _labels(written, match.start("labels"))
    name = name or labels.get(_NAME, "")
    if name not in wanted:
        return None
    try:
        value = float(match["value"])
    except ValueError:
        raise _Fault(f"expected a number, got {match['value']!r}", match.start("value")) from None
    time = finite_number(match["time"]) if match["time"] is not None else None
    if time is None and match["time"] is not None:
        message = f"expected a time in milliseconds since 1970, got {match['time']!r}"
        raise _Fault(message, match.start("time"))
    return Sample(name, labels, value, None if time is None else time / 1000) if math.isfinite(value) else None


def _labels(written: str, begin: int) -> Mapping[str, str]:
    """Return labels by name; `begin` is their offset in the line."""
    found: dict[str, str] = {}
    at, end = 0, len(written.rstrip())
    while at < end:
        match = _LABEL.match(written, at)
        if match is None:
            raise _Fault('the labels are not of the form name="value"', begin + at)
        value = match[2]
        found[match[1]] = _ESCAPED.sub(_unescaped, value) if "\\" in value else value
        at = match.end()
    return found


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])


# --- answers ----------------------------------------------------------------------------------------------------------


def _of_answers(faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    for document in documents(faults.source, faults.problems):
        for path, value in document.values(faults.problems, lambda _: None):
            answers = enumerate(value) if isinstance(value, list) else [(None, value)]
            for index, answer in answers:
                origin = Origin(document, path if index is None else (*path, index))
                yield from _of_answer(answer, origin, faults, wanted)


def _of_answer(value: Any, origin: Origin, faults: Faults, wanted: Collection[str]) -> Iterator[Sample]:
    answer, errors = decode(value, _Answer)
    for error in errors:
        faults.problems.add(origin.diagnostic("wrong-type", error.message, error.path, hint=error.hint))
    if answer is None:
        return
    if answer.data is None:
        why = f": {answer.error}" if answer.error else ""
        faults.problems.add(origin.diagnostic(WRONG_FORM, f"this is no successful answer of Prometheus{why}"))
        return
    for index, series in enumerate(answer.data.result):
        name = series.metric.get(_NAME, "")
        if name not in wanted:
            continue
        for time, written in [*series.values, *([series.value] if series.value else [])]:
            number = finite_number(written)
            if number is not None:
                yield Sample(name, series.metric, number, time)
            elif written not in ("NaN", "+Inf", "-Inf"):
                message = f"expected a number in a text, got {written!r}"
                faults.problems.add(origin.diagnostic(WRONG_FORM, message, ("data", "result", index)))
                return
