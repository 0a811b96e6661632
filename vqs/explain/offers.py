"""What nodes have for the pods of jobs: less than is allocatable, and that may be less than their capacity.

Pods that go with their node, of DaemonSets and static ones, take room that others never have. The kubelet counts a
device in capacity as long as its plugin has named it, and in allocatable only while it is healthy; where the plugin has
stopped, none is.
Reference: ``GetCapacity`` in pkg/kubelet/cm/devicemanager/manager.go of k8s.io/kubernetes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from typing import Final

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.table import Floats
from vqs.model import kubernetes as k8s
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import Resource
from vqs.model.task import Task
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.controllers.world import controller_of, goes_with_its_node

_KINDS: Final = {"DaemonSet": "DaemonSet pod", "Node": "static pod"}


def daemons(session: FinishedSession) -> dict[str, list[Task]]:
    """The tasks that go with their node, by its name."""

    def make() -> dict[str, list[Task]]:
        found: defaultdict[str, list[Task]] = defaultdict(list)
        for task in chain(session.cluster.other_tasks, *(job.tasks.values() for job in session.jobs.values())):
            if task.node and goes_with_its_node(task.pod):
                found[task.node].append(task)
        return {**found}

    return session.noted("daemons", make)


def taken_by_daemons(session: FinishedSession, node: str) -> Resource:
    """What the tasks that go with a node take of it."""
    return Resource.total(task.request for task in daemons(session).get(node, ()))


def room_beside(session: FinishedSession, node: str, allocatable: Resource) -> Resource:
    """What a node has for others than its daemons."""
    return allocatable.clone().sub(taken_by_daemons(session, node))


def held_by_daemons(session: FinishedSession) -> Floats:
    """What tasks that go with their node, and that no job may evict, hold of each resource, (resources, nodes)."""

    def make() -> Floats:
        nodes = session.nodes
        held: Floats = nodes.allocatable * 0
        for node, tasks in daemons(session).items():
            for task in tasks if node in nodes.index else ():
                if task.job not in session.jobs:
                    held[:, nodes.index[node]] += nodes.vector(task.request)
        return held

    return session.noted("held by daemons", make)


def daemons_in_words(session: FinishedSession, node: str) -> str:
    """Say how many tasks of each kind go with a node; empty where none does."""
    owners = (controller_of(task.pod.metadata) for task in daemons(session).get(node, ()))
    kinds = [owner.kind for owner in owners if owner is not None]
    return listed_names([count(kinds.count(kind), said) for kind, said in _KINDS.items() if kind in kinds])


def not_offered(nodes: Iterable[k8s.Node], resource: str) -> dict[str, Fraction]:
    """Return how much of a resource nodes have beyond what they offer, by their names; none of what is no device."""
    if "/" not in resource:
        return {}
    found = {}
    for node in nodes:
        try:
            has, offers = (parse(each.get(resource, 0)) for each in (node.status.capacity, node.status.allocatable))
        except QuantityError:
            continue
        if has > offers:
            found[node.metadata.name] = has - offers
    return dict(sorted(found.items()))


def not_offered_in_words(nodes: Iterable[k8s.Node], resource: str) -> str:
    """Say which nodes have more of a resource than they offer, and why that may be; empty where none has."""
    found = not_offered(nodes, resource)
    if not found:
        return ""
    have, offer = ("has", "it does") if len(found) == 1 else ("have", "they do")
    more = f"{float(sum(found.values())):g} more {resource}"
    return (
        f"{first_names([*found])} {have} {more} that {offer} not offer, as allocatable is less than capacity: devices "
        "are not healthy there, or the device plugin does not run"
    )
