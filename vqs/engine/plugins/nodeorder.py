"""nodeorder: score nodes by how full they are, and by what pods would like, as Kubernetes itself does.

Each of eight scores lies between 0 and 100 (preferred node affinity: the sum of the weights that hold), and is
multiplied by a weight. Arguments, all whole numbers, 0 switches a score off:

* for each node by itself: `leastrequested.weight` (default 1), `mostrequested.weight` (0),
  `balancedresource.weight` (1), `nodeaffinity.weight` (2), `imagelocality.weight` (1);
* comparing the candidates: `podaffinity.weight` (2), `tainttoleration.weight` (3), `podtopologyspread.weight` (2).

Reference: pkg/scheduler/plugins/nodeorder/nodeorder.go and the plugins of k8s.io/kubernetes/pkg/scheduler/framework:
noderesources/least_allocated.go, most_allocated.go, balanced_allocation.go and resource_allocation.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import floor, sqrt
from typing import NamedTuple, Protocol

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import OfState, StateScore
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.pods import (
    PodKind,
    PodTerm,
    SpreadConstraint,
    Surroundings,
    Tally,
    anchors_of,
    counted_nodes,
    matching_pods,
    spread_constraints,
)
from vqs.engine.nodes.selectors import PREFER_NO_SCHEDULE, LabelColumn
from vqs.engine.nodes.table import Block, Floats, Integers, Masks, Nodes, NodeTable, of_nodes
from vqs.model.kubernetes import Node as NodeObject
from vqs.model.kubernetes import Pod, PodSpec
from vqs.model.requests import PodRequests
from vqs.model.resource import CPU, MEMORY
from vqs.model.selectors import untolerated

MAX_SCORE = 100.0


class Comparison(Protocol):
    """A score of nodes that depends on which other nodes are candidates."""

    @property
    def constant(self) -> float | None:
        """The score where it is the same for every node whatever the candidates are, else None."""

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates."""


class Normalized:
    """A score by an amount of each node: from none to the most that a candidate has, or `reverse`."""

    def __init__(self, amounts: Floats | None, *, reverse: bool) -> None:
        self._amounts = amounts if amounts is not None and amounts.any() else None
        self._without = MAX_SCORE if reverse else 0.0
        self._reverse = reverse

    @property
    def constant(self) -> float | None:
        """The score of a node without any, where no node has one."""
        return self._without if self._amounts is None else None

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates."""
        amounts = np.zeros(len(candidates)) if self._amounts is None else self._amounts[candidates]
        most = amounts.max(initial=0.0)
        if not most:
            return np.full(len(candidates), self._without)
        scores: Floats = np.floor(MAX_SCORE * amounts / most)
        return MAX_SCORE - scores if self._reverse else scores


Weighted = tuple[PodTerm, int]


class AffinityComparison:
    """The preferences of a class about other pods, and of other pods about it.

    Those that are liked or like one count, and those disliked; the required affinities of other pods weigh nothing, as
    nodeorder sets it. Reference: interpodaffinity/scoring.go.
    """

    def __init__(self, surroundings: Surroundings, pod: Pod) -> None:
        relations = surroundings.relations
        liked = [(term.resolved(relations.namespaces), weight) for term, weight in relations.terms(pod).preferred]
        # Without preferences of its own, a pod only takes note of nodes that had pods with affinities when the session
        # opened: the reference does not bring its list of these nodes up to date.
        heard = None if liked else surroundings.with_terms
        liking = relations.about(pod, relations.preferred) if heard is None or heard.any() else []
        self._domains: list[tuple[LabelColumn, Tally]] = []
        for key in sorted({term.topology_key for term in [*liking, *(term for term, _ in liked)]}):
            liked_here = tuple((term, weight) for term, weight in liked if term.topology_key == key)
            liking_here = frozenset(term for term in liking if term.topology_key == key)
            tally = _weighed(surroundings, liked_here, liking_here, heard)
            self._domains.append((surroundings.labels.column(key), tally))

    @property
    def constant(self) -> float | None:
        """Zero, where there are no preferences."""
        return None if self._domains else 0.0

    def scores(self, candidates: Integers) -> Floats:
        """Score by the weights in the domains of a node, from the candidates' lowest sum to their highest."""
        sums = np.zeros(len(candidates))
        for column, tally in self._domains:
            sums += column.totals(tally.amounts)[candidates]
        lowest, highest = sums.min(initial=np.inf), sums.max(initial=-np.inf)
        if highest <= lowest:
            return np.zeros(len(candidates))
        scores: Floats = np.floor(MAX_SCORE * ((sums - lowest) / (highest - lowest)))
        return scores


