"""What is said of a job's future is what further sessions do with it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.build import CONF, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.clusters import clusters
from tests.conformance.reading import read_scenario, unpacked
from tests.properties import examples
from vqs.explain.assemble import assemble, node_results
from vqs.explain.cycles import run_cycles
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Blocker, Decision, JobResult, Outlook, Simulation, Verdict
from vqs.explain.outlook import MOST_SESSIONS, Prospect, Sessions, as_one, simulate_ahead, take, tells_of
from vqs.explain.simulate import Finished, SimulateOptions, run_session, simulate
from vqs.explain.texts.node_reasons import efforts
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


Object = dict[str, Any]

PREEMPT_SEQUENCE = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill").replace(
    "  - name: drf\n", ""
)


def ran(objects: list[Any], conf: str = CONF, job: str | None = None) -> list[Finished]:
    """Run as many sessions as it takes."""
    read = manifests(objects, conf)
    return Sessions(read, run_session(read, SimulateOptions()), SimulateOptions()).until_tried(job)


def outcome(sessions: list[Finished]) -> Simulation:
    """Return the outcome of sessions as one."""
    return as_one([_simulation(each) for each in sessions])


def _simulation(finished: Finished) -> Simulation:
    simulation = assemble(finished.session, finished.manifests, "")
    simulation.nodes = node_results(finished.session)
    return simulation


def statuses(simulation: Simulation) -> dict[str, str]:
    """Return the status of each task before and after."""
    return {task.name: f"{task.status_before} {task.status}" for task in simulation.tasks}


def test_one_session_does_where_no_pods_are_awaited() -> None:
    """Where all pods are there, one session is run, and its outcome is its own."""
    sessions = ran([node("n"), gang("a", 2)])
    assert len(sessions) == 1
    assert outcome(sessions).session.sessions == 1


def test_pods_of_an_admitted_job_are_tried() -> None:
    """The first session admits the job, the second places its pods; the outcome tells of both as one."""
    sessions = ran([node("n"), *stored_job("new", job_task(), minimum=2)])
    assert [len(each.manifests.pods) for each in sessions] == [0, 2]
    whole = outcome(sessions)
    assert whole.session.sessions == 2
    assert statuses(whole) == {"new-worker-0": "Pending Binding", "new-worker-1": "Pending Binding"}
    [job] = whole.jobs
    assert (job.phase_before, job.phase, job.decision, job.ready) == ("", "Inqueue", "committed", 2)


def test_simulate_tells_of_the_next_session_only() -> None:
    """A job whose pods do not exist yet is listed with what it asks for, and when they are created."""
    told = simulate(
        manifests([node("n"), *stored_job("new", job_task(replicas=3, cpu=2), minimum=2)]), SimulateOptions()
    )
    assert told.tasks == []
    [job] = told.jobs
    assert job.awaited is not None
    assert (job.awaited.pods, job.awaited.request, job.awaited.waits_for, job.awaited.created_next) == (
        3,
        {"cpu": 6.0},
        "admission",
        3,
    )
    assert job.verdict is not None
    assert (job.verdict.code, job.phase) == ("pods-not-created", "Inqueue")
    assert job.verdict.text == "the PodGroup is admitted; the Job controller creates 3 pods for the next session"


def test_a_job_that_is_not_admitted_says_why() -> None:
    """Of a job that is refused, the reason is told, and its pods are not said to come with the next session."""
    told = simulate(manifests([node("n", cpu=1), *stored_job("new", job_task(), minimum=2)]), SimulateOptions())
    [job] = told.jobs
    assert job.verdict is not None
    assert job.verdict.code == "not-enqueued-overcommit"
    assert job.awaited is not None
    assert not job.awaited.created_next


def test_cycles_create_the_pods_in_the_session_after() -> None:
    """Session 1 admits, session 2 binds what its controller has created in between."""
    cycles = run_cycles(manifests([node("n"), *stored_job("new", job_task(), minimum=2)]), SimulateOptions(), 5).cycles
    assert [(cycle.created, cycle.recreated, cycle.bound) for cycle in cycles[:2]] == [
        (["ns/new-worker-0", "ns/new-worker-1"], [], []),
        ([], [], ["ns/new-worker-0", "ns/new-worker-1"]),
    ]


def test_tasks_that_depend_on_others_come_last() -> None:
    """Tasks with dependsOn are created, and tried, in the session after the one in which the others are bound."""
    job = stored_job("new", job_task("ps", 1), job_task("worker", 2, dependsOn={"name": ["ps"]}), minimum=1)
    sessions = ran([node("n"), *job])
    assert [len(each.manifests.pods) for each in sessions] == [0, 1, 3]
    assert set(statuses(outcome(sessions)).values()) == {"Pending Binding"}


def test_what_an_earlier_session_did_is_kept() -> None:
    """What an earlier session bound is bound in the whole, and whom it evicted is evicted, though he is gone."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9},
        group("low", phase="Running"),
        *(pod(f"low-worker-{number}", "low", node="n", spec={"priority": 0}) for number in range(3)),
        gang("high", 2, 2, priorityClassName="high", created=1),
        *stored_job("new", job_task(replicas=1), minimum=1, created=2),
    ]
    sessions = ran(objects, PREEMPT_SEQUENCE)
    assert len(sessions) > 1
    told = statuses(outcome(sessions))
    assert sum(status == "Running Releasing" for status in told.values()) >= 1
    assert told["high-worker-0"].startswith("Pending")
    whole = outcome(sessions)
    assert [statement.id for statement in whole.trace] == list(range(1, len(whole.trace) + 1))


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("committed", "not-considered", "committed"),
        ("not-enqueued", "committed", "committed"),
        ("not-considered", "not-enqueued", "not-enqueued"),
        ("committed", "discarded", "partially-committed"),
        ("partially-committed", "pipelined", "partially-committed"),
        ("partially-committed", "committed", "committed"),
        ("discarded", "not-considered", "discarded"),
    ],
)
def test_the_decision_on_a_job_as_a_whole(before: Decision, after: Decision, whole: Decision) -> None:
    """The last try decides, but what an earlier session bound stays bound."""
    [one] = simulate(manifests([node("n"), gang("a", 2)]), SimulateOptions()).jobs
    simulations = [simulate(manifests([node("n")]), SimulateOptions()) for _ in range(2)]
    for simulation, decision in zip(simulations, (before, after), strict=True):
        simulation.jobs = [structs.replace(one, decision=decision)]
    assert [job.decision for job in as_one(simulations).jobs] == [whole]


