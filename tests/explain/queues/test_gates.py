"""The gate to a queue: every term of the account, who holds what is promised, and what every job was told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, group, manifests, node, pod, queue
from tests.engine.plugins.test_capacity import TREE, child
from vqs.explain.queues.outcome import QueueExplanation
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions

CONF = """
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: overcommit
  - name: predicates
  - name: proportion
"""


def explained(name: str, *objects: Any, conf: str = CONF) -> QueueExplanation:
    """Explain a queue of some objects on a node of 20 cores."""
    read = manifests([node("n1", cpu=20, memory="100Gi"), *objects], conf)
    explanation = explain_queues(read, SimulateOptions(), name).explained
    assert explanation is not None
    return explanation


def asking(name: str, in_queue: str, cpu: int, **more: Any) -> list[Any]:
    """Make a job that asks to enter."""
    return gang(name, 1, cpu=cpu, memory="0", queue=in_queue, phase="Pending", minResources={"cpu": cpu}, **more)


def test_the_terms_of_the_account_are_those_of_the_moment_at_which_the_job_asked() -> None:
    """First and second enter; the third finds 5 allocated, 3 of them elastic, 11 promised, and may not take 8 of 20."""
    running = [
        group("run", 1, "Running", queue="a", minResources={"cpu": 2}),
        *(pod(f"run-{number}", "run", 1, "0", node="n1") for number in range(5)),
    ]
    jobs = [asking(name, "a", cpu, created=at) for at, (name, cpu) in enumerate({"x": 6, "y": 5, "z": 8}.items(), 1)]
    gate = explained("a", queue("a"), running, *jobs).admission
    assert [(job.job, job.admitted, job.code) for job in gate.jobs] == [
        ("ns/x", True, ""),
        ("ns/y", True, ""),
        ("ns/z", False, "not-enqueued-capability"),
    ]
    overcommit, proportion = gate.jobs[2].checks
    assert (overcommit.plugin, overcommit.inqueue["cpu"], overcommit.limit["cpu"]) == ("overcommit", 11, 19)
    terms = ("min_resources", "allocated", "inqueue", "elastic", "total", "limit")
    assert {term: getattr(proportion, term)["cpu"] for term in terms} == {
        "min_resources": 8,
        "allocated": 5,
        "inqueue": 11,
        "elastic": 3,
        "total": 21,
        "limit": 20,
    }
    assert proportion.exceeding == ["cpu"]


def test_a_refusal_by_overcommit_is_the_last_account() -> None:
    """The queue is not asked after it."""
    jobs = [asking("x", "a", 20, created=1), asking("y", "b", 20, created=2)]
    [job] = explained("b", queue("a"), queue("b"), *jobs).admission.jobs
    assert [(account.plugin, account.exceeding) for account in job.checks] == [("overcommit", ["cpu"])]
    assert job.code == "not-enqueued-overcommit"


def test_holders_make_up_what_the_queue_has_promised() -> None:
    """The parts add up to the sum that the session has, of the queue and of the ones below it."""
    tree = [child("top", capability={"cpu": 20}), child("a", "top"), child("b", "top")]
    jobs = [
        asking("x", "a", 3),
        asking("y", "b", 4),
        gang("z", 3, 1, cpu=1, memory="0", queue="b", minResources={"cpu": 1}),
    ]
    gate = explained("top", *tree, *jobs, conf=TREE).admission
    assert {holder.job: holder.inqueue["cpu"] for holder in gate.holders} == {"ns/x": 3, "ns/y": 4, "ns/z": 1}
    assert gate.inqueue["cpu"] == 8
    allocated, limit = gate.allocated["cpu"], gate.real_capability["cpu"]
    assert allocated is not None
    assert limit is not None
    assert gate.room["cpu"] == limit - allocated - 8


@pytest.mark.parametrize(("cpu", "enters"), [(12, True), (13, False)])
def test_the_room_is_the_most_that_still_gets_in(cpu: int, enters: bool) -> None:
    """Of 20 cores, 8 are promised; a job of 12 enters, one of 13 does not."""
    explanation = explained("a", queue("a"), gang("x", 1, cpu=8, memory="0", queue="a", minResources={"cpu": 8}))
    room = explanation.admission.room
    assert room["cpu"] == 4  # 8 are allocated by now, and count as promised until the next session
    held = gang("x", 2, cpu=8, memory="0", queue="a", minResources={"cpu": 8}, phase="Inqueue")[:1]
    [job] = explained(
        "a", queue("a"), held, asking("y", "a", cpu), conf=CONF.replace("  - name: overcommit\n", "")
    ).admission.jobs
    assert job.admitted is enters