def _weighed(
    surroundings: Surroundings, liked: tuple[Weighted, ...], liking: frozenset[PodTerm], heard: Masks | None
) -> Tally:
    """A tally of the pods that are liked, or like, with the sum of the weights."""

    def weigh(kind: PodKind) -> float:
        own = sum(weight for term, weight in liked if term.selects_kind(kind))
        return own + sum(weight for term, weight in kind.terms.preferred if term in liking)

    named = anchors_of(term for term, _ in liked)
    anchors = None if named is None else [*named, *liking]
    return surroundings.ledger.tally(("weighed", liked, liking, heard is None), weigh, anchors, heard)


HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DEFAULT_SKEWS = ((HOSTNAME, 3), (ZONE, 5))


class SpreadComparison:
    """The constraints of a class that should hold.

    A pod without spread constraints of its own that a service or a workload stands for is spread over nodes and zones
    by default. Up to v1.14, nodeorder hands the nodes over without their pods, and none is ever counted on a node by
    itself: a constraint on the hostname adds the same to all. Reference: podtopologyspread/scoring.go and common.go.
    """

    def __init__(self, surroundings: Surroundings, pod: Pod, *, counts_pods_of_node: bool) -> None:
        own = bool(pod.spec.topology_spread_constraints)
        constraints = spread_constraints(pod, "ScheduleAnyway") if own else _default_constraints(surroundings, pod)
        columns = [surroundings.labels.column(constraint.topology_key) for constraint in constraints]
        self._scored: Masks = np.ones(len(surroundings.nodes), np.bool_)
        if own and columns:  # by default a node is scored by those of the labels that it has
            self._scored = np.logical_and.reduce([column.present for column in columns])
        self._parts = [
            _Part(surroundings, pod, constraint, self._scored, counts_pods_of_node=counts_pods_of_node)
            for constraint in constraints
        ]

    @property
    def constant(self) -> float | None:
        """Zero, where there are no constraints."""
        return None if self._parts else 0.0

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates; those that lack a label of the pod's own constraints get nothing."""
        scores = np.zeros(len(candidates))
        scored = self._scored[candidates]
        nodes = candidates[scored]
        if self._parts and len(nodes):
            sums = np.zeros(len(nodes))
            for part in self._parts:
                sums += part.scores(nodes)
            whole = np.floor(sums)
            sums = whole + (sums - whole >= 0.5)  # noqa: PLR2004 - rounded to the nearest whole number, halves up
            highest, lowest = sums.max(), sums.min()
            scores[scored] = np.floor(MAX_SCORE * (highest + lowest - sums) / highest) if highest else MAX_SCORE
        return scores


class _Part:
    """One constraint."""

    def __init__(
        self,
        surroundings: Surroundings,
        pod: Pod,
        constraint: SpreadConstraint,
        scored: Masks,
        *,
        counts_pods_of_node: bool,
    ) -> None:
        self._column = surroundings.labels.column(constraint.topology_key)
        self._numbers = self._column.numbers
        if "" in self._column.values:  # to have no label is the same as to have an empty one
            self._numbers = np.where(self._column.present, self._numbers, self._column.values.index(""))
        self._counts_pods_of_node = counts_pods_of_node
        self._per_node = constraint.topology_key == HOSTNAME
        self._tolerated = float(constraint.max_skew - 1)
        self._counted = scored & counted_nodes(surroundings, pod, constraint)
        self._tally = matching_pods(surroundings, pod, constraint.selector)

    def scores(self, nodes: Integers) -> Floats:
        """The number of pods in each node's domain, the more weighty the more domains the candidates have."""
        present = self._column.present[nodes]
        if self._per_node:
            pods = self._tally.amounts[nodes] if self._counts_pods_of_node else np.zeros(len(nodes))
            return np.where(present, pods * math.log(len(nodes) + 2) + self._tolerated, 0.0)
        counts = np.bincount(self._numbers, weights=np.where(self._counted, self._tally.amounts, 0.0))
        numbers = self._numbers[nodes]
        weight = math.log(int(np.count_nonzero(np.bincount(numbers))) + 2)
        return np.where(present, counts[numbers] * weight + self._tolerated, 0.0)


