"""The labels and taints of all nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import (
    CONF,
    NOW,
    Object,
    gang,
    group,
    manifests,
    node,
    node_shard,
    placements,
    pod,
    queue,
)
from tests.engine.crowds import PREEMPT, RECLAIM, classes, evicted, promised, running
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import SessionOptions
from vqs.engine.nodes.selectors import OUTSIDE, NodeLabels, NodeTaints
from vqs.explain.simulate import notice_gaps
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
from vqs.snapshot.cluster.build import build_cluster


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


DEFAULT = queue("default")
TOPOLOGY_AWARE = PREEMPT + 'configurations:\n- name: preempt\n  arguments: {enableTopologyAwarePreemption: "true"}\n'


def run(mode: str, objects: list[Any], conf: str = CONF, *, shard: Object | None = None) -> FinishedSession:
    """Run a session of a scheduler that is started with some mode; its shard has the node in."""
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "flags": {"scheduler-sharding-mode": mode}}
    read = manifests([scenario, shard or node_shard("volcano", "in"), DEFAULT, *objects], conf)
    session = scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW))
    notice_gaps(session)
    return scheduler.run_actions(session)


@pytest.mark.parametrize(("mode", "chosen"), [("hard", "in"), ("soft", "in"), ("none", "out")])
def test_allocate_takes_a_node_of_the_shard(mode: str, chosen: str) -> None:
    """Though one outside has a better score."""
    session = run(mode, [node("in", 4), node("out", 64, "512Gi"), gang("j", 1)])
    assert placements(session)["j-worker-0"] == ("Binding", chosen)


def test_hard_mode_refuses_other_nodes() -> None:
    """The reason is that of the reference, whatever else is wrong with the node."""
    session = run("hard", [node("in", 1), node("out", 8), node("small", 1), gang("j", 1, cpu=2)])
    assert session.jobs["ns/j"].fit_errors["j-worker-0"].message() == (
        f"0/3 nodes are unavailable: 1 Insufficient cpu, 2 {OUTSIDE}."
    )


def test_soft_mode_takes_other_nodes_before_it_waits() -> None:
    """Idle resources outside come before resources in the shard that are being released."""
    leaving = [group("r", phase="Running"), pod("r-0", "r", cpu=4, node="in", deleted=True)]
    session = run("soft", [node("in", 4), node("out", 4), *leaving, gang("j", 1)])
    assert placements(session)["j-worker-0"] == ("Binding", "out")


def test_soft_mode_waits_in_the_shard_first() -> None:
    """Of nodes that will have room, those of the shard come first."""
    leaving = [group("r", phase="Running")]
    leaving += [pod(f"r-{name}", "r", cpu=4, node=name, deleted=True) for name in ("a-out", "in")]
    session = run("soft", [node("in", 4), node("a-out", 4), *leaving, gang("j", 1)])
    assert placements(session)["j-worker-0"] == ("Pipelined", "in")


@pytest.mark.parametrize(("mode", "chosen"), [("hard", "in"), ("soft", "in"), ("none", "a-out")])
def test_backfill_takes_a_node_of_the_shard(mode: str, chosen: str) -> None:
    """Though one outside has the lower name."""
    tasks = [group("b"), pod("b-w-0", "b", best_effort=True)]
    assert placements(run(mode, [node("in"), node("a-out"), *tasks]))["b-w-0"] == ("Binding", chosen)


@pytest.mark.parametrize("conf", [PREEMPT, TOPOLOGY_AWARE])
@pytest.mark.parametrize(("mode", "chosen"), [("hard", "in"), ("soft", "in"), ("none", "a-out")])
def test_preempt_evicts_in_the_shard(mode: str, chosen: str, conf: str) -> None:
    """Though a node outside has the lower name."""
    session = run(mode, [*crowd("in", "a-out"), gang("w", 1, priorityClassName="high")], conf)
    assert promised(session) == {"w-worker-0": chosen}
    assert len(evicted(session)) == 1


@pytest.mark.parametrize("conf", [PREEMPT, TOPOLOGY_AWARE])
@pytest.mark.parametrize(("mode", "chosen"), [("hard", {}), ("soft", {"w-worker-0": "out"})])
def test_preempt_goes_outside_where_the_shard_has_no_victims(mode: str, chosen: dict[str, str], conf: str) -> None:
    """In soft mode."""
    full = [group("f", 1, "Running", priorityClassName="high"), pod("f-0", "f", cpu=4, node="in")]
    session = run(mode, [node("in", 4), *full, *crowd("out"), gang("w", 1, priorityClassName="high")], conf)
    assert promised(session) == chosen


@pytest.mark.parametrize(("mode", "chosen"), [("hard", "in"), ("soft", "in"), ("none", "a-out")])
def test_reclaim_evicts_in_the_shard(mode: str, chosen: str) -> None:
    """Though a node outside comes first."""
    rich = [node("in", 4), node("a-out", 4), running("r", *["in"] * 4, *["a-out"] * 4, queue="rich")]
    free = RECLAIM.replace("  - name: gang", "  - name: gang\n    enableReclaimable: false")
    session = run(mode, [*rich, queue("rich"), queue("poor"), gang("w", 1, queue="poor")], free)
    assert promised(session) == {"w-worker-0": chosen}


def test_resources_outside_count_as_resources_of_the_cluster() -> None:
    """What a queue deserves does not depend on the shard."""
    session = run("hard", [node("in", 4), node("out", 4), gang("j", 8, 1)])
    assert session.total_resource.milli_cpu == 8000


@pytest.mark.parametrize(
    ("mode", "shard", "code"),
    [
        ("hard", node_shard("agent", "in"), "no-node-shard"),
        ("none", None, "sharding-off"),
        ("hard", node_shard("volcano", "in", "gone"), "unknown-shard-node"),
    ],
)
def test_flags_and_shards_that_do_not_go_together_are_told(mode: str, shard: Object | None, code: str) -> None:
    """With a code for each."""
    session = run(mode, [node("in"), gang("j", 1)], shard=shard)
    assert [each.code for each in session.notices if "shard" in each.code] == [code]


def crowd(*names: str) -> list[Any]:
    """Make nodes that are full of tasks of a low priority."""
    pods = [pod(f"r-{name}", "r", cpu=4, node=name) for name in names]
    return [*classes(), *(node(name, 4) for name in names), group("r", 0, "Running", priorityClassName="low"), *pods]
