"""Whose limit it is that a queue runs into."""

from __future__ import annotations

from typing import Any

from tests.build import gang, group, manifests, node, pod, queue
from tests.engine.plugins.test_capacity import FLAT, TREE, child, job
from vqs.explain.queues.outcome import Chain, Excess
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions


def limited(name: str, *objects: Any, conf: str = TREE) -> list[dict[str, str]]:
    """Tell, for a queue and those above it, from the root down, whose limit of cpu and memory it is."""
    read = manifests([node("n1", cpu=20, memory="100Gi"), *objects], conf)
    explained = explain_queues(read, SimulateOptions(), name).explained
    assert explained is not None
    assert isinstance(explained.derivation, Chain)
    links = explained.derivation.queues
    return [{key: link.limited_by[key] for key in ("cpu", "memory") if key in link.limited_by} for link in links]


def excesses(name: str, *objects: Any, conf: str = TREE) -> list[Excess]:
    """Return what a queue and those above it hold beyond what they may."""
    read = manifests([node("n1", cpu=20, memory="100Gi"), *objects], conf)
    explained = explain_queues(read, SimulateOptions(), name).explained
    assert explained is not None
    return explained.excesses


def test_the_capability_of_the_root_is_its_own_limit_and_that_of_those_below() -> None:
    """A queue that inherits it is limited by the root; one that has less is limited by itself."""
    root, low = queue("root", capability={"cpu": 10, "memory": "50Gi"}), child("low", capability={"cpu": 4})
    own = {"cpu": "root", "memory": "root"}
    assert limited("low", root, low) == [own, {"cpu": "low", "memory": "root"}]


def test_an_unlimited_root_limits_nobody() -> None:
    """Without any capability there is no limit to name."""
    assert limited("a", queue("root"), child("a")) == [{}, {}]


def test_guarantees_of_queues_beside_it_are_a_limit_of_the_queue() -> None:
    """What they keep is named where they are kept, not where the capability stands."""
    team = child("team", capability={"cpu": 10})
    kept, rest = child("kept", "team", guarantee={"resource": {"cpu": 4}}), child("rest", "team")
    assert limited("rest", queue("root"), team, kept, rest) == [{}, {"cpu": "team"}, {"cpu": "rest"}]


def test_without_a_tree_it_is_the_cluster_or_the_queue() -> None:
    """The cluster has no name; a resource that the capability leaves out is limited by the cluster."""
    limits = limited("a", queue("a", capability={"cpu": 4}), job("x", "a"), conf=FLAT)
    assert limits == [{"cpu": "a", "memory": ""}]


def test_what_a_queue_held_too_much_before_the_session() -> None:
    """The queue and the one above it hold more than they may, and did so from the start."""
    team, leaf = child("team", capability={"cpu": 4}), child("leaf", "team")
    run = [group("run", queue="leaf", phase="Running"), pod("run-0", "run", 6, "0", node="n1")]
    first, above = excesses("leaf", team, leaf, run)
    assert (first.queue, above.queue) == ("leaf", "team")
    assert (first.excess, first.at_open, first.reclaimed["cpu"]) == ({"cpu": 2}, {"cpu": 2}, 0)


def test_what_reclaim_promised_beyond_the_limit() -> None:
    """It looks at what the queue deserves, and not at the limit of the queue above it."""
    team, leaf = child("team", capability={"cpu": 4}), child("leaf", "team", deserved={"cpu": 6})
    full = [group("full", queue="rest", phase="Running"), *(pod(f"p{i}", "full", 1, "0", node="n1") for i in range(20))]
    want = gang("want", 2, cpu=3, memory="0", queue="leaf")
    conf = TREE.replace("enqueue, allocate, backfill", "allocate, reclaim")
    found = excesses("leaf", team, leaf, child("rest", deserved={"cpu": 1}), full, want, conf=conf)
    assert [(each.queue, each.excess, each.at_open) for each in found] == [
        ("leaf", {"cpu": 2}, {}),
        ("team", {"cpu": 2}, {}),
    ]
    assert found[0].reclaimed["cpu"] == 6


def test_with_proportion_the_limit_is_never_below_what_is_deserved() -> None:
    """A guarantee above the capability is deserved, and held rightly."""
    promised = queue("a", capability={"cpu": 2}, guarantee={"resource": {"cpu": 4}})
    run = [group("run", queue="a", phase="Running"), pod("run-0", "run", 3, "0", node="n1")]
    assert excesses("a", promised, run, conf=FLAT.replace("capacity", "proportion")) == []
