"""Sessions go on until the pods of what is admitted have been tried, and their outcome is told as one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.build import CONF, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.clusters import clusters
from tests.properties import examples
from vqs.explain.assemble import assemble, node_results
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import Decision, Simulation
from vqs.explain.sequence import Sessions, as_one, tells_of
from vqs.explain.simulate import Finished, SimulateOptions, run_session, simulate
from vqs.snapshot.reading.manifests import Manifests

Object = dict[str, Any]

PREEMPT = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill").replace(
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
    sessions = ran(objects, PREEMPT)
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
