"""An input that cannot be used: the document that commands print with `--format json` in place of their result.

They exit with 2. Lines and columns count from one; they are absent where an error has no place in a file.
"""

from __future__ import annotations

from collections.abc import Iterable

from vqs.explain.outcome import DiagnosticResult, Result
from vqs.snapshot.reading.diagnostics import Diagnostic


class InputDiagnostic(DiagnosticResult, kw_only=True):
    """What is wrong, or worth knowing. `excerpt` is the line of the file, with a caret below the place."""

    excerpt: str = ""


class RefusalSummary(Result, kw_only=True, omit_defaults=False):
    """How many errors there are, and how many warnings and notes were met on the way."""

    errors: int
    warnings: int
    notes: int


class Refusal(Result, tag_field="schema", tag="vqs/refusal/v1", kw_only=True):
    """All that is wrong with an input, with which nothing was done. `command` is the one that refused it."""

    command: str
    summary: RefusalSummary
    diagnostics: list[InputDiagnostic]


def refusal(command: str, diagnostics: Iterable[Diagnostic]) -> Refusal:
    """Put together what a command refuses an input for."""
    results = [
        InputDiagnostic(
            code=each.code,
            severity=each.severity,
            message=_encodable(each.message),
            file=_encodable(each.file),
            line=each.line or None,
            column=each.column or None,
            path=_encodable(each.path),
            help=_encodable(each.help),
            excerpt=_encodable(each.excerpt),
        )
        for each in diagnostics
    ]
    severities = [each.severity for each in results]
    summary = RefusalSummary(
        errors=severities.count("error"), warnings=severities.count("warning"), notes=severities.count("note")
    )
    return Refusal(command=command, summary=summary, diagnostics=results)


def _encodable(text: str) -> str:
    """Return a text that JSON can hold: the name of a file may be no UTF-8."""
    return text.encode(errors="backslashreplace").decode()
