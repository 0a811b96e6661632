"""Which pods are where, and which of them an affinity or a spread constraint is about.

Pods that no such rule of the session can tell apart are of one kind. The ledger keeps a tally of how many pods of some
sort are on each node: it weighs the kinds once, and from then on a placement costs one addition
for each tally that its kind has a weight in. Rules mostly name the labels of the pods they are about, and so find the
kinds, and kinds find the rules, without looking through all of them.

What Kubernetes' plugins see of the cluster is kept up to date by the predicates plugin. Where that is not configured,
they see the cluster as it was when the session opened.
References: pkg/scheduler/framework/util.go, pkg/scheduler/plugins/util/k8s/snapshot.go;
k8s.io/kubernetes/pkg/scheduler/framework (types.go), plugins/interpodaffinity, plugins/podtopologyspread,
plugins/helper/spread.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.nodes.selectors import FORBIDDING, NodeLabels, NodeTaints
from vqs.engine.nodes.table import Floats, Masks
from vqs.model.job import COMPLETED_STATUSES, Job, Task, TaskStatus
from vqs.model.kubernetes import (
    Affinity,
    Namespace,
    Pod,
    PodAffinityTerm,
    PodSpec,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
    Toleration,
    Workload,
)
from vqs.model.selectors import EVERYTHING, NOTHING, Selector, equal_to, label_selector, untolerated

Found = TypeVar("Found")

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - the address of a host port for which none is given
KEEPER = "predicates"
"""The plugin whose presence keeps up to date what Kubernetes' plugins see."""

_NO_LABELS: dict[str, str] = {}

Port = tuple[str, str, int]
"""Address, protocol and number of a host port."""


def host_ports(spec: PodSpec, *, sidecars: bool = True) -> tuple[Port, ...]:
    """The host ports that a pod takes; those of init containers only where they keep running and count."""
    started = spec.init_containers if sidecars else []
    if not started:
        for container in spec.containers:  # of a hundred thousand pods, hardly any names a port
            if container.ports:
                break
        else:
            return ()
    staying = [each for each in started if each.restart_policy == "Always"]
    ports = [port for container in (*staying, *spec.containers) for port in container.ports if port.host_port > 0]
    return tuple([(p.host_ip or ANY_ADDRESS, p.protocol or "TCP", p.host_port) for p in ports]) if ports else ()


