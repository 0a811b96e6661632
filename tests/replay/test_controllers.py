"""Controllers make, restart and end jobs in a replay as Volcano's do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.replay.workloads import Job, generous, node, preempting, workload
from vqs.model import kubernetes as k8s
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.outcome import JobRecord, PodRecord, Replay
from vqs.replay.workload import Lifecycle, NodeEvent, Policy, Workload

LOW = Job("low", pods=3, least=1, cpu=2, seconds=100.0, priority="low")
HIGH = Job("high", arrival=10.0, cpu=4, seconds=20.0, priority="high")


def run(asked: Workload, until: float = 500.0) -> Replay:
    """Replay a workload."""
    return replay(asked, ReplayOptions(until=until))


def preempted(action: str, *, checkpoint: float | None = None, lifecycle: Lifecycle | None = None) -> Replay:
    """Let a job evict pods of another one that fills the only node."""
    jobs = [LOW._replace(checkpoint=checkpoint), HIGH]
    return run(workload(jobs, cpu=6, start=preempting(), action=action, lifecycle=lifecycle))


def lives(result: Replay, job: str, number: int = 0) -> list[PodRecord]:
    """Return the lives of a pod of a job."""
    return [pod for pod in result.pods if pod.pod == f"{job}-worker-{number}"]


def test_a_job_is_admitted_then_its_pods_are_made_then_they_run() -> None:
    """The PodGroup waits for a session, the pods come after it, and the session after that binds them."""
    result = run(workload([Job("a", arrival=0.5, pods=2, least=2, seconds=10.0)]))
    [job], [pod, _] = result.jobs, result.pods
    assert job.admitted == pytest.approx(1.013)
    assert job.phase == "Completed"
    assert pod.created == pytest.approx(1.063)
    assert pod.bound == pytest.approx(2.039)
    assert pod.started == pytest.approx(2.069)
    assert pod.ended == pytest.approx(12.069)
    assert job.started == pod.started
    assert job.completed == pytest.approx(12.099)


@pytest.mark.parametrize("action", ["", "RestartPod", "RestartTask", "RestartJob"])
def test_what_was_evicted_comes_back(action: str) -> None:
    """Whatever the policy, the job is complete in the end, and each evicted pod has done its work from the start."""
    result = preempted(action)
    low = result.jobs[0]
    assert (low.phase, result.jobs[1].phase) == ("Completed", "Completed")
    assert low.evictions == result.evictions > 0
    assert low.restarts == (action != "")
    for number in range(3):
        *before, last = lives(result, "low", number)
        assert last.outcome == "succeeded"
        assert (last.ended or 0) - (last.started or 0) == pytest.approx(100.0)
        assert {pod.outcome for pod in before} <= {"evicted", "killed"}


def test_without_a_policy_a_pod_is_made_again_at_once() -> None:
    """The PodGroup stays as it is, so that nothing has to be admitted anew."""
    first, second = next(each for number in range(3) if len(each := lives(preempted(""), "low", number)) > 1)
    assert second.created == pytest.approx((first.ended or 0) + 0.19)


@pytest.mark.parametrize("action", ["RestartPod", "RestartTask"])
def test_a_restart_has_the_job_admitted_anew(action: str) -> None:
    """The pods come back in the session after the one that admits the PodGroup again, so about a second later."""
    result = preempted(action)
    first, second, *_ = next(each for number in range(3) if len(each := lives(result, "low", number)) > 1)
    assert second.created > (first.ended or 0) + 0.9


def test_restarting_a_task_kills_pods_that_have_succeeded() -> None:
    """RestartTask deletes all pods of the task, also those that have done their work."""
    result = preempted("RestartTask")
    assert [lives(result, "low", number)[0].outcome for number in range(3)].count("killed") >= 1


def test_a_checkpoint_saves_work() -> None:
    """An evicted pod goes on from its last checkpoint: of its ten seconds or less, up to one is lost."""
    result = preempted("RestartPod", checkpoint=1.0)
    evicted = next(pod for pod in result.pods if pod.outcome == "evicted")
    again = [pod for pod in result.pods if pod.pod == evicted.pod][-1]
    assert 0 < evicted.work_lost < 1.0
    saved = (evicted.ended or 0) - (evicted.started or 0) - evicted.work_lost
    assert (again.ended or 0) - (again.started or 0) == pytest.approx(100.0 - saved)
    assert result.jobs[0].work_lost == pytest.approx(sum(pod.work_lost for pod in result.pods))


@pytest.mark.parametrize(
    ("action", "phase"), [("AbortJob", "Aborted"), ("TerminateJob", "Terminated"), ("CompleteJob", "Completed")]
)
def test_a_policy_ends_the_job(action: str, phase: str) -> None:
    """The job's other pods are killed, and none comes back."""
    result = preempted(action)
    assert result.jobs[0].phase == phase
    assert {pod.outcome for pod in result.pods if pod.job == 0} == {"evicted", "killed"}
    assert (result.jobs[0].completed or 0) < 20


