"""What clusters that are built one after another of nearly the same objects have in common: the session cache.

A search for remedies, a comparison of two sides, a sweep and sessions one after another build a cluster for each
session. The objects that the clusters are built of are mostly the same ones, as edits replace an object and never
change it. Whoever runs several sessions makes one `SessionCache` and hands it to all of them (see
`SimulateOptions.cache`), and each session's cluster back to it once nothing looks at the session any more
(`Finished.release`).

The next cluster then takes over what is the same there (`taken_over`): nodes, and the jobs that the session has left as
it found them, with their tasks. So a session costs by what has changed and what it decides, not by what is there.
A task depends on more than its pod, and each of that is looked at anew: on priority classes, and the release; on the
objects of volumes, where it has any; on how requests are numbered, so that the numbers are taken over, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain, compress, count
from operator import is_not
from typing import Any, Generic, NamedTuple, TypeVar

from vqs.model.cluster import Before, Cluster
from vqs.model.job import Job, JobName
from vqs.model.keys import SCHEDULER_NAME, pod_group_of
from vqs.model.kubernetes import Pod, PodGroup
from vqs.releases.profile import Profile
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.reading.manifests import Manifests

Item = TypeVar("Item")
Made = TypeVar("Made")

_OF_PODS = ("claims", "volumes", "storage_classes", "csi_nodes", "resource_claims")
"""The lists of objects that what a pod asks for depends on, and whether it is known at all."""


class Common(NamedTuple):
    """What all tasks and jobs of a cluster depend on: the values of priority classes, the default one, the release."""

    priorities: Mapping[str, int]
    default_priority: int
    profile: Profile

    def other_classes(self, before: Common) -> frozenset[str] | None:
        """The priority classes that had another value before, or none; None where more than those differ."""
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


class SessionCache:
    """The last cluster that was handed back, and what was made of lists of objects.

    Attributes:
        placed: for each pod, by namespace/name, what became of it when it was last given a node: the pod as it was, the
            node and the time, and the pod that was made of it.
    """

    def __init__(self) -> None:
        self.returned: Cluster | None = None
        """A cluster whose session nothing looks at any more."""
        self._made: dict[str, tuple[Sequence[Any], Any]] = {}
        self.placed: dict[str, tuple[Pod, str, datetime, Pod]] = {}

    @cached_property
    def ahead(self) -> SessionCache:
        """The cache for sessions that are run to see what becomes of the one that this cache is for."""
        return SessionCache()

    @property
    def known_pods(self) -> Container[int]:
        """The identities of the pods of the last cluster, where it was handed back."""
        built = None if self.returned is None else self.returned.made_from
        return frozenset(map(id, built.manifests.pods)) if isinstance(built, Built) else frozenset()

    def made_of(self, objects: Sequence[Item], key: str, make: Callable[[Sequence[Item]], Made]) -> Made:
        """What is made of some objects: what was made the last time where they are the very same.

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
        """Begin another cluster; return the last one, where it was handed back and can be used again."""
        returned, self.returned = self.returned, None
        if returned is None or not isinstance(returned.made_from, Built):
            return None
        classes = common.other_classes(returned.made_from.common)
        return None if classes is None else Last(returned, returned.made_from.manifests, classes)


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


def same(old: Sequence[object], new: Sequence[object]) -> bool:
    """True if two lists have the very same objects."""
    return old is new or (len(old) == len(new) and not any(map(is_not, old, new)))


