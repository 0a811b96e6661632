"""What a PodGroup's minResources count a pod with: as a quota does, and once more without the word "requests".

References: pkg/controllers/util/util.go in volcano-sh/volcano; k8s.io/kubernetes pkg/quota/v1/evaluator/core/pods.go.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.quantity import Family, add, family, times, written
from vqs.model.requests import kubernetes_request
from vqs.releases.controllers import ControllerBehaviours
from vqs.snapshot.apiserver.queue_sums import is_extended

_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES: Final = "hugepages-"


def usage_of_pod(pod: k8s.Pod) -> k8s.ResourceList:
    """What a pod counts with; as the API server stores it, a limit stands in for a request that is missing."""
    if pod.status.phase in k8s.ENDED_PHASES:
        return {"count/pods": "1"}
    return _usage(_requested(pod), _requested(_asking_for_limits(pod)))


def usage_of_template(spec: k8s.PodSpec, controllers: ControllerBehaviours) -> k8s.ResourceList:
    """What a pod of a Volcano Job's task counts with: in a task, nothing stands in for what is not given."""
    pod = as_counted(k8s.Pod(spec=spec), controllers)
    return _usage(
        _requested(_with_resources(pod, lambda resources: k8s.ResourceRequirements(requests=resources.requests))),
        _requested(_asking_for_limits(pod)),
    )


def as_counted(pod: k8s.Pod, controllers: ControllerBehaviours) -> k8s.Pod:
    """A pod without what it requests as a whole, where that does not count."""
    if controllers.pod_level_min_resources == "counted" or pod.spec.resources is None:
        return pod
    return replace(pod, spec=replace(pod.spec, resources=None))


def total(parts: Iterable[tuple[k8s.ResourceList, int]]) -> k8s.ResourceList:
    """Add up usages, each taken a number of times."""
    result: k8s.ResourceList = {}
    for usage, number in parts:
        for name, amount in usage.items() if number > 0 else ():
            more = times(amount, number)
            result[name] = add(result[name], more) if name in result else more
    return dict(sorted(result.items()))


def _usage(requests: Mapping[str, str], limits: Mapping[str, str]) -> k8s.ResourceList:
    usage: k8s.ResourceList = {"count/pods": "1", "pods": "1"}
    for name, amount in requests.items():
        if name in _COMPUTE or name.startswith(_HUGE_PAGES) or is_extended(name):
            usage[name] = usage[f"requests.{name}"] = amount
    usage.update({f"limits.{name}": limits[name] for name in _COMPUTE if name in limits})
    return usage


# --- sums over containers ---------------------------------------------------------------------------------------------


def _requested(pod: k8s.Pod) -> dict[str, str]:
    """The sums of a pod's requests, each written in the units of its first part."""
    families: dict[str, Family] = {}
    for amounts in _parts(pod.spec):
        for name, amount in amounts.items():
            families.setdefault(name, family(amount))
    sums = kubernetes_request(pod, use_status=True, pod_level=True)
    return {name: written(exact, families.get(name, Family.DECIMAL)) for name, exact in sums.items()}


def _parts(spec: k8s.PodSpec) -> Iterator[k8s.ResourceList]:
    for container in (*spec.containers, *spec.init_containers):
        yield container.resources.requests
        yield container.resources.limits
    yield spec.overhead


def _asking_for_limits(pod: k8s.Pod) -> k8s.Pod:
    """A new pod that requests what this one may use at most; overhead adds to limits, it makes none."""
    changed = _with_resources(pod, lambda resources: k8s.ResourceRequirements(requests=resources.limits))
    limited = {name for amounts in _parts(replace(changed.spec, overhead={})) for name in amounts}
    overhead = {name: amount for name, amount in pod.spec.overhead.items() if name in limited}
    return k8s.Pod(spec=replace(changed.spec, overhead=overhead))


def _with_resources(pod: k8s.Pod, change: Callable[[k8s.ResourceRequirements], k8s.ResourceRequirements]) -> k8s.Pod:
    spec = pod.spec
    return replace(
        pod,
        spec=replace(
            spec,
            containers=[replace(each, resources=change(each.resources)) for each in spec.containers],
            init_containers=[replace(each, resources=change(each.resources)) for each in spec.init_containers],
            resources=change(spec.resources) if spec.resources else None,
        ),
    )
