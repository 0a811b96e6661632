"""Objects as they are written, with the fields that reading leaves out."""

from __future__ import annotations

from typing import Any

from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Document
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Manifests


class WrittenObjects:
    """Reads documents again, each once. That takes time, so ask for hand-written objects only."""

    def __init__(self, manifests: Manifests, documents: dict[Document, dict[Path, Any]]) -> None:
        self._manifests = manifests
        self._origins = manifests.origins
        self._documents = documents

    def get(self, list_name: str, index: int) -> dict[str, Any]:
        """Return an object's plain value, empty where an object stands for something that is written differently."""
        if list_name == "pod_groups" and self._is_made(list_name, index):
            return {}
        origin = self._origins[list_name][index]
        values = self._values(origin.document)
        for length in range(len(origin.path), -1, -1):
            if origin.path[:length] in values:
                found = followed(values[origin.path[:length]], origin.path[length:])
                part = "spec" if self._is_made(list_name, index) else "metadata"
                return found if isinstance(found, dict) and isinstance(found.get(part), dict) else {}
        return {}

    def _is_made(self, list_name: str, index: int) -> bool:
        """Whether an object is a part of another one, and may have no metadata of its own."""
        return key_of(getattr(self._manifests, list_name)[index]) in self._manifests.made_by

    def _values(self, document: Document) -> dict[Path, Any]:
        """Return the values of a document, or those of its items if it is a List, by their paths."""
        values = self._documents.get(document)
        if values is None:
            values = self._documents[document] = dict(document.values(Problems(), lambda _: None))
        return values


def followed(value: Any, path: Path) -> Any:
    """Return what a path leads to in a plain value; None where it leads nowhere."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
