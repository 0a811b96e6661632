"""What parts of a scenario refer to by name: nodes, classes, volumes and claims."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import Guesser, Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.room import Room


class Objects(Protocol):
    """What is known of the cluster so far."""

    nodes: list[k8s.Node]
    pods: list[k8s.Pod]
    queues: list[k8s.Queue]
    priority_classes: list[k8s.PriorityClass]
    storage_classes: list[k8s.StorageClass]
    volumes: list[k8s.PersistentVolume]
    claims: list[k8s.PersistentVolumeClaim]
    device_classes: list[devices.DeviceClass]
    resource_slices: list[devices.ResourceSlice]
    resource_claims: list[devices.ResourceClaim]
    newest_timestamp: datetime | None


class Named(Enum):
    """Kinds of objects that claims and pods name: what they are called, and the list that has them."""

    STORAGE_CLASS = "storage class", "storage_classes"
    VOLUME = "volume", "volumes"
    VOLUME_CLAIM = "volume claim", "claims"
    DEVICE_CLASS = "device class", "device_classes"
    DEVICE_CLAIM = "device claim", "resource_claims"


class Lookup:
    """Finds what is named, and reports what is not there.

    `complete` says whether all of the input could be read, so that what is not there is nowhere.
    """

    def __init__(self, known: Objects, problems: Problems, *, complete: bool) -> None:
        self.known = known
        self.problems = problems
        self.complete = complete
        self._names: dict[Named, defaultdict[str, set[str]]] = {}

    @cached_property
    def room(self) -> Room:
        """The nodes, and what they have left."""
        return Room(self.known.nodes, self.known.pods)

    def require(self, kind: Named, name: str, origin: Origin, path: Path, namespace: str = "") -> None:
        """Report a name that no object of a kind has; the names of a kind are taken when they are first asked for."""
        what, list_name = kind.value
        if kind not in self._names:
            objects: list[Any] = getattr(self.known, list_name)
            by_namespace = self._names[kind] = defaultdict(set)
            for each in objects:
                by_namespace[each.metadata.namespace].add(each.metadata.name)
        self.check(what, name, self._names[kind][namespace], origin, path)

    def check(self, what: str, name: str, known: Collection[str], origin: Origin, path: Path) -> None:
        """Report a name that is not known."""
        if name not in known and self.complete:
            self.refuse(origin, f"there is no {what} {name!r}", path, Guesser(known).hint(name), "unknown-name")

    def nodes(self, patterns: Iterable[str], origin: Origin, path: Path) -> list[k8s.Node]:
        """Return the nodes that names or patterns stand for, each once."""
        found: dict[str, k8s.Node] = {}
        for index, pattern in enumerate(patterns):
            names = self.room.named(pattern)
            if not names:
                self.check("node", pattern, self.room.nodes, origin, (*path, index))
            found |= {name: self.room.nodes[name] for name in names}
        return list(found.values())

    def refuse(self, origin: Origin, message: str, path: Path, hint: str = "", code: str = "invalid-value") -> None:
        """Report what is wrong with a value."""
        self.problems.add(origin.diagnostic(code, message, path, hint=hint))
