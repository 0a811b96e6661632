"""Pods, and the templates of pods."""

from collections.abc import Iterator, Sequence
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks.selectors import label_selector, node_selector, node_term
from vqs.snapshot.apiserver.checks.values import (
    POD_PHASES,
    PREEMPTION_POLICIES,
    TAINT_EFFECTS,
    at_least,
    choice,
    present,
    quantities,
)
from vqs.snapshot.reading.diagnostics import Defect, Path

_MAX_AFFINITY_WEIGHT: Final = 100


def of_pod(pod: k8s.Pod) -> Iterator[Defect]:
    """Yield what is wrong with a pod."""
    yield from _pod_spec(pod.spec)
    yield from of_pod_status(pod.status)


def pod_template(path: Path, template: k8s.PodTemplateSpec) -> Iterator[Defect]:
    """Yield what is wrong with the template of pods."""
    for defect in _pod_spec(template.spec):
        yield defect._replace(path=(*path, *defect.path))


def ephemeral_claims(path: Path, volumes: Sequence[k8s.Volume]) -> Iterator[tuple[Path, k8s.ResourceRequirements]]:
    """Yield what the claims ask for that are made for the volumes of a pod."""
    for index, volume in enumerate(volumes):
        if volume.ephemeral is not None and volume.ephemeral.volume_claim_template is not None:
            claim = volume.ephemeral.volume_claim_template.spec
            yield (*path, index, "ephemeral", "volumeClaimTemplate", "spec", "resources"), claim.resources


def _pod_spec(spec: k8s.PodSpec) -> Iterator[Defect]:
    for index, container in enumerate(spec.containers):
        yield from requirements(("spec", "containers", index, "resources"), container.resources)
        if container.ports:
            yield from _ports(("spec", "containers", index, "ports"), container.ports)
    if spec.init_containers:
        yield from _init_containers(spec.init_containers)
    if spec.overhead:
        yield from quantities(("spec", "overhead"), spec.overhead)
    if spec.resources is not None:
        yield from requirements(("spec", "resources"), spec.resources)
    for path, resources in ephemeral_claims(("spec", "volumes"), spec.volumes):
        yield from requirements(path, resources)
    if spec.tolerations:
        yield from tolerations(spec.tolerations)
    if spec.affinity is not None:
        yield from _affinity(spec.affinity)
    if spec.topology_spread_constraints:
        yield from _spread_constraints(spec.topology_spread_constraints)
    yield from choice(("spec", "preemptionPolicy"), spec.preemption_policy, PREEMPTION_POLICIES)


def of_pod_status(status: k8s.PodStatus) -> Iterator[Defect]:
    """Yield what is wrong with the status of a pod."""
    yield from choice(("status", "phase"), status.phase, POD_PHASES)
    if status.container_statuses:
        yield from _container_statuses(("status", "containerStatuses"), status.container_statuses)
    if status.init_container_statuses:
        yield from _container_statuses(("status", "initContainerStatuses"), status.init_container_statuses)


def _container_statuses(path: Path, statuses: list[k8s.ContainerStatus]) -> Iterator[Defect]:
    for index, status in enumerate(statuses):
        if status.resources is not None:
            yield from requirements((*path, index, "resources"), status.resources)
        yield from quantities((*path, index, "allocatedResources"), status.allocated_resources)


def requirements(path: Path, resources: k8s.ResourceRequirements) -> Iterator[Defect]:
    """Yield the requests and limits that are no quantities, or below zero."""
    yield from quantities((*path, "requests"), resources.requests)
    yield from quantities((*path, "limits"), resources.limits)


def _ports(path: Path, ports: list[k8s.ContainerPort]) -> Iterator[Defect]:
    for index, port in enumerate(ports):
        yield from choice((*path, index, "protocol"), port.protocol, ("TCP", "UDP", "SCTP"))


def _init_containers(containers: list[k8s.Container]) -> Iterator[Defect]:
    for index, container in enumerate(containers):
        path: Path = ("spec", "initContainers", index)
        yield from requirements((*path, "resources"), container.resources)
        yield from _ports((*path, "ports"), container.ports)
        yield from choice((*path, "restartPolicy"), container.restart_policy, ("Always", "OnFailure", "Never"))


def tolerations(tolerations: list[k8s.Toleration]) -> Iterator[Defect]:
    """Yield what is wrong with the tolerations of a pod."""
    for index, toleration in enumerate(tolerations):
        path: Path = ("spec", "tolerations", index)
        yield from choice((*path, "operator"), toleration.operator, ("Exists", "Equal"))
        yield from choice((*path, "effect"), toleration.effect, TAINT_EFFECTS)
        if toleration.operator == "Exists" and toleration.value:
            yield Defect("invalid-value", (*path, "value"), "operator Exists takes no value", "use operator Equal")
        if not toleration.key and toleration.operator in ("", "Equal"):
            yield Defect("invalid-value", path, "a toleration without key needs operator Exists")


def _affinity(affinity: k8s.Affinity) -> Iterator[Defect]:
    if affinity.node_affinity is not None:
        yield from _node_affinity(affinity.node_affinity)
    for name, terms in (("podAffinity", affinity.pod_affinity), ("podAntiAffinity", affinity.pod_anti_affinity)):
        if terms is not None:
            yield from _pod_affinity(("spec", "affinity", name), terms)


def _node_affinity(affinity: k8s.NodeAffinity) -> Iterator[Defect]:
    path: Path = ("spec", "affinity", "nodeAffinity")
    yield from node_selector((*path, k8s.REQUIRED), affinity.required)
    for index, term in enumerate(affinity.preferred):
        at = (*path, k8s.PREFERRED, index)
        yield from at_least((*at, "weight"), term.weight, 1, _MAX_AFFINITY_WEIGHT)
        yield from node_term((*at, "preference"), term.preference)


def _pod_affinity(path: Path, affinity: k8s.PodAffinity) -> Iterator[Defect]:
    for index, term in enumerate(affinity.required):
        yield from _pod_affinity_term((*path, k8s.REQUIRED, index), term)
    for index, weighted in enumerate(affinity.preferred):
        at = (*path, k8s.PREFERRED, index)
        yield from at_least((*at, "weight"), weighted.weight, 1, _MAX_AFFINITY_WEIGHT)
        yield from _pod_affinity_term((*at, "podAffinityTerm"), weighted.pod_affinity_term)


def _pod_affinity_term(path: Path, term: k8s.PodAffinityTerm) -> Iterator[Defect]:
    yield from present((*path, "topologyKey"), term.topology_key)
    yield from label_selector((*path, "labelSelector"), term.label_selector)
    yield from label_selector((*path, "namespaceSelector"), term.namespace_selector)


def _spread_constraints(constraints: list[k8s.TopologySpreadConstraint]) -> Iterator[Defect]:
    for index, constraint in enumerate(constraints):
        path: Path = ("spec", "topologySpreadConstraints", index)
        choices = ("DoNotSchedule", "ScheduleAnyway")
        yield from choice((*path, "whenUnsatisfiable"), constraint.when_unsatisfiable, choices, required=True)
        yield from present((*path, "topologyKey"), constraint.topology_key)
        yield from at_least((*path, "maxSkew"), constraint.max_skew, 1)
        yield from at_least((*path, "minDomains"), constraint.min_domains, 1)
        yield from label_selector((*path, "labelSelector"), constraint.label_selector)
        yield from choice((*path, "nodeAffinityPolicy"), constraint.node_affinity_policy, ("Honor", "Ignore"))
        yield from choice((*path, "nodeTaintsPolicy"), constraint.node_taints_policy, ("Honor", "Ignore"))
