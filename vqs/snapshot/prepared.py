"""Tasks that are prepared once, for clusters that are built one after another of nearly the same objects.

A search for remedies, a comparison of two sides and sessions one after another build a cluster for each session: a
session changes its tasks, so that none can be used twice. The objects that the clusters are built of are mostly the
same ones, as edits replace an object and never change it. What a task takes from its pod is therefore worked out once
for each pod object, and each cluster gets a copy.

Whoever runs several sessions makes one `PreparedTasks` and hands it to all of them (see `SimulateOptions.prepared`).
A task depends on more than its pod in three ways, and each is looked at anew for every cluster:

- priority classes, and the release: where they are not the same, all that is prepared is dropped;
- volumes: tasks of pods that have any are not prepared, as the volumes' objects count too;
- requests: they are numbered by cluster, so that only what they are numbered by is kept.

Nodes, queues and PodGroups are few beside pods, and are built for each cluster. Pods that the last cluster did not
have are dropped, so that the pods that controllers create for each session do not pile up.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from vqs.model.kubernetes import Pod
from vqs.model.requests import RequestTable
from vqs.model.task import Task
from vqs.releases.profile import DEFAULT_PROFILE, Profile

_Prepared = tuple[Task, Hashable]
"""A task, and what its requests are numbered by."""


class PreparedTasks:
    """Copies of the tasks of pods, as they are before any session."""

    def __init__(self) -> None:
        # A task holds its pod, so that no other pod gets the id by which it is found.
        self._tasks: dict[int, _Prepared] = {}
        self._next: dict[int, _Prepared] = {}
        self._common: tuple[Mapping[str, int], Profile] = ({}, DEFAULT_PROFILE)

    @property
    def number(self) -> int:
        """How many tasks are kept for the next cluster."""
        return len(self._next)

    def begin(self, priorities: Mapping[str, int], profile: Profile) -> None:
        """Prepare for a cluster that has some priority classes, and is run by a release."""
        common = priorities, profile
        self._tasks = self._next if self._common == common else {}
        self._next, self._common = {}, common

    def task_of(self, pod: Pod, requests: RequestTable) -> Task | None:
        """Return a task of a pod for a cluster, given its requests; None where none is prepared."""
        known = self._tasks.get(id(pod))
        if known is None:
            return None
        self._next[id(pod)] = known
        task, key = known
        made = task.duplicate()
        made.shape = requests.number_of(key, pod)
        made.request = requests.entries[made.shape].resource
        return made

    def keep(self, task: Task, key: Hashable) -> None:
        """Keep a copy of a new task, and what its requests are numbered by."""
        self._next[id(task.pod)] = task.duplicate(), key
