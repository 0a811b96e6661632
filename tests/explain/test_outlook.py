"""What is said of a job's future is what further sessions do with it."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.clusters import clusters
from tests.conformance.reading import read_scenario, unpacked
from tests.properties import examples
from vqs.explain.cycles import run_cycles
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Blocker, JobResult, Outlook, Simulation, Verdict
from vqs.explain.outlook import MOST_SESSIONS, Prospect, simulate_ahead, take
from vqs.explain.simulate import SimulateOptions
from vqs.explain.texts.headline import efforts
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
    assert (found.starts_in_session, found.waits_for, found.settled) == (2, ["ns/old-0"], True)


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


def test_a_job_whose_other_tasks_can_start_may_start() -> None:
    """A resource that no node has does not stop a gang whose minimum other tasks make up."""
    tasks = [pod("j-0", "j", cpu=1), pod("j-1", "j", requests={"nvidia.com/gpu": 1})]
    busy = [group("busy", 1, phase="Running"), pod("busy-0", "busy", node="n", cpu=4)]
    read = manifests([node("n", cpu=4), queue("default"), busy, group("j", 1), *tasks], CONF)
    report = explain_job(read, SimulateOptions(), "ns/j", sessions=0)
    assert (report.blockers[0].impossible, report.blockers[0].blocks_min_available) == (True, False)
    assert "can never start" not in report.answer
    assert "no node has any nvidia.com/gpu" in report.answer


def test_a_reservation_without_allocate_is_explained() -> None:
    """Where no action places what another one reserves, the missing action is named."""
    busy = [group("busy", 0, phase="Running"), pod("busy-0", "busy", node="n", cpu=4, preemptable=True)]
    conf = CONF.replace("enqueue, allocate, backfill", "preempt")
    read = manifests([node("n", cpu=8), queue("default"), busy, *gang("j", 1, cpu=1)], conf)
    report = explain_job(read, SimulateOptions(), "ns/j", sessions=0)
    assert [each.code for each in report.blockers] == ["reserved-not-bound"]
    assert "the configured actions do not include allocate" in report.answer
    assert report.answer.startswith("ns/j does not start")


def test_sessions_that_reserve_are_counted() -> None:
    """Only nodes that are reserved in all sessions are said to be so."""
    what = "nodes are reserved for this job, and it does not start: a reservation ends with its session."
    some = Outlook(sessions=4, starts_in_session=None, settled=True, pods_bound=0, sessions_reserving=3)
    assert efforts(some) == f"In 3 of 4 sessions, {what}"
    every = Outlook(sessions=4, starts_in_session=None, settled=True, pods_bound=0, sessions_reserving=4)
    assert efforts(every) == f"In each of 4 sessions, {what}"


def test_a_job_that_never_starts_has_a_blocker() -> None:
    """Where each session reserves nodes for a job that none binds, just that is what keeps it."""
    verdict = Verdict(code="waits-for-release", action="reclaim", text="")
    job = result_of(verdict)
    take(job, Prospect(Outlook(sessions=8, starts_in_session=None, settled=False, pods_bound=0), []))
    assert [each.code for each in job.blockers] == ["reserved-not-bound"]
    assert job.blockers[0].text.startswith("reclaim reserves nodes for it")


def test_a_job_whose_reservations_go_to_others_is_told_so() -> None:
    """It never waits for want of a node, and is told who takes the one that was reserved for it, and when."""
    read = read_scenario(unpacked("cluster") / "reclaimx7-3.json")
    job = next(each for each in simulate_ahead(read, SimulateOptions()).jobs if each.called == "default/r6")
    assert [each.code for each in job.blockers] == ["reserved-not-bound"]
    said = re.search(
        r"node (\S+) is reserved for (\S+) in session (\d), and (\S+) takes that room", job.blockers[0].text
    )
    assert said is not None
    node_name, task, number, taker = said.groups()
    before, after = (
        {f"{each.namespace}/{each.name}": (each.status, each.node) for each in cycle.simulation.tasks}
        for cycle in run_cycles(read, SimulateOptions(), int(number) + 1).cycles[-2:]
    )
    assert before[f"default/{task}"] == ("Pipelined", node_name)
    assert after[f"default/{task}"] != ("Binding", node_name)
    assert after[taker][1] == node_name


def result_of(verdict: Verdict) -> JobResult:
    """Make the result of a job with a verdict."""
    return JobResult(
        namespace="ns",
        name="j",
        queue="default",
        min_available=1,
        priority=0,
        phase_before="Inqueue",
        phase="Inqueue",
        decision="pipelined",
        ready=0,
        tasks=1,
        verdict=verdict,
    )


def test_figures_of_a_later_session_name_it() -> None:
    """A limit that is exceeded only after further sessions is not told of as if it were so now."""
    job = result_of(Verdict(code="waits-for-release", action="reclaim", text=""))
    later = Blocker(code="queue-limit", owner="queue", resource="cpu", need=5.0, have=4.0, text="queue q holds 4")
    outlook = Outlook(sessions=3, starts_in_session=None, settled=True, pods_bound=0)
    take(job, Prospect(outlook, [later]))
    assert [each.text for each in job.blockers] == ["in session 3, queue q holds 4"]
    job.blockers = [later]
    take(job, Prospect(outlook, [later]))
    assert [each.text for each in job.blockers] == ["queue q holds 4"]
