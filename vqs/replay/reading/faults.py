"""Faults in logs and tables, with the line and column where they stand."""

from __future__ import annotations

from vqs.model.wording import count
from vqs.snapshot.reading.diagnostics import MOST_SHOWN, Diagnostic, Position, Problems, Severity
from vqs.snapshot.reading.sources import Source

WRONG_VALUE = "invalid-value"
WRONG_FORM = "invalid-recording"
LEFT_OUT = "left-out"


class Faults:
    """Reports what is wrong with one file."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.refused = 0

    def refuse(self, message: str, line: int = 0, column: int = 0, *, hint: str = "", code: str = WRONG_VALUE) -> None:
        """Report an error at a line and column, both counted from 1; 0 where there is no such place.

        Raises:
            InputErrors: there are as many errors as are shown; there is no use in reading on.
        """
        self._add(code, "error", message, Position(line, column), hint)
        self.refused += 1
        if self.refused >= MOST_SHOWN:
            self.problems.raise_errors()

    def note(self, code: str, message: str, hint: str = "") -> None:
        """Report what was done with a part of the file that one may have expected otherwise."""
        self._add(code, "note", message, Position(0, 0), hint)

    def leave_out(self, number: int, what: str, why: str) -> None:
        """Note how many things of a kind are not in the workload, and why."""
        self.note(LEFT_OUT, f"{count(number, what)} {'is' if number == 1 else 'are'} left out: {why}")

    def _add(self, code: str, severity: Severity, message: str, position: Position, hint: str) -> None:
        diagnostic = Diagnostic(
            code=code,
            severity=severity,
            message=message,
            file=self.source.name,
            line=position.line,
            column=position.column,
            help=hint,
            excerpt=self.source.excerpt(position) if position.line else "",
        )
        self.problems.add(diagnostic)
