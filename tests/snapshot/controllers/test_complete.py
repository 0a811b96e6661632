"""Who is evicted by Kubernetes for taints of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import manifests, node
from vqs.snapshot.controllers.complete import taint_evictions, written

DRAIN = {"key": "drain", "effect": "NoExecute"}
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}


def running(**spec: Any) -> dict[str, Any]:
    """Make a pod that runs on the node n1."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"nodeName": "n1", "containers": [{"name": "c"}], **spec},
        "status": {"phase": "Running"},
    }


def tolerating(*tolerations: dict[str, Any]) -> dict[str, Any]:
    """Make a pod that tolerates some taints."""
    return running(tolerations=[*tolerations])


def found(pod: dict[str, Any], *taints: dict[str, Any], **more: Any) -> list[tuple[str, int]]:
    """Return the taint for which the pod is evicted, and when."""
    read = manifests([node("n1", taints=[*taints], **more), pod])
    return [(written(each.taint), each.seconds) for each in taint_evictions(read)]


@pytest.mark.parametrize(
    ("pod", "taints", "expected"),
    [
        (running(), [DRAIN], [("drain:NoExecute", 0)]),
        (running(), [{**DRAIN, "value": "now"}], [("drain=now:NoExecute", 0)]),
        (running(), [{**DRAIN, "effect": "NoSchedule"}], []),
        (running(nodeName=""), [DRAIN], []),
        (running(nodeName="n2"), [DRAIN], []),
        (tolerating({"operator": "Exists"}), [DRAIN, NOT_READY], []),
        (tolerating({"key": "drain", "operator": "Exists", "effect": "NoSchedule"}), [DRAIN], [("drain:NoExecute", 0)]),
        (tolerating({"key": "drain", "tolerationSeconds": 60}), [DRAIN], [("drain:NoExecute", 60)]),
        (tolerating({"key": "drain", "tolerationSeconds": -1}), [DRAIN], [("drain:NoExecute", 0)]),
        (running(), [NOT_READY], [("node.kubernetes.io/not-ready:NoExecute", 300)]),
        (tolerating({"key": NOT_READY["key"], "operator": "Exists"}), [NOT_READY], []),
        (
            tolerating({"key": "drain", "tolerationSeconds": 60}, {"key": "drain"}),
            [DRAIN, NOT_READY],
            [("drain:NoExecute", 60)],
        ),
    ],
)
def test_a_pod(pod: dict[str, Any], taints: list[dict[str, Any]], expected: list[tuple[str, int]]) -> None:
    """A pod goes at once for a taint that it does not tolerate, later for those tolerated for a while, or stays."""
    for each in pod["spec"].get("tolerations", ()):
        if "tolerationSeconds" in each:
            each["effect"] = "NoExecute"
    assert found(pod, *taints) == expected


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_what_has_ended(phase: str) -> None:
    """A pod that has ended is not told of."""
    assert found({**running(), "status": {"phase": phase}}, DRAIN) == []


def test_what_a_kubelet_runs_by_itself() -> None:
    """The image of a static pod is not evicted."""
    static = running()
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "1"}
    assert found(static, DRAIN) == []


def test_what_is_leaving_already() -> None:
    """A pod that is being deleted is not told of again."""
    leaving = running()
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert found(leaving, DRAIN) == []


def test_a_cordoned_node_keeps_its_pods() -> None:
    """A node that is only unschedulable evicts nobody."""
    assert found(running(), unschedulable=True) == []
