"""Nodes that come and go by the rules of cluster-autoscaler, as its FAQ documents them.

At each scan, the pods whose condition PodScheduled is false for the reason Unschedulable are tried on the nodes there
are and on those that are on their way. For the rest, each group says how many of its template nodes would hold how many
of them, and the expander picks one group. Volcano writes that reason on all pods that it did not place, whether a node
or a queue is short (volcano-sh/volcano issue 4710); pods with a place that wait for their gang are `Schedulable`. A
Volcano Job that is not admitted has no pods, so the autoscaler does not see it (issue 4030).

A node of a group is removed once it was unneeded for the group's delay: less than half of it is requested, and all of
its pods may be moved and fit on other nodes. Pods without a controller, or with one that is not of Kubernetes, such as
a Volcano Job, may not be moved, unless they are annotated as safe to evict.

Not modelled: DaemonSets on new nodes, pod affinity and topology spread, volumes, PodDisruptionBudgets, expendable
pods, several groups that grow as one, and nodes that fail to come.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, Literal, NamedTuple

import numpy as np
from msgspec import structs

from vqs.engine.nodes.selectors import FORBIDDING, UNSCHEDULABLE, NodeLabels
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.model.resource import EPSILON, Resource
from vqs.model.selectors import untolerated
from vqs.replay.distribution import Distribution, Fixed, draw, share
from vqs.replay.outcome import Replay
from vqs.replay.summary import Growth, Purchase
from vqs.replay.windows import Floats
from vqs.snapshot.controllers.world import controller_of

Expander = Literal["least-waste", "most-pods", "priority", "random"]

_MOVABLE: Final = frozenset({"ReplicaSet", "ReplicationController", "StatefulSet", "Job"})
_SAFE: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_KEPT: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_MOST_EMPTY: Final = 10
"""How many empty nodes go in one scan at most; of others, one does."""


@dataclass(frozen=True)
class NodeGroup:
    """Nodes that are alike, of which there may be more or fewer.

    Attributes:
        name: what it is called; its new nodes are called so, with a number.
        template: a node of it.
        least: how many nodes it keeps.
        most: how many it may have.
        start_delay: from being asked for to joining.
        scale_down_delay: for how many seconds a node has to be unneeded.
        names: which of the nodes at the start are of it; None for none.
        priority: which group the expander `priority` takes, the highest.
    """

    name: str
    template: k8s.Node
    least: int = 0
    most: int = 0
    start_delay: Distribution = field(default_factory=lambda: Fixed(120.0))
    scale_down_delay: float = 600.0
    names: re.Pattern[str] | None = None
    priority: int = 0


@dataclass(frozen=True)
class Autoscaler:
    """How nodes come and go.

    Attributes:
        groups: the groups of nodes.
        expander: how one of several groups is picked.
        scan: the seconds between scans.
        threshold: a node of which less than this part is requested may be unneeded.
        delay_after_add: for how many seconds no node goes after others were asked for.
    """

    groups: tuple[NodeGroup, ...]
    expander: Expander = "least-waste"
    scan: float = 10.0
    threshold: float = 0.5
    delay_after_add: float = 600.0


class Pod(NamedTuple):
    """A pod, what it requests, its queue and why it waits, where it does."""

    object: k8s.Pod
    request: tuple[float, ...]
    queue: str = ""
    code: str = ""


class _Option(NamedTuple):
    group: NodeGroup
    nodes: int
    pods: list[Pod]


class Scaler:
    """The autoscaler while time goes by.

    Attributes:
        config: how nodes come and go.
        coming: the nodes that were asked for and have not joined.
        purchases: what was asked for.
        removed: how many nodes it has removed.
    """

    def __init__(
        self, config: Autoscaler, resources: Sequence[str], nodes: Iterable[str], seed: int, phase: float
    ) -> None:
        self.config = config
        self.coming: dict[str, k8s.Node] = {}
        self.purchases: list[Purchase] = []
        self.removed = 0
        self._resources = list(resources)
        self._seed = seed
        self._phase = phase * config.scan
        self._group_of = {
            name: group
            for group in config.groups
            for name in nodes
            if group.names is not None and group.names.match(name)
        }
        self._names = {*nodes}
        self._unneeded: dict[str, float] = {}
        self._quiet_until = 0.0

    def next_scan(self, time: float) -> float:
        """When it looks next, at some time or later."""
        interval = self.config.scan
        return self._phase + max(-((self._phase - time) // interval), 0) * interval

    # --- more nodes --------------------------------------------------------------------------------------------------

    def asked_for(
        self, waiting: Sequence[Pod], nodes: Sequence[k8s.Node], held: Mapping[str, Sequence[Pod]], time: float
    ) -> Iterator[tuple[float, k8s.Node]]:
        """Ask for the nodes that pods wait for; yield each with the time at which it joins."""
        there = [*nodes, *self.coming.values()]
        left = self._unplaced(waiting, NodeLabels(there), self._free(there, held))
        sizes = self.sizes
        options = [self._option(group, left, group.most - sizes[group.name]) for group in self.config.groups]
        options = [each for each in options if each.pods]
        if not options:
            return
        best = self._picked(options, time)
        names = []
        for _ in range(best.nodes):
            node = self._new_node(best.group)
            name = node.metadata.name
            names.append(name)
            self.coming[name] = node
            yield time + draw(best.group.start_delay, self._seed, "node", name), node
        self._quiet_until = time + self.config.delay_after_add
        self.purchases.append(
            Purchase(
                time=time,
                group=best.group.name,
                nodes=names,
                queues=dict(Counter(each.queue for each in best.pods)),
                reasons=dict(Counter(each.code for each in best.pods)),
            )
        )

    def _unplaced(self, pods: Sequence[Pod], labels: NodeLabels, free: list[Floats]) -> list[Pod]:
        """Place pods on nodes, of which `free` is left, and return those that fit on none."""
        return [pod for pod in pods if not _takes_first(pod, self._allowed(pod.object, labels), free)]

    def _allowed(self, pod: k8s.Pod, labels: NodeLabels) -> list[int]:
        """The places of the nodes that a pod may be on by its selectors and the nodes' taints."""
        required = labels.required(pod.spec)
        found = []
        for at, node in enumerate(labels.nodes):
            taints = [*node.spec.taints, *([UNSCHEDULABLE] if node.spec.unschedulable else [])]
            if (required is None or required[at]) and not untolerated(taints, pod.spec.tolerations, FORBIDDING):
                found.append(at)
        return found

    def _option(self, group: NodeGroup, pods: Sequence[Pod], most: int) -> _Option:
        """How many new nodes of a group hold how many pods: the largest first, each on the first that fits."""
        whole = self._size(group.template)
        labels = NodeLabels([group.template])
        sized = [pod for pod in pods if self._allowed(pod.object, labels)]
        sized.sort(key=lambda pod: -sum(part / size for part, size in zip(pod.request, whole, strict=True) if size))
        free: list[Floats] = []
        held = []
        for pod in sized:
            if not _takes_first(pod, range(len(free)), free):
                new = [whole]
                if len(free) >= most or not _takes_first(pod, (0,), new):
                    continue
                free += new
            held.append(pod)
        return _Option(group, len(free), held)

    def _picked(self, options: Sequence[_Option], time: float) -> _Option:
        """The option that the expander picks; of equal ones, the first by name."""
        ordered = sorted(options, key=lambda option: option.group.name)
        match self.config.expander:
            case "most-pods":
                return max(ordered, key=lambda option: len(option.pods))
            case "priority":
                return max(ordered, key=lambda option: option.group.priority)
            case "random":
                return ordered[int(share(self._seed, "expander", str(time)) * len(ordered))]
            case _:
                return min(ordered, key=self._waste)

    def _waste(self, option: _Option) -> float:
        """The parts of cpu and memory of new nodes that would be left, summed up."""
        whole = self._size(option.group.template) * option.nodes
        held = np.sum([pod.request for pod in option.pods], axis=0)
        places = [self._resources.index(name) for name in ("cpu", "memory") if name in self._resources]
        return float(sum((whole[at] - held[at]) / whole[at] for at in places if whole[at]))

    @property
    def sizes(self) -> Counter[str]:
        """How many nodes each group has, with those that are coming."""
        return Counter(group.name for group in self._group_of.values())

    def _new_node(self, group: NodeGroup) -> k8s.Node:
        number = 1
        while f"{group.name}-{number}" in self._names:
            number += 1
        name = f"{group.name}-{number}"
        self._names.add(name)
        self._group_of[name] = group
        labels = {**group.template.metadata.labels, "kubernetes.io/hostname": name}
        return structs.replace(
            group.template, metadata=structs.replace(group.template.metadata, name=name, labels=labels)
        )

    def _size(self, node: k8s.Node) -> Floats:
        """All that a node has."""
        allocatable = Resource.from_quantities(node.status.allocatable)
        return np.array([allocatable.get(name) for name in self._resources])

    def _free(self, nodes: Iterable[k8s.Node], held: Mapping[str, Sequence[Pod]]) -> list[Floats]:
        """What is left of each of some nodes."""
        return [self._size(node) - self._sum(held.get(node.metadata.name, ())) for node in nodes]

    # --- fewer nodes -------------------------------------------------------------------------------------------------

    def unneeded(self, nodes: Mapping[str, k8s.Node], pods: Mapping[str, list[Pod]], time: float) -> list[str]:
        """The nodes that go now: those that were unneeded for long enough."""
        sizes = self.sizes
        there = [*nodes.values()]
        labels, free = NodeLabels(there), self._free(there, pods)
        candidates = {
            node.metadata.name
            for at, node in enumerate(there)
            if self._may_go(node, pods.get(node.metadata.name, []), sizes)
            and not self._unplaced(pods.get(node.metadata.name, []), labels, [*free[:at], _NO_ROOM, *free[at + 1 :]])
        }
        self._unneeded = {name: self._unneeded.get(name, time) for name in sorted(candidates)}
        if time < self._quiet_until:
            return []
        gone: list[str] = []
        for name, since in self._unneeded.items():
            group = self._group_of[name]
            is_due = time - since >= group.scale_down_delay and sizes[group.name] > group.least
            is_empty = not pods.get(name)
            others = [each for each in gone if pods.get(each)]
            if is_due and len(gone) < _MOST_EMPTY and (is_empty or not others):
                sizes[group.name] -= 1
                gone.append(name)
        for name in gone:
            del self._unneeded[name], self._group_of[name]
        self.removed += len(gone)
        return gone

    def _may_go(self, node: k8s.Node, pods: Sequence[Pod], sizes: Mapping[str, int]) -> bool:
        """True if a node of a group may be unneeded: less than the threshold is requested, and its pods may move."""
        group = self._group_of.get(node.metadata.name)
        if group is None or sizes[group.name] <= group.least or node.metadata.annotations.get(_KEPT) == "true":
            return False
        if not pods:
            return True
        # Of its devices, where it has any, else of cpu or memory, the part that is larger.
        whole, held = self._size(node), self._sum(pods)
        parts = {name: held[at] / whole[at] for at, name in enumerate(self._resources) if whole[at]}
        devices = [part for name, part in parts.items() if name.endswith("/gpu")]
        utilization = max(devices or [parts.get("cpu", 0.0), parts.get("memory", 0.0)])
        return bool(utilization < self.config.threshold) and all(_may_move(pod.object) for pod in pods)

    def _sum(self, pods: Iterable[Pod]) -> Floats:
        """What pods request together."""
        total: Floats = np.zeros(len(self._resources))
        for pod in pods:
            total = total + np.array(pod.request)
        return total

    def next_due(self, time: float) -> float | None:
        """When a node that is unneeded may go; None where none is."""
        due = [since + self._group_of[name].scale_down_delay for name, since in self._unneeded.items()]
        return max(min(due), self._quiet_until, time + self.config.scan) if due else None


