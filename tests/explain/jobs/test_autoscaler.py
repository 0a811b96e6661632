"""A job that lacks nodes in a cluster with an autoscaler: whether that is asked, and what has it asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, group, manifests, node, pod
from tests.explain.jobs.searching import find_remedies
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions

CONF = """
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
- plugins:
  - name: overcommit
  - name: predicates
  - name: nodeorder
"""
WITHOUT_ENQUEUE = CONF.replace("enqueue, ", "")
CONFIG_MAP: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cluster-autoscaler-status", "namespace": "kube-system"},
    "data": {"status": "x"},
}
NODE_POOL: dict[str, Any] = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}}
JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "job", "namespace": "ns"},
    "spec": {
        "minAvailable": 20,
        "tasks": [
            {
                "name": "w",
                "replicas": 20,
                "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": 1}}}]}},
            }
        ],
    },
}


def answer(objects: list[Any], conf: str = CONF) -> str:
    """Explain the job of a cluster with one node of 8 cores."""
    return explain_job(manifests([node("n1", cpu=8), *objects], conf), SimulateOptions(), "ns/job").answer


@pytest.mark.parametrize(
    ("sign", "named"),
    [(CONFIG_MAP, "ConfigMap kube-system/cluster-autoscaler-status"), (NODE_POOL, "a NodePool of Karpenter")],
)
def test_an_autoscaler_is_not_asked_before_the_pods_exist(sign: dict[str, Any], named: str) -> None:
    """A Job that is too large for the nodes may start on others; enqueue keeps it from asking for them."""
    told = answer([sign, JOB])
    assert told.startswith("ns/job cannot start on the nodes that there are: its gang needs 20 tasks")
    assert (
        f"The cluster has an autoscaler ({named}), which adds nodes for pods that are marked as unschedulable; it is "
        "not asked for any, as these pods are not created before enqueue admits the job." in told
    )


def test_without_an_autoscaler_a_job_can_never_start() -> None:
    """Nothing adds nodes."""
    told = answer([JOB])
    assert told.startswith("ns/job can never start: ")
    assert "autoscaler" not in told


def test_pods_that_exist_ask_an_autoscaler() -> None:
    """Pods are marked as unschedulable also where enqueue does not admit their PodGroup."""
    waiting = [pod(f"w-{number}", "job", cpu=1) for number in range(20)]
    asking = "adds nodes for pods that are marked as unschedulable, as 20 of this job are."
    assert asking in answer([CONFIG_MAP, group("job", 20, phase="Pending", minResources={"cpu": 20}), *waiting])


def test_without_enqueue_the_tasks_without_a_node_ask_an_autoscaler() -> None:
    """Tasks of a gang that found a node before it was rolled back are marked as schedulable."""
    assert "as 12 of this job are." in answer([CONFIG_MAP, JOB], WITHOUT_ENQUEUE)


def test_an_autoscaler_is_not_named_where_no_node_is_missing() -> None:
    """A gang with too few pods does not wait for nodes."""
    few = [*gang("job", 1, cpu=1)]
    few[0]["spec"]["minMember"] = 2
    assert "autoscaler" not in answer([CONFIG_MAP, *few])


def test_what_has_the_autoscaler_asked_is_a_fix() -> None:
    """What admits the job on the nodes there are, factor or actions, goes with the nodes that are added."""
    read = manifests([node("n1", cpu=8), CONFIG_MAP, JOB], CONF)
    found = find_remedies(read, SimulateOptions(), "ns/job")
    asking = [each for each in found.fixes if each.asks_autoscaler]
    assert [each.edits for each in asking] == [
        ["conf.actions=allocate, backfill", "conf.tiers[1].plugins.overcommit=null", "clone-node n1=2"],
        ["conf.tiers[1].plugins[0].arguments.overcommit-factor=2.5", "clone-node n1=2"],
    ]
    assert all(each.places_all for each in asking)


def test_no_fix_is_for_an_autoscaler_where_there_is_none() -> None:
    """Nodes alone are enough where people add them."""
    found = find_remedies(manifests([node("n1", cpu=8), JOB], CONF), SimulateOptions(), "ns/job")
    assert found.fixes
    assert not any(each.asks_autoscaler for each in [*found.fixes, *found.warned])
