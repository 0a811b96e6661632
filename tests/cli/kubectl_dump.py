"""A small cluster in the shape in which kubectl writes it: uids, owners, managed fields and status."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_CREATED: Final = "2026-03-02T12:00:00Z"
_JOB: Final = "batch.volcano.sh/v1alpha1"
_BETA: Final = "scheduling.volcano.sh/v1beta1"

QUEUE: Final = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: batch
spec:
  weight: 4
  reclaimable: true
"""
"""The queue of the dump that changes are made to, as it stands in a repository."""


def write_dump(path: Path) -> None:
    """Write a List with a node, two queues and a Volcano Job of 8 pods in each, all of them pending."""
    items = [_node("n1", 8), _queue("batch", 4), _queue("serving", 4)]
    items += [*_job("train", "batch", 8), *_job("web", "serving", 8)]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2), encoding="utf-8")


def _metadata(name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": _uid(name),
        "creationTimestamp": _CREATED,
        "resourceVersion": "4711",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "time": _CREATED}],
        **more,
    }


def _uid(name: str) -> str:
    return f"00000000-0000-4000-8000-{zlib.crc32(name.encode()):012x}"


def _node(name: str, cpu: int) -> dict[str, Any]:
    room = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    status = {"allocatable": room, "capacity": room, "conditions": [ready]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": _metadata(name), "spec": {}, "status": status}


def _queue(name: str, weight: int) -> dict[str, Any]:
    spec = {"weight": weight, "reclaimable": True}
    return {
        "apiVersion": _BETA,
        "kind": "Queue",
        "metadata": _metadata(name),
        "spec": spec,
        "status": {"state": "Open"},
    }


def _job(name: str, queue: str, replicas: int) -> Iterator[dict[str, Any]]:
    """Yield a Volcano Job with its PodGroup and its pods."""
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    pod_spec = {"schedulerName": "volcano", "containers": [container]}
    task = {"name": "worker", "replicas": replicas, "template": {"spec": pod_spec}}
    spec = {"minAvailable": 1, "queue": queue, "schedulerName": "volcano", "tasks": [task]}
    yield {"apiVersion": _JOB, "kind": "Job", "metadata": _metadata(name, "ml"), "spec": spec, "status": {}}
    owners = [{"apiVersion": _JOB, "kind": "Job", "name": name, "uid": _uid(name), "controller": True}]
    group = f"{name}-{_uid(name)}"
    yield {
        "apiVersion": _BETA,
        "kind": "PodGroup",
        "metadata": _metadata(group, "ml", ownerReferences=owners),
        "spec": {"minMember": 1, "queue": queue},
        "status": {"phase": "Inqueue"},
    }
    for number in range(replicas):
        yield _pod(f"{name}-worker-{number}", pod_spec, group=group, owners=owners)


def _pod(name: str, spec: Mapping[str, Any], *, group: str, owners: list[dict[str, Any]]) -> dict[str, Any]:
    annotations = {"scheduling.k8s.io/group-name": group, "volcano.sh/task-spec": "worker"}
    metadata = _metadata(name, "ml", annotations=annotations, ownerReferences=owners)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}
