"""The labels and taints of all nodes."""

from __future__ import annotations

import numpy as np
import pytest

from vqs.engine.nodes.selectors import NodeLabels, NodeTaints
from vqs.model.kubernetes import (
    Affinity,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    NodeSpec,
    ObjectMeta,
    PodSpec,
    PreferredSchedulingTerm,
    Taint,
    Toleration,
)


def labelled(*labels: dict[str, str]) -> NodeLabels:
    """Make nodes n0, n1, ... with labels."""
    return NodeLabels([Node(ObjectMeta(name=f"n{i}", labels=each)) for i, each in enumerate(labels)])


def tainted(*taints: list[Taint], unschedulable: bool = False) -> NodeTaints:
    """Make nodes with taints."""
    return NodeTaints([Node(spec=NodeSpec(unschedulable=unschedulable, taints=each)) for each in taints])


def test_a_label_of_all_nodes_sums_by_value() -> None:
    """Amounts are summed over nodes with the same value; nodes without the label get nothing."""
    column = labelled({"zone": "a"}, {}, {"zone": "b"}, {"zone": "a"}).column("zone")
    amounts = np.where(column.present, 3.0, 1.0)
    assert column.totals(amounts).tolist() == [6.0, 0.0, 3.0, 6.0]
    assert column.sums(amounts).tolist() == [6.0, 3.0, 1.0]


def test_node_selector_terms_are_alternatives() -> None:
    """One term is enough, and within a term everything must hold, on labels and on the name."""
    nodes = labelled({"disk": "ssd"}, {"disk": "ssd"}, {"disk": "hdd"}, {})
    ssd = NodeSelectorRequirement("disk", "In", ["ssd"])
    first = NodeSelectorRequirement("metadata.name", "In", ["n0"])
    none = NodeSelectorRequirement("disk", "DoesNotExist")
    terms = [NodeSelectorTerm([ssd], [first]), NodeSelectorTerm([none])]
    assert nodes.selected(NodeSelector(terms)).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    "term",
    [
        NodeSelectorTerm(),
        NodeSelectorTerm([NodeSelectorRequirement("disk", "In", [])]),
        NodeSelectorTerm([NodeSelectorRequirement("disk", "Gt", ["many"])]),
        NodeSelectorTerm([NodeSelectorRequirement("disk", "Exists"), NodeSelectorRequirement("disk", "?", ["1"])]),
        NodeSelectorTerm([], [NodeSelectorRequirement("metadata.name", "In", ["n0", "n1"])]),
        NodeSelectorTerm([], [NodeSelectorRequirement("metadata.name", "Exists")]),
        NodeSelectorTerm([], [NodeSelectorRequirement("spec.unschedulable", "In", ["true"])]),
    ],
)
def test_terms_that_require_nothing_or_nonsense_select_no_node(term: NodeSelectorTerm) -> None:
    """Such a term is never met, whatever else it says."""
    assert not labelled({"disk": "ssd"}, {}).meeting(term).any()


def test_a_node_selector_without_terms_selects_nothing() -> None:
    """Required node affinity without a term leaves no node."""
    spec = PodSpec(affinity=Affinity(node_affinity=NodeAffinity(required=NodeSelector())))
    allowed = labelled({}, {}).required(spec)
    assert allowed is not None
    assert not allowed.any()


def test_a_pod_without_wishes_may_go_anywhere() -> None:
    """Without node selector and node affinity there is nothing to decide."""
    nodes = labelled({}, {})
    assert nodes.required(PodSpec()) is None
    assert nodes.required(PodSpec(affinity=Affinity())) is None
    assert nodes.preference(PodSpec()) is None


def test_node_selector_and_node_affinity_must_both_hold() -> None:
    """A pod may have both, and goes where both allow it."""
    ssd = NodeSelectorTerm([NodeSelectorRequirement("disk", "In", ["ssd"])])
    affinity = Affinity(node_affinity=NodeAffinity(required=NodeSelector([ssd])))
    spec = PodSpec(node_selector={"zone": "a"}, affinity=affinity)
    allowed = labelled({"disk": "ssd", "zone": "a"}, {"disk": "ssd"}, {"zone": "a"}).required(spec)
    assert allowed is not None
    assert allowed.tolist() == [True, False, False]


def test_preferences_add_up() -> None:
    """A node gets the weights of all preferred terms that it meets; an empty term is met by none."""
    ssd = NodeSelectorTerm([NodeSelectorRequirement("disk", "In", ["ssd"])])
    zone = NodeSelectorTerm([NodeSelectorRequirement("zone", "Exists")])
    preferred = [PreferredSchedulingTerm(w, t) for w, t in ((5, ssd), (7, zone), (9, NodeSelectorTerm()))]
    spec = PodSpec(affinity=Affinity(node_affinity=NodeAffinity(preferred=preferred)))
    weights = labelled({"disk": "ssd", "zone": "a"}, {"disk": "ssd"}, {}).preference(spec)
    assert weights is not None
    assert weights.tolist() == [12.0, 5.0, 0.0]


def test_nodes_share_sets_of_taints() -> None:
    """Each distinct set is decided once, for all nodes that have it."""
    taints = tainted([Taint("a", "", "NoSchedule")], [], [Taint("a", "", "NoSchedule")])
    asked: list[int] = []

    def decide(each: tuple[Taint, ...]) -> float:
        asked.append(len(each))
        return len(each)

    assert taints.each(decide).tolist() == [1.0, 0.0, 1.0]
    assert asked == [1, 0]


def test_pods_are_told_apart_by_the_taints_they_tolerate() -> None:
    """Tolerations of taints that no node has make no difference."""
    taints = tainted([Taint("a", "", "NoSchedule")], unschedulable=True)
    irrelevant = Toleration(key="node.kubernetes.io/not-ready", operator="Exists", effect="NoExecute")
    assert taints.tolerated([irrelevant]) == taints.tolerated([])
    assert len(taints.tolerated([Toleration(operator="Exists")])) == 2


def test_taints_that_only_some_effect_matters_for() -> None:
    """It is known at once whether any node has a taint of an effect."""
    taints = tainted([Taint("a", "", "NoSchedule")], [])
    assert taints.having("NoSchedule")
    assert not taints.having("PreferNoSchedule")
