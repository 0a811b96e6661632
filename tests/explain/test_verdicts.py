"""Every verdict says what a reader can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.build import CONF, gang, group, manifests, node, pod, queue
from vqs.explain.simulate import SimulateOptions, simulate

if TYPE_CHECKING:
    from vqs.explain.outcome import Simulation, Verdict


def outcome(*objects: Any, conf: str = CONF) -> Simulation:
    """Simulate some objects."""
    return simulate(manifests([*objects], conf), SimulateOptions())


def of(simulation: Simulation, name: str) -> Verdict:
    """Return the verdict of a task."""
    verdict = next(task.verdict for task in simulation.tasks if task.name == name)
    assert verdict is not None
    return verdict


def test_a_gang_that_broke_on_the_queues_limit_says_so() -> None:
    """Tasks that had room name the sibling that was refused, also where no node refused it."""
    simulation = outcome(
        node("a", cpu=64), queue("x"), queue("y"), gang("j", 4, cpu=10, queue="x"), gang("k", 1, cpu=60, queue="y")
    )
    verdict = of(simulation, "j-worker-0")
    assert verdict.code == "gang-discarded"
    assert (verdict.need, verdict.have) == (4, 3)
    assert "only 3 of the 4 tasks that its gang needs had" in verdict.text
    assert "j-worker-3 was not placed: queue x would hold 40 cpu with this task, and deserves 32" in verdict.text


def test_a_task_that_was_not_tried_says_what_came_before_it() -> None:
    """After a task that fits nowhere, the rest of a whole gang is not tried; the cause is named."""
    members = [pod(f"j-{n}", "j", cpu=4 if n else 9, role="") for n in range(2)]
    verdict = of(outcome(node("a"), node("b"), queue("default"), group("j", 2), *members), "j-1")
    assert verdict.code == "never-considered"
    assert verdict.text.startswith("was not tried: j-0 was not placed: 0/2 nodes are unavailable")


def test_a_tried_job_counts_as_considered() -> None:
    """A job of which nothing could be placed was tried all the same."""
    simulation = outcome(node("a"), node("b"), queue("default"), gang("j", 1, cpu=9))
    assert [job.decision for job in simulation.jobs] == ["discarded"]


def test_a_resource_that_no_node_has_is_named_as_such() -> None:
    """Deserving nothing of a resource has a simple reason where there is none."""
    verdict = of(outcome(node("a"), queue("default"), gang("j", 1, requests={"a.b/c": 1})), "j-worker-0")
    assert verdict.code == "queue-limit"
    assert verdict.text.endswith("deserves 0, as no node has any a.b/c")


def test_a_verdict_names_the_log_line_to_look_for() -> None:
    """With the names of the case, at the verbosity at which the scheduler writes it."""
    simulation = outcome(node("a", cpu=8), queue("x", state="Closed"), gang("j", 1, queue="x"))
    verdict = of(simulation, "j-worker-0")
    assert (verdict.code, verdict.verbosity) == ("queue-closed", 3)
    assert verdict.log == "Queue <x> current state"


def test_a_job_without_pods_has_a_verdict_of_its_own() -> None:
    """A job that waits at the gate has no pods yet; why it waits is said of the job."""
    lonely = group("j", 4, "Pending", minResources={"cpu": 99})
    (job,) = outcome(node("a"), queue("default"), lonely).jobs
    assert job.decision == "not-enqueued"
    assert job.verdict is not None
    assert job.verdict.code == "not-enqueued-overcommit"


def test_a_pod_behind_a_gate_names_the_gate() -> None:
    """Whoever set the gate is the one to ask."""
    gated = pod("j-0", "j", spec={"schedulingGates": [{"name": "example.com/quota"}]})
    assert of(outcome(node("a"), queue("default"), group("j"), gated), "j-0").text.endswith("example.com/quota")


def test_without_backfill_a_best_effort_task_says_who_would_place_it() -> None:
    """Where the action is not configured, nobody does."""
    conf = CONF.replace(", backfill", "")
    verdict = of(outcome(node("a"), queue("default"), group("j"), pod("j-0", "j", best_effort=True), conf=conf), "j-0")
    assert verdict.code == "left-to-backfill"


def test_waiting_for_a_release_names_the_node() -> None:
    """What is promised is on a node whose pod is on its way out."""
    old = pod("old-0", "old", cpu=8, node="a", deleted=True)
    verdict = of(
        outcome(node("a"), queue("default"), group("old", phase="Running"), old, gang("j", 1, cpu=4)), "j-worker-0"
    )
    assert verdict.code == "waits-for-release"
    assert "node a" in verdict.text
