"""nodegroup: keep the pods of a queue on the node groups that its affinity names.

A node's group is its label `volcano.sh/nodegroup-name`. A node in a group takes the pods of a queue whose
`spec.affinity` requires or prefers the group, or whose anti-affinity prefers to avoid it; a required anti-affinity
outweighs an affinity, and a preferred anti-affinity outweighs both. It takes no pod of a queue without affinity.
Scores: 100 for a required group, 50 more for a preferred one, -1 for one that is preferably avoided.

Arguments: `strict` (default true): no pod goes to a node without a group; where it is false, pods of queues without
affinity do; from v1.15 on `enablePreferredOrder` (default false): the first preferred group scores 50 more, the others
less, the later the queue lists them. With `enableHierarchy`, a queue without `spec.affinity` inherits that of its
nearest ancestor. Up to v1.12, the queue is the one that a label or annotation of the pod names, a pod that
names none goes anywhere, and there is neither `strict` nor inheritance.

From v1.16 on, the annotation `volcano.sh/nodegroup-resource-limits` of a queue, such as `{"group": {"cpu": "8"}}`, says
how much the pods of the queue may hold in a node group, where 0 is a limit, too; nodes refuse all pods of a queue with
an annotation that cannot be read.
Reference: pkg/scheduler/plugins/nodegroup/nodegroup.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.model.cluster import ROOT, Queue
from vqs.model.job import ALLOCATED_STATUSES, Task
from vqs.model.keys import GROUP_QUEUE, NODE_GROUP, NODE_GROUP_LIMITS, QUEUE_NAME
from vqs.model.kubernetes import NodeGroupTerms, QueueAffinity
from vqs.model.resource import Resource

NAME = "nodegroup"

REQUIRED_SCORE = 100.0
PREFERRED_SCORE = 50.0
AVOIDED_SCORE = -1.0

NO_GROUP = "node group label not found"
NO_AFFINITY = "node group affinity not specified"
NOT_SATISFIED = "node does not satisfy the node group affinity"
NOT_SATISFY = "node not satisfy"
INVALID_LIMITS = "node group resource limit annotation invalid"
ABOVE_LIMIT = "node group resource limit exceeded"

_LEAST_EXCESS = 0.1
"""By how much at least a limit has to be exceeded."""


@dataclass(frozen=True, slots=True)
class GroupAffinity:
    """The node groups that a queue requires, prefers in this order, must avoid, and prefers to avoid."""

    required: frozenset[str] = frozenset()
    preferred: tuple[str, ...] = ()
    forbidden: frozenset[str] = frozenset()
    avoided: frozenset[str] = frozenset()

    @classmethod
    def of(cls, affinity: QueueAffinity) -> GroupAffinity:
        """Read a queue's spec.affinity."""
        near = affinity.node_group_affinity or NodeGroupTerms()
        far = affinity.node_group_anti_affinity or NodeGroupTerms()
        return cls(frozenset(near.required), tuple(near.preferred), frozenset(far.required), frozenset(far.preferred))

    def __bool__(self) -> bool:
        return bool(self.required or self.preferred or self.forbidden or self.avoided)

    def allows(self, group: str) -> bool:
        """True if the queue's pods may go to the nodes of a group; what it prefers to avoid, they may use."""
        if group in self.avoided:
            return True
        return group not in self.forbidden and (group in self.required or group in self.preferred)

    def score(self, group: str, *, in_order: bool) -> float:
        """The score of the nodes of a group; of preferred groups, each scores less than those before it, or not.

        A group that is listed twice has its last place, and counts once.
        """
        if group in self.avoided:
            return AVOIDED_SCORE
        score = REQUIRED_SCORE * (group in self.required)
        if group not in self.preferred:
            return score
        if not in_order:
            return score + PREFERRED_SCORE
        places = {each: place for place, each in enumerate(self.preferred)}
        return score + PREFERRED_SCORE * float(len(places) - places[group]) / float(len(places))


NO_AFFINITY_SET = GroupAffinity()


@dataclass(slots=True)
class GroupLimits:
    """How much the pods of a queue may hold in each node group, and hold; limits are None where they are malformed."""

    limits: dict[str, dict[str, float]] | None
    held: dict[str, Resource] = field(default_factory=dict)

    @classmethod
    def of(cls, queue: Queue) -> GroupLimits | None:
        """Read the annotation of a queue; None where it limits nothing."""
        text = queue.object.metadata.annotations.get(NODE_GROUP_LIMITS, "")
        if not text:
            return None
        try:
            given = msgspec.json.decode(text, type=dict[str, dict[str, str | int | float] | None] | None)
            limits = {}
            for group, amounts in (given or {}).items():
                read = Resource.from_quantities(amounts)
                limits[group] = {name: read.get(name) for name in amounts or ()}
        except ValueError:
            return cls(None)
        return cls(limits) if limits else None

    def exceeded(self, group: str | None, request: Resource) -> bool:
        """True if a request would take the queue beyond what it may hold in a group."""
        if group is None or not self.limits or group not in self.limits:
            return False
        held = self.held.get(group, Resource())
        return any(
            held.get(name) + request.get(name) - limit >= _LEAST_EXCESS for name, limit in self.limits[group].items()
        )


