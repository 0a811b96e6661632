"""What clusters that are built one after another of nearly the same objects have in common, and is made once.

A search for remedies, a comparison of two sides, a sweep and sessions one after another build a cluster for each
session. The objects that the clusters are built of are mostly the same ones, as edits replace an object and never
change it. Whoever runs several sessions makes one `PreparedTasks` and hands it to all of them (see
`SimulateOptions.prepared`).

What a task takes from its pod is worked out once for each pod object, and each cluster gets a copy, as a session
changes its tasks. A task depends on more than its pod in three ways, and each is looked at anew for every cluster:

- priority classes, and the release: where a class is not the same, the tasks that name it are dropped, and where the
  default class or the release is not, all that is prepared;
- volumes: tasks of pods that have any are not prepared, as the volumes' objects count too;
- requests: they are numbered by cluster, so that only what they are numbered by is kept.

Pods that the last cluster did not have are dropped, so that the pods that controllers create for each session do not
pile up.

Whoever is done with a session hands its cluster back (`Finished.release`). The next cluster then takes over what is the
same there: nodes, and the jobs that the session has left as it found them, with their tasks; `difference` finds out
what is. So a session costs by what has changed and what it decides, not by what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not
from typing import Any, Generic, NamedTuple, TypeVar

from vqs.model.cluster import Cluster
from vqs.model.kubernetes import Pod
from vqs.model.requests import RequestTable
from vqs.model.task import Task
from vqs.releases.profile import DEFAULT_PROFILE, Profile
from vqs.snapshot.reading.manifests import Manifests

Item = TypeVar("Item")
Made = TypeVar("Made")

_Prepared = tuple[Task, Hashable]
"""A task, and what its requests are numbered by."""

_OF_VOLUMES = ("claims", "volumes", "storage_classes", "csi_nodes")
"""The lists of objects that what a pod with volumes asks for depends on."""


class Common(NamedTuple):
    """What all tasks and jobs of a cluster depend on: the values of priority classes, the default one, the release."""

    priorities: Mapping[str, int]
    default_priority: int
    profile: Profile

    def other_classes(self, before: Common) -> frozenset[str] | None:
        """Return the priority classes that had another value before, or none; None where more than those differ."""
        if self.default_priority != before.default_priority or self.profile != before.profile:
            return None
        own, old = self.priorities, before.priorities
        return frozenset(name for name in own.keys() | old.keys() if own.get(name) != old.get(name))


@dataclass(frozen=True, slots=True)
class Built:
    """What a cluster was built from."""

    manifests: Manifests
    common: Common


@dataclass(frozen=True, slots=True)
class Last:
    """The last cluster, what it was built from, and the priority classes that were not the same then."""

    cluster: Cluster
    manifests: Manifests
    other_classes: frozenset[str]


class PreparedTasks:
    """Copies of the tasks of pods, as they are before any session, and the last cluster that was handed back."""

    def __init__(self) -> None:
        # A task holds its pod, so that no other pod gets the id by which it is found.
        self._tasks: dict[int, _Prepared] = {}
        self._next: dict[int, _Prepared] = {}
        self._common = Common({}, 0, DEFAULT_PROFILE)
        self._returned: Cluster | None = None
        self._made: dict[str, tuple[Sequence[Any], Any]] = {}

    @property
    def number(self) -> int:
        """How many tasks are kept for the next cluster."""
        return len(self._next)

    @property
    def known_pods(self) -> Container[int]:
        """The identities of pods of the last cluster; it has them as long as a task is kept for them."""
        return self._next.keys()

    def hand_back(self, cluster: Cluster) -> None:
        """Take back a cluster whose session nothing looks at any more."""
        self._returned = cluster

    def made_of(self, objects: Sequence[Item], key: str, make: Callable[[Sequence[Item]], Made]) -> Made:
        """Return what is made of some objects: what was made the last time where they are the very same.

        Args:
            objects: the objects, in a list that is not changed any more.
            key: stands for what is made.
            make: makes it, of nothing else.
        """
        known = self._made.get(key)
        if known is None or not same(known[0], objects):
            known = self._made[key] = objects, make(objects)
        made: Made = known[1]
        return made

    def begin(self, common: Common) -> Last | None:
        """Prepare for another cluster; return the last one, where it was handed back and can be used again."""
        self._tasks = self._known_with(common)
        self._next, self._common = {}, common
        returned, self._returned = self._returned, None
        if returned is None or not isinstance(returned.made_from, Built):
            return None
        classes = common.other_classes(returned.made_from.common)
        return None if classes is None else Last(returned, returned.made_from.manifests, classes)

    def _known_with(self, common: Common) -> dict[int, _Prepared]:
        """Return the tasks of the last cluster that are the same in another one."""
        classes = common.other_classes(self._common)
        if not classes:
            return {} if classes is None else self._next
        known = self._next.items()
        return {pod: each for pod, each in known if each[0].pod.spec.priority_class_name not in classes}

    def keep_all_but(self, pods: Sequence[Pod]) -> None:
        """Keep the tasks of all pods of the last cluster but of some."""
        self._next = self._tasks
        for pod in pods:
            self._next.pop(id(pod), None)

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


# --- what is the same -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference(Generic[Item]):
    """The objects that only one of two lists has; the others have the same order in both."""

    gone: Sequence[Item]
    new: Sequence[Item]

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)


def difference(old: Sequence[Item], new: Sequence[Item]) -> Difference[Item] | None:
    """Compare two lists by the identity of their objects; None where those of both are in another order.

    It costs by what is between the first and the last object that is not the same.

    >>> a, b, c, d = [], [], [], []
    >>> found = difference([a, b, c], [a, d, c])
    >>> found.gone[0] is b, found.new[0] is d, difference([a, b], [b, a])
    (True, True, None)
    """
    shorter = min(len(old), len(new))
    start = next(compress(count(), map(is_not, old, new)), shorter)
    end = next(compress(count(), map(is_not, reversed(old), reversed(new))), shorter)
    end = min(end, shorter - start)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    was, now = {id(each) for each in before}, {id(each) for each in after}
    if len(was) < len(before) or len(now) < len(after):
        return None
    staying = [id(each) for each in before if id(each) in now]
    if staying != [id(each) for each in after if id(each) in was]:
        return None
    return Difference([each for each in before if id(each) not in now], [each for each in after if id(each) not in was])


def same_volumes(one: Manifests, other: Manifests) -> bool:
    """Tell whether what pods with volumes depend on is the same."""
    return all(same(getattr(one, name), getattr(other, name)) for name in _OF_VOLUMES)


def same(old: Sequence[object], new: Sequence[object]) -> bool:
    """Tell whether two lists have the very same objects."""
    return old is new or (len(old) == len(new) and not any(map(is_not, old, new)))
