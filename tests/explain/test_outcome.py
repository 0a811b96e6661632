"""What the pods say once a session is over: the condition PodScheduled, as the scheduler writes it when it closes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.clusters import clusters
from tests.properties import examples
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.explain.texts.grammar import JOB_TEXT, counted, read_text
from vqs.explain.verdict_rules import PodText
from vqs.model.job import Job

GATES = ("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")


def outcome(*objects: Any) -> Simulation:
    """Simulate some objects."""
    return simulate(manifests([*objects], CONF), SimulateOptions())


def conditions(simulation: Simulation) -> dict[str, tuple[str | None, str | None]]:
    """Return what the pods say, by name."""
    return {task.name: (task.pod_scheduled_reason, task.pod_scheduled) for task in simulation.tasks}


def gated(name: str, of: str = "") -> Any:
    """Return a pod that somebody holds back."""
    return pod(name, of, spec={"schedulingGates": [{"name": "example.com/quota"}]})


def test_a_task_of_which_nothing_is_said_shows_what_is_said_of_its_job() -> None:
    """One that was not tried as its queue is full has the job's counts, in the order of their texts."""
    simulation = outcome(node("a", cpu=3), queue("default"), gang("j", 5, 1, cpu=1, queue="default"))
    said = conditions(simulation)
    assert said["j-worker-4"] == (
        "Unschedulable",
        "pod group is ready, 1 minAvailable, 2 Pending, 3 Binding; Pending: 2 Unschedulable",
    )
    assert said["j-worker-0"] == (None, None)
    assert [task.message for task in simulation.tasks if task.name == "j-worker-4"] == [""]


def test_a_task_of_which_something_is_said_shows_that() -> None:
    """The nodes' reasons go before the text of the job, which quotes them for the others."""
    members = [pod(f"j-{n}", "j", cpu=9, role="") for n in range(2)]
    said = conditions(outcome(node("a"), node("b"), queue("default"), group("j", 2), *members))
    refused = "0/2 nodes are unavailable: 2 Insufficient cpu."
    counts = "pod group is not ready, 2 Pending, 2 minAvailable; Pending: 2 Unschedulable"
    assert said["j-0"] == ("Unschedulable", refused)
    assert said["j-1"] == ("Unschedulable", f"{counts}. Origin reason is j-0: {refused}")


def test_a_task_that_has_room_is_called_schedulable() -> None:
    """Also after its gang was given up, as the scheduler keeps what it had found."""
    said = conditions(outcome(node("a", cpu=3), queue("default"), gang("j", 4, cpu=1, queue="default")))
    assert said["j-worker-0"] == (
        "Schedulable",
        "Pod ns/j-worker-0 can possibly be assigned to a, once minAvailable is satisfied",
    )


def test_a_task_that_is_promised_room_is_not() -> None:
    """The reason stays Unschedulable, so that cluster autoscalers look at it."""
    old = pod("old-0", "old", cpu=8, node="a", deleted=True)
    simulation = outcome(node("a"), queue("default"), group("old", phase="Running"), old, gang("j", 1, cpu=4))
    text = "Pod ns/j-worker-0 can possibly be assigned to a, once resource is released and minAvailable is satisfied"
    assert conditions(simulation) == {"j-worker-0": ("Unschedulable", text), "old-0": (None, None)}


def test_a_pod_with_gates_shows_what_the_api_server_wrote() -> None:
    """The scheduler leaves that alone, whatever it says of the job, and whether it knows the pod or not."""
    said = conditions(
        outcome(node("a"), queue("default"), group("j", 2), pod("j-0", "j"), gated("j-1", "j"), gated("x"))
    )
    assert (said["j-1"], said["x"]) == (GATES, GATES)


def test_a_pod_that_the_scheduler_does_not_know_shows_nothing() -> None:
    """Where the PodGroup or its queue is missing, no condition is written."""
    said = conditions(
        outcome(node("a"), queue("default"), group("k", queue="none"), pod("k-0", "k"), pod("lonely-0", "j"))
    )
    assert said == {"k-0": (None, None), "lonely-0": (None, None)}


def test_a_job_that_waits_for_its_queue_says_so_nowhere_on_its_pods() -> None:
    """Its pods have its counts like any others."""
    waiting = group("j", 1, "Pending", minResources={"cpu": 99})
    said = conditions(outcome(node("a"), queue("default"), waiting, pod("j-0", "j")))
    text = "pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 Unschedulable"
    assert said == {"j-0": ("Unschedulable", text)}


def test_what_is_said_of_a_job_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of many pods that wait is counted once for all of them, and never where nobody shows it."""
    asked: list[str] = []
    real = Job.fit_error

    def counting(job: Job, *, tells_ready: bool) -> str:
        asked.append(job.name)
        return real(job, tells_ready=tells_ready)

    monkeypatch.setattr(Job, "fit_error", counting)
    outcome(node("a", cpu=2), queue("default"), gang("j", 9, 1, cpu=1), gang("k", 1, cpu=0))
    assert asked == ["j"]


@settings(max_examples=examples(40), deadline=None)
@given(objects=clusters())
def test_the_counts_of_a_job_sum_up_to_its_tasks(objects: list[Any]) -> None:
    """Every task is counted under one status, and those that are pending under one reason."""
    simulation = outcome(*objects)
    sizes = {job.name: job.tasks for job in simulation.jobs}
    minima = {job.name: job.min_available for job in simulation.jobs}
    texts = {(task.job, task.pod_scheduled) for task in simulation.tasks if task.pod_scheduled}
    texts |= {(job.name, job.unschedulable) for job in simulation.jobs if job.unschedulable}
    for job, text in texts:
        found = JOB_TEXT.search(text)
        if found is not None:
            counts, pending = counted(found["counts"]), counted(found["pending"])
            assert counts.pop("minAvailable") == minima[job]
            assert sum(counts.values()) == sizes[job]
            assert sum(pending.values()) == counts.get("Pending", 0)


@settings(max_examples=examples(40), deadline=None)
@given(objects=clusters())
def test_every_text_on_a_pod_is_known_and_may_come_from_its_verdict(objects: list[Any]) -> None:
    """What `vqs rule --message` makes of a pod's text includes the verdict; tasks of no verdict show nothing."""
    for task in outcome(*objects).tasks:
        reading = read_text(task.pod_scheduled or "")
        assert (task.pod_scheduled is not None) == (task.status in {"Pending", "Allocated", "Pipelined"})
        if task.pod_scheduled is not None:
            assert task.verdict is not None
            assert reading is not None
            assert task.verdict.code in reading.codes
            assert (reading.about is PodText.JOB) == (not task.message)
