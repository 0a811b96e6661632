"""What the API server adds to a new pod of a namespace with a LimitRange: the requests and limits that it leaves out.

What the container says itself stands, and a limit alone is a request, too. Whether a pod asks for too little or too
much is not looked at.
Reference: k8s.io/kubernetes plugin/pkg/admission/limitranger and pkg/apis/core/v1/defaults.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from vqs.model import kubernetes as k8s

_CONTAINER = "Container"


class LimitRanges:
    """The defaults of a snapshot's namespaces."""

    def __init__(self, ranges: Iterable[k8s.LimitRange]) -> None:
        self._of: dict[str, list[k8s.ResourceRequirements]] = {}
        for each in ranges:
            found = [_defaults(item) for item in each.spec.limits if item.type == _CONTAINER]
            self._of.setdefault(each.metadata.namespace, []).extend(found)

    def admitted(self, spec: k8s.PodSpec, namespace: str) -> k8s.PodSpec:
        """Return the spec of a new pod with what its namespace adds; doing so again changes nothing."""
        defaults = self._of.get(namespace)
        if not defaults:
            return spec
        return replace(
            spec,
            containers=[_filled(each, defaults) for each in spec.containers],
            init_containers=[_filled(each, defaults) for each in spec.init_containers],
        )

    def admitted_if_new(self, pod: k8s.Pod) -> k8s.Pod:
        """Return a pod with what its namespace adds, unless a cluster has admitted it, and has added that already."""
        if pod.metadata.uid or pod.metadata.namespace not in self._of:
            return pod
        return replace(pod, spec=self.admitted(pod.spec, pod.metadata.namespace))


def _defaults(item: k8s.LimitRangeItem) -> k8s.ResourceRequirements:
    """Return what containers get: the most is the limit that is left out, and the limit the request, or the least."""
    limits = {**item.max, **item.default}
    return k8s.ResourceRequirements(requests={**item.min, **limits, **item.default_request}, limits=limits)


def _filled(container: k8s.Container, defaults: Iterable[k8s.ResourceRequirements]) -> k8s.Container:
    own = container.resources
    requests, limits = {**own.limits, **own.requests}, dict(own.limits)
    for each in defaults:
        requests, limits = {**each.requests, **requests}, {**each.limits, **limits}
    return replace(container, resources=replace(own, requests=requests, limits=limits))
