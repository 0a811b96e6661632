"""How large the tables are that a session keeps: a row for each resource, which one object alone may name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NoReturn

from vqs.model import kubernetes as k8s
from vqs.model.cluster import Cluster
from vqs.model.requests import volcano_request
from vqs.model.resource import CPU, MEMORY
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests

MOST_OF_NODES: Final = 10_000_000
"""How many amounts of nodes and of distinct pod requests a session keeps: about 1 GB."""

MOST_OF_QUEUES: Final = 500_000
"""How many amounts of queues it keeps, each of which is computed and compared in several accounts."""


def refuse_large_tables(manifests: Manifests, cluster: Cluster) -> None:
    """Refuse a cluster if the amounts of all resources of its nodes, requests or queues take too much memory.

    Raises:
        InputErrors: they take too much; the error is at the object that exceeds the limit.
    """
    names = len(set[str]().union(*_names_of_cluster(cluster)))
    of_nodes, of_queues = len(cluster.nodes) + len(cluster.requests.entries), len(cluster.queues)
    if names * of_nodes > MOST_OF_NODES:
        _refuse(manifests, MOST_OF_NODES // of_nodes, f"{of_nodes:,} nodes and distinct pod requests", MOST_OF_NODES)
    if names * of_queues > MOST_OF_QUEUES:
        _refuse(manifests, MOST_OF_QUEUES // of_queues, f"{of_queues:,} queues", MOST_OF_QUEUES)


def _names_of_cluster(cluster: Cluster) -> Iterator[Iterable[str]]:
    """Yield the resources that each node, request and queue names, beside cpu and memory."""
    yield from [node.allocatable.scalars for node in cluster.nodes]
    yield from [entry.resource.scalars for entry in cluster.requests.entries]
    for queue in cluster.queues.values():
        yield from _amounts_of(queue.object)


def _refuse(manifests: Manifests, most_names: int, things: str, most: int) -> NoReturn:
    """Refuse the first object with which there are too many resources; the input as a whole if it is no one object."""
    limit = f"with {things}, no more than {most_names:,} resources can be simulated"
    hint = f"no more than {most:,} amounts are kept; simulate a part of the input"
    for names, what, origin in _growth(manifests):
        if names > most_names:
            message = f"{what} names a resource too many: {limit}"
            raise InputErrors([origin.diagnostic("too-large", message, hint=hint)])
    message = f"the input names too many resources: {limit}"
    raise InputErrors([Diagnostic(code="too-large", severity="error", message=message, help=hint)])


def _growth(manifests: Manifests) -> Iterator[tuple[int, str, Origin]]:
    """Yield the objects that name resources which none before them names, each with how many there are so far."""
    known: set[str] = set()
    for what, names, origin in _named(manifests):
        before = len(known)
        known.update(name for name in names if name not in (CPU, MEMORY))
        if len(known) > before:
            yield len(known), what, origin


def _named(manifests: Manifests) -> Iterator[tuple[str, Iterable[str], Origin]]:
    """Yield the objects that name resources, each with their names."""
    for list_name, names in _NAMES_OF:
        for each, origin in manifests.with_origins(list_name):
            yield f"{type(each).__name__} {each.metadata.name}", names(each), origin


def _of_node(node: k8s.Node) -> Iterable[str]:
    return node.status.allocatable or ()


def _of_drivers(node: k8s.CSINode) -> Iterable[str]:
    return (driver.name for driver in node.spec.drivers)


def _of_pod(pod: k8s.Pod) -> Iterable[str]:
    return volcano_request(pod).scalars


def _of_queue(queue: k8s.Queue) -> Iterator[str]:
    for amounts in _amounts_of(queue):
        yield from amounts


def _amounts_of(queue: k8s.Queue) -> Iterator[Iterable[str]]:
    spec = queue.spec
    yield from (spec.capability, spec.deserved, spec.guarantee.resource)


_NAMES_OF: Final[tuple[tuple[str, Callable[[Any], Iterable[str]]], ...]] = (
    ("nodes", _of_node),
    ("csi_nodes", _of_drivers),
    ("pods", _of_pod),
    ("queues", _of_queue),
)
