"""What the API server adds to a new pod that names a RuntimeClass: overhead, a node selector, tolerations.

A class that is not known adds nothing, and where a pod says something else of its own, that stands: the API server
would not admit such a pod.
Reference: k8s.io/kubernetes plugin/pkg/admission/runtimeclass and pkg/util/tolerations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from vqs.model import kubernetes as k8s


class RuntimeClasses:
    """The classes of a snapshot."""

    def __init__(self, classes: Iterable[k8s.RuntimeClass]) -> None:
        self._classes = {each.metadata.name: each for each in classes}

    def admitted(self, spec: k8s.PodSpec) -> k8s.PodSpec:
        """Return the spec of a new pod with what its class adds; doing so again changes nothing."""
        known = self._classes.get(spec.runtime_class_name)
        if known is None:
            return spec
        overhead, scheduling = known.overhead, known.scheduling
        if overhead is not None:
            spec = replace(spec, overhead=spec.overhead or overhead.pod_fixed)
        if scheduling is not None:
            spec = replace(
                spec,
                node_selector=scheduling.node_selector | spec.node_selector,
                tolerations=_merged([*spec.tolerations, *scheduling.tolerations]),
            )
        return spec

    def admitted_if_new(self, pod: k8s.Pod) -> k8s.Pod:
        """Return a pod with what its class adds, unless a cluster has admitted it, and has added that already."""
        if pod.metadata.uid or not pod.spec.runtime_class_name:
            return pod
        return replace(pod, spec=self.admitted(pod.spec))


def _merged(tolerations: Sequence[k8s.Toleration]) -> list[k8s.Toleration]:
    """Return tolerations without those that others include; of equal ones, the first stays."""
    merged: list[k8s.Toleration] = []
    for index, each in enumerate(tolerations):
        later = (other for other in tolerations[index + 1 :] if other != each)
        if not any(_includes(other, each) for other in merged) and not any(_includes(other, each) for other in later):
            merged.append(each)
    return merged


def _includes(one: k8s.Toleration, other: k8s.Toleration) -> bool:
    """Tell whether a toleration puts up with all that another does."""
    if one == other:
        return True
    if one.key != other.key and (one.key or one.operator != "Exists"):
        return False
    if one.effect not in ("", other.effect) or not _lasts_as_long(one, other):
        return False
    if one.operator == "Exists":
        return True
    return one.operator in ("", "Equal") and other.operator == "Equal" and one.value == other.value


def _lasts_as_long(one: k8s.Toleration, other: k8s.Toleration) -> bool:
    seconds = one.toleration_seconds
    if one.effect != "NoExecute" or seconds is None:
        return True
    return other.toleration_seconds is not None and other.toleration_seconds <= seconds
