"""A Deployment whose template changes replaces its pods as its strategy allows."""

from __future__ import annotations

import io
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from vqs.explain.simulate import SimulateOptions
from vqs.replay.compare import job_differences
from vqs.replay.engine import ReplayOptions, moment_at, replay
from vqs.replay.figures import figures
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.replay.rollout import rolled
from vqs.replay.workload import Workload
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.workloads import rollout_limits
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

SCENARIO = """
apiVersion: vqs/v1
kind: Scenario
name: services
nodes: [{{name: n, count: {nodes}, cpu: 4, memory: 32Gi}}]
rollouts: {rollouts}
manifests:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {{name: web, namespace: default, annotations: {annotations}}}
  spec:
    replicas: {replicas}
    minReadySeconds: {ready}
    strategy: {strategy}
    selector: {{matchLabels: {{app: web}}}}
    template:
      metadata: {{labels: {{app: web}}, annotations: {of_pods}}}
      spec:
        schedulerName: volcano
        containers: [{{name: c, image: x, resources: {{requests: {{cpu: 1}}}}}}]
"""

SHARED = """- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {name: shared, namespace: default}
  spec: {minMember: 1}
"""

DEFAULTS: Final = {
    "rollouts": "[{at: 30s, deployment: web}]",
    "nodes": 4,
    "replicas": 4,
    "strategy": "{}",
    "annotations": "{}",
    "of_pods": "{}",
    "ready": 0,
}


def services(more: str = "", **changed: Any) -> Workload:
    """Return a Deployment with pods of one cpu on nodes of four."""
    text = SCENARIO.format(**DEFAULTS | changed) + more
    return workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test")


def rolled_out(more: str = "", **changed: Any) -> Replay:
    """Replay it."""
    return replay(services(more, **changed), ReplayOptions(until=600))


def at_once(result: Replay) -> tuple[int, int]:
    """The most pods that were there at a time, and the fewest that ran at a time after the first rollout began."""
    moves = []
    for pod in result.pods:
        moves.append((pod.created, 1, 0))
        moves += [] if pod.started is None else [(pod.started, 0, 1)]
        moves += [] if pod.ended is None else [(pod.ended, -1, -int(pod.started is not None))]
    there, running, most, fewest = 0, 0, 0, 10**6
    for time, made, ran in sorted(moves):
        there, running = there + made, running + ran
        most = max(most, there)
        if time >= result.rollouts[0].time:
            fewest = min(fewest, running)
    return most, fewest


def test_pods_are_replaced_as_many_at_a_time_as_the_strategy_allows() -> None:
    """By default a quarter more and a quarter fewer pods are there; in the end all are new, and the old job is over."""
    result = rolled_out(replicas=8)
    [rollout], [old, new] = result.rollouts, result.jobs
    assert (rollout.pods, rollout.ready) == (8, 8)
    assert rollout.completed is not None
    assert at_once(result) == (10, 6)
    assert (old.phase, old.completion, new.phase) == ("Replaced", None, "Running")
    assert old.completed is not None
    later = structs.replace(result, end=result.end + 300)
    assert [each.completion_delay for each, _ in job_differences([(result, later)])] == [300, 300]
    assert figures(result).throughput == 0
    assert old.work_lost == 0
    assert sum(pod.ended is None for pod in result.pods) == 8


@given(
    replicas=st.integers(1, 7),
    surge=st.one_of(st.integers(0, 5), st.integers(0, 100).map("{}%".format)),
    unavailable=st.one_of(st.integers(0, 5), st.integers(0, 100).map("{}%".format)),
)
def test_limits_are_kept(replicas: int, surge: int | str, unavailable: int | str) -> None:
    """Whatever the strategy, there are never more pods, and never fewer that run, than it allows; and it completes."""
    if all(str(each) in ("0", "0%") for each in (surge, unavailable)):
        unavailable = 1  # the API server denies two zeros
    strategy = f"{{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}"
    workload = services(replicas=replicas, strategy=strategy)
    result = replay(workload, ReplayOptions(until=600))
    limits = rollout_limits(workload.start.deployments[0].spec.strategy, replicas)
    assert limits is not None
    most, fewest = at_once(result)
    assert most <= replicas + limits[0]
    assert fewest >= replicas - limits[1]
    assert result.rollouts[0].completed is not None


def test_recreate_lets_all_old_pods_go_first() -> None:
    """With the strategy Recreate no old pod is there when the first new one is made."""
    result = rolled_out(strategy="{type: Recreate}")
    old, new = ([pod for pod in result.pods if pod.job == job] for job in (0, 1))
    assert max(pod.ended or 0.0 for pod in old) < min(pod.created for pod in new)
    assert result.rollouts[0].completed is not None


def test_a_rollout_that_finds_no_room_stays_where_it_is() -> None:
    """New pods that fit nowhere are not available, so no more old ones go than may be unavailable."""
    rollouts = "[{at: 30s, deployment: web, requests: {cpu: 5}}]"
    result = rolled_out(rollouts=rollouts)
    [rollout] = result.rollouts
    assert (rollout.ready, rollout.completed) == (0, None)
    assert sum(pod.ended is None for pod in result.pods if pod.job == 0) == 3
    assert sum(pod.job == 1 for pod in result.pods) == 2


def test_a_gang_above_the_surge_deadlocks() -> None:
    """New pods that need a larger gang than the strategy makes at a time never start."""
    annotations = '{scheduling.volcano.sh/group-min-member: "4"}'
    assert rolled_out(annotations=annotations).rollouts[0].completed is None
    assert rolled_out(annotations=annotations, strategy="{type: Recreate}").rollouts[0].completed is not None