def test_a_job_fails_after_its_last_restart() -> None:
    """MaxRetry limits restarts."""
    lifecycle = Lifecycle((Policy(frozenset(["PodEvicted"]), "RestartJob"),), max_retry=1)
    assert preempted("", lifecycle=lifecycle).jobs[0].phase == "Failed"


def test_a_failed_pod_is_an_event() -> None:
    """Without a policy, a job whose pods fail has failed; with one, it is restarted as often as it may be."""
    job = Job("a", seconds=5.0, exit_code=1)
    assert run(workload([job])).jobs[0].phase == "Failed"
    policies = (Policy(frozenset(["PodFailed"]), "RestartJob"),)
    restarted = run(workload([job], lifecycle=Lifecycle(policies, max_retry=3)))
    assert [pod.outcome for pod in restarted.pods] == ["failed"] * 3
    assert (restarted.jobs[0].phase, restarted.jobs[0].restarts) == ("Failed", 3)


def test_a_completed_task_is_an_event() -> None:
    """TaskCompleted with CompleteJob ends a job of which a task is done."""
    lifecycle = Lifecycle((Policy(frozenset(["TaskCompleted"]), "CompleteJob"),))
    result = run(workload([Job("a", pods=2, least=2, seconds=5.0)], lifecycle=lifecycle))
    assert result.jobs[0].phase == "Completed"


def test_a_pod_that_waits_too_long_is_an_event() -> None:
    """PodPending acts once its timeout is over, if the pod still waits."""
    policies = (Policy(frozenset(["PodPending"]), "TerminateJob", timeout=60.0),)
    jobs = [Job("first", cpu=8, seconds=100.0), Job("second", cpu=8, seconds=10.0)]
    result = run(workload(jobs, start=generous(), lifecycle=Lifecycle(policies)))
    assert [job.phase for job in result.jobs] == ["Completed", "Terminated"]
    assert result.jobs[1].completed == pytest.approx(61.0, abs=0.5)


def test_tasks_wait_for_those_they_depend_on() -> None:
    """The pods of a task that depends on itself are never made, those of one that depends on nothing are."""
    depends = Lifecycle(depends_on={"worker": k8s.DependsOn(name=["worker"])})
    result = run(workload([Job("a"), Job("b")], lifecycle=depends), until=20.0)
    assert result.pods == []
    assert [job.admitted is not None for job in result.jobs] == [True, True]


@pytest.mark.parametrize("change", ["leave", "fail", "drain"])
def test_pods_go_with_their_node(change: str) -> None:
    """The pods of a node that leaves, fails or is drained are lost, and run on another node; it may come back."""
    back = {"leave": "join", "fail": "recover", "drain": "uncordon"}[change]
    events = (NodeEvent(20.0, "n0", change), NodeEvent(30.0, "n0", back))  # type: ignore[arg-type]
    result = run(workload([Job("a", seconds=50.0)], nodes=1, node_events=events), until=1000.0)
    first, second = result.pods
    assert (first.outcome, first.ended, first.node) == ("lost", 20.0, "n0")
    assert second.outcome == "succeeded"
    assert second.created > (320 if change == "fail" else 20)
    assert (second.bound or 0) >= 30
    assert result.jobs[0].work_lost == pytest.approx(first.work_lost) == pytest.approx(20.0 - (first.started or 0))
    if change != "drain":
        assert result.nodes[0].available == [(0.0, 20.0), (30.0, None)]


def test_a_node_that_joins_takes_what_waits() -> None:
    """A job that fits nowhere starts once a node joins on which it fits."""
    events = (NodeEvent(50.0, "big", "join", node("big", 16)),)
    result = run(workload([Job("a", cpu=12)], start=generous(), node_events=events))
    [pod] = result.pods
    assert pod.node == "big"
    assert 50 <= (pod.bound or 0) < 53
    assert result.jobs[0].waited["larger-than-any-node"] > 20


