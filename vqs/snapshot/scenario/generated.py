"""Objects made from a part of a scenario, and the way back from a value in one to where it was written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Final, NamedTuple

from yaml.nodes import MappingNode, Node, SequenceNode

from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position, Severity
from vqs.snapshot.reading.documents import Document, Origin

Object = dict[str, Any]
Places = Mapping[Path, Path]
"""From paths in an object to the paths in the scenario's entry that their values were taken from."""


class Generated(NamedTuple):
    """An object that a part of a scenario stands for: what it is, its origin, and the entry that it was made from."""

    value: Object
    origin: Origin
    entry: Origin


_VERSIONS: Final = {
    **dict.fromkeys(("ConfigMap", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod"), "v1"),
    **dict.fromkeys(("PodGroup", "Queue"), "scheduling.volcano.sh/v1beta1"),
    **dict.fromkeys(("CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass"), "storage.k8s.io/v1"),
    **dict.fromkeys(("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"), "resource.k8s.io/v1"),
    "NodeShard": "shard.volcano.sh/v1alpha1",
    "Numatopology": "nodeinfo.volcano.sh/v1alpha1",
    "PriorityClass": "scheduling.k8s.io/v1",
}


def manifest(kind: str, name: str, namespace: str = "", **parts: Any) -> Object:
    """An object as a file would hold it, of a kind that scenarios have a short form for."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **parts.pop("metadata", {})}
    return {"apiVersion": _VERSIONS[kind], "kind": kind, "metadata": metadata, **parts}


def generated(value: Object, entry: Origin, places: Places | None = None) -> Generated:
    """Name the entry that an object was made from, and where in it its values stand."""
    return Generated(value, Origin(GeneratedDocument(entry, places or {})), entry)


class GeneratedDocument(Document):
    """Stands for the document of an object that was never written: its places are those in the scenario."""

    is_written = False

    def __init__(self, entry: Origin, places: Places) -> None:
        super().__init__(entry.document.source, entry.document.start, entry.document.end)
        self.entry = entry
        self.places = places

    def locate(self, path: Path) -> Position:
        """The place of what a value was made from."""
        return self.entry.position(self._written(path))

    def locate_in_text(self, path: Path, position: Position) -> Position:
        """The place within a text; where that was made from YAML, the place of what the line was made from."""
        written = (*self.entry.path, *self._written(path))
        return self.entry.document.locate_in_text(written, position)

    def diagnostic(
        self,
        code: str,
        message: str,
        position: Position,
        *,
        path: Path = (),
        severity: Severity = "error",
        hint: str = "",
    ) -> Diagnostic:
        """Make a diagnostic that names the path in the scenario."""
        written = (*self.entry.path, *self._written(path))
        return self.entry.document.diagnostic(code, message, position, path=written, severity=severity, hint=hint)

    def _written(self, path: Path) -> Path:
        """The path in the entry: that of the nearest value around which was written there."""
        for length in range(len(path), -1, -1):
            written = self.places.get(path[:length])
            if written is not None:
                return (*written, *path[length:])
        return ()


class DumpedDocument(GeneratedDocument):
    """Stands for the document of an object with a text that was made from YAML in the scenario."""

    def __init__(self, entry: Origin, places: Places, text: str) -> None:
        super().__init__(entry, places)
        self.text_made = text

    def locate_in_text(self, path: Path, position: Position) -> Position:
        """The place of what stands at a line and column of the text."""
        at: Path = ()
        entries = self._entries(self._root)
        while entries and entries[0].start <= position:
            entry = entries[bisect_right(entries, position, key=attrgetter("start")) - 1]
            at = (*at, entry.step)
            entries = self._entries(entry.node)
        return self.entry.position((*self._written(path), *at))

    @cached_property
    def _root(self) -> Node:
        [root] = yaml_text.compose(self.text_made)
        return root

    @cached_property
    def _entries(self) -> Callable[[Node], list[_Entry]]:
        return cache(_entries_of)


class _Entry(NamedTuple):
    """A value in a mapping or list: its key or index, where that begins, and the value."""

    step: str | int
    start: Position
    node: Node


def _entries_of(node: Node) -> list[_Entry]:
    """The values in a mapping or list, in the order of the text."""
    if isinstance(node, SequenceNode):
        return [_Entry(index, yaml_text.position_of(child), child) for index, child in enumerate(node.value)]
    if isinstance(node, MappingNode):
        return [_Entry(key.value, yaml_text.position_of(key), child) for key, child in node.value]
    return []
