"""The decisions that two dumps of a cluster show between them.

A pod that has a node only in the second dump was bound. A pod that is being deleted, or was created again under another
uid, was evicted: Volcano's controllers create an evicted pod again, and not one that has ended. What happened to a pod
that is missing in the second dump, or was restarted with its whole job, is uncertain.
References: ``defaultEvictor`` and ``taskUnschedulable`` in pkg/scheduler/cache/cache.go, ``job_updater.go``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto
from functools import cached_property
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.keys import JOB_RETRY_COUNT, JOB_VERSION, SCHEDULER_NAME, pod_group_of
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.manifests import Manifests


@dataclass(slots=True)
class Decisions:
    """Decisions on pods and PodGroups, all by namespace/name.

    Attributes:
        bound: the node of each pod that was bound.
        evicted: the pods that were evicted.
        phases: the phase of each PodGroup.
        conditions: the message of each new condition Unschedulable of a PodGroup.
        messages: the message of each new condition PodScheduled of a pod.
    """

    bound: dict[str, str] = field(default_factory=dict)
    evicted: set[str] = field(default_factory=set)
    phases: dict[str, str] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)


def by_group(pods: Collection[str], groups: Mapping[str, str]) -> Counter[str]:
    """Count pods by PodGroup; those without are counted under the empty name."""
    return Counter(groups.get(pod, "") for pod in pods)


_SWAPPED: Final = "AFTER is older than BEFORE: swap them"
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_BY_SCHEDULER: Final = "PreemptionByScheduler"


class NotAPair(Exception):  # noqa: N818 - it is the two dumps that are no pair
    """The dumps are not of one cluster, an earlier and a later one; the message says why."""


class Fate(Enum):
    """What became of a pod of the earlier dump."""

    STAYED = auto()
    BOUND = auto()
    ENDED = auto()
    LEAVING = auto()
    """It is being deleted since."""
    REPLACED = auto()
    """Its controller has made another in its place."""
    RESTARTED = auto()
    """The whole job has been started again."""
    GONE = auto()


@dataclass(frozen=True, slots=True)
class _Side:
    """The pods of the scheduler volcano and the PodGroups of a dump, by namespace/name."""

    pods: Mapping[str, k8s.Pod]
    groups: Mapping[str, k8s.PodGroup]


class Dumps:
    """An earlier and a later dump of a cluster.

    Attributes:
        before: pods and PodGroups of the earlier one.
        after: the same of the later one.
        fates: what became of each pod of the earlier one.
        new: the pods that are there only since.

    Raises:
        NotAPair: they cannot be that.
    """

    def __init__(self, earlier: Manifests, later: Manifests) -> None:
        _refuse_other_clusters(earlier, later)
        self.earlier, self.later = earlier, later
        self.before, self.after = _side(earlier), _side(later)
        self._refuse_swapped()
        old = self.before.pods
        self.new = {key: pod for key, pod in self.after.pods.items() if key not in old or not _is_same(old[key], pod)}
        # Each new pod of a controller replaces one of its pods that are gone.
        renamed = Counter(_controller(pod) for key, pod in self.new.items() if key not in self.before.pods)
        self.fates: dict[str, Fate] = {}
        for key, pod in sorted(self.before.pods.items()):
            fate, controller = self._fate(key, pod), _controller(pod)
            if fate is Fate.GONE and pod.spec.node_name and controller and renamed[controller]:
                renamed[controller] -= 1
                fate = Fate.REPLACED
            self.fates[key] = fate

    @cached_property
    def elapsed(self) -> float | None:
        """The seconds between the newest timestamps of the dumps."""
        first, last = self.earlier.newest_timestamp, self.later.newest_timestamp
        return None if first is None or last is None else (last - first).total_seconds()

    @cached_property
    def groups(self) -> dict[str, str]:
        """The PodGroup of each pod that is in one, by namespace/name."""
        pods = {**self.after.pods, **self.before.pods}
        return {key: group for key, pod in pods.items() if (group := pod_group_of(pod.metadata))}

    @cached_property
    def owners(self) -> dict[str, str]:
        """Who controls each PodGroup, such as ``Job train``."""
        groups = {**self.after.groups, **self.before.groups}
        owners = {key: controller_of(group.metadata) for key, group in groups.items()}
        return {key: f"{owner.kind} {owner.name}" for key, owner in owners.items() if owner is not None}

    @cached_property
    def display_names(self) -> dict[str, str]:
        """What the jobs of either dump are called, by the namespace and name of their PodGroups."""
        names = job_names(self.later) | job_names(self.earlier)
        return {key: name.display for key, name in names.items()}

    @cached_property
    def common_groups(self) -> list[str]:
        """The PodGroups that are in both dumps, and the same."""
        after = self.after.groups
        return [key for key, group in self.before.groups.items() if key in after and _is_same(group, after[key])]

    def having(self, *fates: Fate) -> set[str]:
        """Return the pods of the earlier dump that met one of some fates."""
        return {key for key, fate in self.fates.items() if fate in fates}

    def was_evicted_by_scheduler(self, key: str) -> bool:
        """True if the scheduler has left its mark on a pod that is being deleted."""
        pod = self.after.pods.get(key)
        return pod is not None and any(each.reason == _BY_SCHEDULER for each in pod.status.conditions)

    def decisions(self) -> Decisions:
        """Return what was decided on the pods and PodGroups of the earlier dump, as far as it is certain."""
        after, conditions = self.after, {}
        for key in self.common_groups:
            sides = self.before, self.after
            old, new = (_condition(side.groups[key].status.conditions, "Unschedulable") for side in sides)
            if new is not None and new != old:
                conditions[key] = new.message
        return Decisions(
            bound={key: after.pods[key].spec.node_name for key in sorted(self.having(Fate.BOUND))},
            evicted=self.having(Fate.LEAVING, Fate.REPLACED),
            phases={key: after.groups[key].status.phase for key in self.common_groups},
            conditions=conditions,
            messages={
                key: message
                for key, pod in after.pods.items()
                if key not in self.new and (message := _news(self.before.pods[key], pod)) is not None
            },
        )

    def decisions_on_new(self) -> Decisions:
        """Return what was decided on pods that are there only since."""
        return Decisions(
            bound={key: pod.spec.node_name for key, pod in self.new.items() if pod.spec.node_name},
            messages={key: message for key, pod in self.new.items() if (message := _news(None, pod)) is not None},
        )

    def _fate(self, key: str, old: k8s.Pod) -> Fate:
        new = self.after.pods.get(key)
        if old.metadata.deletion_timestamp is not None or old.status.phase in k8s.ENDED_PHASES:
            return Fate.STAYED if new is not None and _is_same(old, new) else Fate.ENDED
        if new is None:
            return Fate.GONE
        if not _is_same(old, new):
            # Which start of its Volcano Job each pod belongs to.
            starts = [
                (pod.metadata.annotations.get(JOB_VERSION, ""), pod.metadata.annotations.get(JOB_RETRY_COUNT, ""))
                for pod in (old, new)
            ]
            if starts[0] != starts[1]:
                return Fate.RESTARTED
            return Fate.REPLACED if old.spec.node_name else Fate.GONE
        if new.spec.node_name and not old.spec.node_name:
            return Fate.BOUND
        if new.metadata.deletion_timestamp is not None:
            return Fate.LEAVING if old.spec.node_name else Fate.GONE
        return Fate.ENDED if new.status.phase in k8s.ENDED_PHASES else Fate.STAYED

    def _refuse_swapped(self) -> None:
        """Refuse dumps where the second is the older one: a pod keeps its node, and conditions get newer."""
        turned_back, turned_on = "", False
        pairs: list[tuple[str, k8s.Pod | k8s.PodGroup, k8s.Pod | k8s.PodGroup]] = [
            (key, pod, self.after.pods[key])
            for key, pod in self.before.pods.items()
            if key in self.after.pods and _is_same(pod, self.after.pods[key])
        ]
        pairs += [(key, self.before.groups[key], self.after.groups[key]) for key in self.common_groups]
        for key, old, new in pairs:
            if isinstance(old, k8s.Pod) and isinstance(new, k8s.Pod) and old.spec.node_name and not new.spec.node_name:
                raise NotAPair(f"{_SWAPPED}: pod {key} has a node in BEFORE, and none in AFTER")
            first, last = (
                max((at for one in each.status.conditions if (at := one.last_transition_time)), default=_NEVER)
                for each in (old, new)
            )
            turned_on |= first < last
            turned_back = turned_back or (key if first > last else "")
        if turned_back and not turned_on:
            raise NotAPair(f"{_SWAPPED}: the conditions of {turned_back} are newer in BEFORE")


def _refuse_other_clusters(earlier: Manifests, later: Manifests) -> None:
    if not earlier.nodes:
        raise NotAPair("BEFORE has no nodes, so nothing can be scheduled")
    if earlier.pods and not later.pods:
        raise NotAPair("AFTER has no pods, so it shows no outcome: dump the same kinds both times")
    if not later.nodes:
        return
    known = {node.metadata.name: node for node in earlier.nodes}
    common = [(known[node.metadata.name], node) for node in later.nodes if node.metadata.name in known]
    if not common:
        raise NotAPair("BEFORE and AFTER are not of the same cluster: they have no node in common")
    if not any(_is_same(old, new) for old, new in common):
        raise NotAPair("BEFORE and AFTER are not of the same cluster: nodes of the same name have different uids")


def _side(manifests: Manifests) -> _Side:
    return _Side(
        {pod.metadata.key: pod for pod in manifests.pods if pod.spec.scheduler_name == SCHEDULER_NAME},
        {group.metadata.key: group for group in manifests.pod_groups},
    )


def _is_same(old: k8s.Pod | k8s.PodGroup | k8s.Node, new: k8s.Pod | k8s.PodGroup | k8s.Node) -> bool:
    """True if two objects of one name are one object."""
    return old.metadata.uid == new.metadata.uid


def _controller(pod: k8s.Pod) -> str:
    """Return what tells the controller of a pod from others, if it gives its pods ever new names."""
    owner = controller_of(pod.metadata)
    return "" if owner is None else owner.uid or f"{pod.metadata.namespace}/{owner.kind}/{owner.name}"


def _news(old: k8s.Pod | None, new: k8s.Pod) -> str | None:
    """Return the message that a waiting pod got: one that says what it said before is none."""
    if new.spec.node_name or new.status.phase in k8s.ENDED_PHASES:
        return None
    before = None if old is None else _condition(old.status.conditions, "PodScheduled")
    now = _condition(new.status.conditions, "PodScheduled")
    if now is None or (before is not None and (before.reason, before.message) == (now.reason, now.message)):
        return None
    return now.message


def _condition(conditions: Iterable[k8s.Condition], kind: str) -> k8s.Condition | None:
    return next((each for each in conditions if each.type == kind), None)