@pytest.mark.parametrize(("action", "more"), [("", False), ("RestartPod", False), ("RestartJob", True)])
def test_what_evictions_take_away(action: str, more: bool) -> None:
    """The pods that a controller deletes because of an eviction are lost as well, and made again."""
    low = preempted(action).jobs[0]
    assert (low.pods_lost > low.evictions) is more
    assert low.restarted == low.pods_lost >= low.evictions > 0


def test_what_ends_with_an_eviction_is_not_made_again() -> None:
    """Where the policy ends the job, its pods are lost for good."""
    low = preempted("AbortJob").jobs[0]
    assert (low.pods_lost, low.restarted) == (3, 0)


# --- pods that a kubelet stops ----------------------------------------------------------------------------------------

OPPOSITE = Lifecycle(
    (Policy(frozenset(["PodEvicted"]), "RestartJob"), Policy(frozenset(["PodFailed"]), "TerminateJob"))
)


def stopped(lifecycle: Lifecycle = OPPOSITE, **given: Any) -> tuple[Replay, float]:
    """Let a job evict pods of another one; return the replay, and how long an evicted pod's place is not free."""
    result = run(workload([LOW._replace(**given), HIGH], cpu=6, start=preempting(), lifecycle=lifecycle))
    evicted = next(pod for pod in result.pods if pod.outcome == "evicted")
    [taker] = lives(result, "high")
    return result, (taker.bound or 0) - (evicted.ended or 0)


def test_an_evicted_pod_fails_before_it_is_gone() -> None:
    """A job that TerminateJob ends for PodFailed is terminated, and never restarted for PodEvicted."""
    low = stopped()[0].jobs[0]
    assert (low.phase, low.restarts, low.restarted) == ("Terminated", 0, 0)
    assert low.pods_lost == 3


@pytest.mark.parametrize("given", [{"stop_code": 0}, {"grace": 0}])
def test_a_pod_that_does_not_fail_is_evicted_only(given: dict[str, Any]) -> None:
    """One that exits with 0 when it is told to go, and one without a grace period, is no failed pod."""
    low = stopped(**given)[0].jobs[0]
    assert (low.phase, low.restarts) == ("Completed", 1)


def test_nodes_of_kwok_stop_nothing() -> None:
    """KWOK deletes pods as they are."""
    asked = workload([LOW, HIGH], cpu=6, start=preempting(), lifecycle=OPPOSITE)
    asked.start.nodes[0].metadata.annotations["kwok.x-k8s.io/node"] = "fake"
    assert run(asked).jobs[0].phase == "Completed"


def test_the_exit_code_of_a_stopped_pod_meets_policies() -> None:
    """What containers exit with is 143 unless the workload says otherwise, and 137 where they are killed."""

    def phase(code: int, **given: Any) -> str:
        policies = (Policy(frozenset(), "AbortJob", exit_code=code), *OPPOSITE.policies[:1])
        return stopped(Lifecycle(policies), **given)[0].jobs[0].phase

    assert [phase(code) for code in (143, 137)] == ["Aborted", "Completed"]
    assert [phase(code, stop=99.0) for code in (143, 137)] == ["Completed", "Aborted"]
    assert phase(7, stop_code=7) == "Aborted"


def test_a_pod_holds_its_node_until_its_containers_have_stopped() -> None:
    """They are killed when the grace period is over: 30 seconds, unless the pod says otherwise."""
    quick = stopped()[1]
    assert stopped(stop=10.0)[1] == pytest.approx(quick + 10.0, abs=1.1)
    assert stopped(stop=99.0)[1] == pytest.approx(quick + 30.0, abs=1.1)
    assert stopped(stop=99.0, grace=5)[1] == pytest.approx(quick + 5.0, abs=1.1)


def test_a_task_that_exits_well_when_it_is_stopped_is_completed() -> None:
    """The only pod of a task has succeeded before it is gone, so CompleteJob for TaskCompleted ends the job."""
    policies = (Policy(frozenset(["TaskCompleted"]), "CompleteJob"), *OPPOSITE.policies[:1])
    events = (NodeEvent(20.0, "n0", "drain"),)
    asked = workload([Job("a", seconds=50.0, stop_code=0)], lifecycle=Lifecycle(policies), node_events=events)
    [job] = run(asked).jobs
    assert (job.phase, job.restarts) == ("Completed", 0)
    assert job.completed == pytest.approx(20.19)


