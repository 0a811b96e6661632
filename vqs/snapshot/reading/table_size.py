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
    named: list[Iterable[str]] = [node.allocatable.scalars for node in cluster.nodes]
    named += [entry.resource.scalars for entry in cluster.requests.entries]
    named += [_named_by(queue.object) for queue in cluster.queues.values()]
    names = len(set[str]().union(*named))  # beside cpu and memory
    of_nodes, of_queues = len(cluster.nodes) + len(cluster.requests.entries), len(cluster.queues)
    if names * of_nodes > MOST_OF_NODES:
        _refuse(manifests, MOST_OF_NODES // of_nodes, f"{of_nodes:,} nodes and distinct pod requests", MOST_OF_NODES)
    if names * of_queues > MOST_OF_QUEUES:
        _refuse(manifests, MOST_OF_QUEUES // of_queues, f"{of_queues:,} queues", MOST_OF_QUEUES)


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
    for list_name, names in _NAMES_OF:
        for each, origin in manifests.with_origins(list_name):
            before = len(known)
            known.update(name for name in names(each) if name not in (CPU, MEMORY))
            if len(known) > before:
                yield len(known), f"{type(each).__name__} {each.metadata.name}", origin


def _named_by(queue: k8s.Queue) -> set[str]:
    spec = queue.spec
    return {*spec.capability, *spec.deserved, *spec.guarantee.resource}


_NAMES_OF: Final[tuple[tuple[str, Callable[[Any], Iterable[str]]], ...]] = (
    ("nodes", lambda node: node.status.allocatable or ()),
    ("csi_nodes", lambda node: (driver.name for driver in node.spec.drivers)),
    ("pods", lambda pod: volcano_request(pod).scalars),
    ("queues", _named_by),
)
