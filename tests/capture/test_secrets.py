"""What may be secret does not get into a captured snapshot."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from vqs.anonymize.vocabulary import ANNOTATIONS
from vqs.capture.secrets import without_secrets
from vqs.model.keys import is_read

SECRET = "hunter2"  # noqa: S105 - nobody's
LABELS_ONLY = {f"{beta}kubernetes.io/{name}" for beta in ("", "beta.") for name in ("os", "arch")}
CONTAINER: dict[str, Any] = {
    "name": "main",
    "image": "busybox",
    "command": [SECRET],
    "args": [SECRET],
    "env": [{"name": "TOKEN", "value": SECRET}],
    "envFrom": [{"configMapRef": {"name": SECRET}}],
    "lifecycle": {"preStop": {"exec": {"command": [SECRET]}}},
    "livenessProbe": {"httpGet": {"httpHeaders": [{"name": "Authorization", "value": SECRET}]}},
    "readinessProbe": {"exec": {"command": [SECRET]}},
    "startupProbe": {"exec": {"command": [SECRET]}},
    "resources": {"requests": {"cpu": "1"}},
    "ports": [{"containerPort": 80, "hostPort": 80}],
    "restartPolicy": "Always",
}
METADATA: dict[str, Any] = {
    "name": "a",
    "labels": {"app": "a"},
    "annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": SECRET,
        "objectset.rio.cattle.io/applied": SECRET,
        "kapp.k14s.io/original": SECRET,
        "kopf.zalando.org/last-handled-configuration": SECRET,
        "banzaicloud.com/last-applied": SECRET,
        "workflows.argoproj.io/template": SECRET,
        "vault.hashicorp.com/agent-inject-template-db": SECRET,
        "notvolcano.sh/applied": SECRET,
        "scheduling.k8s.io/group-name": "g",
        "vqs.volcano.sh/ignore": "no-pods: known",
        "pv.kubernetes.io/bind-completed": "yes",
    },
    "managedFields": [{"manager": SECRET}],
}
SPEC: dict[str, Any] = {
    "containers": [CONTAINER],
    "initContainers": [CONTAINER],
    "ephemeralContainers": [CONTAINER],
    "nodeName": "n1",
    "volumes": [
        {"name": "a", "csi": {"driver": "d", "volumeAttributes": {"token": SECRET}}},
        {"name": "b", "flexVolume": {"driver": "d", "options": {"token": SECRET}}},
        {"name": "c", "gitRepo": {"repository": SECRET}},
        {"name": "d", "ephemeral": {"volumeClaimTemplate": {"metadata": {"annotations": {"a.b/c": SECRET}}}}},
    ],
}
TEMPLATE: dict[str, Any] = {"metadata": METADATA, "spec": SPEC}
ENDED = {"name": "main", "lastState": {"terminated": {"exitCode": 1, "message": SECRET}}, "state": {"running": {}}}

OBJECTS: dict[str, dict[str, Any]] = {
    "Pod": {"kind": "Pod", **TEMPLATE, "status": {"phase": "Running", "containerStatuses": [ENDED]}},
    "Deployment": {"kind": "Deployment", "metadata": METADATA, "spec": {"replicas": 1, "template": TEMPLATE}},
    "Volcano Job": {"kind": "Job", "metadata": METADATA, "spec": {"tasks": [{"name": "t", "template": TEMPLATE}]}},
    "CronJob": {
        "kind": "CronJob",
        "metadata": METADATA,
        "spec": {"jobTemplate": {"metadata": METADATA, "spec": {"template": TEMPLATE}}},
    },
}


@pytest.mark.parametrize("value", OBJECTS.values(), ids=OBJECTS)
def test_secrets(value: dict[str, Any]) -> None:
    """Wherever an object has containers, what they are told and what they said is left out; what decides is kept."""
    captured = without_secrets(deepcopy(value))
    text = json.dumps(captured)
    assert SECRET not in text
    for kept in ('"cpu": "1"', '"hostPort": 80', '"image": "busybox"', '"nodeName": "n1"', '"restartPolicy": "Always"'):
        assert text.count(kept) == json.dumps(value).count(kept)
    assert captured["metadata"] == {
        "name": "a",
        "labels": {"app": "a"},
        "annotations": {
            "scheduling.k8s.io/group-name": "g",
            "vqs.volcano.sh/ignore": "no-pods: known",
            "pv.kubernetes.io/bind-completed": "yes",
        },
    }


@pytest.mark.parametrize(
    "spec", [None, "text", {"template": None}, {"tasks": [None, {"template": 1}], "containers": 1}]
)
def test_odd_objects(spec: Any) -> None:
    """An object that is not as its kind has it is passed on as it is, for the reader to refuse."""
    value = {"kind": "Pod", "metadata": None, "spec": spec, "status": {"containerStatuses": [None, {"state": 1}]}}
    assert without_secrets(deepcopy(value)) == value


def test_secrets_of_volumes() -> None:
    """What a volume's driver and the mount are told is left out, the driver is not."""
    csi = {"driver": "d", "volumeHandle": "v", "volumeAttributes": {"token": SECRET}}
    value = {"kind": "PersistentVolume", "spec": {"csi": csi, "mountOptions": [f"password={SECRET}"]}}
    assert without_secrets(value)["spec"] == {"csi": {"driver": "d", "volumeHandle": "v"}}
    assert without_secrets({"kind": "StorageClass", "mountOptions": [SECRET]}) == {"kind": "StorageClass"}
    claim = {"metadata": {"annotations": {"a.b/c": SECRET}}}
    assert SECRET not in json.dumps(without_secrets({"kind": "StatefulSet", "spec": {"volumeClaimTemplates": [claim]}}))


def test_messages() -> None:
    """Of the messages in a status, those stay that the scheduler wrote, as they are compared."""
    conditions = [{"type": each, "reason": "r", "message": "m"} for each in ("PodScheduled", "Unschedulable", "Ready")]
    status = {"message": SECRET, "state": {"phase": "Failed", "message": SECRET}, "conditions": conditions}
    assert without_secrets({"kind": "Pod", "status": status})["status"] == {
        "state": {"phase": "Failed"},
        "conditions": [*conditions[:2], {"type": "Ready", "reason": "r"}],
    }


def test_why_pods_of_a_replica_set_were_refused_is_captured() -> None:
    """Without what the API server said, such pods would count as placed."""
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "m"}
    status = {"conditions": [dict(condition)]}
    assert without_secrets({"kind": "ReplicaSet", "status": status})["status"] == {"conditions": [condition]}


def test_all_that_decides_is_captured() -> None:
    """No annotation is left out that decides."""
    assert not [key for key in ANNOTATIONS - LABELS_ONLY if not is_read(key)]