def _default_constraints(surroundings: Surroundings, pod: Pod) -> list[SpreadConstraint]:
    owners = surroundings.relations.owners
    selector = owners.selector(pod) if owners else None
    if selector is None or selector.empty:
        return []
    return [SpreadConstraint(skew, key, selector) for key, skew in DEFAULT_SKEWS]


NAME = "nodeorder"


class NodeOrderPlugin(Plugin):
    """Score nodes by resources and by preferences.

    Amounts are whole numbers below 9e13 here. Up to there 100 times an amount is exact in float64, and a quotient below
    100 is never rounded up to a whole number, so that rounding it down is what the reference's integer division does.
    """

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.least = arguments.int("leastrequested.weight")
        self.most = arguments.int("mostrequested.weight")
        self.balanced = arguments.int("balancedresource.weight")
        self.node_affinity = arguments.int("nodeaffinity.weight")
        self.image_locality = arguments.int("imagelocality.weight")
        self.pod_affinity = arguments.int("podaffinity.weight")
        self.taints = arguments.int("tainttoleration.weight")
        self.topology_spread = arguments.int("podtopologyspread.weight")

    def on_session_open(self, session: Session) -> None:
        """Look at the cluster, and add the scores."""
        self.session = session
        behaviours = session.profile.nodeorder
        self.balances_all = behaviours.best_effort_balance == "scored"
        self.normalizes_affinity = behaviours.node_affinity_score == "normalized"
        self.scores_improvement = behaviours.balance_score == "improvement"
        self.counts_pods_of_node = behaviours.hostname_spread_score == "by-pods"
        self.surroundings = session.shared(Surroundings)
        self.resources = ResourceTable(session.nodes, live=self.surroundings.live)
        finds_images = self.image_locality and session.profile.nodeorder.image_locality == "scored"
        self.images = ImageTable([])
        if finds_images:
            nodes, mounted = session.nodes, behaviours.image_volumes == "counted"
            self.images = nodes.noted(
                f"images, {mounted}", lambda: ImageTable([node.object for node in nodes.nodes], mounted=mounted)
            )
        session.classes.add_signature(self.surroundings.signature)
        if self.images:
            session.classes.add_signature(lambda task: self.images.known(task.pod.spec))
        session.plugins.add(points.NODE_ORDER, NAME, StateScore(self.score, self.of_state))
        session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)

    # --- each node by itself -----------------------------------------------------------------------------------------

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """The sum of those scores of some nodes that depend on each node alone."""
        scorers = self._scorers(task_class)
        total = scorers.resources.of(nodes)
        return total if scorers.static is None else total + scorers.static[nodes]

    def of_state(self, task_class: EquivalenceClass) -> OfState[float] | None:
        """What gives this sum of one node; None where Kubernetes' plugins see nodes as they were."""
        if not self.surroundings.live:
            return None
        scorers = self._scorers(task_class)
        of_node, static = scorers.resources.of_node, scorers.static
        lasting = NAME, self.least, self.most, self.balanced, self.balances_all, self.scores_improvement
        if static is None:
            return OfState(of_node, of_class=(NAME, task_class.task.shape), lasting=lasting)
        return OfState(lambda node, state: of_node(node, state) + float(static[node]), [static], lasting=lasting)

    # --- the candidates compared -------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """The score where it is the same for every node whatever the candidates are, else None."""
        total = 0.0
        for comparison, weight in self._scorers(task_class).comparisons:
            constant = comparison.constant
            if constant is None:
                return None
            total += constant * weight
        return total

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """The score of each candidate."""
        total = np.zeros(len(candidates))
        for comparison, weight in self._scorers(task_class).comparisons:
            constant = comparison.constant
            total += (comparison.scores(candidates) if constant is None else constant) * weight
        return total

    # --- classes -----------------------------------------------------------------------------------------------------

    def _scorers(self, task_class: EquivalenceClass) -> _ClassScorers:
        scorers: _ClassScorers | None = task_class.notes.get(NAME)
        if scorers is None:
            requests = self.session.requests[task_class.task.shape]
            weights = self.least, self.most, self.balanced
            how = {"balances_all": self.balances_all, "by_improvement": self.scores_improvement}
            resources = ResourceScore(self.resources, requests, weights, **how)
            pod = task_class.pod
            comparisons: list[tuple[Comparison, int]] = []
            if self.node_affinity and self.normalizes_affinity:
                # The weightiest of a pod's preferred node affinity terms, in percent of the best candidate.
                # Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity.
                preference = self.surroundings.labels.preference(pod.spec)
                comparisons.append((Normalized(preference, reverse=False), self.node_affinity))
            if self.pod_affinity and self.surroundings.relations.active:
                comparisons.append((AffinityComparison(self.surroundings, pod), self.pod_affinity))
            if self.taints:
                # Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration.
                tolerations, numbers, effects = pod.spec.tolerations, None, (PREFER_NO_SCHEDULE,)
                if self.surroundings.taints.having(PREFER_NO_SCHEDULE):
                    numbers = self.surroundings.taints.each(
                        lambda taints: len(untolerated(taints, tolerations, effects))
                    )
                comparisons.append((Normalized(numbers, reverse=True), self.taints))
            if self.topology_spread and self.surroundings.relations.active:
                spread = SpreadComparison(self.surroundings, pod, counts_pods_of_node=self.counts_pods_of_node)
                comparisons.append((spread, self.topology_spread))
            scorers = task_class.notes[NAME] = _ClassScorers(resources, self._static(task_class.pod), comparisons)
        return scorers

    def _static(self, pod: Pod) -> Floats | None:
        """The weighted sum of the scores that no placement changes, None where it is 0 for all nodes."""
        static = self.node_affinity and not self.normalizes_affinity
        preference = self.surroundings.labels.preference(pod.spec) if static else None
        images = self.images.score(pod.spec) if self.images else None
        if preference is None:
            return None if images is None else images * self.image_locality
        weighted = preference * self.node_affinity
        return weighted if images is None else weighted + images * self.image_locality