def test_a_job_without_awaited_pods_is_told_of_in_one_session() -> None:
    """Who asks about a job whose pods are there needs no further session, whatever others await."""
    objects = [node("n"), gang("a", 2), *stored_job("new", job_task(), minimum=2)]
    assert len(ran(objects, job="ns/a")) == 1
    sessions = ran(objects, job="ns/new-uid-new")
    assert len(sessions) == 2
    assert tells_of(sessions, "ns/new-uid-new") is sessions[1]
    assert tells_of(sessions, "ns/a") is sessions[0]


def test_awaited_pods_are_no_requests_yet() -> None:
    """What a queue deserves does not count pods that do not exist, as proportion does not see them."""
    objects: list[Any] = [
        node("n"),
        queue("other"),
        gang("a", 8, 1, queue="other"),
        *stored_job("new", job_task(replicas=8), minimum=1),
    ]
    told = simulate(manifests(objects), SimulateOptions())
    deserved = {each.name: each.opened.deserved.get("cpu") for each in told.queues}
    assert deserved["other"] == 8.0


@settings(max_examples=examples(30), deadline=None)
@given(clusters(), st.integers(min_value=1, max_value=3))
def test_plain_clusters_need_one_session(objects: list[Object], seed: int) -> None:
    """Where there are no Volcano Jobs, nothing is awaited, and the outcome is that of the one session."""
    read: Manifests = manifests(objects)
    options = SimulateOptions(seed=seed)
    sessions = Sessions(read, run_session(read, options), options).until_tried()
    assert len(sessions) == 1
    assert not read.awaited


def test_sessions_ahead_run_in_the_same_process() -> None:
    """What the scheduler keeps from session to session, the next ones find as well, and each has its own."""
    read = manifests([queue("default"), node("n1"), *gang("j", 1)])
    sessions = Sessions(read, run_session(read, SimulateOptions()), SimulateOptions())
    process = sessions.sessions[0].session.options.process
    process.next_node = 7
    ahead = [each.session.options.process for each in sessions.ahead()]
    assert [each.next_node for each in ahead] == [7] * len(ahead)
    assert ahead[0] is not process
