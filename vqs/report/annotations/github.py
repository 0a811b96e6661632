"""Commands for the log of a GitHub workflow, which shows them as annotations on the lines of a change.

GitHub shows the first ten of each level in a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vqs import inert
from vqs.report.annotations.annotation import Annotation, AnnotationSet
from vqs.report.formats import View
from vqs.report.visible import visible

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_ESCAPES_IN_PROPERTIES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def write(found: AnnotationSet, _view: View, /) -> str:
    """Write annotations as workflow commands."""
    return "".join(f"{_annotation(annotation)}\n" for annotation in found.active)


def _annotation(annotation: Annotation) -> str:
    place = {"file": annotation.at.file, "line": annotation.at.line, "col": annotation.at.column}
    if annotation.at.file.startswith("<"):
        place = {}  # standard input is no file of the repository
    properties = {**{key: value for key, value in place.items() if value}, "title": annotation.code}
    listed = ",".join(
        f"{key}={_escaped(visible(str(value)), _ESCAPES_IN_PROPERTIES)}" for key, value in properties.items()
    )
    texts = [annotation.text, *(related.text for related in annotation.related), annotation.help]
    message = "\n".join(inert.line(text) for text in texts if text)
    return f"::{_COMMANDS[annotation.level]} {listed}::{_escaped(message, _ESCAPES)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return text.translate({ord(each): escape for each, escape in escapes.items()})
