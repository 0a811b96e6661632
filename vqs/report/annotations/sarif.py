"""SARIF 2.1.0, which code scanning and editors read: results with their rules, places, and what was silenced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from vqs import __version__
from vqs.report.annotations.annotation import Remark, Remarks, Spot, of_diff, of_lint, of_refusal
from vqs.report.as_json import document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.diff.outcome import Diff
    from vqs.explain.refusal import Refusal
    from vqs.lint.outcome import Lint
    from vqs.report.annotations.annotation import Topic
    from vqs.report.formats import View

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT: Final = "vqs/v1"
_REFUSED: Final = 2
"""The exit code of a command that refuses its input."""


def lint(result: Lint, _view: View, /) -> str:
    """Write findings as a SARIF log."""
    return log(of_lint(result))


def diff(result: Diff, _view: View, /) -> str:
    """Write a difference as a SARIF log."""
    return log(of_diff(result))


def refusal(result: Refusal, _view: View, /) -> str:
    """Write what is wrong with an input as a SARIF log."""
    return log(of_refusal(result))


def log(remarks: Remarks) -> str:
    """Write remarks as a SARIF log with one run."""
    codes = sorted({remark.code for remark in remarks.remarks})
    rules = [_rule(remarks.topics[code]) if code in remarks.topics else {"id": code} for code in codes]
    any_silenced = any(remark.silenced is not None for remark in remarks.remarks)
    results = [_result(remark, codes.index(remark.code), silences=any_silenced) for remark in remarks.remarks]
    invocation: dict[str, Any] = {"executionSuccessful": not remarks.refused}
    if remarks.refused:
        invocation["exitCode"] = _REFUSED
    if remarks.notes:
        invocation["toolExecutionNotifications"] = [
            {"level": "note", "message": _message(note)} for note in remarks.notes
        ]
    run = {
        "tool": {"driver": {"name": remarks.tool, "version": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(topic: Topic) -> dict[str, Any]:
    return {
        "id": topic.code,
        "shortDescription": {"text": topic.title},
        "fullDescription": {"text": topic.text},
        "help": {"text": f"{topic.text}\n\n{topic.help}", "markdown": f"{topic.text}\n\n**What to do:** {topic.help}"},
        "defaultConfiguration": {"level": topic.level},
    }


def _result(remark: Remark, index: int, *, silences: bool) -> dict[str, Any]:
    """Return one result; where any of a run is silenced, each of them has to say whether it is."""
    placeless = [related.text for related in remark.related if not related.at.file]
    result: dict[str, Any] = {
        "ruleId": remark.code,
        "ruleIndex": index,
        "level": remark.level,
        "message": _message("\n".join([remark.text, *placeless])),
        "locations": _locations(remark),
        "partialFingerprints": {_FINGERPRINT: remark.fingerprint},
    }
    related = [
        {"id": number, "physicalLocation": _place(each.at), "message": _message(each.text)}
        for number, each in enumerate((each for each in remark.related if each.at.file), 1)
    ]
    if related:
        result["relatedLocations"] = related
    if remark.denied:
        result["properties"] = {"denied": remark.denied}
    if silences:
        result["suppressions"] = _suppressions(remark)
    return result


def _message(text: str) -> dict[str, str]:
    """Return a message in which nothing is a link, as ``[text](address)`` would be."""
    return {"text": text.replace("](", "\\](")}


def _locations(remark: Remark) -> Sequence[Mapping[str, Any]]:
    location: dict[str, Any] = {}
    if remark.at.file:
        line = remark.excerpt.partition("\n")[0]
        location["physicalLocation"] = _place(remark.at, line)
    if remark.about:
        location["logicalLocations"] = [{"fullyQualifiedName": remark.about}]
    return [location] if location else []


def _place(at: Spot, line: str = "") -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(at.file)}}
    if at.line:
        place["region"] = {"startLine": at.line, **({"startColumn": at.column} if at.column else {})}
        if line:
            place["contextRegion"] = {"startLine": at.line, "snippet": {"text": line}}
    return place


def _uri(file: str) -> str:
    """Return a file as a URI: relative to the working directory where it is below that."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(file)


def _suppressions(remark: Remark) -> list[dict[str, str]]:
    return [] if remark.silenced is None else [{"kind": "inSource", "justification": remark.silenced}]