@pytest.mark.parametrize(("change", "phase"), [("drain", "Aborted"), ("leave", "Terminated"), ("fail", "Terminated")])
def test_pods_fail_with_their_node(change: Any, phase: str) -> None:
    """Those of a drained node are stopped; of those of a node that is gone, nobody knows what they exit with."""
    policies = (Policy(frozenset(), "AbortJob", exit_code=143), *OPPOSITE.policies[1:])
    events = (NodeEvent(20.0, "n0", change),)
    result = run(workload([Job("a", seconds=50.0)], lifecycle=Lifecycle(policies), node_events=events))
    assert result.jobs[0].phase == phase


def of_older_release(asked: Workload) -> Replay:
    """Replay a workload with the controllers of v1.13."""
    asked.start.release = ReleaseChoice(Build(Release.V1_13))
    return run(asked)


def test_older_controllers_take_what_they_delete_for_evicted() -> None:
    """RestartTask restarts for pods that it deletes itself, until maxRetry ends the job; v1.14 ignores them."""

    def low(replay: Callable[[Workload], Replay]) -> JobRecord:
        lifecycle = Lifecycle((Policy(frozenset(["PodEvicted"]), "RestartTask"),), max_retry=3)
        jobs = [LOW._replace(pods=12, cpu=1), HIGH._replace(cpu=1)]
        return replay(workload(jobs, cpu=12, start=preempting(), lifecycle=lifecycle)).jobs[0]

    assert (low(run).phase, low(run).restarts) == ("Completed", 1)
    assert (low(of_older_release).phase, low(of_older_release).restarts) == ("Failed", 3)


def test_older_controllers_ignore_pods_of_a_job_that_was_killed() -> None:
    """RestartJob makes another version of the job, and what happens to pods of the one before is no event."""
    jobs = [LOW, HIGH]
    assert of_older_release(workload(jobs, cpu=6, start=preempting(), action="RestartJob")).jobs[0].restarts == 1


@pytest.mark.parametrize(("replayed", "other"), [(run, "succeeded"), (of_older_release, "killed")])
def test_what_restarts_is_not_ended(replayed: Callable[[Workload], Replay], other: str) -> None:
    """Only too many restarts end a job that restarts; AbortJob restarts all of it, where it is met then."""
    policies = (Policy(frozenset(["PodFailed"]), "RestartPod"), Policy(frozenset(["PodEvicted"]), "AbortJob"))
    events = (NodeEvent(20.0, "n0", "drain"), NodeEvent(30.0, "n0", "uncordon"))
    job = Job("a", pods=2, least=2, cpu=4, seconds=50.0)
    result = replayed(workload([job], nodes=2, cpu=4, lifecycle=Lifecycle(policies), node_events=events))
    assert (result.jobs[0].phase, result.jobs[0].restarts) == ("Completed", 1)
    assert {pod.node: pod.outcome for pod in result.pods if (pod.created or 0) < 10} == {"n0": "lost", "n1": other}


# --- policies with a timeout ------------------------------------------------------------------------------------------


def test_a_policy_with_a_timeout_acts_unless_the_pod_runs_again() -> None:
    """The evicted pods run again after some 25 seconds: TerminateJob comes before that, or never."""

    def low(timeout: float) -> JobRecord:
        return stopped(Lifecycle((Policy(frozenset(["PodFailed"]), "TerminateJob", timeout=timeout),)))[0].jobs[0]

    assert (low(15.0).phase, low(60.0).phase) == ("Terminated", "Completed")
    assert low(15.0).completed == pytest.approx(27.0, abs=1.5)


def test_a_restart_after_a_timeout_is_one() -> None:
    """Of the same actions for several pods, the first that acts makes the others void."""
    policies = (Policy(frozenset(["PodFailed"]), "RestartJob", timeout=5.0),)
    low = stopped(Lifecycle(policies))[0].jobs[0]
    assert (low.phase, low.evictions, low.restarts) == ("Completed", 2, 1)


def test_a_pod_that_has_failed_is_acted_on_after_its_timeout() -> None:
    """The other pods of the job go on until then."""
    policies = (Policy(frozenset(["PodFailed"]), "AbortJob", timeout=20.0),)
    events = (NodeEvent(10.0, "n0", "drain"),)
    asked = workload([Job("a", pods=2, cpu=4, seconds=90.0)], 2, 4, lifecycle=Lifecycle(policies), node_events=events)
    result = run(asked)
    assert result.jobs[0].phase == "Aborted"
    assert {pod.node: pod.ended for pod in result.pods if pod.started} == {
        "n0": 10.0,
        "n1": pytest.approx(30.16),
    }
