"""What pods use beside nodes is taken as long as they need it, and free again after that."""

from __future__ import annotations

import io
from typing import Final

import pytest

from tests.replay.workloads import PREEMPT
from vqs.replay.engine import Engine, ReplayOptions
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

CLOSE: Final = 0.01
HEAD: Final = """
apiVersion: vqs/v1
kind: Scenario
name: usage
scheduler: |
  actions: "enqueue, allocate, backfill"
  tiers:
  - plugins:
    - name: gang
    - name: resourcequota
  - plugins:
    - name: predicates
      arguments:
        predicate.DynamicResourceAllocationEnable: true
    - name: numa-aware
nodes:
"""


def replayed(text: str, until: float | None = None) -> tuple[Replay, Manifests]:
    """Replay a scenario; return the result, and the objects at the end."""
    read = read_manifests(["-"], stdin=io.BytesIO((HEAD + text).encode()))
    engine = Engine(workload_of(read, "test"), ReplayOptions(until=until))
    engine.run()
    return engine.result(), engine.world.manifests(engine.sessions)


def follows(result: Replay) -> bool:
    """Tell whether the second job started as soon as the first one had ended: up to two sessions later."""
    first, second = result.jobs
    assert first.completed is not None
    assert second.started is not None
    return first.completed - CLOSE < second.started < first.completed + 2.5


QUOTA: Final = """
- {name: n, cpu: 16, memory: 64Gi}
manifests:
- apiVersion: v1
  kind: ResourceQuota
  metadata: {name: team, namespace: default}
  spec: {hard: {requests.cpu: 4, count/pods: 9}}
  status: {hard: {requests.cpu: 4, count/pods: 9}, used: {requests.cpu: 1, count/pods: 1}}
jobs:
- {name: first, replicas: 2, cpu: 1, arrival: 1, duration: 30}
- {name: second, replicas: 2, cpu: 1, arrival: 5, duration: 10}
"""


def test_a_quota_counts_pods_from_being_made_until_they_have_ended() -> None:
    """The second job waits for the first, as both would be more than the quota; then nothing of them is in use."""
    _, during = replayed(QUOTA, until=20.0)
    assert during.resource_quotas[0].status.used == {"requests.cpu": "3", "count/pods": "3"}
    result, after = replayed(QUOTA)
    assert follows(result)
    assert result.jobs[1].waited["not-enqueued-quota"] > 20
    assert after.resource_quotas[0].status.used == {"requests.cpu": "1", "count/pods": "1"}