class _ClassScorers(NamedTuple):
    """What is known about a class; `static` is what no placement changes."""

    resources: ResourceScore
    static: Floats | None
    comparisons: list[tuple[Comparison, int]]


GPU = "nvidia.com/gpu"
"""The only resource besides cpu and memory that counts for balance."""

_ZERO, _ONE, _HUNDRED = np.float64(0.0), np.float64(1.0), np.float64(100.0)
_PAIR = 2


class StateRows(NamedTuple):
    """Where the amounts that the scores look at stand in the state of a node; `gpu` only where there are any."""

    cpu: int
    memory: int
    gpu: int
    cpu_nonzero: int
    memory_nonzero: int

    @classmethod
    def of(cls, nodes: NodeTable) -> StateRows:
        """Look them up."""
        cpu, memory, gpu = nodes.rows(Block.REQUESTED, [CPU, MEMORY, GPU if GPU in nodes.row else CPU]).tolist()
        height = 4 * len(nodes.resources)
        return cls(cpu, memory, gpu, height, height + 1)


class ResourceTable:
    """What the scores look at: what nodes have to give, and what is requested of them.

    A resource that a node does not have is left out of its scores.
    """

    def __init__(self, nodes: NodeTable, *, live: bool) -> None:
        self.row = nodes.row
        self.state_rows = StateRows.of(nodes)
        self.allocatable = nodes.node_allocatable
        self.requested = nodes.requested if live else nodes.requested.copy()
        self.nonzero = nodes.nonzero if live else nodes.nonzero.copy()
        capacity = self.allocatable[:_PAIR]
        given = capacity > 0
        number = given.sum(axis=0)
        self._figures = np.vstack(
            [
                np.where(given, capacity, _ONE),
                np.where(given, _HUNDRED, _ZERO),
                np.where(number, _ONE / np.maximum(number, 1), _ZERO),
                np.where(number == _PAIR, _ONE / _PAIR, _ZERO),
            ]
        )

    def figures(self, nodes: Nodes) -> tuple[Floats, Floats, Floats, Floats]:
        """For some nodes cpu and memory, 100 or 0 for each, and the shares of their sum and difference."""
        figures = of_nodes(self._figures, nodes)
        return figures[:2], figures[2:4], figures[4], figures[5]

    def figures_of(self, node: int) -> list[float]:
        """Likewise the six figures of one node."""
        figures: list[float] = self._figures[:, node].tolist()
        return figures


