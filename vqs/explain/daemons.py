"""Pods that go with their node: of DaemonSets, and static ones. Other pods never have the room that these take."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import Final

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.table import Floats
from vqs.model.resource import Resource
from vqs.model.task import Task
from vqs.model.wording import count, listed_names
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
