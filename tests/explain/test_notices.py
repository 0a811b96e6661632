"""What keeps a session from doing what one may expect is said."""

from __future__ import annotations

from typing import Any

from tests.build import gang, group, manifests, node, pod, queue
from vqs.explain.simulate import SimulateOptions, simulate


def notices(*objects: Any) -> dict[str, str]:
    """Return the warnings of a simulation by code."""
    result = simulate(manifests([queue("default"), *objects]), SimulateOptions())
    return {each.code: each.message for each in result.diagnostics if each.severity == "warning"}


def test_an_ordinary_cluster_needs_no_notice() -> None:
    """Nothing is said where nothing is odd."""
    assert notices(node("n1"), gang("j", 1)) == {}


def test_a_cluster_without_nodes_is_noticed() -> None:
    """Without nodes, the answer to everything is the same."""
    assert "nothing can be placed" in notices(gang("j", 1))["no-nodes"]


def test_nodes_without_resources_are_counted() -> None:
    """A node that offers nothing is a node that does not count."""
    assert notices(node("n1", cpu=0, memory="0", pods=0), node("n2"))["empty-nodes"] == (
        "there is 1 node (n1) without allocatable resources"
    )


def test_pods_on_nodes_that_are_missing_are_counted() -> None:
    """They count for their queue, but take no room anywhere."""
    lost = [pod(f"r-{n}", "r", node="gone") for n in range(2)]
    assert notices(node("n1"), group("r", phase="Running"), *lost)["unknown-node"] == (
        "there are 2 pods (such as ns/r-0 on gone) on a node that is not in the snapshot"
    )


def test_overcommitted_nodes_are_counted() -> None:
    """A node with less than nothing idle takes nothing, and may refuse what asks for nothing."""
    running = pod("r-0", "r", cpu=9, node="n1")
    assert "n1" in notices(node("n1", cpu=8), group("r", phase="Running"), running)["overcommitted-nodes"]


def test_pod_groups_of_an_unknown_queue_are_counted() -> None:
    """Also those without pods, of which nothing else would be seen."""
    assert "ns/lost" in notices(node("n1"), group("lost", queue="nowhere"))["unknown-queue"]
