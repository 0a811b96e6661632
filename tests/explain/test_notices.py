"""What keeps a session from doing what one may expect is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.build import gang, group, manifests, node, pod, queue
from vqs.explain.simulate import SimulateOptions, simulate

if TYPE_CHECKING:
    from vqs.explain.outcome import DiagnosticResult


def notices(*objects: Any) -> dict[str, str]:
    """Return the warnings of a simulation by code."""
    return {each.code: each.message for each in diagnostics(*objects) if each.severity == "warning"}


def notes(*objects: Any) -> dict[str, str]:
    """Return the notes of a simulation by code."""
    return {each.code: each.message for each in diagnostics(*objects) if each.severity == "note"}


def diagnostics(*objects: Any) -> list[DiagnosticResult]:
    """Return what a simulation says besides its result."""
    return simulate(manifests([queue("default"), *objects]), SimulateOptions()).diagnostics


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


def test_pods_of_no_job_are_counted_with_what_they_hold() -> None:
    """They take room that no queue's figures show."""
    stranger = pod("other", cpu=3, node="n1", scheduler="default-scheduler")
    assert (
        notes(node("n1"), stranger)["strangers"]
        == "there is 1 pod (ns/other) of none of the jobs; they hold 3 cpu and 1Gi memory of the nodes"
    )


def test_pods_for_another_scheduler_are_named() -> None:
    """Somebody who forgot schedulerName finds out why nothing happens."""
    assert (
        notes(node("n1"), pod("x", scheduler="mine"))["other-scheduler"]
        == "there is 1 pending pod (ns/x, for mine) that another scheduler is to place"
    )