# --- what is taken over -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """What a cluster takes over from the last one.

    Attributes:
        names: what jobs are called; None where their owners have to be looked for.
        jobs: the jobs, with their tasks, by uid.
        pods: the pods that are in no such job and have to be given their places; None for all.
        others: where the tasks outside of jobs are taken from; None where they are looked at again.
        shapes_may_go: whether there may be requests that no pod has any more.
    """

    names: dict[str, JobName] | None = None
    jobs: Mapping[str, Job] = field(default_factory=dict)
    pods: Sequence[Pod] | None = None
    others: Cluster | None = None
    shapes_may_go: bool = False

    def compare(self, last: Cluster, cluster: Cluster) -> None:
        """Note how the tasks of a cluster differ from those of the last one, and forget the requests of none."""
        if self.pods is None:
            return
        gone, new = (
            [task for uid, job in each.jobs.items() if uid not in self.jobs for task in job.tasks.values()]
            + ([] if self.others is not None else each.other_tasks)
            for each in (last, cluster)
        )
        cluster.before = Before(last.node_table, gone, new)
        if self.shapes_may_go:
            tasks = (*chain.from_iterable(job.tasks.values() for job in cluster.jobs.values()), *cluster.other_tasks)
            cluster.requests.keep_only({task.shape for task in tasks})


def taken_over(last: Last, manifests: Manifests, queues: Collection[str]) -> Kept:
    """What is the same in the last cluster, and left there as it was made; `queues` are those that there are now."""
    old, cluster = last.manifests, last.cluster
    pods, groups = difference(old.pods, manifests.pods), difference(old.pod_groups, manifests.pod_groups)
    if pods is None or groups is None or not _is_alike(last, manifests, queues):
        return Kept()
    names = cluster.names if _same_names(last, manifests, pods, groups) else job_names(manifests)
    # The jobs whose PodGroup or pods are not the same, or have a priority class that is not.
    changed = {each.metadata.key for each in (*groups.gone, *groups.new)}
    changed.update(pod_group_of(pod.metadata) for pod in (*pods.gone, *pods.new))
    classes = last.other_classes
    if classes:
        changed.update(each.metadata.key for each in manifests.pod_groups if each.spec.priority_class_name in classes)
        named = (pod for pod in manifests.pods if pod.spec.priority_class_name in classes)
        changed.update(pod_group_of(pod.metadata) for pod in named)
    jobs = {
        uid: job for uid, job in cluster.jobs.items() if uid not in changed and job.reset() and job.called == names[uid]
    }
    left = {id(pod) for pod in pods.gone}
    others = (job for uid, job in cluster.jobs.items() if uid not in jobs)
    to_place = [task.pod for job in others for task in job.tasks.values() if id(task.pod) not in left]
    to_place += pods.new
    # The new PodGroups that are in a queue now.
    default = manifests.flags.default_queue
    new = {each.metadata.key for each in groups.new if queue_of(each, default) in queues}
    others_stay = _others_stay(last, names, pods, groups)
    if others_stay:
        known_jobs = new | (cluster.jobs.keys() - {each.metadata.key for each in groups.gone})
        others_stay = all(pod_group_of(pod.metadata) in known_jobs for pod in to_place)
    if not others_stay:
        to_place = [pod for pod in manifests.pods if pod_group_of(pod.metadata) not in jobs]
    elif pods.new:
        place = dict(zip(map(id, manifests.pods), count(), strict=False))
        to_place.sort(key=lambda pod: place[id(pod)])
    return Kept(names, jobs, to_place, cluster if others_stay else None, shapes_may_go=bool(pods))


def _is_alike(last: Last, manifests: Manifests, queues: Collection[str]) -> bool:
    """True if the queues and what pods depend on are the same, and no job was lost."""
    old, cluster = last.manifests, last.cluster
    if not all(same(getattr(old, name), getattr(manifests, name)) for name in _OF_PODS):
        return False
    return cluster.queues.keys() == queues and len(cluster.jobs) + len(cluster.ignored_jobs) >= len(old.pod_groups)


def _same_names(last: Last, manifests: Manifests, pods: Difference[Pod], groups: Difference[PodGroup]) -> bool:
    """True if what jobs are called after is the same: their owners, and the metadata of their PodGroups."""
    old = last.manifests
    same_owners = same(old.workloads, manifests.workloads) and old.controlled == manifests.controlled
    pairs = zip(groups.gone, groups.new, strict=False)
    if not same_owners or len(groups.gone) != len(groups.new):
        return False
    if any(before.metadata is not after.metadata for before, after in pairs):
        return False
    return not pods or not any(owner.kind == "Pod" for name in last.cluster.names.values() for owner in name.owners)


def _others_stay(last: Last, names: Mapping[str, JobName], pods: Difference[Pod], groups: Difference[PodGroup]) -> bool:
    """True if the tasks outside of jobs are the same."""
    cluster = last.cluster
    strangers = {task.job for task in cluster.other_tasks}
    return not (
        any(pod.spec.scheduler_name != SCHEDULER_NAME for pod in (*pods.gone, *pods.new))
        or any(pod_group_of(pod.metadata) not in cluster.jobs for pod in pods.gone)
        or not strangers.isdisjoint(each.metadata.key for each in (*groups.gone, *groups.new))
        or any(names.get(each.task.job) != cluster.names.get(each.task.job) for each in cluster.orphans)
        or any(each.pod.spec.priority_class_name in last.other_classes for each in cluster.other_tasks)
    )


def queue_of(pod_group: PodGroup, default: str) -> str:
    """The queue that a PodGroup is in; the scheduler's default one where it names none."""
    return pod_group.spec.queue or default
