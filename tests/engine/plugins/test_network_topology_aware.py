"""network-topology-aware chooses HyperNodes tier by tier, and scores nodes by the HyperNodes around them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import CONF, Object, gang, group, hyper_node, node, open_session, pod, queue
from vqs.engine.framework import points
from vqs.engine.framework.session import Session
from vqs.engine.framework.topology import TOP
from vqs.engine.plugins.network_topology_aware import NAME, NetworkTopologyAwarePlugin
from vqs.model.job import TaskStatus
from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

HARD = {"mode": "hard", "highestTierAllowed": 2}
TREE = [
    *(node(f"n{at}", cpu=4) for at in range(6)),
    hyper_node("a", 1, nodes=["n0", "n1"]),
    hyper_node("b", 1, nodes=["n2", "n3"]),
    hyper_node("s", 2, members=["a", "b"]),
    queue("default"),
]


def conf(**arguments: object) -> str:
    """Return the usual configuration with the plugin and arguments for it."""
    lines = "".join(f"      {name}: {value}\n" for name, value in arguments.items())
    return CONF + f"  - name: {NAME}\n" + (f"    arguments:\n{lines}" if lines else "")


def plugin(session: Session) -> NetworkTopologyAwarePlugin:
    """Return the plugin of a session."""
    ((found,),) = [tier for tier in session.plugins.by_plugin(points.HYPER_NODE_ORDER) if tier]
    owner = getattr(found[1], "__self__", None)
    assert isinstance(owner, NetworkTopologyAwarePlugin)
    return owner


def opened(*objects: Object | list[Object], **arguments: object) -> tuple[Session, NetworkTopologyAwarePlugin]:
    """Return a session on the tree, and its plugin."""
    session = open_session([*TREE, *objects], conf(**arguments))
    return session, plugin(session)


# --- which HyperNodes -------------------------------------------------------------------------------------------------


def test_hyper_nodes_up_to_the_highest_tier_are_tried_tier_by_tier() -> None:
    """The top is of a tier above it."""
    session, ours = opened(gang("j", 2, networkTopology=HARD))
    found = ours.job_gradients(session.jobs["ns/j"], TOP)
    assert found.tiers == [["a", "b"], ["s"]]
    assert found.left_out[TOP].text == "its tier, 3, is above the highest tier allowed"


def test_hyper_nodes_with_too_little_for_the_minimum_are_left_out() -> None:
    """What counts is what was idle when the session opened, now or in the future."""
    running = [group("r", phase="Running"), pod("r-0", "r", cpu=2, node="n0")]
    session, ours = opened(*running, gang("j", 2, networkTopology=HARD, minResources={"cpu": 7}))
    found = ours.job_gradients(session.jobs["ns/j"], TOP)
    assert found.tiers == [["b"], ["s"]]
    assert (found.left_out["a"].resource, found.left_out["a"].need, found.left_out["a"].have) == ("cpu", 7000.0, 6000.0)


def test_a_resource_that_no_node_has_leaves_all_out() -> None:
    """It is needed, and there is none of it."""
    session, ours = opened(gang("j", 2, networkTopology=HARD, minResources={"example.com/x": 1}))
    assert ours.job_gradients(session.jobs["ns/j"], TOP).tiers == []


def test_what_runs_already_confines_the_rest() -> None:
    """Resources do not matter then; where its HyperNode is above the limit, nothing can be tried."""

    def tiers(highest: int, *nodes: str) -> list[list[str]]:
        asked = {"mode": "hard", "highestTierAllowed": highest}
        members = [pod(f"j-{at}", "j", node=name) for at, name in enumerate(nodes)]
        job = group("j", phase="Running", networkTopology=asked, minResources={"cpu": 100})
        session, ours = opened(job, *members, pod("j-new", "j"))
        return ours.job_gradients(session.jobs["ns/j"], TOP).tiers

    assert tiers(1, "n0") == [["a"]]
    assert tiers(2, "n0") == [["a", "b"], ["s"]]
    assert tiers(1, "n0", "n2") == []


def test_without_a_limit_the_one_that_is_given_is_tried() -> None:
    """So it is for jobs that ask for nothing."""
    session, ours = opened(gang("j", 2, subGroupPolicy=[{"name": "p", "matchLabelKeys": ["x"]}]))
    assert ours.job_gradients(session.jobs["ns/j"], "s").tiers == [["s"]]


# --- which one is best ------------------------------------------------------------------------------------------------


def test_the_hyper_node_that_a_job_fills_most_is_the_best() -> None:
    """One that has too little is worth nothing, for all that there may be room on some node."""
    running = [group("r", phase="Running"), pod("r-0", "r", cpu=2, memory="8Gi", node="n2")]
    session, ours = opened(*running, gang("j", 2, cpu=2, memory="8Gi", networkTopology=HARD))
    sub_job = session.jobs["ns/j"].sub_jobs["ns/j"]
    assert ours.hyper_node_scores(sub_job, ["a", "b", "s"]).tolist() == [50.0, 75.0, 37.5]
    session, ours = opened(*running, gang("j", 2, cpu=4, memory="8Gi", networkTopology=HARD))
    assert ours.hyper_node_scores(session.jobs["ns/j"].sub_jobs["ns/j"], ["a", "b"]).tolist() == [75.0, 0.0]


def test_among_equals_the_tasks_that_are_there_count() -> None:
    """They count by their part of the sub-job's tasks."""
    members = [pod("j-0", "j", cpu=0, memory="0", node="n2"), pod("j-1", "j", cpu=2, memory="8Gi")]
    session, ours = opened(group("j", phase="Running", networkTopology=HARD), *members)
    scores = ours.hyper_node_scores(session.jobs["ns/j"].sub_jobs["ns/j"], ["a", "b"])
    assert scores.tolist() == [25.0, 75.0]


