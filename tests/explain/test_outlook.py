"""What is said of a job's future is what further sessions do with it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.clusters import clusters
from tests.properties import examples
from vqs.explain.cycles import run_cycles
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Outlook, Simulation
from vqs.explain.outlook import MOST_SESSIONS, simulate_ahead
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests

PREEMPT = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, reclaim, backfill")
HOLDING = ("Allocated", "Binding", "Bound", "Running", "Succeeded")


def held(simulation: Simulation, job: str) -> int:
    """Count the tasks of a job that have a node."""
    return sum(task.status in HOLDING for task in simulation.tasks if f"{task.namespace}/{task.job}" == job)


def outlook(read: Manifests, job: str) -> Outlook:
    """Return what a session says of the future of a job for which it reserves nodes."""
    found = next(each for each in simulate_ahead(read, SimulateOptions()).jobs if each.uid == job).outlook
    assert found is not None
    return found


@settings(max_examples=examples(25), deadline=None)
@given(clusters())
def test_outlooks_come_true(objects: list[Any]) -> None:
    """The first session that binds a minimum, and the pods that are bound in the end, are those of the cycles."""
    read = manifests(objects, PREEMPT)
    cycles = [each.simulation for each in run_cycles(read, SimulateOptions(), MOST_SESSIONS).cycles]
    for job in simulate_ahead(read, SimulateOptions()).jobs:
        if job.outlook is not None and job.outlook.starts_in_session != 0:
            counts = [held(each, job.uid) for each in cycles]
            first = next((number for number, count in enumerate(counts, 1) if count >= job.min_available), None)
            assert (job.outlook.starts_in_session, job.outlook.pods_bound) == (first, counts[-1])
            assert job.outlook.sessions == len(cycles)


@settings(max_examples=examples(15), deadline=None)
@given(clusters())
def test_explanations_tell_the_same(objects: list[Any]) -> None:
    """A job is told of in the same way by itself as among all others."""
    read = manifests(objects, PREEMPT)
    for job in simulate_ahead(read, SimulateOptions()).jobs:
        if job.outlook is not None:
            report = explain_job(read, SimulateOptions(), job.uid, sessions=0)
            assert (report.outlook, report.blockers) == (job.outlook, job.blockers)


def test_a_job_waits_for_what_leaves_its_node() -> None:
    """It starts once a pod that is being deleted is gone."""
    leaving = [group("old", 1, phase="Running"), pod("old-0", "old", node="n", cpu=4, deleted=True)]
    found = outlook(manifests([node("n", cpu=4), queue("default"), *leaving, *gang("j", 1, cpu=4)], CONF), "ns/j")
    assert (found.starts_in_session, found.after, found.settled) == (2, ["ns/old-0"], True)


def test_a_reservation_that_leads_nowhere_is_no_promise() -> None:
    """Where preempt comes before allocate, the job never starts, and the answer does not say otherwise."""
    conf = CONF.replace("enqueue, allocate, backfill", "preempt, allocate")
    read = manifests([node("n", cpu=4), queue("default"), *gang("j", 1, cpu=1, phase="Inqueue")], conf)
    found = outlook(read, "ns/j")
    assert (found.starts_in_session, found.settled, found.sessions_reserving) == (None, True, 1)
    answer = explain_job(read, SimulateOptions(), "ns/j", sessions=0).answer
    assert answer.startswith("ns/j does not start, however many sessions follow: preempt runs before allocate")


def test_without_reservations_no_session_follows() -> None:
    """A simulation says nothing of the future of jobs that just wait."""
    read = manifests([node("n", cpu=1), queue("default"), *gang("j", 1, cpu=1), *gang("k", 1, cpu=1)], CONF)
    assert [each.outlook for each in simulate_ahead(read, SimulateOptions()).jobs] == [None, None]
