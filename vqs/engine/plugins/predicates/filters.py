"""The filters: by a node's description, by host ports, by affinities between pods, and by topology spread.

* The stable filters look at the description alone: unschedulable, node affinity, taints. A refusal by one of them is
  final, so a node has one reason at most. Pods that agree in what they ask of a node share the result.
* Host ports: only one pod on a node may have each.
* Inter-pod affinity: pods that must be near, pods that must be far, and pods that want others to be far. Near and far
  are measured by a node label, the topology key: nodes with the same value are one domain.
* Topology spread constraints that must hold: the pods of a selector are spread evenly over the values of a node label.
  A pod's own constraints count; the ones that Kubernetes applies by default never forbid anything.

References in k8s.io/kubernetes/pkg/scheduler/framework/plugins: nodeunschedulable, nodeaffinity, tainttoleration,
nodeports (and HostPortInfo of k8s.io/kube-scheduler), interpodaffinity/filtering.go, podtopologyspread/filtering.go and
common.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Protocol

import msgspec
import numpy as np

from vqs.engine.nodes.pods import (
    ANY_ADDRESS,
    PodTerm,
    Port,
    SpreadConstraint,
    Surroundings,
    Tally,
    anchors_of,
    counted_nodes,
    matching_pods,
)
from vqs.engine.nodes.reasons import FITS, Codes, Reasons, distinct
from vqs.engine.nodes.selectors import FORBIDDING, UNSCHEDULABLE, LabelColumn
from vqs.engine.nodes.table import Integers, Masks, Nodes
from vqs.model.kubernetes import NodeSelector, Pod, PodSpec, Taint, Toleration
from vqs.model.selectors import tolerates, untolerated


@dataclass(frozen=True, slots=True)
class Verdict:
    """The nodes that are refused for one reason, and whether that ends their examination."""

    refused: Masks
    reason: str
    final: bool


class Filter(Protocol):
    """A filter made for one class of tasks."""

    @property
    def volatile(self) -> bool:
        """Whether placing a pod on one node may change the verdict on others."""

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Judge some nodes; none is refused twice."""


TEMPLATE_UID = "volcano.sh/template-uid"

TOO_MANY_PODS = "node(s) pod number exceeded"
NODE_UNSCHEDULABLE = "node(s) were unschedulable"
NODE_AFFINITY = "node(s) didn't match Pod's node affinity/selector"
TAINTED = "node(s) had untolerated taint(s)"
CACHED = "plugin equivalence cache predicates failed"


@dataclass(frozen=True, slots=True, eq=False)
class StableCodes:
    """The codes of all nodes for some pods: where there is room for one more, and where there are too many already.

    Pods that agree in what they ask of a node have one in common, so that they are compared by identity. `numbers` are
    the pairs of such codes.
    """

    roomy: Codes
    crowded: Codes
    fits: Masks
    numbers: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, codes: Codes, reasons: Reasons) -> StableCodes:
        """Add the codes of crowded nodes: the number of pods is found exceeded first."""
        crowded = np.zeros_like(codes)
        numbers = {code: reasons.code(TOO_MANY_PODS, *reasons.texts(code)) for code in distinct(codes)}
        for code, number in numbers.items():
            crowded[codes == code] = number
        return cls(codes, crowded, codes == FITS, (*numbers.items(),))


class StableFilters:
    """The stable filters of a session, and their results."""

    def __init__(
        self,
        surroundings: Surroundings,
        reasons: Reasons,
        *,
        node_affinity: bool,
        taints: bool,
        names_taint: bool,
    ) -> None:
        self._labels = surroundings.labels
        self._taints = surroundings.taints
        self._reasons = reasons
        self._node_affinity = node_affinity
        self._taints_enabled = taints
        self._names_taint = names_taint
        self._results: dict[Hashable, StableCodes] = {}

    def codes(self, spec: PodSpec) -> StableCodes:
        """The codes of all nodes for a pod."""
        key = self.key(spec)
        result = self._results.get(key)
        if result is None:
            # What is examined first is written last.
            codes: Codes = np.full(len(self._taints.numbers), FITS, np.int32)
            if self._taints_enabled and any(self._taints.having(effect) for effect in FORBIDDING):
                codes = self._taints.each(partial(self._taint_code, spec.tolerations)).astype(np.int32)
            allowed = self._labels.required(spec) if self._node_affinity else None
            if allowed is not None:
                codes[~allowed] = self._reasons.describe(NODE_AFFINITY)
            if self._taints.unschedulable.any() and not tolerates(spec.tolerations, UNSCHEDULABLE):
                codes[self._taints.unschedulable] = self._reasons.describe(NODE_UNSCHEDULABLE)
            result = self._results[key] = StableCodes.of(codes, self._reasons)
        return result

    def key(self, spec: PodSpec) -> Hashable:
        """What pods of the same result have in common."""
        required = required_affinity(spec) if self._node_affinity else None
        return (
            tuple(sorted(spec.node_selector.items())) if self._node_affinity else (),
            None if required is None else msgspec.json.encode(required),
            self._taints.tolerated(spec.tolerations),
        )

    def _taint_code(self, tolerations: Sequence[Toleration], taints: tuple[Taint, ...]) -> int:
        forbidding = untolerated(taints, tolerations, FORBIDDING)
        if not forbidding:
            return FITS
        first = forbidding[0]
        named = f"node(s) had untolerated taint {{{first.key}: {first.value}}}"
        return self._reasons.describe(named if self._names_taint else TAINTED)