# --- nodes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "expected"), [("", [0, 0, 0, 0, 0]), ("a", [100, 100, 50, 50, 0]), (TOP, [0, 0, 0, 0, 0])]
)
def test_nodes_near_to_what_a_job_has_score_high(held: str, expected: list[float]) -> None:
    """The lower the tier that they share, the higher; a node outside of the lowest tier is far from all."""
    session, ours = opened(gang("j", 2, networkTopology=HARD))
    job = session.jobs["ns/j"]
    session.topology.placing = (job.sub_jobs["ns/j"], held)
    task_class = session.classes.of(job.tasks["j-worker-0"])
    assert ours.scores(task_class, np.arange(5)).tolist() == expected


def test_among_equally_near_nodes_those_with_more_tasks_of_the_job_win() -> None:
    """Tasks are counted as they come and go."""
    session, ours = opened(gang("j", 4, networkTopology=HARD))
    job = session.jobs["ns/j"]
    task_class = session.classes.of(job.tasks["j-worker-0"])
    session.topology.placing = (job.sub_jobs["ns/j"], "s")
    assert ours.scores(task_class, np.arange(4)).tolist() == [50.0, 50.0, 50.0, 50.0]
    session.place(job.tasks["j-worker-0"], 2, TaskStatus.Allocated)
    assert ours.scores(task_class, np.arange(4)).tolist() == [50.0, 50.0, 75.0, 75.0]
    session.displace(job.tasks["j-worker-0"])
    assert ours.scores(task_class, np.arange(4)).tolist() == [50.0, 50.0, 50.0, 50.0]


@pytest.mark.parametrize(
    ("at", "candidates", "expected"), [("n2", [1, 2, 4, 5], [-100, -50, 0, 0]), ("n0", [0, 1], [-100, -100])]
)
def test_a_negative_weight_keeps_the_tasks_of_a_job_apart_up_to_v1_13(
    at: str, candidates: list[int], expected: list[float]
) -> None:
    """Its tasks count against the best nodes, of which there are none where all share a HyperNode with it."""
    members = [pod("j-0", "j", cpu=1, node=at), pod("j-1", "j", cpu=1)]
    session = open_session(
        [*TREE, group("j", phase="Running", networkTopology={"mode": "soft"}), *members],
        conf(weight=-1),
        profile=profile_of(Build(Release.V1_13)),
    )
    job = session.jobs["ns/j"]
    session.topology.placing = (job.sub_jobs["ns/j"], "a")
    task_class = session.classes.of(job.tasks["j-1"])
    ours = next(
        each for tier in session.plugins.by_plugin(points.BATCH_NODE_ORDER) for name, each in tier if name == NAME
    )
    assert ours.scores(task_class, np.array(candidates)).tolist() == expected