def test_the_next_rollout_takes_over() -> None:
    """Another template while pods are still replaced leaves those of both templates before to go."""
    result = rolled_out(
        rollouts="[{at: 30s, deployment: web, requests: {cpu: 5}}, {at: 60s, deployment: web, requests: {cpu: 2}}]"
    )
    first, second = result.rollouts
    assert (first.completed, second.ready) == (None, 4)
    assert second.completed is not None
    assert [job.phase for job in result.jobs] == ["Replaced", "Replaced", "Running"]


@pytest.mark.parametrize("later", ["30s", "30.02"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rollouts_that_begin_together_leave_one_template(later: str, seed: int) -> None:
    """Where another rollout begins before the first one has made a pod, only pods of the last one stay."""
    rollouts = f"[{{at: 30s, deployment: web}}, {{at: {later}, deployment: web, requests: {{cpu: 2}}}}]"
    options = ReplayOptions(until=600, seed=seed, session=SimulateOptions(seed=seed))
    result = replay(services(rollouts=rollouts), options)
    assert [rollout.completed is not None for rollout in result.rollouts] == [False, True]
    assert sum(pod.ended is None for pod in result.pods) == 4
    assert [job.phase for job in result.jobs] == ["Replaced", "Replaced", "Running"]


def test_a_cluster_written_during_a_rollout_has_as_many_replicas_as_pods() -> None:
    """ReplicaSets ask for as many pods as the Deployment has scaled them to, so that none is made up later."""
    for time in (30.001, 30.5, 31.2, 60.0):
        moment = moment_at(services(), ReplayOptions(), time).objects
        made = complete(moment)
        assert len(made.pods) == len(moment.pods)


def test_pods_are_available_after_a_while() -> None:
    """With minReadySeconds a pod counts only after it has run for that long."""
    slow, fast = (rolled_out(ready=ready).rollouts[0] for ready in (40, 0))
    assert slow.completed is not None
    assert fast.completed is not None
    assert slow.completed - slow.time > 2 * 40 > fast.completed - fast.time


def test_the_controller_looks_once_for_each_pod_that_becomes_available() -> None:
    """Pods that become available one after another take a few events each, however many wait for that."""
    text = SCENARIO.format(
        **DEFAULTS | {"replicas": 14, "nodes": 16, "ready": 200, "strategy": '{rollingUpdate: {maxSurge: "100%"}}'}
    )
    text = text.replace("rollouts:", 'startDelays: {"*": {uniform: [1s, 90s]}}\nrollouts:')
    workload = workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test")
    result = replay(workload, ReplayOptions(until=900))
    assert result.rollouts[0].completed is not None
    assert result.events < 10 * 2 * 14


def test_pods_of_one_named_group_roll_out() -> None:
    """Old and new pods that name the same PodGroup are one job."""
    result = rolled_out(SHARED, of_pods="{scheduling.k8s.io/group-name: shared}")
    assert [job.name for job in result.jobs] == ["shared"]
    assert result.rollouts[0].completed is not None


def test_jobs_are_called_after_their_controllers() -> None:
    """The pods of the one ReplicaSet are those of the Deployment; of two, each is called after its own."""
    [job] = rolled_out(rollouts="[]").jobs
    assert (job.called, job.name.startswith("podgroup-replicaset-web-")) == ("default/web", True)
    names = [each.name.removeprefix("podgroup-replicaset-") for each in rolled_out().jobs]
    assert [each.called for each in rolled_out().jobs] == [f"default/{name}" for name in names]


@pytest.mark.parametrize(
    ("rollouts", "message", "hint"),
    [
        ("[{at: 1h, deployment: wep}]", "there is no Deployment 'default/wep'", "did you mean 'default/web'?"),
        ("[{at: x, deployment: web}]", "'x' is no duration", "write a number and a unit: 90s, 10m, 1h30m, 2d"),
    ],
)
def test_wrong_rollouts_are_refused(rollouts: str, message: str, hint: str) -> None:
    """What is wrong with a rollout is said with its place."""
    with pytest.raises(InputErrors) as caught:
        rolled_out(rollouts=rollouts)
    [error] = caught.value.diagnostics
    assert (error.message, error.help) == (message, hint)


def test_a_deployment_without_pods_is_refused() -> None:
    """A Deployment that has no replicas has nothing to roll out."""
    with pytest.raises(InputErrors, match="has no replicas"):
        rolled_out(replicas=0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [("schedulerName: volcano", "is for another scheduler"), ("spec:\n    replicas", "is paused")],
)
def test_deployments_that_do_not_roll_out(spec: str, message: str) -> None:
    """A Deployment that is paused, or for another scheduler, is refused for what it is."""
    other = {
        "schedulerName: volcano": "schedulerName: other",
        "spec:\n    replicas": "spec:\n    paused: true\n    replicas",
    }
    text = SCENARIO.format(**DEFAULTS).replace(spec, other[spec])
    with pytest.raises(InputErrors, match=message):
        workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test")


def test_devices_are_requested_by_their_short_name() -> None:
    """GPUs are called gpu, as elsewhere in a scenario, and have a limit as the API server demands."""
    [change] = services(rollouts="[{at: 1h, deployment: web, requests: {gpu: 1}}]").rollouts
    resources = rolled(change.deployment, "", change.requests).spec.template.spec.containers[0].resources
    assert (resources.requests["nvidia.com/gpu"], resources.limits["nvidia.com/gpu"]) == (1, 1)


def test_wrong_requests_are_refused() -> None:
    """Requests are judged as those of the Deployment would be."""
    with pytest.raises(InputErrors) as caught:
        rolled_out(rollouts="[{at: 1h, deployment: web, requests: {cpu: -1}}]")
    assert caught.value.diagnostics[0].path == "$.rollouts[0].requests.cpu"
