"""Pods and templates, judged as the API server and the webhook for Jobs judge them."""

from __future__ import annotations

from typing import Any

import pytest

from vqs.snapshot.apiserver.validation.pod import pod_faults, template_faults
from vqs.snapshot.apiserver.validation.schema import JOB_TEMPLATE, POD, TEMPLATE, Fault

MOUNTED = {"volumes": [{"name": "data"}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}]}


def of_spec(**spec: object) -> list[Fault]:
    """Return what is wrong with a template whose pods are like that."""
    return [*template_faults({"spec": {"containers": [{"name": "main", "image": "a"}], **spec}}, TEMPLATE)]


def of_container(spec: dict[str, Any] | None = None, **container: object) -> list[Fault]:
    """Return what is wrong with a template whose container is like that."""
    return of_spec(**{**MOUNTED, **(spec or {}), "containers": [{"name": "main", "image": "a", **container}]})


def paths(faults: list[Fault]) -> list[str]:
    """Return the places of faults, below the spec or the container."""
    return [".".join(map(str, path)).removeprefix("spec.").removeprefix("containers.0.") for path, _ in faults]


BAD_SPECS: dict[str, tuple[dict[str, Any], str]] = {
    "restart": ({"restartPolicy": "Sometimes"}, "restartPolicy"),
    "dns": ({"dnsPolicy": "Mine"}, "dnsPolicy"),
    "dns none": ({"dnsPolicy": "None"}, "dnsConfig.nameservers"),
    "nameserver": ({"dnsConfig": {"nameservers": ["dns"]}}, "dnsConfig.nameservers.0"),
    "nameservers": ({"dnsConfig": {"nameservers": ["1.1.1.1"] * 4}}, "dnsConfig.nameservers"),
    "search": ({"dnsConfig": {"searches": ["a b"]}}, "dnsConfig.searches.0"),
    "dns option": ({"dnsConfig": {"options": [{"value": "1"}]}}, "dnsConfig.options.0.name"),
    "deadline": ({"activeDeadlineSeconds": 0}, "activeDeadlineSeconds"),
    "hostname": ({"hostname": "a.b"}, "hostname"),
    "hostname override": ({"hostnameOverride": "a", "hostNetwork": True}, "hostnameOverride"),
    "account": ({"serviceAccountName": "A"}, "serviceAccountName"),
    "alias": ({"hostAliases": [{"ip": "x", "hostnames": ["a"]}]}, "hostAliases.0.ip"),
    "gate": ({"schedulingGates": [{"name": "a"}, {"name": "a"}]}, "schedulingGates.1.name"),
    "readiness gate": ({"readinessGates": [{"conditionType": "a b"}]}, "readinessGates.0.conditionType"),
    "os": ({"os": {"name": "beos"}}, "os.name"),
    "selector": ({"nodeSelector": {"a": "b c"}}, "nodeSelector.a"),
    "toleration": ({"tolerations": [{"key": "a", "tolerationSeconds": 1}]}, "tolerations.0.tolerationSeconds"),
    "toleration value": ({"tolerations": [{"key": "a", "value": "b c"}]}, "tolerations.0.value"),
    "spread": (
        {"topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]},
        "topologySpreadConstraints.0.maxSkew",
    ),
    "two volumes": ({"volumes": [{"name": "a"}, {"name": "a"}]}, "volumes.1.name"),
    "two sources": ({"volumes": [{"name": "a", "emptyDir": {}, "hostPath": {"path": "/"}}]}, "volumes.0.hostPath"),
    "volume name": ({"volumes": [{"name": "A"}]}, "volumes.0.name"),
    "config map": ({"volumes": [{"name": "a", "configMap": {}}]}, "volumes.0.configMap.name"),
    "mode": (
        {"volumes": [{"name": "a", "secret": {"secretName": "s", "defaultMode": 512}}]},
        "volumes.0.secret.defaultMode",
    ),
    "item": (
        {"volumes": [{"name": "a", "configMap": {"name": "c", "items": [{"key": "k", "path": "../p"}]}}]},
        "volumes.0.configMap.items.0.path",
    ),
    "size": ({"volumes": [{"name": "a", "emptyDir": {"sizeLimit": "-1"}}]}, "volumes.0.emptyDir.sizeLimit"),
    "host path": ({"volumes": [{"name": "a", "hostPath": {"path": "/", "type": "Any"}}]}, "volumes.0.hostPath.type"),
    "nfs": ({"volumes": [{"name": "a", "nfs": {"server": "s", "path": "p"}}]}, "volumes.0.nfs.path"),
    "token": (
        {"volumes": [{"name": "a", "projected": {"sources": [{"serviceAccountToken": {"path": "/p"}}]}}]},
        "volumes.0.projected.sources.0.serviceAccountToken.path",
    ),
    "resource claim": ({"resourceClaims": [{"name": "a"}]}, "resourceClaims.0"),
    "sysctl": ({"securityContext": {"sysctls": [{"name": "a b", "value": "1"}]}}, "securityContext.sysctls.0.name"),
    "group": ({"securityContext": {"supplementalGroups": [1, -1]}}, "securityContext.supplementalGroups.1"),
    "ephemeral": ({"ephemeralContainers": [{"name": "debug", "image": "a"}]}, "ephemeralContainers"),
    "init probe": (
        {"initContainers": [{"name": "i", "image": "a", "livenessProbe": {"exec": {"command": ["a"]}}}]},
        "initContainers.0.livenessProbe",
    ),
    "init restart": (
        {"initContainers": [{"name": "i", "image": "a", "restartPolicy": "Never"}]},
        "initContainers.0.restartPolicy",
    ),
}


@pytest.mark.parametrize("name", BAD_SPECS)
def test_a_bad_spec(name: str) -> None:
    """What the API server refuses of the spec of pods is found where it stands, and nothing else is."""
    spec, path = BAD_SPECS[name]
    assert paths(of_spec(**spec)) == [path]


BAD_CONTAINERS: dict[str, tuple[dict[str, Any], str]] = {
    "image": ({"image": ""}, "image"),
    "pull": ({"imagePullPolicy": "Sometimes"}, "imagePullPolicy"),
    "message": ({"terminationMessagePolicy": "Logs"}, "terminationMessagePolicy"),
    "own restart": ({"restartPolicy": "Always"}, "restartPolicy"),
    "port": ({"ports": [{"containerPort": 65536}]}, "ports.0.containerPort"),
    "no port": ({"ports": [{"name": "a"}]}, "ports.0.containerPort"),
    "port name": ({"ports": [{"containerPort": 1, "name": "8080"}]}, "ports.0.name"),
    "two ports": ({"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]}, "ports.1.name"),
    "protocol": ({"ports": [{"containerPort": 1, "protocol": "ICMP"}]}, "ports.0.protocol"),
    "host port": (
        {"ports": [{"containerPort": 1, "hostPort": 5}, {"containerPort": 2, "hostPort": 5}]},
        "ports.1.hostPort",
    ),
    "variable": ({"env": [{"name": "A=B"}]}, "env.0.name"),
    "two sources": (
        {"env": [{"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
        "env.0.valueFrom",
    ),
    "no source": ({"env": [{"name": "A", "valueFrom": {}}]}, "env.0.valueFrom"),
    "field": (
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]},
        "env.0.valueFrom.fieldRef.fieldPath",
    ),
    "amount": (
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "cpu"}}}]},
        "env.0.valueFrom.resourceFieldRef.resource",
    ),
    "key": (
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "a b"}}}]},
        "env.0.valueFrom.secretKeyRef.key",
    ),
    "env from": ({"envFrom": [{"prefix": "A"}]}, "envFrom.0"),
    "mount": ({"volumeMounts": [{"name": "zz", "mountPath": "/a"}]}, "volumeMounts.0.name"),
    "two mounts": ({"volumeMounts": [{"name": "data", "mountPath": "/a"}] * 2}, "volumeMounts.1.mountPath"),
    "sub path": ({"volumeMounts": [{"name": "data", "mountPath": "/a", "subPath": "/b"}]}, "volumeMounts.0.subPath"),
    "propagation": (
        {"volumeMounts": [{"name": "data", "mountPath": "/a", "mountPropagation": "Bidirectional"}]},
        "volumeMounts.0.mountPropagation",
    ),
    "device": ({"volumeDevices": [{"name": "data", "devicePath": "/dev/a"}]}, "volumeDevices.0.name"),
    "handlers": (
        {"livenessProbe": {"exec": {"command": ["a"]}, "tcpSocket": {"port": 1}}},
        "livenessProbe.tcpSocket",
    ),
    "no handler": ({"readinessProbe": {}}, "readinessProbe"),
    "command": ({"startupProbe": {"exec": {}}}, "startupProbe.exec.command"),
    "probe port": ({"livenessProbe": {"httpGet": {"port": "8080"}}}, "livenessProbe.httpGet.port"),
    "scheme": ({"livenessProbe": {"httpGet": {"port": 1, "scheme": "FTP"}}}, "livenessProbe.httpGet.scheme"),
    "threshold": ({"livenessProbe": {"grpc": {"port": 1}, "successThreshold": 2}}, "livenessProbe.successThreshold"),
    "sleep": ({"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}}, "lifecycle.preStop.sleep.seconds"),
    "user": ({"securityContext": {"runAsUser": -1}}, "securityContext.runAsUser"),
    "escalation": (
        {"securityContext": {"privileged": True, "allowPrivilegeEscalation": False}},
        "securityContext.allowPrivilegeEscalation",
    ),
    "profile": (
        {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
        "securityContext.seccompProfile.localhostProfile",
    ),
    "proc": ({"securityContext": {"procMount": "Unmasked"}}, "securityContext.procMount"),
    "claim": ({"resources": {"claims": [{"name": "a"}]}}, "resources.claims.0.name"),
    "resizing": (
        {"resizePolicy": [{"resourceName": "pods", "restartPolicy": "NotRequired"}]},
        "resizePolicy.0.resourceName",
    ),
}


@pytest.mark.parametrize("name", BAD_CONTAINERS)
def test_a_bad_container(name: str) -> None:
    """What the API server refuses of a container is found where it stands, and nothing else is."""
    container, path = BAD_CONTAINERS[name]
    assert paths(of_container(**container)) == [path]


def test_ports_of_the_node() -> None:
    """With hostNetwork, a port of the node can be no other than that of the container; none is the same one."""
    network = {"hostNetwork": True}
    assert paths(of_container(network, ports=[{"containerPort": 80, "hostPort": 81}])) == ["ports.0.hostPort"]
    assert not of_container(network, ports=[{"containerPort": 80, "hostPort": 80}, {"containerPort": 81}])


def affinity(kind: str, **term: object) -> list[Fault]:
    """Return what is wrong with an affinity that is required."""
    inner: object = [{"topologyKey": "zone", **term}]
    if kind == "nodeAffinity":
        inner = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", **term}]}]}
    return of_spec(affinity={kind: {"requiredDuringSchedulingIgnoredDuringExecution": inner}})


@pytest.mark.parametrize(
    ("kind", "term", "end"),
    [
        ("nodeAffinity", {"operator": "In"}, "values"),
        ("nodeAffinity", {"operator": "Exists", "values": ["a"]}, "values"),
        ("nodeAffinity", {"operator": "Near", "values": ["a"]}, "operator"),
        ("nodeAffinity", {"operator": "In", "values": ["a b"]}, "values.0"),
        ("podAffinity", {"topologyKey": ""}, "topologyKey"),
        ("podAffinity", {"namespaces": ["A"]}, "namespaces.0"),
        ("podAntiAffinity", {"matchLabelKeys": ["a"]}, "matchLabelKeys"),
        ("podAntiAffinity", {"labelSelector": {"matchLabels": {"a": "b c"}}}, "matchLabels.a"),
        (
            "podAntiAffinity",
            {"labelSelector": {}, "matchLabelKeys": ["a"], "mismatchLabelKeys": ["a"]},
            "matchLabelKeys.0",
        ),
    ],
)
def test_a_bad_affinity(kind: str, term: dict[str, Any], end: str) -> None:
    """What the API server refuses of affinities is found where it stands."""
    [path] = paths(affinity(kind, **term))
    assert path.endswith(end)


def test_the_webhook_is_stricter() -> None:
    """The webhook asks the code it borrows for nothing new: names of variables are judged as years ago."""
    template = {"spec": {"containers": [{"name": "main", "image": "a", "env": [{"name": "1"}]}]}}
    assert not [*template_faults(template, TEMPLATE)]
    assert len([*template_faults(template, JOB_TEMPLATE)]) == 1


def test_a_pod_is_more_than_a_template() -> None:
    """Some rules hold for pods themselves only: images without blanks, and no node while there are gates."""
    spec = {
        "containers": [{"name": "main", "image": " a"}],
        "nodeName": "n1",
        "schedulingGates": [{"name": "a"}],
    }
    assert paths([*pod_faults({"spec": spec}, POD)]) == ["image", "nodeName"]
    assert not [*template_faults({"spec": spec}, TEMPLATE)]


def test_labels_and_annotations() -> None:
    """Those of a template are judged, too."""
    metadata = {"labels": {"a b": "c"}, "annotations": {"controller.kubernetes.io/pod-deletion-cost": "dear"}}
    template = {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "a"}]}}
    assert [path[1] for path, _ in template_faults(template, TEMPLATE)] == ["labels", "annotations"]


@pytest.mark.parametrize("wrong", [None, 1, "a", [], {}, [None], [1], {"a": 1}])
def test_wrong_types_break_nothing(wrong: object) -> None:
    """Anything may stand anywhere: what is of a wrong type is another rule's matter."""
    for key in (*BAD_SPECS, "containers", "initContainers", "affinity", "securityContext", "volumes"):
        field = next(iter(BAD_SPECS[key][0])) if key in BAD_SPECS else key
        assert isinstance(of_spec(**{field: wrong}), list)
    for container, _ in BAD_CONTAINERS.values():
        assert isinstance(of_container(None, **dict.fromkeys(container, wrong)), list)