def slow_score(
    used: list[int], capacity: list[int], request: int, groups: list[list[list[int]]], fading: float
) -> float:
    """Score a node for a task without a topology as the definition says; `groups` are its HyperNodes' nodes by tier."""
    total = weights = 0.0
    for tier, around in enumerate(groups, 1):
        score = 1.0
        if around:
            there, taken = sum(capacity[at] for at in around[0]), sum(used[at] for at in around[0])
            score = 0.0 if taken + request > there else (taken + request) / there
        weight = fading ** (tier - 1)
        total, weights = total + weight * score, weights + weight
    return 100 * total / weights


@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=2, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.5, 0.8, 1.0]),
)
def test_tasks_without_a_topology_fill_hyper_nodes(
    nodes: list[tuple[int, int]], leaf: list[int], request: int, fading: float
) -> None:
    """On random trees and nodes, every score is that of the definition; in no HyperNode counts as full."""
    used, capacity = [min(each) for each in nodes], [each[0] for each in nodes]
    leaves = {at: [n for n in range(len(nodes)) if leaf[n] == at] for at in (0, 1)}
    objects = [
        *(node(f"n{at}", cpu=each, memory="64Gi") for at, each in enumerate(capacity)),
        *(pod(f"r{at}", "r", cpu=each, memory="0", node=f"n{at}") for at, each in enumerate(used) if each),
        *(hyper_node(f"h{at}", 1, nodes=[f"n{n}" for n in members]) for at, members in leaves.items()),
        hyper_node("s", 2, members=["h0"]),
    ]
    text = conf(**{"hypernode.binpack.memory": 0, "hypernode.binpack.normal-pod.fading": fading})
    members = [group("r", phase="Running"), pod("j-0", "j", cpu=request, memory="0"), group("j"), queue("default")]
    session = open_session([*objects, *members], text)
    scores = plugin(session).scores(session.classes.of(session.jobs["ns/j"].tasks["j-0"]), np.arange(len(nodes)))
    for at, score in enumerate(scores.tolist()):
        here = [leaves[leaf[at]]] if leaf[at] in leaves else []
        groups = [here, here if leaf[at] == 0 else [], [list(range(len(nodes)))]]
        assert score == pytest.approx(slow_score(used, capacity, request, groups, fading))


def test_tasks_without_a_topology_may_be_left_alone() -> None:
    """Then all nodes are alike."""
    session, ours = opened(gang("j", 1), **{"hypernode.binpack.normal-pod.enable": "false"})
    task_class = session.classes.of(session.jobs["ns/j"].tasks["j-worker-0"])
    assert ours.constant(task_class) == 0.0
    assert ours.scores(task_class, np.arange(4)).tolist() == [0.0] * 4


def test_tiers_that_no_hyper_node_has_count_like_nodes_in_none() -> None:
    """However many they are: their weights are summed up at once."""
    objects = [node("n0", cpu=4), hyper_node("a", 1, nodes=["n0"]), hyper_node("z", 10**9, members=["a"])]
    text = conf(**{"hypernode.binpack.memory": 0, "hypernode.binpack.normal-pod.fading": 0.5})
    session = open_session([*objects, queue("default"), gang("j", 1, cpu=2, memory="0")], text)
    task_class = session.classes.of(session.jobs["ns/j"].tasks["j-worker-0"])
    assert plugin(session).scores(task_class, np.arange(1)).tolist() == pytest.approx([75.0])
