"""Where things stand that no file has: those that an edit makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vqs.snapshot.reading.diagnostics import Path, Position, Problems
from vqs.snapshot.reading.documents import Advance, Document
from vqs.snapshot.reading.sources import Source


class EditedText(Document):
    """A text that an edit made; its places are all the beginning."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(Source(name, text), 0, len(text))

    def values(self, _: Problems, __: Advance) -> Iterator[tuple[Path, Any]]:
        """Yield nothing: what it says is known already."""
        return iter(())

    def locate(self, _: Path) -> Position:
        """Return the beginning."""
        return Position(1, 1)

    def locate_key(self, path: Path) -> Position:
        """Return the beginning."""
        return self.locate(path)
