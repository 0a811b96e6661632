"""Who pays for a change, and for evictions."""

from __future__ import annotations

import io
from textwrap import dedent
from typing import Any

import pytest

from tests.build import gang, group, manifests, node, pod
from tests.explain.test_cycles import BREAKING_GANGS, VOLCANO, crowded, run, volcano_job
from vqs.explain.affected import affected, bound_pods
from vqs.explain.cycles import Cycle
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Affected, JobLoss, Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.reader import read_manifests


def simulated(*gangs: list[dict[str, Any]]) -> Simulation:
    """Run a session on a node of four cpus."""
    return simulate(manifests([node("n", cpu=4), *gangs]), SimulateOptions())


def test_pods_are_counted_by_job() -> None:
    """A pod counts once it has a node, and a job of which none has one counts nothing."""
    assert bound_pods(simulated(gang("a", 3), gang("b", 2, created=1))) == {"ns/a": 3, "ns/b": 0}


def test_what_changes_is_told_by_job() -> None:
    """Jobs of which as many pods are bound as before are left out, and so is the job that it is all about."""
    before, after = simulated(gang("a", 3), gang("b", 2, created=1)), simulated(gang("a", 5), gang("b", 2, created=1))

    assert affected(before, after) == [
        Affected(job="ns/a", pods_before=3, pods_after=0),
        Affected(job="ns/b", pods_before=0, pods_after=2),
    ]
    assert [each.job for each in affected(before, after, but="ns/b")] == ["ns/a"]
    assert affected(before, before) == []


@pytest.mark.parametrize(
    ("action", "lost", "restarted"),
    [("", 2, 2), ("RestartPod", 2, 2), ("RestartTask", 4, 4), ("RestartJob", 4, 4), ("AbortJob", 4, 0)],
)
def test_a_policy_takes_more_away_than_is_evicted(action: str, lost: int, restarted: int) -> None:
    """The pods that the controller of a Volcano Job deletes after an eviction are lost as well."""
    policies = [{"event": "PodEvicted", "action": action}] if action else []
    first = run([*crowded(VOLCANO), volcano_job(policies=policies)], BREAKING_GANGS).cycles[0]

    [found] = first.simulation.losses
    assert found == JobLoss(
        job="ns/low",
        display_name="ns/low",
        evicted=2,
        pods_lost=lost,
        restarted=restarted,
        policy_action=action,
        policy_event="PodEvicted" if action else "",
    )


def test_answers_count_what_controllers_delete() -> None:
    """The job that evicts and the one that loses pods both say how many are gone in the end, and by which policy."""
    restarting = manifests([*crowded(VOLCANO), volcano_job(policies=[EVICTED])], BREAKING_GANGS)
    loses, gains = (explain_job(restarting, SimulateOptions(), f"ns/{name}", sessions=5) for name in ("low", "high"))

    lost = (
        "ns/low loses 4 pods: 2 evicted {}, 2 more by its policy RestartJob; all are created again, and have to be "
        "scheduled again."
    )
    assert loses.answer.startswith(lost.format("by preempt for ns/high"))
    assert lost.format("for this job") in gains.answer


def test_answers_count_all_who_lose() -> None:
    """A job that loses only what is evicted counts, too, beside one of which the controller deletes more."""
    others = crowded(VOLCANO)[:-1]
    there = [
        node("m", cpu=1),
        group("few", phase="Running"),
        pod("few-worker-0", "few", node="m", spec={"priority": 0}),
    ]
    asks = gang("high", 4, priorityClassName="high", created=1)
    restarting = manifests([*others, *there, asks, volcano_job(policies=[EVICTED])], BREAKING_GANGS)

    answer = explain_job(restarting, SimulateOptions(), "ns/high", sessions=5).answer
    assert "2 other jobs lose 5 pods: 4 evicted for this job, 1 more by their policies." in answer


FAILED = {"event": "PodFailed", "action": "TerminateJob"}
EVICTED = {"event": "PodEvicted", "action": "RestartJob"}
NO_GRACE = {"terminationGracePeriodSeconds": 0}
KWOK = {"kwok.x-k8s.io/node": "fake"}


def struck(
    *policies: dict[str, Any], spec: dict[str, Any] | None = None, annotations: dict[str, str] | None = None
) -> tuple[Cycle, JobLoss]:
    """Evict two of four pods of a Volcano Job with policies; return the session, and what the Job loses."""
    objects = [*crowded(VOLCANO), volcano_job(policies=list(policies))]
    objects[0]["metadata"]["annotations"] = annotations or {}
    for each in objects:
        if isinstance(each, dict) and each["kind"] == "Pod":
            each["spec"] |= spec or {}
    first, second = run(objects, BREAKING_GANGS, 2).cycles
    [found] = first.simulation.losses
    return second, found


def test_a_pod_that_a_kubelet_stops_has_failed_before_it_is_gone() -> None:
    """TerminateJob for PodFailed ends the Job that RestartJob for PodEvicted is to restart, and the text says why."""
    second, found = struck(EVICTED, FAILED)

    assert (found.pods_lost, found.restarted) == (4, 0)
    assert (found.policy_action, found.policy_event) == ("TerminateJob", "PodFailed")
    assert "2 more by its policy TerminateJob for PodFailed (a kubelet ends a pod before it is gone)" in found.text
    assert [job.name for job in second.simulation.jobs] == ["high"]


@pytest.mark.parametrize(("spec", "annotations"), [(NO_GRACE, None), (None, KWOK)])
def test_a_pod_that_nothing_stops_is_evicted_only(
    spec: dict[str, Any] | None, annotations: dict[str, str] | None
) -> None:
    """Without a grace period, and on nodes that KWOK simulates, a pod is deleted as it is: PodEvicted is all."""
    second, found = struck(EVICTED, FAILED, spec=spec, annotations=annotations)

    assert (found.pods_lost, found.restarted) == (4, 4)
    assert (found.policy_action, found.policy_event) == ("RestartJob", "PodEvicted")
    assert [job.name for job in second.simulation.jobs] == ["high", "low-uid-low"]


def test_a_policy_with_a_timeout_comes_after_one_without() -> None:
    """What is done for PodFailed an hour later is not done before what is done for PodEvicted at once."""
    assert struck(EVICTED, {**FAILED, "timeout": "1h"})[1].policy_action == "RestartJob"
    assert struck({**FAILED, "timeout": "1h"})[1].policy_action == "TerminateJob"


def test_nothing_is_made_again_without_a_controller() -> None:
    """A pod that nothing controls is lost for good."""
    [found] = run(crowded(), BREAKING_GANGS).cycles[0].simulation.losses

    assert (found.evicted, found.pods_lost, found.restarted) == (2, 2, 0)


def test_a_job_of_a_scenario_starts_anew() -> None:
    """Whatever runs the jobs of a scenario makes their pods again."""
    text = """
    apiVersion: vqs/v1
    kind: Scenario
    scheduler: |
      actions: "enqueue, allocate, preempt"
      tiers:
      - plugins: [{name: priority}, {name: conformance}, {name: predicates}, {name: proportion}]
    nodes: [{cpu: 2}]
    priorityClasses: {high: 1000}
    jobs:
    - {name: old, running: 2, minAvailable: 1, cpu: 1}
    - {name: new, cpu: 1, priorityClass: high, phase: Inqueue}
    """
    [found] = simulate(read_manifests(["-"], stdin=io.BytesIO(dedent(text).encode())), SimulateOptions()).losses

    assert (found.evicted, found.pods_lost, found.restarted) == (1, 1, 1)
    assert found.text == "default/old loses 1 pod by eviction; all are created again, and have to be scheduled again"
