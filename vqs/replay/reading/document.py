"""Stands for the document of objects that are made of a log or of metrics: their place is the beginning of its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vqs.snapshot.reading.diagnostics import Path, Position, Problems
from vqs.snapshot.reading.documents import Advance, Document
from vqs.snapshot.reading.sources import Source


class RecordedDocument(Document):
    """A file in which no object is written."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, 0, len(source.text))

    def values(self, _: Problems, __: Advance) -> Iterator[tuple[Path, Any]]:
        """Yield nothing."""
        return iter(())

    def locate(self, _: Path) -> Position:
        """Return the beginning of the file."""
        return Position(1, 1)

    def locate_key(self, path: Path) -> Position:
        """Return the beginning of the file."""
        return self.locate(path)