class ResourceScore:
    """The three scores of a class, weighted."""

    def __init__(
        self,
        table: ResourceTable,
        requests: PodRequests,
        weights: tuple[int, int, int],
        *,
        balances_all: bool,
        by_improvement: bool,
    ) -> None:
        least, most, balanced = weights
        self._table, self._by_improvement = table, by_improvement
        self._least, self._most = np.float64(least), np.float64(most)
        asked = [requests.scoring[CPU], requests.scoring[MEMORY], requests.scoring.get(GPU, 0)]
        self._balanced = np.float64(balanced if balances_all or any(asked) else 0)
        self._nonzero = np.array(requests.scoring_nonzero, np.float64)[:, None]
        self._request = np.array(asked[:_PAIR], np.float64)[:, None]
        self._gpu = float(asked[_PAIR])
        self._asked, self._own = (float(asked[0]), float(asked[1])), tuple(map(float, requests.scoring_nonzero))

    def of(self, nodes: Nodes) -> Floats:
        """The sum of the scores of some nodes."""
        figures = capacity, percent, share, _ = self._table.figures(nodes)
        total = np.zeros(share.shape)
        if self._least or self._most:
            used = of_nodes(self._table.nonzero, nodes) + self._nonzero
            if self._least:
                total += self._least * _mean(np.maximum(capacity - used, _ZERO) * percent / capacity, share)
            if self._most:
                total += self._most * _mean(np.minimum(used, capacity) * percent / capacity, share)
        if self._balanced:
            balance = self._balance(nodes, figures)
            if self._by_improvement:
                # from 50, where the balance is lost, to 100, where it is gained
                balance = 50 + (50 + balance - self._balance(nodes, figures, _ZERO)) // 2
            total += self._balanced * balance
        return total

    def _balance(
        self, nodes: Nodes, figures: tuple[Floats, Floats, Floats, Floats], times: np.float64 = _ONE
    ) -> Floats:
        """How evenly some nodes with these figures are used with the pod on them as many times, in percent."""
        capacity, percent, _, half = figures
        requested = of_nodes(self._table.requested[:_PAIR], nodes) + self._request * times
        parts = np.minimum(requested / capacity, _ONE)
        deviation = np.abs(parts[0] - parts[1]) * half
        if self._gpu:
            row = self._table.row[GPU]
            gpus = self._table.allocatable[row][nodes]
            asked = self._table.requested[row][nodes] + self._gpu * times
            gpu = np.minimum(asked / np.where(gpus > 0, gpus, _ONE), _ONE)
            deviation = standard_deviation(np.vstack([parts, gpu]), np.vstack([percent, gpus]) > 0)
        balance: Floats = np.floor((_ONE - deviation) * _HUNDRED)
        return balance

    def of_node(self, node: int, state: Sequence[float]) -> float:
        """Likewise the sum of one node, of which the state is given."""
        figures = cpu, memory, cpu_percent, memory_percent, share, _ = self._table.figures_of(node)
        rows, (cpu_nonzero, memory_nonzero) = self._table.state_rows, self._own
        total = 0.0
        if self._least or self._most:
            cpu_used, memory_used = state[rows.cpu_nonzero] + cpu_nonzero, state[rows.memory_nonzero] + memory_nonzero
            if self._least:
                cpu_score = floor(max(cpu - cpu_used, 0.0) * cpu_percent / cpu)
                memory_score = floor(max(memory - memory_used, 0.0) * memory_percent / memory)
                total += float(self._least) * floor((cpu_score + memory_score) * share)
            if self._most:
                cpu_score = floor(min(cpu_used, cpu) * cpu_percent / cpu)
                memory_score = floor(min(memory_used, memory) * memory_percent / memory)
                total += float(self._most) * floor((cpu_score + memory_score) * share)
        if self._balanced:
            balance = self._balance_of(node, state, figures)
            if self._by_improvement:
                balance = int(50 + (50 + balance - self._balance_of(node, state, figures, 0.0)) // 2)
            total += float(self._balanced) * balance
        return total

    def _balance_of(self, node: int, state: Sequence[float], figures: Sequence[float], times: float = 1.0) -> int:
        """Likewise how evenly one node is used."""
        cpu, memory, cpu_percent, memory_percent, _, half = figures
        rows, (cpu_asked, memory_asked) = self._table.state_rows, self._asked
        cpu_part = min((state[rows.cpu] + cpu_asked * times) / cpu, 1.0)
        memory_part = min((state[rows.memory] + memory_asked * times) / memory, 1.0)
        if not self._gpu:
            return floor((1.0 - abs(cpu_part - memory_part) * half) * 100.0)
        parts = [part for part, percent in ((cpu_part, cpu_percent), (memory_part, memory_percent)) if percent]
        gpus = float(self._table.allocatable[self._table.row[GPU], node])
        if gpus > 0:
            parts.append(min((state[rows.gpu] + self._gpu * times) / gpus, 1.0))
        return floor((1.0 - _deviation_of(parts)) * 100.0)


def _mean(scores: Floats, share: Floats) -> Floats:
    whole = np.floor(scores)
    mean: Floats = np.floor((whole[0] + whole[1]) * share)
    return mean


def _deviation_of(parts: Sequence[float]) -> float:
    """The standard deviation of the parts of one node, as `standard_deviation` does for many."""
    if len(parts) < _PAIR:
        return 0.0
    if len(parts) == _PAIR:
        return (max(parts) - min(parts)) / _PAIR
    mean = (parts[0] + parts[1] + parts[2]) / len(parts)
    squares = [(part - mean) * (part - mean) for part in parts]
    return sqrt((squares[0] + squares[1] + squares[2]) / len(parts))


def standard_deviation(parts: Floats, given: Masks) -> Floats:
    """The standard deviation of those parts that are given, (parts, nodes); 0 for fewer than two."""
    number = given.sum(axis=0)
    divisor = np.maximum(number, 1)
    parts = np.where(given, parts, _ZERO)
    total = parts[0] + parts[1] + parts[2]
    squares = np.where(given, parts - total / divisor, _ZERO) ** 2
    deviation: Floats = np.sqrt((squares[0] + squares[1] + squares[2]) / divisor)
    highest, lowest = np.where(given, parts, -np.inf).max(axis=0), np.where(given, parts, np.inf).min(axis=0)
    deviation[number == _PAIR] = (highest - lowest)[number == _PAIR] / _PAIR
    deviation[number < _PAIR] = _ZERO
    return deviation


_MEBI = 1024 * 1024
SMALLEST = 23 * _MEBI
LARGEST = 1000 * _MEBI
"""What all of a pod's images count for at least, and at most for each container, in bytes."""

_MAX_IMAGE_SCORE = 100


class ImageTable:
    """The images on the nodes: where each is, and what it counts for.

    The larger a pod's images are that a node has, and the more nodes have them, the better the node. The reference
    counts the nodes that have an image when a node is added; here all nodes are known from the start.
    """

    def __init__(self, nodes: Sequence[NodeObject], *, mounted: bool = False) -> None:
        """Look for them.

        Args:
            nodes: the nodes.
            mounted: whether images count that a pod mounts as volumes.
        """
        self._where: dict[str, Masks] = {}
        self._mounted = mounted
        sizes: dict[str, int] = {}
        for number, node in enumerate(nodes):
            for image in node.status.images:
                for name in image.names:
                    sizes.setdefault(name, image.size_bytes)
                    self._where.setdefault(name, np.zeros(len(nodes), np.bool_))[number] = True
        self._counts = {
            name: int(float(sizes[name]) * (float(np.count_nonzero(where)) / float(len(nodes))))
            for name, where in self._where.items()
        }

    def __bool__(self) -> bool:
        return bool(self._where)

    def known(self, spec: PodSpec) -> tuple[int, tuple[str, ...]] | None:
        """The number of a pod's containers and the images that some node has, None where no node has any."""
        names = [normalized(container.image) for container in (*spec.init_containers, *spec.containers)]
        containers = len(names)
        if self._mounted:
            names += [normalized(volume.image.reference) for volume in spec.volumes if volume.image is not None]
        known = tuple(sorted(name for name in names if name in self._where))
        return (containers, known) if known else None

    def score(self, spec: PodSpec) -> Floats | None:
        """The score of every node, None where it is 0 for all."""
        known = self.known(spec)
        if known is None:
            return None
        containers, names = known
        total = np.sum([self._counts[name] * self._where[name].astype(np.int64) for name in names], axis=0)
        largest = LARGEST * containers
        clipped = np.clip(total, SMALLEST, largest)
        score: Floats = (_MAX_IMAGE_SCORE * (clipped - SMALLEST) // (largest - SMALLEST)).astype(np.float64)
        return score


def normalized(image: str) -> str:
    """The name of an image with its tag, which is `latest` where none is given."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
