"""Fields of objects that reading leaves out, and which of them were meant to be others.

Reference: config/crd/volcano/bases in volcano-sh/volcano; k8s.io/api core/v1 (v0.34).
"""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Union, get_args, get_origin

import msgspec

from vqs.model import kubernetes as k8s
from vqs.snapshot.diagnostics import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vqs.snapshot.diagnostics import Path

    Fields = Mapping[str, type[Any] | None]

_TOP = "apiVersion kind metadata spec status"
_METADATA = (
    "creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generation managedFields "
    "resourceVersion selfLink"
)

_NOT_LOOKED_AT: dict[type, str] = {
    k8s.VolcanoJob: _TOP,
    k8s.VolcanoJobSpec: "maxRetry minSuccess runningEstimate ttlSecondsAfterFinished",
    k8s.TaskSpec: "maxRetry",
    k8s.DependsOn: "",
    k8s.PartitionPolicy: "",
    k8s.LifecyclePolicy: "timeout",
    k8s.VolumeSpec: "",
    k8s.NetworkTopology: "",
    k8s.PodGroup: _TOP,
    k8s.PodGroupSpec: "",
    k8s.SubGroupPolicy: "",
    k8s.Queue: _TOP,
    k8s.QueueSpec: "extendClusters",
    k8s.Guarantee: "",
    k8s.Pod: _TOP,
    k8s.PodTemplateSpec: _TOP,
    k8s.ObjectMeta: _METADATA,
    k8s.PodSpec: "activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks "
    "ephemeralContainers hostAliases hostIPC hostPID hostUsers hostname hostnameOverride imagePullSecrets os "
    "readinessGates restartPolicy runtimeClassName securityContext serviceAccount serviceAccountName "
    "setHostnameAsFQDN shareProcessNamespace subdomain workloadRef",
    k8s.Container: "args command env envFrom imagePullPolicy lifecycle livenessProbe readinessProbe resizePolicy "
    "restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath "
    "terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
    k8s.ResourceRequirements: "claims",
    k8s.ContainerPort: "name",
    k8s.Toleration: "",
    k8s.Affinity: "",
    k8s.NodeAffinity: "",
    k8s.NodeSelector: "",
    k8s.NodeSelectorTerm: "",
    k8s.NodeSelectorRequirement: "",
    k8s.PreferredSchedulingTerm: "",
    k8s.PodAffinity: "",
    k8s.PodAffinityTerm: "",
    k8s.WeightedPodAffinityTerm: "",
    k8s.LabelSelector: "",
    k8s.LabelSelectorRequirement: "",
    k8s.TopologySpreadConstraint: "",
    k8s.PodSchedulingGate: "",
}
"""The types all of whose fields are known, with those that scheduling does not look at."""


class Misspelling(NamedTuple):
    """A field that does not exist, and a hint at the one that was meant."""

    path: Path
    hint: str


def misspellings(value: Any, type_: type[Any], path: Path = ()) -> Iterator[Misspelling]:
    """Yield the fields in a plain value that its type does not have, and that are near to one it has."""
    known = _FIELDS.get(type_)
    if known is None or not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key not in known:
            hint = did_you_mean(str(key), known) or _belongs(key, known)
            if hint:
                yield Misspelling((*path, key), hint)
            continue
        struct = known[key]
        if struct is not None and isinstance(inner, list):
            for index, each in enumerate(inner):
                yield from misspellings(each, struct, (*path, key, index))
        elif struct is not None:
            yield from misspellings(inner, struct, (*path, key))


def _belongs(key: str, known: Fields) -> str:
    """Return a hint at the field next to which a field was put, if it should be in that one."""
    for name, struct in known.items():
        if struct is not None and name != "metadata" and key in _FIELDS.get(struct, {}):
            return f"it belongs into {name}"
    return ""


def _struct(type_: Any) -> type[Any] | None:
    """Return the struct that a field's value is, or is a list of; None where it is something else."""
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return type_
    if get_origin(type_) in (list, Union, UnionType):
        return next((found for each in get_args(type_) if (found := _struct(each)) is not None), None)
    return None


def _fields(type_: type[Any], others: str) -> Fields:
    looked_at = {each.encode_name: _struct(each.type) for each in msgspec.structs.fields(type_)}
    return {**dict.fromkeys(others.split()), **looked_at}


_FIELDS = {type_: _fields(type_, others) for type_, others in _NOT_LOOKED_AT.items()}
"""The fields of each type, with the struct that their values are, or are lists of, if they are any."""
