"""Small dumps in the shape that `kubectl get ... -o json` writes: with uids, owners, managedFields and status."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

Item = dict[str, Any]

VOLCANO_JOB = ("batch.volcano.sh/v1alpha1", "Job")
POD_GROUP = "scheduling.volcano.sh/v1beta1"
CREATED = "2026-03-02T08:00:00Z"
QUEUE = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: batch
spec:
  weight: 4
  reclaimable: true
"""
"""The queue of `two_queues` that changes are made to, as it stands in a repository."""


def uid_of(name: str) -> str:
    """Return a uid as the API server gives one, the same for the same name."""
    return str(uuid5(NAMESPACE_URL, name))


def item(kind: tuple[str, str], name: str, *, owner: Item | None = None, uid: str = "", **more: Any) -> Item:
    """Return an object; `more` are its other fields, `namespace`, `labels` and `annotations` those of its metadata."""
    metadata: Item = {key: more.pop(key) for key in ("namespace", "labels", "annotations") if key in more}
    metadata |= {
        "name": name,
        "uid": uid or uid_of("/".join((*kind, metadata.get("namespace", ""), name))),
        "resourceVersion": "1204",
        "creationTimestamp": CREATED,
        "managedFields": [{"manager": "kubectl", "operation": "Update", "apiVersion": kind[0], "time": CREATED}],
    }
    if owner is not None:
        metadata["ownerReferences"] = [owned_by(owner)]
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, **more}


def owned_by(owner: Item) -> Item:
    """Return the reference to a controller."""
    metadata = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def node(name: str, cpu: int) -> Item:
    """Return a node that has so many cores."""
    room = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    return item(("v1", "Node"), name, spec={}, status={"allocatable": room, "capacity": room})


def queue(name: str, weight: int = 1) -> Item:
    """Return an open queue."""
    spec = {"weight": weight, "reclaimable": True}
    return item((POD_GROUP, "Queue"), name, spec=spec, status={"state": "Open"})


def pod_group(name: str, owner: Item | None, *, namespace: str, minimum: int = 1, queue: str = "default") -> Item:
    """Return an admitted PodGroup."""
    return item(
        (POD_GROUP, "PodGroup"),
        name,
        owner=owner,
        namespace=namespace,
        spec={"minMember": minimum, "queue": queue, "minResources": {}},
        status={"phase": "Inqueue"},
    )


def pod(name: str, group: str, owner: Item | None, *, namespace: str, cpu: int) -> Item:
    """Return a pod of a PodGroup that waits for a node."""
    container = {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": str(cpu)}}}
    return item(
        ("v1", "Pod"),
        name,
        owner=owner,
        namespace=namespace,
        annotations={"scheduling.k8s.io/group-name": group},
        spec={"schedulerName": "volcano", "containers": [container]},
        status={"phase": "Pending"},
    )


def group_of(owner: Item, group: str, *, cpu: int, pods: int = 1, minimum: int | None = None) -> list[Item]:
    """Return a PodGroup of a controller, with its pods."""
    namespace, name = owner["metadata"]["namespace"], owner["metadata"]["name"]
    made = pod_group(group, owner, namespace=namespace, minimum=pods if minimum is None else minimum)
    return [made, *(pod(f"{name}-{each}", group, owner, namespace=namespace, cpu=cpu) for each in range(pods))]


def volcano_job(
    name: str,
    *,
    namespace: str,
    cpu: int,
    pods: int = 1,
    minimum: int | None = None,
    uid: str = "",
    queue: str = "default",
) -> list[Item]:
    """Return a Volcano Job with the PodGroup and the pods that the controller has made for it."""
    least = pods if minimum is None else minimum
    container = {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": str(cpu)}}}
    task = {
        "name": "worker",
        "replicas": pods,
        "template": {"spec": {"containers": [container], "restartPolicy": "Never"}},
    }
    spec = {"minAvailable": least, "queue": queue, "schedulerName": "volcano", "tasks": [task]}
    job = item(VOLCANO_JOB, name, namespace=namespace, uid=uid, spec=spec, status={"state": {"phase": "Pending"}})
    group = f"{name}-{job['metadata']['uid']}"
    made = [pod(f"{name}-worker-{each}", group, job, namespace=namespace, cpu=cpu) for each in range(pods)]
    for each in made:
        each["metadata"]["uid"] = uid_of(f"{job['metadata']['uid']}/{each['metadata']['name']}")
        each["metadata"]["annotations"]["volcano.sh/task-spec"] = "worker"
    return [job, pod_group(group, job, namespace=namespace, minimum=least, queue=queue), *made]


def running(items: list[Item], node: str) -> list[Item]:
    """Have the pods among some objects run on a node."""
    for each in items:
        if each["kind"] == "Pod":
            each["spec"]["nodeName"], each["status"] = node, {"phase": "Running"}
    return items


def cluster(*items: Item | Iterable[Item], cpu: int = 8) -> list[Item]:
    """Return a cluster of two nodes and the default queue, with some more objects."""
    own = [node("node-1", cpu), node("node-2", cpu), queue("root"), queue("default")]
    return [*own, *(each for group in items for each in ([group] if isinstance(group, dict) else group))]


def two_queues() -> list[Item]:
    """Return a node of 8 cores, and two queues of weight 4 with a Volcano Job of 8 pending pods each."""
    train = volcano_job("train", namespace="ml", cpu=1, pods=8, minimum=1, queue="batch")
    web = volcano_job("web", namespace="ml", cpu=1, pods=8, minimum=1, queue="serving")
    return [node("n1", 8), queue("batch", 4), queue("serving", 4), *train, *web]


def write_dump(path: Path, items: Sequence[Item]) -> str:
    """Write objects as a List, as kubectl does, and return the path."""
    listed = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": list(items)}
    path.write_text(json.dumps(listed, indent=4), encoding="utf-8")
    return str(path)
