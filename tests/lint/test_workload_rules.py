"""Rules about Jobs, PodGroups, pods and nodes: what their fixtures cannot show."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from textwrap import dedent

import pytest

from tests.conformance.reading import unpacked
from tests.lint.cases import linted

PRUNED = "the API server prunes it (no effect), or refuses it if kubectl validates strictly"
PLACED = {"Binding", "Bound"}
HOPELESS = ("gang-above-cluster", "gang-above-queue", "pod-fits-no-node", "unknown-resource-requested")
"""Codes of findings that say that something is never placed as a whole."""


def messages(folder: Path, text: str, codes: Collection[str]) -> list[str]:
    """Return what rules say of some objects."""
    path = folder / "snapshot.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return [finding.message for finding in linted([str(path)], None, codes).findings]


@pytest.mark.parametrize("family", ["controller", "enqueue", "gang", "hierarchy", "messy", "predicates", "proportion"])
def test_what_is_hopeless_was_never_bound(family: str) -> None:
    """In no recorded outcome was a gang bound of which lint says that it cannot be."""
    for scenario in sorted((unpacked("random")).glob(f"{family}-*.yaml")):
        recorded = json.loads(scenario.with_suffix(".json").read_text(encoding="utf-8"))
        findings = linted([str(scenario)], None, HOPELESS[:2]).findings
        for job in {word for each in findings for word in each.message.split() if word.startswith("team/job-")}:
            statuses = {
                task["status"]
                for outcome in recorded["outcomes"]
                for name, task in outcome["tasks"].items()
                if name.startswith(f"{job}-")
            }
            assert not statuses & PLACED, (scenario.name, job)


@pytest.mark.parametrize("code", [*HOPELESS, "unknown-priority-class", "unknown-node", "queue-not-named"])
def test_a_lone_job_is_not_blamed_for_what_is_not_in_the_input(tmp_path: Path, code: str) -> None:
    """Without nodes, queues and priority classes, nothing is said to be missing among them."""
    job = """\
        apiVersion: batch.volcano.sh/v1alpha1
        kind: Job
        metadata: {name: train}
        spec:
          priorityClassName: high
          tasks:
            - name: worker
              replicas: 4
              template:
                spec:
                  nodeSelector: {disk: nvme}
                  containers:
                    - name: main
                      resources: {limits: {nvidia.com/gpu: 8}}
    """
    assert messages(tmp_path, job, {code}) == []


def test_a_pod_that_fits_a_cordoned_node_fits(tmp_path: Path) -> None:
    """A cordon and a taint that stands for a passing state do not count against a node; another taint does."""
    snapshot = """\
        apiVersion: v1
        kind: Node
        metadata: {name: cordoned}
        spec:
          unschedulable: true
          taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]
        status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: small}
        spec:
          schedulerName: volcano
          containers: [{name: main, resources: {requests: {cpu: 4}}}]
    """
    assert messages(tmp_path, snapshot, {"pod-fits-no-node"}) == []
    tainted = snapshot.replace("node.kubernetes.io/unschedulable", "team")
    [message] = messages(tmp_path, tainted, {"pod-fits-no-node"})
    assert message.endswith("node cordoned comes closest, but has the taint team=:NoSchedule")


def test_a_task_of_a_job_is_reported_once(tmp_path: Path) -> None:
    """Of the pods that a template stands for, one finding names the task, and the closest node."""
    snapshot = """\
        apiVersion: v1
        kind: Node
        metadata: {name: a, labels: {disk: ssd}}
        status: {allocatable: {cpu: 6, memory: 32Gi, pods: 110}}
        ---
        apiVersion: v1
        kind: Node
        metadata: {name: b}
        status: {allocatable: {cpu: 64, memory: 32Gi, pods: 110}}
        ---
        apiVersion: batch.volcano.sh/v1alpha1
        kind: Job
        metadata: {name: train}
        spec:
          tasks:
            - replicas: 3
              template:
                spec:
                  nodeSelector: {disk: ssd}
                  containers: [{name: main, resources: {requests: {cpu: 8}}}]
    """
    [message] = messages(tmp_path, snapshot, {"pod-fits-no-node"})
    assert message == (
        "task 0 of Job default/train fits no node, not even an empty one: of 2 nodes, 1 without the labels that it "
        "asks for and 1 too small; node a comes closest, with 6 cpu, and a pod requests 8 cpu"
    )


def test_gangs_that_do_not_fit_by_count(tmp_path: Path) -> None:
    """A gang whose sum fits may still need more places than the empty nodes have."""
    nodes = "".join(
        f"""\
        apiVersion: v1
        kind: Node
        metadata: {{name: {name}}}
        status: {{allocatable: {{cpu: 8, memory: 32Gi, pods: 110}}}}
        ---