@pytest.mark.parametrize("policies", ["", ", policies: [{event: PodEvicted, action: RestartJob}]"])
def test_a_quota_refuses_pods_whatever_the_plugins(policies: str) -> None:
    """Without the plugin, jobs are admitted; their pods are made as others of the namespace end."""
    text = (HEAD + QUOTA).replace("    - name: resourcequota\n", "")
    text = text.replace("arrival: 5, duration: 10}", f"arrival: 5, minAvailable: 1, duration: 10{policies}}}")
    engine = Engine(workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test"), ReplayOptions())
    engine.run()
    result = engine.result()
    first, second = result.jobs
    bound = sorted(pod.bound or 0 for pod in result.pods if pod.job == 1)

    assert (len(bound), second.phase) == (2, "Completed")
    assert bound[0] < 10
    assert bound[1] > bound[0] + 9
    assert (first.completed or 0) > 30
    assert engine.world.manifests(1).resource_quotas[0].status.used["requests.cpu"] == "1"


def test_a_quota_counts_what_has_ended_as_an_object_only() -> None:
    """A pod that is there at the start, and ends, stays as an object: what it requested is free."""
    there = "- {name: old, replicas: 1, running: 1, cpu: 1, duration: 5}\n"
    _, after = replayed(QUOTA + there)
    assert after.resource_quotas[0].status.used == {"requests.cpu": "0", "count/pods": "1"}


def test_a_quota_counts_the_pods_that_controllers_make_at_the_start() -> None:
    """A Deployment's pods are in use after the first session, and a job that would be too much with them waits."""
    deployment = """
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: default}
  spec:
    replicas: 3
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {schedulerName: volcano, containers: [{name: c, image: web, resources: {requests: {cpu: 1}}}]}
jobs:
"""
    text = QUOTA.replace("jobs:\n", deployment.lstrip("\n")).replace("requests.cpu: 1, count/pods: 1", "")
    result, after = replayed(text, until=60.0)
    assert after.resource_quotas[0].status.used == {"requests.cpu": "3", "count/pods": "3"}
    assert {job.name: job.started is not None for job in result.jobs if job.name in ("first", "second")} == {
        "first": False,
        "second": False,
    }


DEVICES: Final = """
- {name: n, cpu: 16, memory: 64Gi, devices: [{driver: d, name: gpu}]}
deviceClasses:
- {name: gpu, driver: d}
"""
OWN_CLAIMS: Final = """
jobs:
- {name: first, cpu: 1, devices: [{name: gpu, class: gpu}], duration: 30}
- {name: second, cpu: 1, devices: [{name: gpu, class: gpu}], duration: 10}
"""
SHARED_CLAIM: Final = """
deviceClaims:
- {name: shared, class: gpu}
jobs:
- {name: first, roles: [{name: a, <<: &pod {cpu: 1, devices: [{name: gpu, claim: shared}], duration: 30}},
                        {name: b, <<: *pod, duration: 5}], minAvailable: 1}
- {name: second, cpu: 1, devices: [{name: gpu, class: gpu}], duration: 10}
"""


@pytest.mark.parametrize("claims", [OWN_CLAIMS, SHARED_CLAIM])
def test_devices_are_a_claims_until_its_last_pod_has_ended(claims: str) -> None:
    """The second job waits for the only device, which the first one has."""
    result, after = replayed(DEVICES + claims)
    assert follows(result)
    assert [claim.status.allocation for claim in after.resource_claims] == [None] * len(after.resource_claims)


def test_a_pod_that_is_made_again_has_a_claim_of_its_own() -> None:
    """The claim of a pod that went with its node is made anew, and gets the device of another one."""
    result, after = replayed(
        DEVICES.replace("- {name: n,", "- {name: n, count: 2,")
        + """
jobs:
- {name: first, cpu: 1, devices: [{name: gpu, class: gpu}], duration: 30, policies: [{event: "*", action: RestartJob}]}
nodeEvents:
- {at: 10, drain: "n-0"}
- {at: 10, drain: "n-1"}
- {at: 20, uncordon: ["n-*"]}
""",
        until=25.0,
    )
    first, second = result.pods
    assert (first.outcome, second.outcome) == ("lost", "")
    [claim] = after.resource_claims
    assert claim.status.allocation is not None
    assert [each.pool for each in claim.status.allocation.devices.results] == [second.node]


def test_volumes_stay_bound() -> None:
    """The volume of a pod that has ended stays that of its claim: no other claim gets it."""
    result, after = replayed("""
- {name: n, cpu: 16, memory: 64Gi, volumeLimits: {kubernetes.io/no-provisioner: 9}}
storageClasses:
- {name: local, provisioner: kubernetes.io/no-provisioner}
manifests:
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: disk}
  spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: local}
  status: {phase: Available}
volumeClaims:
- {name: one, class: local, size: 1Gi}
- {name: two, class: local, size: 1Gi}
jobs:
- {name: first, cpu: 1, volumes: [{claim: one}], duration: 10}
- {name: second, cpu: 1, volumes: [{claim: two}], duration: 10}
""")
    assert [job.completed is not None for job in result.jobs] == [True, False]
    assert [claim.spec.volume_name for claim in after.claims] == ["disk", ""]
    assert after.volumes[0].status.phase == "Bound"


NUMA: Final = """
- {name: n, cpu: 8, memory: 32Gi, numa: {nodes: 2, cores: 4, policy: single-numa-node}}
jobs:
- {name: first, replicas: 2, cpu: 3, memory: 1Gi, topologyPolicy: single-numa-node, arrival: 1, duration: 30}
- {name: second, cpu: 2, memory: 1Gi, topologyPolicy: single-numa-node, arrival: 5, duration: 10}
"""


def test_cpus_are_a_pods_until_it_has_ended() -> None:
    """The second job has room, but no CPUs side by side as long as the first one runs."""
    _, during = replayed(NUMA, until=20.0)
    assert during.numa_topologies[0].spec.numares["cpu"].allocatable == "3,7"
    result, after = replayed(NUMA)
    assert follows(result)
    assert after.numa_topologies[0].spec.numares["cpu"].allocatable == "0-7"


BUDGET: Final = """
nodes: [{{name: n, cpu: 6, memory: 32Gi}}]
jobs:
- {{name: low, replicas: 3, minAvailable: 1, cpu: 2, priorityClass: low, arrival: 0,
   duration: 100, labels: {{app: low}}}}
- {{name: high, cpu: 4, priorityClass: high, arrival: 10, duration: 20}}
manifests:
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {{name: low, namespace: default}}
  spec: {{minAvailable: {least}, selector: {{matchLabels: {{app: low}}}}}}
"""


@pytest.mark.parametrize(("least", "evictions"), [(1, 2), (2, 0)])
def test_a_budget_counts_the_pods_that_run(least: int, evictions: int) -> None:
    """What a PodDisruptionBudget allows follows from the pods that are ready when a session begins.

    The budget is written before any pod is there; the job that preempts needs the room of two pods.
    """
    scenario = PREEMPT.replace("conformance", "pdb") + BUDGET.format(least=least)
    read = read_manifests(["-"], stdin=io.BytesIO(scenario.encode()))
    engine = Engine(workload_of(read, "test"), ReplayOptions(until=60))
    engine.run()
    assert engine.result().evictions == evictions
    [budget] = engine.world.manifests(engine.sessions).disruption_budgets
    assert budget.status.current_healthy == sum(
        each.status.phase == "Running" and each.metadata.labels.get("app") == "low"
        for each in engine.world.pods.values()
    )