_NO_ROOM: Final = np.array(-inf)
"""What is left of a node that is to go, for its own pods."""


def _takes_first(pod: Pod, places: Iterable[int], free: list[Floats]) -> bool:
    """Give a pod room at the first of some places where there is enough; false where there is none."""
    request = np.array(pod.request)
    place = next((at for at in places if (request <= free[at] + EPSILON).all()), None)
    if place is not None:
        free[place] = free[place] - request
    return place is not None


def _may_move(pod: k8s.Pod) -> bool:
    """True if a pod may be evicted to remove its node."""
    safe = pod.metadata.annotations.get(_SAFE)
    owner = controller_of(pod.metadata)
    is_plain = owner is not None and owner.kind in _MOVABLE and "volcano" not in owner.api_version
    return safe == "true" or (safe != "false" and is_plain)


def by_node(pods: Iterable[k8s.Pod], request: Callable[[k8s.Pod], tuple[float, ...]]) -> dict[str, list[Pod]]:
    """The pods that hold room on nodes, by node."""
    found: defaultdict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        if pod.spec.node_name and pod.status.phase not in k8s.ENDED_PHASES:
            found[pod.spec.node_name].append(Pod(pod, request(pod)))
    return found


def growth_of(run: Replay, scaler: Scaler) -> Growth:
    """What the autoscaler did in a run, and which of the nodes that it asked for were of no use."""
    used = {life.node for life in run.pods if life.node}
    created: dict[int, float] = {}
    for life in run.pods:
        created.setdefault(life.job, life.created)
    held = [
        [seconds for code, seconds in job.waited.items() if code in _NOT_ADMITTED]
        for index, job in enumerate(run.jobs)
        if job.admitted is None or created.get(index, inf) >= job.admitted
    ]
    return Growth(
        purchases=[
            structs.replace(each, unused=[name for name in each.nodes if name not in used]) for each in scaler.purchases
        ],
        removed=scaler.removed,
        not_admitted=sum(any(times) for times in held),
        not_admitted_seconds=sum(map(sum, held)),
    )


_NOT_ADMITTED: Final = frozenset(
    code for code, rule in VERDICT_RULES.items() if rule.stage == "enqueue" and code != VerdictCode.LEFT_QUEUE
)
"""Why jobs wait that are not admitted, so that a Volcano Job has no pods; one that has left its queue had some."""
