"""What changed between two dumps that neither the scheduler nor a controller did for it, and what that explains.

Pods end, people delete jobs and change queues, nodes come and go. A change explains a difference of what it touches:
its job, the queue of the job, or a node that pods of the job were bound to, by the cluster or by vqs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, SCHEDULER_NAME
from vqs.model.queue import ROOT
from vqs.snapshot.reading.manifests import Manifests
from vqs.verify.compare import Comparison
from vqs.verify.dumps import Dumps, Fate
from vqs.verify.outcome import Change, Difference

_NUMBERS: Final = re.compile(r"\d+")
_OF_PODS: Final = frozenset({"bound", "evicted", "phase", "node"})
_MADE_BY_THE_SCHEDULER: Final = (ROOT, DEFAULT_QUEUE)


class _Named(Protocol):
    @property
    def metadata(self) -> k8s.ObjectMeta: ...


_Kind = TypeVar("_Kind", bound=_Named)


@dataclass(slots=True)
class Changes:
    """What changed, in words, by PodGroup, node and queue; `configuration` is empty where it is the same.

    `left` is how many pods of a PodGroup ended, or were deleted; `display_names` are what jobs are called.
    """

    left: Counter[str] = field(default_factory=Counter)
    groups: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    queues: dict[str, str] = field(default_factory=dict)
    configuration: str = ""
    display_names: Mapping[str, str] = field(default_factory=dict)

    def listed(self) -> list[Change]:
        """Return them one by one."""
        whole = [Change(object="configuration", text=self.configuration)] if self.configuration else []
        groups = {self.display_names.get(name, name): text for name, text in self.groups.items()}
        kinds = {"queue": self.queues, "node": self.nodes, "job": groups}
        return whole + [
            Change(object=f"{kind} {name}", text=text)
            for kind, texts in kinds.items()
            for name, text in sorted(texts.items())
        ]


def find_changes(dumps: Dumps, comparison: Comparison) -> Changes:
    """Find what changed; what the scheduler evicted, or controllers did about it, is no change."""
    decided = comparison.real.evicted | comparison.ours.evicted
    left = dumps.having(Fate.ENDED, Fate.GONE, Fate.RESTARTED) - decided
    altered = dict(_altered_groups(dumps, left))
    counted = Counter(group for key in left if (group := dumps.groups.get(key, "")) not in altered)
    ended = {name: f"{number} of its pods ended, or were deleted" for name, number in counted.items() if name}
    return Changes(
        left=counted,
        groups={**ended, **altered},
        nodes=dict(_nodes(dumps, left, comparison.real.bound)),
        queues=dict(_queues(dumps)),
        display_names=dumps.display_names,
        configuration="it was changed" if _has_other_configuration(dumps.earlier, dumps.later) else "",
    )


class Explainer:
    """Says which change explains a difference."""

    def __init__(self, dumps: Dumps, comparison: Comparison, changes: Changes) -> None:
        self.queues = {name: group.spec.queue for name, group in dumps.before.groups.items()}
        self.changes = changes
        self.nodes = _nodes_by_group(comparison)

    def explained(self, difference: Difference) -> str:
        """Say which change explains a difference; empty where none does."""
        changes, name = self.changes, difference.pod_group
        queue = self.queues.get(name, "")
        if changes.configuration:
            return "the scheduler's configuration was changed between the dumps"
        if name in changes.groups and _is_enough(difference, changes.left[name]):
            return f"changed between the dumps: {changes.groups[name]}"
        if queue in changes.queues:
            return f"changed between the dumps: queue {queue} {changes.queues[queue]}"
        touched = changes.nodes.keys() & self._nodes_of(difference)
        if difference.aspect in _OF_PODS and touched:
            node = min(touched)
            return f"changed between the dumps: node {node} {changes.nodes[node]}"
        if (
            changes.nodes
            and difference.aspect not in _OF_PODS
            and shape(difference.observed) == shape(difference.predicted)
        ):
            return "only figures differ, and nodes changed between the dumps"
        return ""

    def _nodes_of(self, difference: Difference) -> set[str]:
        """Return where the cluster, or vqs, binds what the other does not."""
        if difference.aspect == "node":
            return {str(difference.observed), str(difference.predicted)}
        return self.nodes.get(difference.pod_group, set())


def shape(message: object) -> str:
    """Return what is left of a message without its figures."""
    return _NUMBERS.sub("", str(message))


def _is_enough(difference: Difference, left: int) -> bool:
    """Tell whether a number of pods that ended makes up for a difference; 0 is another change than that."""
    real, ours = difference.observed, difference.predicted
    return not left or not isinstance(real, int) or not isinstance(ours, int) or abs(real - ours) <= left


def _nodes_by_group(comparison: Comparison) -> dict[str, set[str]]:
    """Return, by PodGroup, the nodes to which only the cluster, or only vqs, binds a pod of it."""
    found: dict[str, set[str]] = {}
    for key, node in comparison.real.bound.items() ^ comparison.ours.bound.items():
        found.setdefault(comparison.groups.get(key, ""), set()).add(node)
    return found


# --- jobs -------------------------------------------------------------------------------------------------------------


def _altered_groups(dumps: Dumps, left: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the jobs that are not what they were; a dump without any PodGroup does not have the kind."""
    same = set(dumps.common_groups)
    restarted = {dumps.groups.get(key) for key in left if dumps.fates[key] is Fate.RESTARTED}
    called = dumps.display_names
    there = {called[name] for name in dumps.after.groups}
    for name, group in dumps.before.groups.items() if dumps.after.groups else ():
        if name not in dumps.after.groups:
            yield name, "it was deleted and created again" if called[name] in there else "it was deleted"
        elif name not in same:
            yield name, "it was deleted and created again"
        elif group.spec != dumps.after.groups[name].spec:
            yield name, "the spec of its PodGroup changed"
        elif name in restarted:
            yield name, "it was restarted"


