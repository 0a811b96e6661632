"""Which pods the API server refuses that a change, or a controller for it, would make: they take no room.

References: plugin/pkg/admission/{priority,runtimeclass,serviceaccount} and pkg/apis/core/validation in
kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.admission import REFUSED
from vqs.snapshot.apiserver.queue_sums import exact, is_counted
from vqs.snapshot.reading.diagnostics import Defect, Path
from vqs.snapshot.reading.kinds import KIND_OF, wanted
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import first_difference

_BUILT_IN: Final = frozenset({"system-cluster-critical", "system-node-critical"})
_PREEMPTS: Final = "PreemptLowerPriority"


class Refusal(NamedTuple):
    """Why pods are refused, and which field of their spec says so.

    Where the snapshot lacks the kind that would tell, the refusal is not `sure`.
    """

    path: tuple[str | int, ...]
    reason: str
    sure: bool = True


def knows(manifests: Manifests, kind: type) -> bool:
    """True if a snapshot has all objects of a kind: it has some, or says that the kind was asked for."""
    asked_for = {name for captured in manifests.captures for name in captured.resources}
    return bool(getattr(manifests, KIND_OF[kind].list_name)) or wanted(kind).kubectl_name in asked_for


@dataclass
class PodAdmission:
    """Judges the specs of new pods as the API server would: by what the snapshot has, and what the change adds to it.

    Attributes:
        stored: the snapshot.
        manifests: the same with the change.
    """

    stored: Manifests
    manifests: Manifests

    def __post_init__(self) -> None:
        classes = self.manifests.priority_classes
        self._priorities = {each.metadata.name: each for each in classes}
        # Pods that name no class get the default one, of several that of the lowest value.
        defaults = [each for each in classes if each.global_default]
        self._default = min(defaults, key=lambda each: each.value, default=k8s.PriorityClass())
        self._runtimes = {each.metadata.name: each for each in self.manifests.runtime_classes}

    def refusals(self, spec: k8s.PodSpec) -> Iterator[Refusal]:
        """Yield why pods of a spec are refused."""
        yield from self._of_priority(spec)
        yield from self._of_runtime(spec)
        for key, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
            for index, container in enumerate(containers):
                if container.image != container.image.strip():
                    reason = f"the image {container.image!r} begins or ends with a blank"
                    yield Refusal((key, index, "image"), reason)

        for path, name, amount in _fractions(_amounts(spec)):
            yield Refusal((*path, name), _not_whole(name, amount))

    def _of_priority(self, spec: k8s.PodSpec) -> Iterator[Refusal]:
        name = spec.priority_class_name
        if name in _BUILT_IN:
            return
        known = self._priorities.get(name) if name else self._default
        if known is None:
            sure = knows(self.stored, k8s.PriorityClass)
            yield Refusal(("priorityClassName",), f"there is no PriorityClass {name}", sure)
            return
        if spec.priority not in (None, known.value):
            of = f"PriorityClass {name}" if name else "pods without a PriorityClass"
            yield Refusal(("priority",), f"priority is {spec.priority}, and that of {of} is {known.value}")
        policy = known.preemption_policy or _PREEMPTS
        if spec.preemption_policy not in (None, policy):
            reason = f"preemptionPolicy is {spec.preemption_policy}, and that of its PriorityClass is {policy}"
            yield Refusal(("preemptionPolicy",), reason)

    def _of_runtime(self, spec: k8s.PodSpec) -> Iterator[Refusal]:
        name = spec.runtime_class_name
        known = self._runtimes.get(name) if name else None
        if name and known is None:
            sure = knows(self.stored, k8s.RuntimeClass)
            yield Refusal(("runtimeClassName",), f"there is no RuntimeClass {name}", sure)
            return
        overhead = known.overhead.pod_fixed if known is not None and known.overhead is not None else {}
        if spec.overhead and first_difference({"overhead": spec.overhead}, {"overhead": overhead}) is not None:
            of = f"RuntimeClass {name}" if name else "a pod without a RuntimeClass"
            yield Refusal(("overhead",), f"overhead is not that of {of}")
        selector = known.scheduling.node_selector if known is not None and known.scheduling is not None else {}
        for key in selector.keys() & spec.node_selector.keys():
            if selector[key] != spec.node_selector[key]:
                yield Refusal(("nodeSelector", key), f"nodeSelector has another {key} than RuntimeClass {name}")


# --- whole numbers ----------------------------------------------------------------------------------------------------


def fractions(obj: Any) -> Iterator[Defect]:
    """Yield what Kubernetes counts in whole numbers, such as devices, and an object has a fraction of."""
    amounts: list[tuple[Path, k8s.ResourceList]] = []
    if isinstance(obj, k8s.Node):
        amounts += [(("status", "capacity"), obj.status.capacity), (("status", "allocatable"), obj.status.allocatable)]
    elif isinstance(obj, k8s.ResourceQuota):
        amounts.append((("spec", "hard"), obj.spec.hard))
    for template in templates(obj):
        amounts += [((*template.path, *path), given) for path, given in _amounts(template.spec)]
    for path, name, amount in _fractions(amounts):
        yield Defect("fractional-resource", (*path, name), f"{REFUSED}: {_not_whole(name, amount)}")


def _amounts(spec: k8s.PodSpec) -> Iterator[tuple[Path, k8s.ResourceList]]:
    """Yield what the containers of a pod ask for, each with its path."""
    parts: list[tuple[Path, k8s.ResourceRequirements | None]] = [(("resources",), spec.resources)]
    for key, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
        parts += [((key, index, "resources"), each.resources) for index, each in enumerate(containers)]
    for path, resources in parts:
        if resources is not None:
            yield (*path, "requests"), resources.requests
            yield (*path, "limits"), resources.limits


def _fractions(amounts: Iterable[tuple[Path, k8s.ResourceList]]) -> Iterator[tuple[Path, str, k8s.Quantity]]:
    for path, given in amounts:
        for name, exact_amount in exact(given).items():
            if is_counted(name) and exact_amount.denominator != 1:
                yield path, name, given[name]


def _not_whole(name: str, amount: k8s.Quantity) -> str:
    return f"{name} comes in whole numbers, and {amount} is none"


class Template(NamedTuple):
    """A spec of pods in an object: the task that it is of, and where it stands."""

    role: str
    spec: k8s.PodSpec
    path: tuple[str | int, ...]


def templates(typed: Any) -> Iterator[Template]:
    """Yield what an object says of pods: of itself, if it is one, or of those that are made for it."""
    if isinstance(typed, k8s.Pod):
        yield Template("", typed.spec, ("spec",))
    elif isinstance(typed, k8s.VolcanoJob):
        job = typed.spec
        for index, task in enumerate(job.tasks):
            spec = task.template.spec
            if not spec.priority_class_name and job.priority_class_name:
                spec = replace(spec, priority_class_name=job.priority_class_name)
            yield Template(task.name or f"default{index}", spec, ("spec", "tasks", index, "template", "spec"))
    elif isinstance(typed, k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet | k8s.Job):
        yield Template("", typed.spec.template.spec, ("spec", "template", "spec"))