class NodeGroupPlugin(Plugin, points.Predicate):
    """Filter and score nodes by their group."""

    reasons = (NO_GROUP, NO_AFFINITY, NOT_SATISFIED, NOT_SATISFY, INVALID_LIMITS, ABOVE_LIMIT)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.strict = option.arguments.bool("strict")

    def on_session_open(self, session: Session) -> None:
        """Find the group of each node and the affinity of each queue, and add the answers."""
        self.session = session
        self.in_order = (
            session.profile.nodegroup.preferred_order == "enablePreferredOrder"
            and self.option.arguments.bool("enablePreferredOrder")
        )
        self.by_pod = session.profile.nodegroup.node_group_queue == "of-pod"
        inherits = session.hierarchy_enabled(NAME) and not self.by_pod
        self.affinities = {
            name: affinity_of(queue, session.queues if inherits else {}) for name, queue in session.queues.items()
        }
        labels = [node.object.metadata.labels.get(NODE_GROUP) for node in session.nodes.nodes]
        self.groups: list[str | None] = [None, *sorted({label for label in labels if label is not None})]
        numbers = {group: number for number, group in enumerate(self.groups)}
        self.group_of_node = np.array([numbers[label] for label in labels], np.intp)
        session.classes.add_signature(self._affinity)
        self.limits: dict[str, GroupLimits] = {}
        if session.profile.nodegroup.group_limits == "annotation":
            for name, queue in session.queues.items():
                limits = GroupLimits.of(queue)
                if limits is not None:
                    self.limits[name] = limits
            if self.limits:
                for task in session.tasks():
                    if task.status in ALLOCATED_STATUSES:
                        self._count(task, given=True)
                session.classes.add_signature(
                    lambda task: queue if (queue := self._queue_of(task)) in self.limits else None
                )
                session.add_event_handler(
                    lambda task: self._count(task, given=True), lambda task: self._count(task, given=False)
                )
        session.plugins.add(points.NODE_ORDER, NAME, self.score)
        session.plugins.add(points.PREDICATE, NAME, self)

    def _queue_of(self, task: Task) -> str:
        return self.session.jobs[task.job].queue

    def _count(self, task: Task, *, given: bool) -> None:
        """Count a task in the group of its node that was given the node, or has lost it."""
        limits, node = self.limits.get(self._queue_of(task)), self.session.nodes.index.get(task.node or "")
        group = None if node is None else self.groups[self.group_of_node[node]]
        if limits is not None and group is not None:
            held = limits.held.setdefault(group, Resource())
            (held.add if given else held.sub)(task.request)

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes."""
        return self._class_answers(task_class).scores[nodes]

    def volatile(self, task_class: EquivalenceClass) -> bool:
        """True if the queue of the class has limits, as a pod counts for all nodes of its group."""
        return self._queue_of(task_class.task) in self.limits

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reason."""
        codes = self._class_answers(task_class).codes[nodes]
        limits = self.limits.get(self._queue_of(task_class.task)) if self.limits else None
        if limits is None:
            return codes
        if limits.limits is None:
            return np.full_like(codes, self.session.reasons.code(INVALID_LIMITS))
        above = np.array([limits.exceeded(group, task_class.task.request) for group in self.groups], np.bool_)
        refused = above[self.group_of_node[nodes]] & (codes == FITS)
        return np.where(refused, np.int32(self.session.reasons.code(ABOVE_LIMIT)), codes)

    def _class_answers(self, task_class: EquivalenceClass) -> _ClassAnswers:
        known: _ClassAnswers | None = task_class.notes.get(NAME)
        if known is None:
            affinity = self._affinity(task_class.task)
            codes = np.array([self._code(affinity, group) for group in self.groups], np.int32)
            scores = np.array(
                [
                    0.0
                    if affinity is None or (group is None and not self.by_pod)
                    else affinity.score(group or "", in_order=self.in_order)
                    for group in self.groups
                ]
            )
            known = task_class.notes[NAME] = _ClassAnswers(codes[self.group_of_node], scores[self.group_of_node])
        return known

    def _affinity(self, task: Task) -> GroupAffinity | None:
        """The affinity of a task's queue; None where no queue counts."""
        if not self.by_pod:
            return self.affinities[self.session.jobs[task.job].queue]
        metadata = task.pod.metadata
        named = next((each[QUEUE_NAME] for each in (metadata.labels, metadata.annotations) if QUEUE_NAME in each), None)
        name = metadata.annotations.get(GROUP_QUEUE, "") if named is None else named
        return self.affinities.get(name, NO_AFFINITY_SET) if name else None

    def _code(self, affinity: GroupAffinity | None, group: str | None) -> int:
        """The code of why a group's nodes take no pod of a queue, 0 where they do."""
        reasons = self.session.reasons
        if affinity is None:
            return FITS
        if self.by_pod:
            return FITS if affinity.allows(group or "") else reasons.code(NOT_SATISFY)
        if group is None:
            return FITS if not self.strict and not affinity else reasons.code(NO_GROUP)
        if not affinity:
            return reasons.code(NO_AFFINITY)
        return FITS if affinity.allows(group) else reasons.code(NOT_SATISFIED)


class _ClassAnswers(NamedTuple):
    """The codes and the scores of all nodes for a class."""

    codes: Codes
    scores: Floats


def affinity_of(queue: Queue, ancestors: Mapping[str, Queue]) -> GroupAffinity:
    """A queue's own affinity, else that of the nearest ancestor that has one, even if it names no group."""
    seen: set[str] = set()
    each: Queue | None = queue
    while each is not None and each.name not in seen:
        if each.object.spec.affinity is not None:
            return GroupAffinity.of(each.object.spec.affinity)
        seen.add(each.name)
        each = None if each.name == ROOT else ancestors.get(each.object.spec.parent or ROOT)
    return NO_AFFINITY_SET
