"""Inter-pod affinity: pods that must be near, pods that must be far, and pods that want others to be far.

Near and far are measured by a node label, the topology key: nodes with the same value are one domain.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from vqs.engine.nodes.pods import PodKind, PodTerm, Surroundings, Tally, anchors_of
from vqs.engine.nodes.selectors import LabelColumn
from vqs.engine.nodes.table import Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.model.kubernetes import Pod

NEAR = "node(s) didn't match pod affinity rules"
FAR = "node(s) didn't match pod anti-affinity rules"
AGAINST = "node(s) didn't satisfy existing pods anti-affinity rules"

_NO_LABELS: dict[str, str] = {}


class AffinityFilter:
    """The inter-pod affinities that a class is subject to, its own and those of others."""

    def __init__(self, surroundings: Surroundings, pod: Pod) -> None:
        relations = surroundings.relations
        terms = relations.terms(pod)
        self._near = _Near(surroundings, pod, [term.resolved(relations.namespaces) for term in terms.affinity])
        far = _by_topology_key(term.resolved(relations.namespaces) for term in terms.anti_affinity)
        self._far = [_selected(surroundings, key, group) for key, group in far.items()]
        against = _by_topology_key(_terms_against(surroundings, pod))
        self._against = [_holding(surroundings, key, group) for key, group in against.items()]

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
            yield Verdict(far[nodes], FAR, final=False)
        against = _occupied(self._against)
        if against is not None:
            yield Verdict((against if far is None else against & ~far)[nodes], AGAINST, final=False)


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

        def weigh(kind: PodKind) -> float:
            return all(term.selects_kind(kind) for term in terms)

        self._tally = surroundings.ledger.tally(("near", *terms), weigh, anchors_of(terms[:1]))
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        self._meets_itself = all(term.selects(namespace, _NO_LABELS, labels) for term in terms)

    def refused(self) -> Masks:
        """Tell which nodes have nothing near.

        The first pod of those that want to be near to each other goes anywhere, as long as the node has all labels.
        """
        if self._meets_itself and not self._tally.amounts[self._counted].any():
            return ~self._complete
        near = self._complete
        for column in self._columns:
            near = near & (column.totals(self._tally.amounts) > 0)
        return ~near


_Domains = tuple[LabelColumn, Tally]


def _terms_against(surroundings: Surroundings, pod: Pod) -> list[PodTerm]:
    """Return the anti-affinity terms of any pod that are about this one."""
    if not surroundings.with_anti_affinity.any():
        return []
    return surroundings.relations.about(pod, surroundings.relations.anti_affinity)


def _by_topology_key(terms: Iterable[PodTerm]) -> dict[str, frozenset[PodTerm]]:
    groups: dict[str, frozenset[PodTerm]] = {}
    for term in terms:
        groups[term.topology_key] = groups.get(term.topology_key, frozenset()) | {term}
    return groups


def _selected(surroundings: Surroundings, key: str, terms: frozenset[PodTerm]) -> _Domains:
    """Return a label of the nodes, and a tally of the pods that some terms are about."""

    def weigh(kind: PodKind) -> float:
        return any(term.selects_kind(kind) for term in terms)

    tally = surroundings.ledger.tally(("selected", terms), weigh, anchors_of(terms))
    return surroundings.labels.column(key), tally


def _holding(surroundings: Surroundings, key: str, terms: frozenset[PodTerm]) -> _Domains:
    """Return a label of the nodes, and a tally of the pods that have one of some terms as their anti-affinity.

    They count on nodes that had a pod with required anti-affinity when the session opened, and nowhere else: the
    reference does not bring its list of these nodes up to date.
    """

    def weigh(kind: PodKind) -> float:
        return any(term in terms for term in kind.terms.anti_affinity)

    tally = surroundings.ledger.tally(("holding", terms), weigh, tuple(terms), surroundings.with_anti_affinity)
    return surroundings.labels.column(key), tally


def _occupied(domains: list[_Domains]) -> Masks | None:
    """Tell which nodes share a domain with a counted pod, None where nothing is counted."""
    occupied: Masks | None = None
    for column, tally in domains:
        found = column.totals(tally.amounts) > 0
        occupied = found if occupied is None else occupied | found
    return occupied