# --- terms ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PodTerm:
    """Some pods, and the node label by which near and far are measured."""

    topology_key: str
    namespaces: frozenset[str]
    namespace_selector: Selector
    selector: Selector

    def selects(self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """True if a pod with these labels in such a namespace is meant."""
        here = namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        return here and self.selector.matches(labels)

    def selects_kind(self, kind: PodKind) -> bool:
        """True if pods of a kind are meant, by a term whose namespaces are resolved."""
        return self.selects(kind.namespace, _NO_LABELS, kind.labels)

    def resolved(self, namespaces: Mapping[str, Namespace]) -> PodTerm:
        """Name the namespaces that are selected by their labels, as is done for the terms of an incoming pod.

        The selector stays, and is later matched against no labels: one that only excludes selects every namespace.
        """
        if self.namespace_selector in (EVERYTHING, NOTHING):
            return self
        selected = [name for name, n in namespaces.items() if self.namespace_selector.matches(n.metadata.labels)]
        names = self.namespaces.union(selected)
        return PodTerm(self.topology_key, names, self.namespace_selector, self.selector)


@dataclass(frozen=True, slots=True, eq=False)
class PodTerms:
    """A pod's affinities to other pods. `Relations` makes equal ones once, so they are compared by identity.

    Attributes:
        affinity: what must be near.
        anti_affinity: what must be far.
        preferred: what should be near, with a weight; a negative one for what should be far.
        declared: whether the pod names any, even an empty list of them.
    """

    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    preferred: tuple[tuple[PodTerm, int], ...] = ()
    declared: bool = False

    def all(self) -> list[PodTerm]:
        """Every term."""
        return [*self.affinity, *self.anti_affinity, *(term for term, _ in self.preferred)]


NO_TERMS = PodTerms()


class TermIndex:
    """Terms of any pods, looked up by the labels of a pod that they may be about."""

    def __init__(self) -> None:
        self._by_anchor: dict[Anchor | None, dict[PodTerm, None]] = {}

    def add(self, term: PodTerm) -> None:
        """Take in a term."""
        anchors = term.selector.anchors
        for anchor in (None,) if anchors is None else anchors:
            self._by_anchor.setdefault(anchor, {})[term] = None

    def about(self, pod: Pod, namespace_labels: Mapping[str, str]) -> list[PodTerm]:
        """The terms that are about a pod."""
        labels, namespace = pod.metadata.labels, pod.metadata.namespace
        groups = [self._by_anchor.get(anchor, {}) for anchor in (None, *labels.items())]
        return [term for group in groups for term in group if term.selects(namespace, namespace_labels, labels)]


def pod_terms(affinity: Affinity, namespace: str) -> PodTerms:
    """Read the affinities of a pod in a namespace."""
    near, far = affinity.pod_affinity, affinity.pod_anti_affinity
    if near is None and far is None:
        return NO_TERMS
    liked = [(w.pod_affinity_term, w.weight) for w in near.preferred] if near else []
    disliked = [(w.pod_affinity_term, -w.weight) for w in far.preferred] if far else []
    return PodTerms(
        affinity=tuple(_pod_term(term, namespace) for term in (near.required if near else ())),
        anti_affinity=tuple(_pod_term(term, namespace) for term in (far.required if far else ())),
        preferred=tuple((_pod_term(term, namespace), weight) for term, weight in [*liked, *disliked]),
        declared=True,
    )


def _pod_term(term: PodAffinityTerm, namespace: str) -> PodTerm:
    own = not term.namespaces and term.namespace_selector is None
    namespaces = frozenset((namespace,) if own else term.namespaces)
    return PodTerm(
        term.topology_key, namespaces, label_selector(term.namespace_selector), label_selector(term.label_selector)
    )


Anchor = tuple[str, str] | PodTerm
"""A label of a pod, or a term that it has: what rules and kinds of pods find each other by."""


def anchors_of(terms: Iterable[PodTerm]) -> list[Anchor] | None:
    """Labels such that each pod that one of some terms is about has one of them, None where there are none."""
    anchors: list[Anchor] = []
    for term in terms:
        named = term.selector.anchors
        if named is None:
            return None
        anchors.extend(named)
    return anchors


# --- spreading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """How evenly the pods of a selector in a pod's namespace must, or should, spread over a node label's values."""

    max_skew: int
    topology_key: str
    selector: Selector
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False


def spread_constraints(pod: Pod, when_unsatisfiable: str) -> list[SpreadConstraint]:
    """Read a pod's own constraints of one sort: DoNotSchedule or ScheduleAnyway."""
    given = pod.spec.topology_spread_constraints
    labels = pod.metadata.labels
    return [
        SpreadConstraint(
            max_skew=each.max_skew,
            topology_key=each.topology_key,
            selector=label_selector(each.label_selector).also(
                equal_to({key: labels[key] for key in each.match_label_keys if key in labels})
            ),
            min_domains=1 if each.min_domains is None else each.min_domains,
            honor_affinity=each.node_affinity_policy in ("", "Honor"),
            honor_taints=each.node_taints_policy == "Honor",
        )
        for each in given
        if each.when_unsatisfiable == when_unsatisfiable
    ]


class Owners:
    """The services and workloads that stand for some pods: without own constraints, these are spread by default."""

    def __init__(self, services: Iterable[Service], workloads: Iterable[Workload], pods: Sequence[Pod]) -> None:
        self._services: dict[str, list[dict[str, str]]] = {}
        # Only those are kept that may select a pod: each label of theirs, some pod has.
        namespaces = {pod.metadata.namespace for pod in pods}
        selectors = [(s.metadata.namespace, s.spec.selector) for s in services if s.spec.selector]
        near = [(namespace, selector) for namespace, selector in selectors if namespace in namespaces]
        keys = {key for _, selector in near for key in selector}
        seen = {(pod.metadata.namespace, key, pod.metadata.labels.get(key)) for pod in pods for key in keys}
        for namespace, selector in near:
            if all((namespace, key, label) in seen for key, label in selector.items()):
                self._services.setdefault(namespace, []).append(selector)
        owners = {_owner(pod) for pod in pods}
        keyed = {(_KINDS[type(w)], w.metadata.namespace, w.metadata.name): w for w in workloads}
        self._workloads = {key: workload for key, workload in keyed.items() if key in owners}

    def __bool__(self) -> bool:
        return bool(self._services or self._workloads)

    def keys(self) -> set[str]:
        """The labels that are looked at."""
        keys = {key for selectors in self._services.values() for selector in selectors for key in selector}
        return keys.union(*(_workload_selector(workload).keys for workload in self._workloads.values()))

    def workload(self, pod: Pod) -> tuple[str, str, str] | None:
        """Kind, namespace and name of the known workload that controls a pod."""
        key = _owner(pod)
        return key if key in self._workloads else None

    def selector(self, pod: Pod) -> Selector:
        """What selects the pods that a pod spreads with by default; it is empty where there is nothing."""
        labels: dict[str, str] = {}
        for wanted in self._services.get(pod.metadata.namespace, ()):
            if wanted.items() <= pod.metadata.labels.items():
                labels |= wanted
        key = self.workload(pod)
        further = () if key is None else _workload_selector(self._workloads[key]).requirements
        return Selector(equal_to(labels)).also(further or ())


def _owner(pod: Pod) -> tuple[str, str, str] | None:
    """Kind, namespace and name of what controls a pod."""
    references = pod.metadata.owner_references
    owner = next((owner for owner in references if owner.controller), None) if references else None
    return None if owner is None else (f"{owner.api_version}/{owner.kind}", pod.metadata.namespace, owner.name)


_KINDS = {
    ReplicaSet: "apps/v1/ReplicaSet",
    StatefulSet: "apps/v1/StatefulSet",
    ReplicationController: "v1/ReplicationController",
}


def _workload_selector(workload: Workload) -> Selector:
    selector = workload.spec.selector
    return Selector(equal_to(selector)) if isinstance(selector, dict) else label_selector(selector)


# --- kinds and tallies ------------------------------------------------------------------------------------------------


class Relations:
    """The rules of a session's pods about other pods.

    Attributes:
        active: whether there is any. If not, it does not matter which pods are where.
        preferred: the terms of preferences.
        anti_affinity: the terms of required anti-affinity.
    """

    def __init__(self, pods: Iterable[Pod], namespaces: Mapping[str, Namespace], owners: Owners) -> None:
        self.namespaces = namespaces
        self.owners = owners
        self.preferred = TermIndex()
        self.anti_affinity = TermIndex()
        self.active = bool(owners)
        self._terms: dict[tuple[str, bytes], PodTerms] = {}
        keys = owners.keys()
        for pod in pods:
            if pod.spec.affinity is not None:
                for term in self.terms(pod).all():
                    keys |= term.selector.keys
            for constraint in pod.spec.topology_spread_constraints:
                self.active = True
                keys |= label_selector(constraint.label_selector).keys.union(constraint.match_label_keys)
        self.keys = tuple(sorted(keys))

    def terms(self, pod: Pod) -> PodTerms:
        """A pod's affinities to other pods."""
        affinity = pod.spec.affinity
        if affinity is None:
            return NO_TERMS
        key = (pod.metadata.namespace, msgspec.json.encode(affinity))
        terms = self._terms.get(key)
        if terms is None:
            terms = self._terms[key] = pod_terms(affinity, pod.metadata.namespace)
            self.active |= terms.declared
            for term, _ in terms.preferred:
                self.preferred.add(term)
            for term in terms.anti_affinity:
                self.anti_affinity.add(term)
        return terms

    def labels(self, pod: Pod) -> tuple[str | None, ...]:
        """The values of those of a pod's labels that some rule looks at."""
        labels = pod.metadata.labels
        return tuple([labels.get(key) for key in self.keys])

    def about(self, pod: Pod, terms: TermIndex) -> list[PodTerm]:
        """Those of some terms of other pods that are about a pod."""
        namespace = self.namespaces.get(pod.metadata.namespace)
        return terms.about(pod, _NO_LABELS if namespace is None else namespace.metadata.labels)

    def signature(self, pod: Pod) -> Hashable:
        """What tells a pod apart from others for the rules of other pods, and for spreading by default."""
        if not self.active:
            return None
        return pod.metadata.namespace, self.labels(pod), self.owners.workload(pod) if self.owners else None


class PodKind:
    """Pods that no rule of the session can tell apart, and how many of them there are on each node."""

    __slots__ = ("labels", "namespace", "shares", "terminating", "terms", "where")

    def __init__(self, namespace: str, labels: dict[str, str], terms: PodTerms, *, terminating: bool) -> None:
        self.namespace = namespace
        self.labels = labels
        self.terms = terms
        self.terminating = terminating
        self.where: dict[int, int] = {}
        self.shares: list[tuple[Tally, float]] = []

    def anchors(self) -> list[Anchor]:
        """What the kind may be looked up by: its labels, and its terms about others."""
        return [*self.labels.items(), *self.terms.anti_affinity, *(term for term, _ in self.terms.preferred)]


class Tally:
    """For each node, the summed weights of the pods on it; only on some nodes, where a mask is given."""

    __slots__ = ("amounts", "only", "weigh")

    def __init__(self, weigh: Callable[[PodKind], float], only: Masks | None, width: int) -> None:
        self.weigh = weigh
        self.only = only
        self.amounts: Floats = np.zeros(width)

    def add(self, node: int, amount: float) -> None:
        """Add to one node."""
        if self.only is None or self.only[node]:
            self.amounts[node] += amount


class PodLedger:
    """How many pods of each kind are on each node."""

    def __init__(self, relations: Relations, width: int) -> None:
        self.relations = relations
        self.width = width
        self._kinds: dict[Hashable, PodKind] = {}
        self._tallies: dict[Hashable, Tally] = {}
        self._kinds_by_anchor: dict[Anchor | None, list[PodKind]] = {}
        self._tallies_by_anchor: dict[Anchor | None, list[Tally]] = {}

    def add(self, pod: Pod, node: int, number: int) -> None:
        """Put a pod on a node, or take it off with a number of -1."""
        kind = self.kind(pod)
        kind.where[node] = kind.where.get(node, 0) + number
        for tally, weight in kind.shares:
            tally.add(node, weight * number)

    @contextmanager
    def without(self, pods: Sequence[Pod], node: int) -> Iterator[None]:
        """Take pods off a node for a while."""
        for pod in pods:
            self.add(pod, node, -1)
        try:
            yield
        finally:
            for pod in pods:
                self.add(pod, node, 1)

    def kind(self, pod: Pod) -> PodKind:
        """The kind of a pod."""
        metadata = pod.metadata
        terms = self.relations.terms(pod)
        terminating = metadata.deletion_timestamp is not None
        key = (metadata.namespace, self.relations.labels(pod), terminating, terms)
        kind = self._kinds.get(key)
        if kind is None:
            labels = {k: metadata.labels[k] for k in self.relations.keys if k in metadata.labels}
            kind = self._kinds[key] = PodKind(metadata.namespace, labels, terms, terminating=terminating)
            for anchor in kind.anchors():
                self._kinds_by_anchor.setdefault(anchor, []).append(kind)
            tallies = [each for anchor in (None, *kind.anchors()) for each in self._tallies_by_anchor.get(anchor, ())]
            for tally in dict.fromkeys(tallies):
                self._share(kind, tally)
        return kind

    def tally(
        self,
        key: Hashable,
        weigh: Callable[[PodKind], float],
        anchors: Sequence[Anchor] | None,
        only: Masks | None = None,
    ) -> Tally:
        """A tally, made on first use.

        Args:
            key: stands for the other arguments.
            weigh: returns the weight of a kind of pod.
            anchors: what all kinds with a weight have one of; None where that cannot be said.
            only: the nodes that count, where not all do.
        """
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = Tally(weigh, only, self.width)
            for anchor in (None,) if anchors is None else anchors:
                self._tallies_by_anchor.setdefault(anchor, []).append(tally)
            kinds: Iterable[PodKind] = self._kinds.values()
            if anchors is not None:
                kinds = [each for anchor in anchors for each in self._kinds_by_anchor.get(anchor, ())]
            for kind in dict.fromkeys(kinds):
                self._share(kind, tally)
        return tally

    def nodes_with(self, choose: Callable[[PodKind], bool]) -> Masks:
        """Which nodes have a pod of one of the chosen kinds now."""
        mask = np.zeros(self.width, np.bool_)
        for kind in self._kinds.values():
            if choose(kind):
                mask[[node for node, number in kind.where.items() if number]] = True
        return mask

    @staticmethod
    def _share(kind: PodKind, tally: Tally) -> None:
        weight = tally.weigh(kind)
        if weight:
            kind.shares.append((tally, weight))
            for node, number in kind.where.items():
                tally.add(node, weight * number)


# --- what Kubernetes' plugins see -------------------------------------------------------------------------------------


class SpecialTasks(NamedTuple):
    """Tasks that Kubernetes' plugins have to look at one by one, wherever they are.

    Attributes:
        rules: those whose pods have rules about other pods.
        ports: those that may take host ports.
        volumes: those whose pods have volumes.
    """

    rules: list[Task]
    ports: list[Task]
    volumes: list[Task]

    @classmethod
    def among(cls, tasks: Iterable[Task]) -> SpecialTasks:
        """Find them among some tasks."""
        special = cls([], [], [])
        for task in tasks:
            spec = task.pod.spec
            if spec.affinity is not None or spec.topology_spread_constraints:
                special.rules.append(task)
            if host_ports(spec):
                special.ports.append(task)
            if spec.volumes:
                special.volumes.append(task)
        return special if any(special) else NOTHING_SPECIAL

    @classmethod
    def of_jobs(cls, jobs: Iterable[Job]) -> SpecialTasks:
        """Find those of some jobs."""
        found = [job.noted("special", partial(cls.among, job.tasks.values())) for job in jobs]
        parts = [each for each in found if each is not NOTHING_SPECIAL]
        return cls(*([task for part in parts for task in part[index]] for index in range(3)))


NOTHING_SPECIAL = SpecialTasks([], [], [])


class Surroundings:
    """A session's cluster as Kubernetes' plugins see it: labels and taints of the nodes, and the pods on them.

    Attributes:
        live: whether changes during the session are seen at all.
        with_terms: the nodes that had pods with affinities to other pods when the session opened.
        with_anti_affinity: likewise, with required anti-affinity. Neither is brought up to date, as in the reference.
        special: the special tasks of jobs.
        special_others: those outside of jobs.
    """

    def __init__(self, session: Session) -> None:
        self.nodes = session.nodes
        objects = [node.object for node in self.nodes.nodes]
        self.labels = self.nodes.noted("labels", lambda: NodeLabels(objects))
        self.taints = self.nodes.noted("taints", lambda: NodeTaints(objects))
        self._missed = session.kubernetes.missed
        self.live = session.conf.plugin(KEEPER) is not None
        pending = [task.pod for task in session.tasks(TaskStatus.Pending)]
        owners = Owners(session.cluster.services, session.cluster.workloads, pending)
        others = session.cluster.other_tasks
        self.special = SpecialTasks.of_jobs(session.jobs.values())
        self.special_others = session.cluster.noted_of_others("special", partial(SpecialTasks.among, others))
        placed_others = [task for _, task in self.placed(self.special_others.rules)]
        pods = [task.pod for task in (*self.special.rules, *placed_others)]
        self.relations = Relations(pods, session.cluster.namespaces, owners)
        self.ledger = PodLedger(self.relations, len(session.nodes))
        self._tolerated: dict[Hashable, tuple[int, ...]] = {}
        self._is_plain = not (self.relations.active or self.taints.distinct)
        if self.relations.active:
            tasks = chain.from_iterable(job.tasks.values() for job in session.jobs.values())
            for node, task in self.placed(chain(tasks, others)):
                self.ledger.add(task.pod, node, 1)
            if self.live:
                session.add_event_handler(lambda task: self._count(task, 1), lambda task: self._count(task, -1))
        self.with_terms = self.ledger.nodes_with(lambda kind: kind.terms.declared)
        self.with_anti_affinity = self.ledger.nodes_with(lambda kind: bool(kind.terms.anti_affinity))

    def placed(self, tasks: Iterable[Task]) -> list[tuple[int, Task]]:
        """Those of some tasks that are on nodes; finished ones have left."""
        index = self.nodes.index
        return [(index[t.node], t) for t in tasks if t.node in index and t.status not in COMPLETED_STATUSES]

    def _count(self, task: Task, number: int) -> None:
        """Count a task that was given a node, or has lost it with a number of -1."""
        node = self.nodes.index.get(task.node or "")
        if node is not None and task.uid not in self._missed:
            self.ledger.add(task.pod, node, number)

    def signature(self, task: Task) -> Hashable:
        """What tells a task apart from others for Kubernetes' plugins, its requests and images aside."""
        spec = task.pod.spec
        if self._is_plain and not (spec.node_selector or spec.affinity or spec.topology_spread_constraints):
            return (None, None, None, host_ports(spec), None, None)
        return (
            tuple(sorted(spec.node_selector.items())) if spec.node_selector else None,
            msgspec.json.encode(spec.affinity) if spec.affinity is not None else None,
            self._tolerates(spec.tolerations) if self.taints.distinct else None,
            host_ports(spec),
            msgspec.json.encode(spec.topology_spread_constraints) if spec.topology_spread_constraints else None,
            self.relations.signature(task.pod),
        )

    def _tolerates(self, tolerations: list[Toleration]) -> tuple[int, ...]:
        if not tolerations:
            return ()
        key = tuple([(t.key, t.operator, t.value, t.effect) for t in tolerations])
        tolerated = self._tolerated.get(key)
        if tolerated is None:
            tolerated = self._tolerated[key] = self.taints.tolerated(tolerations)
        return tolerated


def counted_nodes(surroundings: Surroundings, pod: Pod, constraint: SpreadConstraint) -> Masks:
    """Which nodes' pods count for a constraint: by default those of the nodes that the pod could choose."""
    counted = np.ones(len(surroundings.nodes), np.bool_)
    allowed = surroundings.labels.required(pod.spec) if constraint.honor_affinity else None
    if allowed is not None:
        counted &= allowed
    if constraint.honor_taints:
        forbidding = surroundings.taints.each(lambda taints: len(untolerated(taints, pod.spec.tolerations, FORBIDDING)))
        counted &= forbidding == 0
    return counted


def matching_pods(surroundings: Surroundings, pod: Pod, selector: Selector) -> Tally:
    """A tally of the pods in a pod's namespace that a constraint is about; none where it selects everything."""
    namespace = pod.metadata.namespace

    def weigh(kind: PodKind) -> float:
        counts = kind.namespace == namespace and not kind.terminating and not selector.empty
        return counts and selector.matches(kind.labels)

    return surroundings.ledger.tally(("matching", namespace, selector), weigh, selector.anchors)