# --- nodes and queues -------------------------------------------------------------------------------------------------


def _nodes(dumps: Dumps, left: Iterable[str], bound: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the nodes that are others than they were, and those on which room came free, or was taken, unforeseen."""
    freed = {dumps.before.pods[key].spec.node_name for key in left} | set(_strangers_left(dumps))
    taken = {pod.spec.node_name for key, pod in dumps.new.items() if key not in bound} | set(_strangers_came(dumps))
    for node in sorted((freed | taken) - {""}):
        what = "room was freed" if node in freed else "room was taken"
        yield node, f"its pods changed: {what} by pods that vqs cannot predict"
    yield from _altered(
        dumps.earlier.nodes,
        dumps.later.nodes,
        lambda node: (node.spec, node.status.allocatable, node.metadata.labels),
    )


def _queues(dumps: Dumps) -> Iterator[tuple[str, str]]:
    """Yield the queues that are others than they were; that those are there which the scheduler makes is no news."""
    old = {queue.metadata.name for queue in dumps.earlier.queues}
    found = _altered(dumps.earlier.queues, dumps.later.queues, lambda queue: (queue.spec, queue.status.state))
    for name, text in found:
        if name in old or name not in _MADE_BY_THE_SCHEDULER:
            yield name, text


def _strangers_left(dumps: Dumps) -> Iterator[str]:
    """Yield the nodes that pods of other schedulers have left."""
    there = {(pod.metadata.key, pod.metadata.uid) for pod in _strangers(dumps.later)}
    for pod in _strangers(dumps.earlier):
        if (pod.metadata.key, pod.metadata.uid) not in there:
            yield pod.spec.node_name


def _strangers_came(dumps: Dumps) -> Iterator[str]:
    """Yield the nodes that pods of other schedulers have come to."""
    there = {(pod.metadata.key, pod.metadata.uid) for pod in _strangers(dumps.earlier)}
    for pod in _strangers(dumps.later):
        if (pod.metadata.key, pod.metadata.uid) not in there:
            yield pod.spec.node_name


def _strangers(manifests: Manifests) -> Iterator[k8s.Pod]:
    for pod in manifests.pods:
        is_there = pod.spec.node_name and pod.status.phase not in k8s.ENDED_PHASES
        if is_there and pod.spec.scheduler_name != SCHEDULER_NAME:
            yield pod


def _altered(
    earlier: Sequence[_Kind], later: Sequence[_Kind], content: Callable[[_Kind], object]
) -> Iterator[tuple[str, str]]:
    """Yield the objects that are new, gone or different; a dump without any of a kind does not have the kind."""
    old, new = ({each.metadata.name: each for each in side} for side in (earlier, later))
    if not new:
        return
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield name, "is gone"
        elif name not in old:
            yield name, "is new"
        elif content(old[name]) != content(new[name]):
            yield name, "was changed"


def _has_other_configuration(earlier: Manifests, later: Manifests) -> bool:
    old, new = earlier.conf, later.conf
    return old is not None and new is not None and old.text != new.text
