"""allocate, as it was before plugins chose HyperNodes, tries all HyperNodes of the lowest tier that serves."""

from __future__ import annotations

from tests.build import Object, gang, group, node, placements, pod, queue, run, switched
from tests.engine.actions.test_hyper_nodes import LEAF, NEAR, SPINE, TREE, nodes_of
from vqs.engine.framework.session import Session

OLD = switched(hyper_node_search="tier-by-tier", held_hyper_node="annotation", topology_node_scores="nearness")


def ran(*objects: Object | list[Object]) -> Session:
    """Run the actions on the HyperNodes a and b below s, and c, with some objects more."""
    return run([*TREE, *objects], NEAR, profile=OLD)


def test_the_lowest_tier_that_serves_is_taken() -> None:
    """Two tasks fit into a leaf, four into a spine."""
    session = ran(gang("large", 4, cpu=2, networkTopology=SPINE))
    assert nodes_of(session, "large") == {"n0", "n1", "n2", "n3"}
    assert session.jobs["ns/large"].allocated_hyper_node == "s"
    assert len(nodes_of(ran(gang("small", 2, cpu=2, networkTopology=SPINE)), "small")) == 2


def test_the_hyper_node_whose_nodes_score_highest_is_taken() -> None:
    """By default, that is where most is idle: not where something runs."""
    busy = [group("r", phase="Running"), *(pod(f"r-{at}", "r", cpu=1, node=f"n{at}") for at in (2, 3, 4, 5))]
    session = ran(busy, gang("j", 2, networkTopology=LEAF))
    assert nodes_of(session, "j") == {"n0", "n1"}
    tried = {each.hyper_node: each.score for each in session.trace.hyper_nodes["ns/j"]}
    assert max(tried, key=lambda name: tried[name] or 0) == "a"


def test_tasks_that_come_later_stay_near_to_the_first() -> None:
    """One task is enough for the job; the second one is tried by itself, and nearness counts in its score."""
    session = ran(gang("j", 2, 1, networkTopology=SPINE))
    leaves = [{"n0", "n1"}, {"n2", "n3"}, {"n4", "n5"}]
    assert any(nodes_of(session, "j") <= leaf for leaf in leaves)
    assert session.jobs["ns/j"].allocated_hyper_node in {"a", "b", "c"}


def test_what_holds_the_job_already_limits_it() -> None:
    """The annotation names HyperNode a: no other leaf may be used with it."""
    held = gang("j", 2, 2, cpu=2, networkTopology=LEAF)
    held[0]["metadata"]["annotations"] = {"volcano.sh/job-allocated-hypernode": "a"}
    session = ran(held)
    assert nodes_of(session, "j") == {"n0", "n1"}
    refused = [each.hyper_node for each in session.trace.hyper_nodes["ns/j"] if each.refusal is not None]
    assert refused == ["b", "c"]


def test_a_job_that_fits_nowhere_leaves_nothing_behind() -> None:
    """It is not tried again with what is left, unlike a job without a tier limit."""
    session = ran(gang("j", 3, cpu=2, networkTopology=LEAF))
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert [each.hyper_node for each in session.trace.hyper_nodes["ns/j"]] == ["a", "b", "c"]


def test_without_a_hyper_node_the_queue_of_such_a_job_is_not_served() -> None:
    """The second job has no limit, and waits for the next session even so."""
    jobs = [gang("j", 1, networkTopology=LEAF), gang("plain", 1, created=9)]
    session = run([node("n1", cpu=4), queue("default"), *jobs], NEAR, profile=OLD)
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert session.trace.jobs["ns/j"][1].code == "hyper-nodes-not-ready"
