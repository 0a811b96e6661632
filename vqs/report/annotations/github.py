"""Commands for the log of a GitHub workflow, which shows them as annotations on the lines of a change.

GitHub shows the first ten of each level in a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vqs import inert
from vqs.report.annotations.annotation import Remark, Remarks, of_diff, of_lint, of_refusal
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vqs.diff.outcome import Diff
    from vqs.explain.refusal import Refusal
    from vqs.lint.outcome import Lint
    from vqs.report.formats import View

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_ESCAPES_IN_PROPERTIES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def lint(result: Lint, _view: View, /) -> str:
    """Write findings as annotations."""
    return workflow_commands(of_lint(result))


def diff(result: Diff, _view: View, /) -> str:
    """Write a difference as annotations."""
    return workflow_commands(of_diff(result))


def refusal(result: Refusal, _view: View, /) -> str:
    """Write what is wrong with an input as annotations."""
    return workflow_commands(of_refusal(result))


def workflow_commands(remarks: Remarks) -> str:
    """Write remarks as annotations."""
    return "".join(f"{_annotation(remark)}\n" for remark in remarks.told)


def _annotation(remark: Remark) -> str:
    place = {"file": remark.at.file, "line": remark.at.line, "col": remark.at.column}
    if remark.at.file.startswith("<"):
        place = {}  # standard input is no file of the repository
    properties = {**{key: value for key, value in place.items() if value}, "title": remark.code}
    told = ",".join(
        f"{key}={_escaped(visible(str(value)), _ESCAPES_IN_PROPERTIES)}" for key, value in properties.items()
    )
    texts = [remark.text, *(related.text for related in remark.related), remark.help]
    message = "\n".join(inert.line(text) for text in texts if text)
    return f"::{_COMMANDS[remark.level]} {told}::{_escaped(message, _ESCAPES)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return text.translate({ord(each): escape for each, escape in escapes.items()})
