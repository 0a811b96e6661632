"""What may be secret does not get into a captured snapshot."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from vqs.capture.secrets import without_secrets

SECRET = "hunter2"  # noqa: S105 - nobody's
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
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": SECRET, "scheduling.k8s.io/group-name": "g"},
    "managedFields": [{"manager": SECRET}],
}
SPEC: dict[str, Any] = {
    "containers": [CONTAINER],
    "initContainers": [CONTAINER],
    "ephemeralContainers": [CONTAINER],
    "nodeName": "n1",
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
        "annotations": {"scheduling.k8s.io/group-name": "g"},
    }


@pytest.mark.parametrize(
    "spec", [None, "text", {"template": None}, {"tasks": [None, {"template": 1}], "containers": 1}]
)
def test_odd_objects(spec: Any) -> None:
    """An object that is not as its kind has it is passed on as it is, for the reader to refuse."""
    value = {"kind": "Pod", "metadata": None, "spec": spec, "status": {"containerStatuses": [None, {"state": 1}]}}
    assert without_secrets(deepcopy(value)) == value