"""
        for name in ("a", "b")
    )
    job = """\
        apiVersion: batch.volcano.sh/v1alpha1
        kind: Job
        metadata: {name: train}
        spec:
          tasks:
            - replicas: 3
              template:
                spec:
                  containers: [{name: main, resources: {requests: {cpu: 5}}}]
    """
    assert messages(tmp_path, nodes + job, {"gang-above-cluster"}) == [
        "default/train needs 3 pods at once, and all nodes that they may use would have room for 2 if they were empty"
    ]


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("minAvailble: 1", "did you mean 'minAvailable'?"),
        ("task: []", "did you mean 'tasks'?"),
        ("replicas: 2", "it belongs into tasks"),
        ("min_available: 1", "did you mean 'minAvailable'?"),
        ("owner: physics", ""),
    ],
)
def test_fields_of_a_job(tmp_path: Path, field: str, hint: str) -> None:
    """Every unknown field is found, with a hint at the one that was meant, or at where it belongs."""
    job = f"""\
        apiVersion: batch.volcano.sh/v1alpha1
        kind: Job
        metadata: {{name: train}}
        spec:
          {field}
          tasks:
            - template: {{spec: {{containers: [{{name: main}}]}}}}
    """
    name = field.partition(":")[0]
    meant = f" ({hint})" if hint else ""
    found = messages(tmp_path, job, {"unknown-field"})
    assert found == [f"Job default/train has a field {name}, which does not exist{meant}: {PRUNED}"]


def test_fields_in_a_list_that_kubectl_wrote_by_hand(tmp_path: Path) -> None:
    """Items of a List are looked up one by one, and those that an API server has stored are left alone."""
    groups = """\
        apiVersion: v1
        kind: List
        items:
          - apiVersion: scheduling.volcano.sh/v1beta1
            kind: PodGroup
            metadata: {name: stored, uid: 6f1a0d52}
            spec: {minMembers: 2}
          - apiVersion: scheduling.volcano.sh/v1beta1
            kind: PodGroup
            metadata: {name: written}
            spec: {minMembers: 2}
    """
    found = messages(tmp_path, groups, {"unknown-field"})
    assert [message.partition(" has ")[0] for message in found] == ["PodGroup default/written"]


def test_the_queue_of_a_namespace_is_named(tmp_path: Path) -> None:
    """Something without a queue goes to the default queue; the one that its namespace has needs another webhook."""
    snapshot = """\
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: Queue
        metadata: {name: research}
        ---
        apiVersion: v1
        kind: Namespace
        metadata: {name: lab, annotations: {scheduling.volcano.sh/queue-name: research}}
        ---
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: train, namespace: lab}
        spec: {minMember: 1}
    """
    path = tmp_path / "snapshot.yaml"
    path.write_text(dedent(snapshot), encoding="utf-8")
    [finding] = linted([str(path)], None, {"queue-not-named"}).findings
    assert finding.message == "PodGroup lab/train names no queue, so it goes to queue default"
    [evidence] = finding.evidence
    assert evidence.text == "namespace lab has the queue research, for the webhook /podgroups/mutate"


def test_a_minimum_that_cannot_be_read_is_below_no_roles(tmp_path: Path) -> None:
    """Where there are no roles, there is nothing that is ignored."""
    group = """\
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: train}
        spec: {minMember: -1}
    """
    path = tmp_path / "group.yaml"
    path.write_text(dedent(group), encoding="utf-8")
    found = linted([str(path)], None, {"min-task-member-ignored"}).findings
    assert [each.code for each in found] == ["invalid-value"]


@pytest.mark.parametrize(
    ("actions", "least", "warns"),
    [
        ("allocate, reclaim", 12, True),
        ("allocate, preempt", 12, False),
        ("enqueue, allocate, reclaim", 12, False),
        ("enqueue, allocate, reclaim", 1, True),
    ],
)
def test_reclaim_may_evict_for_a_gang_that_does_not_start(
    tmp_path: Path, actions: str, least: int, *, warns: bool
) -> None:
    """The limit of the queue does not keep it from that; the admission to the queue does."""
    scenario = f"""\
        apiVersion: vqs/v1
        kind: Scenario
        scheduler: |
          actions: "{actions}"
          tiers:
          - plugins: [{{name: gang}}, {{name: predicates}}, {{name: capacity}}]
        nodes: [{{cpu: 20, memory: 100Gi}}]
        queues: [{{name: a, capability: {{cpu: 10}}}}]
        jobs: [{{name: gang, queue: a, replicas: 3, cpu: 4, podGroup: {{minResources: {{cpu: {least}}}}}}}]
    """
    path = tmp_path / "scenario.yaml"
    path.write_text(dedent(scenario), encoding="utf-8")
    [finding] = linted([str(path)], None, {"gang-above-queue"}).findings
    assert finding.message.endswith("and its queue a may hold at most 10 cpu")
    assert any("does not start even then" in each.text for each in finding.evidence) is warns
    assert finding.evidence[0].text == "the capability of queue a is 10 cpu"
