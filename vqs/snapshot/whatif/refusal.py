"""What is wrong with an edit."""

from __future__ import annotations

from vqs.snapshot.reading.diagnostics import Diagnostic, Path


class EditError(Exception):
    """An edit cannot be made; code, message and hint are those of a diagnostic."""

    def __init__(self, code: str, message: str, hint: str = "", path: Path = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.path = path

    def diagnostic(self, edit: str) -> Diagnostic:
        """Make a diagnostic that names the edit, which may be no text that can be written."""
        named = edit.encode(errors="backslashreplace").decode()
        return Diagnostic(code=self.code, severity="error", message=f"{named}: {self.message}", help=self.hint)
