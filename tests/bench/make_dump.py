"""A dump of a big cluster, as kubectl writes it: indented, with managedFields and status; prints its size.

usage: python tests/bench/make_dump.py FILE [PODS [NODES]]

The pods run, in gangs of ten, on nodes that have room for more; a twentieth of the gangs wait.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Plain = dict[str, Any]

GANG = 10
QUEUES = 20
WAITS = 20
TIME = "2026-03-02T11:58:01Z"
CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def metadata(name: str, number: int, managers: int, **more: Any) -> Plain:
    """Return what the API server knows of an object, with so many managers of its fields."""
    fields: Plain = {
        f"f:{part}": {"f:metadata": {f"f:label-{each}": {} for each in range(6)}, "f:spec": {".": {}, "f:value": {}}}
        for part in ("annotations", "labels", "containers", "volumes")
    }
    managed = {"apiVersion": "v1", "fieldsType": "FieldsV1", "operation": "Update", "time": TIME, "fieldsV1": fields}
    return {
        "creationTimestamp": TIME,
        "name": name,
        "resourceVersion": str(1_000_000 + number),
        "uid": f"00000000-0000-0000-{number // 65536:04x}-{number % 65536:012x}",
        "managedFields": [{"manager": f"manager-{each}", **managed} for each in range(managers)],
        **more,
    }


def pod(number: int, nodes: int) -> Plain:
    """Return a pod of a gang; pods of a gang that waits have no node."""
    gang, waits = number // GANG, (number // GANG) % WAITS == 0
    name = f"train-{gang:05d}-worker-{number % GANG}"
    spec = {
        "containers": [container(each) for each in ("trainer", "logger")],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "OnFailure",
        "schedulerName": "volcano",
        "securityContext": {},
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists", "tolerationSeconds": 300}
            for key in ("not-ready", "unreachable")
        ],
        "volumes": [{"name": "token", "projected": {"defaultMode": 420, "sources": [{"configMap": {"name": "ca"}}]}}],
    }
    if not waits:
        spec["nodeName"] = f"node-{number % nodes:05d}"
    labels = {"volcano.sh/job-name": f"train-{gang:05d}", "volcano.sh/task-spec": "worker", "team": f"team-{gang % 9}"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(
            name,
            number,
            managers=3,
            namespace=f"team-{gang % 9}",
            labels=labels,
            annotations={"scheduling.k8s.io/group-name": f"train-{gang:05d}", "volcano.sh/task-spec": "worker"},
        ),
        "spec": spec,
        "status": {"phase": "Pending", "qosClass": "Burstable"} if waits else status(),
    }


def container(name: str) -> Plain:
    """Return a container as the API server completes it."""
    return {
        "command": ["python", "-m", "train", "--epochs", "90"],
        "env": [{"name": f"VARIABLE_{each}", "value": f"value-{each}"} for each in range(6)],
        "image": f"registry.example.com/team/{name}:1.2.3",
        "imagePullPolicy": "IfNotPresent",
        "name": name,
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "100m", "memory": "512Mi"}},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "token", "readOnly": True}],
    }


def status() -> Plain:
    """Return the status of a pod that runs."""
    return {
        "conditions": [
            {"lastProbeTime": None, "lastTransitionTime": TIME, "status": "True", "type": each} for each in CONDITIONS
        ],
        "containerStatuses": [
            {
                "containerID": f"containerd://{'0123456789abcdef' * 4}",
                "image": f"registry.example.com/team/{name}:1.2.3",
                "imageID": f"registry.example.com/team/{name}@sha256:{'0123456789abcdef' * 4}",
                "lastState": {},
                "name": name,
                "ready": True,
                "restartCount": 0,
                "started": True,
                "state": {"running": {"startedAt": TIME}},
            }
            for name in ("trainer", "logger")
        ],
        "hostIP": "10.0.0.1",
        "phase": "Running",
        "podIP": "10.1.0.1",
        "podIPs": [{"ip": "10.1.0.1"}],
        "qosClass": "Burstable",
        "startTime": TIME,
    }


def node(number: int) -> Plain:
    """Return a node that is ready."""
    amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata(f"node-{number:05d}", number, managers=2, labels={"zone": f"zone-{number % 3}"}),
        "spec": {},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"lastTransitionTime": TIME, "status": "True", "type": "Ready"}],
        },
    }


def pod_group(gang: int) -> Plain:
    """Return the PodGroup of a gang."""
    waits = gang % WAITS == 0
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": metadata(f"train-{gang:05d}", gang, managers=2, namespace=f"team-{gang % 9}"),
        "spec": {"minMember": GANG, "queue": f"queue-{gang % QUEUES}"},
        "status": {"phase": "Inqueue" if waits else "Running"},
    }


def queue(number: int) -> Plain:
    """Return a queue that is open."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": metadata(f"queue-{number}", number, managers=1),
        "spec": {"weight": 1 + number % 3, "reclaimable": True},
        "status": {"state": "Open"},
    }


def objects(pods: int, nodes: int) -> Iterator[Plain]:
    """Yield all objects of the cluster."""
    yield from (node(each) for each in range(nodes))
    yield from (pod(each, nodes) for each in range(pods))
    yield from (pod_group(each) for each in range((pods + GANG - 1) // GANG))
    yield from (queue(each) for each in range(QUEUES))


def main(path: str, pods: int = 30_000, nodes: int = 1_000) -> None:
    """Write the dump object by object."""
    with Path(path).open("w", encoding="utf-8") as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [')
        for number, each in enumerate(objects(pods, nodes)):
            text = json.dumps(each, indent=4).replace("\n", "\n        ")
            file.write(f"{',' if number else ''}\n        {text}")
        file.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')
    print(f"{path}: {Path(path).stat().st_size / 1e6:.0f} MB, {pods} pods, {nodes} nodes")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
