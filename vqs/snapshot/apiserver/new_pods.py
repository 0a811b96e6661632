"""What the API server and Volcano's webhook for pods make of new pods.

A pod that names a RuntimeClass gets its overhead, node selector and tolerations. A class that is not known adds
nothing, and where a pod says something else of its own, that stands: the API server would not admit such a pod. Every
new pod tolerates for five minutes nodes that are not ready, or not reachable; that matters where a node has such a
taint, and only then is it written. Groups of resources, as the configuration of the webhooks has them, name schedulers.
References: k8s.io/kubernetes plugin/pkg/admission/runtimeclass, plugin/pkg/admission/defaulttolerationseconds and
pkg/util/tolerations; pkg/webhooks/admission/pods/mutate in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import yaml
from msgspec.structs import replace

from vqs.model import kubernetes as k8s


class RuntimeClasses:
    """The classes of a snapshot."""

    def __init__(self, classes: Iterable[k8s.RuntimeClass]) -> None:
        self._classes = {each.metadata.name: each for each in classes}

    def admitted(self, spec: k8s.PodSpec) -> k8s.PodSpec:
        """The spec of a new pod with what its class adds; doing so again changes nothing."""
        known = self._classes.get(spec.runtime_class_name)
        if known is None:
            return spec
        overhead, scheduling = known.overhead, known.scheduling
        if overhead is not None:
            spec = replace(spec, overhead=spec.overhead or overhead.pod_fixed)
        if scheduling is not None:
            tolerations = [*spec.tolerations, *scheduling.tolerations]
            # What another one includes is left out; of equal ones, the first stays.
            merged: list[k8s.Toleration] = []
            for index, each in enumerate(tolerations):
                later = (other for other in tolerations[index + 1 :] if other != each)
                if not any(_includes(other, each) for other in (*merged, *later)):
                    merged.append(each)
            spec = replace(
                spec,
                node_selector=scheduling.node_selector | spec.node_selector,
                tolerations=merged,
            )
        return spec

    def admitted_if_new(self, pod: k8s.Pod) -> k8s.Pod:
        """A pod with what its class adds, unless a cluster has admitted it, and has added that already."""
        if pod.metadata.uid or not pod.spec.runtime_class_name:
            return pod
        return replace(pod, spec=self.admitted(pod.spec))


def _includes(one: k8s.Toleration, other: k8s.Toleration) -> bool:
    """True if a toleration puts up with all that another does."""
    if one == other:
        return True
    if one.key != other.key and (one.key or one.operator != "Exists"):
        return False
    seconds, longest = other.toleration_seconds, one.toleration_seconds
    lasts = one.effect != "NoExecute" or longest is None or (seconds is not None and seconds <= longest)
    if one.effect not in ("", other.effect) or not lasts:
        return False
    if one.operator == "Exists":
        return True
    return one.operator in ("", "Equal") and other.operator == "Equal" and one.value == other.value


# --- tolerations of every pod -----------------------------------------------------------------------------------------

TOLERATED_FOR_A_WHILE: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EFFECT: Final = "NoExecute"
_SECONDS: Final = 300


def default_tolerations(nodes: Iterable[k8s.Node]) -> Iterator[str]:
    """Yield the keys of the taints that nodes have, and that every new pod tolerates for a while."""
    tainted = {each.key for node in nodes for each in node.spec.taints if each.effect == _EFFECT}
    return (key for key in TOLERATED_FOR_A_WHILE if key in tainted)


def with_default_tolerations(spec: k8s.PodSpec, keys: Sequence[str]) -> k8s.PodSpec:
    """The spec of a new pod with the tolerations that it does not have of its own."""
    missing = [
        k8s.Toleration(key=key, operator="Exists", effect=_EFFECT, toleration_seconds=_SECONDS)
        for key in keys
        if not any(each.key in ("", key) and each.effect in ("", _EFFECT) for each in spec.tolerations)
    ]
    return replace(spec, tolerations=[*spec.tolerations, *missing]) if missing else spec


# --- groups of resources ----------------------------------------------------------------------------------------------


_KEY: Final = "volcano-admission.conf"
_ANNOTATION: Final = "volcano.sh/resource-group"


class _Object(msgspec.Struct):
    key: str = ""
    value: list[str] = []


class ResourceGroup(msgspec.Struct, rename="camel"):
    """Pods of a namespace or with an annotation, and the scheduler that they are given."""

    resource_group: str = ""
    object: _Object = msgspec.field(default_factory=_Object)
    scheduler_name: str = ""

    def has(self, namespace: str, annotations: Mapping[str, str]) -> bool:
        """True if pods of a namespace with some annotations belong to it."""
        if self.object.key == "namespace":
            return namespace in self.object.value
        written = {f"{name}: {value}" for name, value in annotations.items()}
        is_named = not self.object.key and annotations.get(_ANNOTATION) == self.resource_group
        return is_named or (self.object.key in ("", "annotation") and not written.isdisjoint(self.object.value))


def resource_groups(config_maps: Iterable[k8s.ConfigMap]) -> Iterator[ResourceGroup]:
    """Yield the groups in the configuration of the webhooks; none where it cannot be read."""
    for each in config_maps:
        try:
            value: Any = yaml.safe_load(each.data.get(_KEY, "")) or {}
            yield from msgspec.convert(value.get("resourceGroups") or [], list[ResourceGroup])
        except (yaml.YAMLError, msgspec.ValidationError, AttributeError):
            continue


def scheduler_of(groups: Iterable[ResourceGroup], namespace: str, annotations: Mapping[str, str]) -> str:
    """The scheduler that the first group of some pods gives them; empty where it gives none."""
    return next((each.scheduler_name for each in groups if each.has(namespace, annotations)), "")