def required_affinity(spec: PodSpec) -> NodeSelector | None:
    """The node affinity that a pod requires, None where it requires none."""
    affinity = spec.affinity.node_affinity if spec.affinity else None
    return affinity.required if affinity else None


class EquivalenceCache:
    """What `predicate.CacheEnable` does: of the pods of a template, each node judges the first that it is asked about.

    What it said is reused whenever it is asked again in the session, for whichever pod of the template, and without the
    reasons.
    """

    def __init__(self, filters: StableFilters, reasons: Reasons) -> None:
        self._filters = filters
        self._reasons = reasons
        self._first: dict[str, tuple[Masks, Masks]] = {}  # which nodes were asked, and which of them refused
        self._answers: dict[tuple[str, StableCodes], StableCodes] = {}

    def codes(self, pod: Pod) -> StableCodes:
        """The codes of all nodes for a pod: of those that were asked about its template, what they said then."""
        own, uid = self._filters.codes(pod.spec), template(pod)
        if uid not in self._first:
            return own
        answer = self._answers.get((uid, own))
        if answer is None:
            asked, refused = self._first[uid]
            codes = np.where(asked, np.where(refused, self._reasons.code(CACHED), FITS), own.roomy).astype(np.int32)
            answer = self._answers[uid, own] = StableCodes.of(codes, self._reasons)
        return answer

    def note(self, pod: Pod, nodes: Integers) -> Integers:
        """Take note of what some nodes have said of a pod; return those that had not been asked before."""
        own, uid = self._filters.codes(pod.spec), template(pod)
        asked, refused = self._first.setdefault(uid, (np.zeros_like(own.fits), np.zeros_like(own.fits)))
        new = nodes[~asked[nodes]]
        asked[new] = True
        refused[new] = ~own.fits[new]
        self._answers.clear()
        return new


def template(pod: Pod) -> str:
    """The template that a pod was made from, empty where that is not known."""
    return pod.metadata.annotations.get(TEMPLATE_UID, "")


PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"


class PortTable:
    """The host ports in use, by protocol and number, then by address, on each node.

    A port is in use or not; it is not counted. Two pods cannot have the same one, unless they were placed by hand.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._used: dict[tuple[str, int], dict[str, Masks]] = {}

    def set(self, ports: tuple[Port, ...], node: int, *, used: bool) -> None:
        """Note that ports of a node are in use now, or free."""
        for address, protocol, number in ports:
            addresses = self._used.setdefault((protocol, number), {})
            if address not in addresses:
                addresses[address] = np.zeros(self._width, np.bool_)
            addresses[address][node] = used

    def taken(self, port: Port, nodes: Nodes) -> Masks:
        """On which nodes a port cannot be had. A port of all addresses is in the way of any, and the reverse."""
        address, protocol, number = port
        addresses = self._used.get((protocol, number), {})
        wanted = addresses if address == ANY_ADDRESS else (address, ANY_ADDRESS)
        found = [addresses[other][nodes] for other in wanted if other in addresses]
        return reduce(np.logical_or, found) if found else np.zeros(self._width, np.bool_)[nodes]


class PortFilter:
    """The host ports a class wants."""

    volatile = False

    def __init__(self, table: PortTable, ports: tuple[Port, ...]) -> None:
        self._table = table
        self._ports = ports

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes where one of the ports is taken."""
        taken = self._table.taken(self._ports[0], nodes)
        for port in self._ports[1:]:
            taken = taken | self._table.taken(port, nodes)
        yield Verdict(taken, PORTS_TAKEN, final=False)


NEAR = "node(s) didn't match pod affinity rules"
FAR = "node(s) didn't match pod anti-affinity rules"
AGAINST = "node(s) didn't satisfy existing pods anti-affinity rules"

_NO_LABELS: dict[str, str] = {}


class AffinityFilter:
    """The inter-pod affinities that a class is subject to, its own and those of others."""

    def __init__(self, surroundings: Surroundings, pod: Pod, *, final: bool) -> None:
        self._final = final
        relations = surroundings.relations
        terms = relations.terms(pod)
        self._near = _Near(surroundings, pod, [term.resolved(relations.namespaces) for term in terms.affinity])
        far = [term.resolved(relations.namespaces) for term in terms.anti_affinity]
        self._far = _domains(surroundings, far, held=False)
        heard = surroundings.with_anti_affinity.any()
        against = relations.about(pod, relations.anti_affinity) if heard else []
        self._against = _domains(surroundings, against, held=True)

    @property
    def volatile(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._near.terms or self._far or self._against)

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse nodes by the pod's affinity, then by its anti-affinity, then by that of others."""
        if self._near.terms:
            refused = self._near.refused()
            yield Verdict(refused[nodes], NEAR, final=True)
        far = _occupied(self._far)
        if far is not None:
            yield Verdict(far[nodes], FAR, final=self._final)
        against = _occupied(self._against)
        if against is not None:
            yield Verdict((against if far is None else against & ~far)[nodes], AGAINST, final=self._final)


