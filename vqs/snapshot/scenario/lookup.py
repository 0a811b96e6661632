"""What parts of a scenario refer to: classes, volumes and claims by name, nodes by a pattern or by their room."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final, Protocol

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.requests import volcano_request
from vqs.model.resource import Resource
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.reading.diagnostics import Guesser, Path, Problems
from vqs.snapshot.reading.documents import Origin

_DIGITS: Final = "0123456789"
_MOST_DIGITS: Final = 18
"""Of a longer number, the last digits are counted on."""

_SHORT: Final = {"gpu": "nvidia.com/gpu"}
RESOURCE_KEYS: Final = ("cpu", "memory", "gpu")


def numbered(name: str, count: int | None) -> Iterator[str]:
    """Yield the names of several: the number at the end of the first name is counted on.

    >>> list(numbered("rack-08", 3)), list(numbered("gpu", 2)), list(numbered("gpu", None))
    (['rack-08', 'rack-09', 'rack-10'], ['gpu-0', 'gpu-1'], ['gpu'])
    """
    if count is None:
        yield name
        return
    first = name[len(name.rstrip(_DIGITS)) :][-_MOST_DIGITS:]
    head = name[: len(name) - len(first)] if first else f"{name}-"
    for number in range(int(first or 0), int(first or 0) + count):
        yield f"{head}{number:0{len(first)}}"


def full_name(resource: str) -> str:
    """The name that Kubernetes knows a resource by."""
    return _SHORT.get(resource, resource)


def amounts(
    entry: Mapping[str, Any], keys: Sequence[str], origin: Origin, problems: Problems
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The amounts that an entry gives with some keys and under `resources`, and where each is written."""
    given: dict[Path, Any] = {(key,): entry[key] for key in keys if key in entry}
    given |= {("resources", name): amount for name, amount in entry.get("resources", {}).items()}
    return _named(given, origin, problems)


def _named(given: Mapping[Path, Any], origin: Origin, problems: Problems) -> tuple[dict[str, Any], dict[str, Path]]:
    """Amounts by the full name of their resource, and where each is written."""
    found: dict[str, Any] = {}
    written: dict[str, Path] = {}
    for path, amount in given.items():
        name = full_name(str(path[-1]))
        if name in found:
            problems.add(origin.diagnostic("invalid-value", f"{name} is given twice", path))
        found[name], written[name] = amount, path
    return found, written


def resource_list(
    given: Mapping[str, Any], path: Path, origin: Origin, problems: Problems
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The amounts in a map of its own, and where each is written."""
    inner = Origin(origin.document, (*origin.path, *path))
    found, written = _named({(key,): amount for key, amount in given.items()}, inner, problems)
    return found, {name: (*path, *at) for name, at in written.items()}


MOST_LOOKS: Final = 5_000_000
"""How often nodes are looked at to find those that pods are on: a scenario may have many of both."""


MOST_MATCHES: Final = 100_000
"""How many nodes the patterns of a scenario may stand for together: there is at least a pod on each."""


class TooMuchSearchError(Exception):
    """Nodes would be looked at too often; the message says what there would be."""


class Room:
    """What nodes have left for the pods that are said to run.

    Objects may be among them in which an amount is wrong, which is reported elsewhere: such a node has room for
    anything, and such a pod takes none.
    """

    def __init__(self, nodes: Iterable[k8s.Node], pods: Iterable[k8s.Pod]) -> None:
        self.nodes = {node.metadata.name: node for node in nodes}
        self.looks = 0
        self.matches = 0
        self.open_to: dict[tuple[object, ...], list[str]] = {}
        self.idle = {
            name: Resource.from_quantities(node.status.allocatable)
            for name, node in self.nodes.items()
            if not any(defects(node))
        }
        for pod in pods:
            if pod.spec.node_name and pod.status.phase not in k8s.ENDED_PHASES and not any(defects(pod)):
                self.take(pod.spec.node_name, volcano_request(pod))

    def named(self, pattern: str) -> list[str]:
        """The nodes that a name or pattern stands for."""
        if pattern in self.nodes:
            return [pattern]
        self._look(len(self.nodes))
        found = [name for name in self.nodes if fnmatchcase(name, pattern)]
        self.matches += len(found)
        if self.matches > MOST_MATCHES:
            raise TooMuchSearchError(f"{MOST_MATCHES:,} nodes for its patterns")
        return found

    def take(self, node: str, request: Resource, pods: int = 1) -> None:
        """Count some pods as running on a node, whether it has room for them or not."""
        if node in self.idle:
            self.idle[node].sub(request.clone().multiply(pods))

    def place(self, request: Resource, selector: Mapping[str, str], pods: int) -> list[tuple[str, int]]:
        """Take room for some equal pods; return how many of them each node has, the first nodes first.

        Nodes that are tainted or cordoned are left out, as are those without the labels of the selector.
        """
        placed: list[tuple[str, int]] = []
        # The nodes that may have room for a request, the first of them last.
        amounts = request.milli_cpu, request.memory, *sorted(request.scalars.items())
        key = amounts, *sorted(selector.items())
        if key not in self.open_to:
            self._look(len(self.nodes))
            self.open_to[key] = [
                name
                for name, node in reversed(self.nodes.items())
                if not node.spec.unschedulable
                and not node.spec.taints
                and selector.items() <= node.metadata.labels.items()
            ]
        candidates = self.open_to[key]
        while pods and candidates:
            self._look(1)
            name, number = candidates[-1], 0
            while pods and (name not in self.idle or request.less_equal(self.idle[name])):
                self.take(name, request)
                number, pods = number + 1, pods - 1
            if number:
                placed.append((name, number))
            if pods:
                candidates.pop()  # what is full stays full
        return placed

    def _look(self, nodes: int) -> None:
        self.looks += nodes
        if self.looks > MOST_LOOKS:
            raise TooMuchSearchError(f"{MOST_LOOKS:,} looks at nodes")


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
        """The nodes that names or patterns stand for, each once."""
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
