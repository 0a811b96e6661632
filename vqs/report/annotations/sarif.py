"""SARIF 2.1.0, which code scanning and editors read: results with their rules, places, and what was silenced."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from vqs import __version__
from vqs.report.annotations.annotation import Annotation, AnnotationSet, Descriptor, Location
from vqs.report.as_json import document
from vqs.report.formats import View

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT: Final = "vqs/v1"
_REFUSED: Final = 2
"""The exit code of a command that refuses its input."""


def write(found: AnnotationSet, _view: View, /) -> str:
    """Write annotations as a SARIF log with one run."""
    codes = sorted({annotation.code for annotation in found.annotations})
    rules = [_rule(found.descriptors[code]) if code in found.descriptors else {"id": code} for code in codes]
    any_silenced = any(annotation.silenced is not None for annotation in found.annotations)
    results = [
        _result(annotation, codes.index(annotation.code), silences=any_silenced) for annotation in found.annotations
    ]
    invocation: dict[str, Any] = {"executionSuccessful": not found.refused}
    if found.refused:
        invocation["exitCode"] = _REFUSED
    if found.notes:
        invocation["toolExecutionNotifications"] = [
            {"level": "note", "message": _message(note)} for note in found.notes
        ]
    run = {
        "tool": {"driver": {"name": found.tool, "version": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(descriptor: Descriptor) -> dict[str, Any]:
    return {
        "id": descriptor.code,
        "shortDescription": {"text": descriptor.title},
        "fullDescription": {"text": descriptor.text},
        "help": {
            "text": f"{descriptor.text}\n\n{descriptor.help}",
            "markdown": f"{descriptor.text}\n\n**What to do:** {descriptor.help}",
        },
        "defaultConfiguration": {"level": descriptor.level},
    }


def _result(annotation: Annotation, index: int, *, silences: bool) -> dict[str, Any]:
    """Return one result; where any of a run is silenced, each of them has to say whether it is."""
    location: dict[str, Any] = {}
    if annotation.at.file:
        location["physicalLocation"] = _place(annotation.at, annotation.excerpt.partition("\n")[0])
    if annotation.about:
        location["logicalLocations"] = [{"fullyQualifiedName": annotation.about}]
    placeless = [related.text for related in annotation.related if not related.at.file]
    result: dict[str, Any] = {
        "ruleId": annotation.code,
        "ruleIndex": index,
        "level": annotation.level,
        "message": _message("\n".join([annotation.text, *placeless])),
        "locations": [location] if location else [],
        "partialFingerprints": {_FINGERPRINT: annotation.fingerprint},
    }
    related = [
        {"id": number, "physicalLocation": _place(each.at), "message": _message(each.text)}
        for number, each in enumerate((each for each in annotation.related if each.at.file), 1)
    ]
    if related:
        result["relatedLocations"] = related
    if annotation.denied:
        result["properties"] = {"denied": annotation.denied}
    if silences:
        reasons = [] if annotation.silenced is None else [annotation.silenced]
        result["suppressions"] = [{"kind": "inSource", "justification": reason} for reason in reasons]
    return result


def _message(text: str) -> dict[str, str]:
    """Return a message in which nothing is a link, as ``[text](address)`` would be."""
    return {"text": text.replace("](", "\\](")}


def _place(at: Location, line: str = "") -> dict[str, Any]:
    # A file is named relative to the working directory where it is below that.
    path = Path(at.file)
    place: dict[str, Any] = {"artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(at.file)}}
    if at.line:
        place["region"] = {"startLine": at.line, **({"startColumn": at.column} if at.column else {})}
        if line:
            place["contextRegion"] = {"startLine": at.line, "snippet": {"text": line}}
    return place