class _Near:
    """What must be near: for each term, a pod that meets all of them must be in the node's domain."""

    def __init__(self, surroundings: Surroundings, pod: Pod, terms: list[PodTerm]) -> None:
        self.terms = terms
        if not terms:
            return
        keys = sorted({term.topology_key for term in terms})
        self._columns = [surroundings.labels.column(key) for key in keys]
        self._complete: Masks = np.logical_and.reduce([column.present for column in self._columns])
        self._counted: Masks = np.logical_or.reduce([column.present for column in self._columns])
        self._tally = surroundings.ledger.tally(
            ("near", *terms), lambda kind: all(term.selects_kind(kind) for term in terms), anchors_of(terms[:1])
        )
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        self._meets_itself = all(term.selects(namespace, _NO_LABELS, labels) for term in terms)

    def refused(self) -> Masks:
        """Which nodes have nothing near.

        The first pod of those that want to be near to each other goes anywhere, as long as the node has all labels.
        """
        if self._meets_itself and not self._tally.amounts[self._counted].any():
            return ~self._complete
        near = self._complete
        for column in self._columns:
            near = near & (column.totals(self._tally.amounts) > 0)
        return ~near


_Domains = tuple[LabelColumn, Tally]


def _domains(surroundings: Surroundings, terms: Iterable[PodTerm], *, held: bool) -> list[_Domains]:
    """By the topology key of some terms: a label of the nodes, and a tally of the pods that the terms are about.

    Where they are `held`, it is a tally of the pods that have one of them as their anti-affinity. These count on nodes
    that had a pod with required anti-affinity when the session opened, and nowhere else: the reference does not bring
    its list of these nodes up to date.
    """
    groups: dict[str, frozenset[PodTerm]] = {}
    for term in terms:
        groups[term.topology_key] = groups.get(term.topology_key, frozenset()) | {term}
    ledger, found = surroundings.ledger, list[_Domains]()
    for key, group in groups.items():
        if held:
            tally = ledger.tally(
                ("holding", group),
                partial(lambda group, kind: any(term in group for term in kind.terms.anti_affinity), group),
                tuple(group),
                surroundings.with_anti_affinity,
            )
        else:
            tally = ledger.tally(
                ("selected", group),
                partial(lambda group, kind: any(term.selects_kind(kind) for term in group), group),
                anchors_of(group),
            )
        found.append((surroundings.labels.column(key), tally))
    return found


def _occupied(domains: list[_Domains]) -> Masks | None:
    """Which nodes share a domain with a counted pod, None where nothing is counted."""
    occupied: Masks | None = None
    for column, tally in domains:
        found = column.totals(tally.amounts) > 0
        occupied = found if occupied is None else occupied | found
    return occupied


SKEWED = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{SKEWED} (missing required label)"


class SpreadFilter:
    """The constraints of a class."""

    volatile = True

    def __init__(self, surroundings: Surroundings, pod: Pod, constraints: list[SpreadConstraint]) -> None:
        columns = [surroundings.labels.column(constraint.topology_key) for constraint in constraints]
        complete = np.logical_and.reduce([column.present for column in columns])
        self._balances = [_Balance(surroundings, pod, constraint, complete) for constraint in constraints]

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse a node by the first constraint that it does not meet."""
        going: Masks | None = None
        for balance in self._balances:
            missing, skewed = balance.missing[nodes], balance.skewed()[nodes]
            if going is not None:
                missing, skewed = missing & going, skewed & going
            yield Verdict(missing, NO_LABEL, final=True)
            yield Verdict(skewed, SKEWED, final=False)
            going = ~(missing | skewed) if going is None else going & ~(missing | skewed)


class _Balance:
    """One constraint: the pods in each domain, and the domains that the smallest number is taken from."""

    def __init__(self, surroundings: Surroundings, pod: Pod, constraint: SpreadConstraint, complete: Masks) -> None:
        self._column = surroundings.labels.column(constraint.topology_key)
        self._counted = complete & counted_nodes(surroundings, pod, constraint)
        self._tally = matching_pods(surroundings, pod, constraint.selector)
        self._domains = np.unique(self._column.numbers[self._counted])
        self._min_domains = constraint.min_domains
        self._limit = constraint.max_skew - constraint.selector.matches(pod.metadata.labels)
        self.missing = ~self._column.present

    def skewed(self) -> Masks:
        """On which nodes one more pod would be more above the smallest number than is allowed."""
        numbers = self._column.sums(np.where(self._counted, self._tally.amounts, 0.0))
        enough = len(self._domains) >= self._min_domains
        smallest = numbers[self._domains].min() if enough and len(self._domains) else 0.0
        skewed: Masks = (numbers - smallest > self._limit)[self._column.numbers]
        return skewed & self._column.present
