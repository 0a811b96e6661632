"""The network of a session: a virtual top above all HyperNodes, and what jobs ask for and hold already."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, group, hyper_node, node, open_session, pod, queue
from vqs.engine.framework.topology import TOP
from vqs.model.hypernode import TopologyConstraint

TREE = [
    *(node(f"n{at}") for at in range(4)),
    hyper_node("a", 1, nodes=["n0", "n1"], tier_name="rack"),
    hyper_node("b", 1, nodes=["n2"]),
    hyper_node("s", 2, members=["a", "b"], tier_name="zone"),
    queue("default"),
]


def constraint(asked: Object) -> TopologyConstraint | None:
    """Return what becomes of a job's constraint when the session opens."""
    session = open_session([*TREE, group("j", networkTopology=asked), pod("j-0", "j")])
    return session.jobs["ns/j"].sub_jobs["ns/j"].topology


def test_the_top_is_one_tier_above_all_and_holds_every_node() -> None:
    """Without HyperNodes it is of tier 1."""
    topology = open_session(TREE).topology
    assert (topology.by_name[TOP].tier, topology.tiers) == (3, [1, 2, 3])
    assert topology.members[TOP].tolist() == [0, 1, 2, 3]
    assert topology.below(TOP) == [TOP, "s", "a", "b"]
    assert open_session([node("n0"), queue("default")]).topology.tiers == [1]


def test_the_lowest_common_hyper_node_is_above_both() -> None:
    """Nothing in common with nothing is the other one; with what is gone, nothing is."""
    topology = open_session(TREE).topology
    pairs = (("a", "b"), ("a", "a"), ("s", "b"), ("", "b"), ("a", TOP), ("a", "gone"), ("gone", "a"))
    assert [topology.lowest_common(*pair) for pair in pairs] == ["s", "a", "s", "b", TOP, "", ""]


def test_a_name_of_a_tier_stands_for_the_tier() -> None:
    """One that no HyperNode has stays a name, and limits nothing."""
    assert constraint({"mode": "hard", "highestTierName": "zone"}) == TopologyConstraint(True, 2)
    unknown = constraint({"mode": "hard", "highestTierName": "galaxy"})
    assert unknown is not None
    assert unknown.limit is None


def test_a_soft_constraint_is_a_hard_one_up_to_the_top() -> None:
    """What it says of tiers does not matter."""
    assert constraint({"mode": "soft", "highestTierAllowed": 1}) == TopologyConstraint(True, 3)


def test_a_soft_sub_job_stays_within_the_limit_of_its_job() -> None:
    """Its tasks come near to each other as far as the job allows."""
    policy = {"name": "p", "matchLabelKeys": ["part"], "networkTopology": {"mode": "soft"}}
    asked = {"mode": "hard", "highestTierAllowed": 2}
    member = pod("j-0", "j", labels={"part": "1"})
    session = open_session([*TREE, group("j", networkTopology=asked, subGroupPolicy=[policy]), member])
    (sub_job,) = session.jobs["ns/j"].sub_jobs.values()
    assert sub_job.topology == TopologyConstraint(True, 2)


def test_what_runs_tells_which_hyper_node_a_job_holds() -> None:
    """It is the lowest one that has all nodes of its tasks; a task that is leaving does not count."""

    def held(*nodes: str) -> str:
        asked = {"mode": "hard", "highestTierAllowed": 2}
        members = [pod(f"j-{at}", "j", node=name) for at, name in enumerate(nodes)]
        gone = pod("j-gone", "j", node="n3", deleted=True)
        job = open_session([*TREE, group("j", phase="Running", networkTopology=asked), *members, gone]).jobs["ns/j"]
        return job.allocated_hyper_node

    assert [held("n0"), held("n0", "n1"), held("n0", "n2"), held("n0", "n3"), held()] == ["a", "a", "s", TOP, ""]


@given(st.lists(st.integers(-1, 6), min_size=8, max_size=8), st.integers(0, 7), st.integers(0, 7))
def test_the_lowest_common_hyper_node_is_found_in_both_lines(parents: list[int], one: int, other: int) -> None:
    """On random trees, it is the first of either line that is in the other."""
    members: dict[int, list[str]] = {}
    for child, parent in enumerate(parents):
        if 0 <= parent < child:
            members.setdefault(parent, []).append(f"h{child}")
    made = [hyper_node(f"h{at}", 9 - at, members=members.get(at, [])) for at in range(8)]
    topology = open_session([node("n"), queue("default"), *made]).topology
    left, right = list(topology.line(f"h{one}")), list(topology.line(f"h{other}"))
    common = topology.lowest_common(f"h{one}", f"h{other}")
    assert common == next(name for name in left if name in right)
    assert common == topology.lowest_common(f"h{other}", f"h{one}")
