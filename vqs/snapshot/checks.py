"""What the API server would refuse and scheduling would stumble over, in objects of the right types.

Only what an object says by itself is judged here. Whether its queue or priority class exists is a matter of scheduling.
References: k8s.io/kubernetes pkg/apis/core/validation; the custom resource definitions of volcano-sh/volcano.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from vqs.model import kubernetes as k8s
from vqs.model.quantity import TOO_MUCH, QuantityError, parse
from vqs.model.selectors import Requirement
from vqs.snapshot.admission import refusals
from vqs.snapshot.diagnostics import Defect, Path, did_you_mean, one_of
from vqs.snapshot.limits import MOST_PODS

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")
_PREEMPTION_POLICIES: Final = ("Never", "PreemptLowerPriority")
_POD_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_GROUP_PHASES: Final = ("Pending", "Running", "Unknown", "Inqueue", "Completed")
_QUEUE_STATES: Final = ("Open", "Closed", "Closing", "Unknown")
_MAX_WEIGHT: Final = 65535
_MOST: Final = 2**63 - 1
"""The API server stores what is above it as this, and nobody means it."""
_MAX_AFFINITY_WEIGHT: Final = 100


def defects(obj: Any, *, stored: bool = False) -> Iterator[Defect]:
    """Yield what is wrong with an object.

    Of one that is stored in a cluster, only what nobody can reckon with: it has passed all checks of its creation.
    """
    if not obj.metadata.name:
        hint = "metadata.generateName is not a name" if obj.metadata.generate_name else ""
        yield Defect("missing-name", ("metadata", "name"), "metadata.name is missing", hint)
    checks: Mapping[type[Any], Callable[[Any], Iterable[Defect]]] = _STORED if stored else _CHECKS
    check = checks.get(type(obj))
    if check is not None:
        yield from check(obj)


# --- building blocks --------------------------------------------------------------------------------------------------


def _quantities(path: Path, amounts: k8s.ResourceList | None) -> Iterator[Defect]:
    for name, amount in (amounts or {}).items():
        defect = _quantity_defect(amount)
        if defect is not None:
            yield defect._replace(path=(*path, name))


def _readable(amounts: Iterable[tuple[Path, k8s.ResourceList | None]]) -> Iterator[Defect]:
    """Yield the amounts that cannot be read; one below zero is what it is."""
    for path, given in amounts:
        for name, amount in (given or {}).items():
            defect = _quantity_defect(amount)
            if defect is not None and defect.code == "invalid-quantity":
                yield defect._replace(path=(*path, name))


@lru_cache(maxsize=65536)
def _quantity_defect(amount: k8s.Quantity) -> Defect | None:
    try:
        exact = parse(amount)
    except QuantityError as error:
        hint = f"did you mean {error.suggestion!r}?" if error.suggestion else ""
        return Defect("invalid-quantity", (), error.message, hint)
    if exact < 0:
        return Defect("negative-quantity", (), f"{amount!r} is less than zero")
    if exact > _MOST:
        return Defect("invalid-quantity", (), f"{amount!r} is not a quantity: {TOO_MUCH}")
    return None


def _choice(path: Path, value: str | None, choices: tuple[str, ...], *, required: bool = False) -> Iterator[Defect]:
    """Yield a defect unless `value` is one of the choices, or is not given and need not be."""
    if value in choices or (not value and not required):
        return
    subject = f"{value!r} is not allowed" if value else f"{path[-1]} is missing"
    yield Defect("invalid-value", path, f"{subject}; expected {one_of(choices)}", did_you_mean(value or "", choices))


def _at_least(
    path: Path, value: int | None, least: int, most: int | None = None, *, code: str = "invalid-value"
) -> Iterator[Defect]:
    if value is None or (value >= least and (most is None or value <= most)):
        return
    limits = f"at least {least}" if most is None else f"{least} to {most}"
    yield Defect(code, path, f"{value} is out of range; expected {limits}")


def _given(path: Path, value: str) -> Iterator[Defect]:
    if not value:
        yield Defect("invalid-value", path, f"{path[-1]} is missing")


# --- selectors --------------------------------------------------------------------------------------------------------


def _label_selector(path: Path, selector: k8s.LabelSelector | None) -> Iterator[Defect]:
    for index, requirement in enumerate(selector.match_expressions if selector else ()):
        yield from _requirement((*path, "matchExpressions", index), requirement, _LABEL_OPERATORS)


def _requirement(
    path: Path, requirement: k8s.LabelSelectorRequirement | k8s.NodeSelectorRequirement, operators: tuple[str, ...]
) -> Iterator[Defect]:
    operator, values = requirement.operator, requirement.values
    yield from _given((*path, "key"), requirement.key)
    yield from _choice((*path, "operator"), operator, operators, required=True)
    if operator in ("In", "NotIn") and not values:
        yield Defect("invalid-value", (*path, "values"), f"operator {operator} needs values")
    if operator in ("Exists", "DoesNotExist") and values:
        yield Defect("invalid-value", (*path, "values"), f"operator {operator} takes no values")
    if operator in ("Gt", "Lt") and operator in operators:
        yield from _compared((*path, "values"), operator, values)


def _compared(path: Path, operator: str, values: list[str]) -> Iterator[Defect]:
    """Yield what is wrong with the value to compare with; the API server only counts the values."""
    if len(values) != 1:
        yield Defect("invalid-value", path, f"operator {operator} needs one whole number")
    elif not Requirement("", operator, tuple(values)).well_formed:
        message = f"operator {operator} matches nothing, as {values[0]!r} is not a whole number"
        yield Defect("invalid-value", path, message, severity="warning")


def _unjudged_selector(path: Path, selector: k8s.LabelSelector | None) -> Iterator[Defect]:
    """Yield what keeps a selector in a custom resource from matching; nobody denies it."""
    for defect in _label_selector(path, selector):
        yield defect._replace(message=f"the selector matches nothing: {defect.message}", severity="warning")


def _node_selector(path: Path, selector: k8s.NodeSelector | None) -> Iterator[Defect]:
    for index, term in enumerate(selector.node_selector_terms if selector else ()):
        yield from _node_term((*path, "nodeSelectorTerms", index), term)


def _node_term(path: Path, term: k8s.NodeSelectorTerm) -> Iterator[Defect]:
    for index, requirement in enumerate(term.match_expressions):
        yield from _requirement((*path, "matchExpressions", index), requirement, _NODE_OPERATORS)
    for index, requirement in enumerate(term.match_fields):
        yield from _requirement((*path, "matchFields", index), requirement, ("In", "NotIn"))


# --- pods -------------------------------------------------------------------------------------------------------------


def _pod(pod: k8s.Pod) -> Iterator[Defect]:
    yield from _pod_spec(pod.spec)
    yield from _pod_status(pod.status)


def _pod_template(path: Path, template: k8s.PodTemplateSpec) -> Iterator[Defect]:
    for defect in _pod_spec(template.spec):
        yield defect._replace(path=(*path, *defect.path))


def _pod_spec(spec: k8s.PodSpec) -> Iterator[Defect]:
    for index, container in enumerate(spec.containers):
        yield from _requirements(("spec", "containers", index, "resources"), container.resources)
        if container.ports:
            yield from _ports(("spec", "containers", index, "ports"), container.ports)
    if spec.init_containers:
        yield from _init_containers(spec.init_containers)
    if spec.overhead:
        yield from _quantities(("spec", "overhead"), spec.overhead)
    if spec.resources is not None:
        yield from _requirements(("spec", "resources"), spec.resources)
    if spec.tolerations:
        yield from _tolerations(spec.tolerations)
    if spec.affinity is not None:
        yield from _affinity(spec.affinity)
    if spec.topology_spread_constraints:
        yield from _spread_constraints(spec.topology_spread_constraints)
    yield from _choice(("spec", "preemptionPolicy"), spec.preemption_policy, _PREEMPTION_POLICIES)


def _pod_status(status: k8s.PodStatus) -> Iterator[Defect]:
    yield from _choice(("status", "phase"), status.phase, _POD_PHASES)
    if status.container_statuses:
        yield from _container_statuses(("status", "containerStatuses"), status.container_statuses)
    if status.init_container_statuses:
        yield from _container_statuses(("status", "initContainerStatuses"), status.init_container_statuses)


def _container_statuses(path: Path, statuses: list[k8s.ContainerStatus]) -> Iterator[Defect]:
    for index, status in enumerate(statuses):
        if status.resources is not None:
            yield from _requirements((*path, index, "resources"), status.resources)
        yield from _quantities((*path, index, "allocatedResources"), status.allocated_resources)


def _requirements(path: Path, resources: k8s.ResourceRequirements) -> Iterator[Defect]:
    yield from _quantities((*path, "requests"), resources.requests)
    yield from _quantities((*path, "limits"), resources.limits)


def _ports(path: Path, ports: list[k8s.ContainerPort]) -> Iterator[Defect]:
    for index, port in enumerate(ports):
        yield from _choice((*path, index, "protocol"), port.protocol, ("TCP", "UDP", "SCTP"))


def _init_containers(containers: list[k8s.Container]) -> Iterator[Defect]:
    for index, container in enumerate(containers):
        path: Path = ("spec", "initContainers", index)
        yield from _requirements((*path, "resources"), container.resources)
        yield from _ports((*path, "ports"), container.ports)
        yield from _choice((*path, "restartPolicy"), container.restart_policy, ("Always", "OnFailure", "Never"))


def _tolerations(tolerations: list[k8s.Toleration]) -> Iterator[Defect]:
    for index, toleration in enumerate(tolerations):
        path: Path = ("spec", "tolerations", index)
        yield from _choice((*path, "operator"), toleration.operator, ("Exists", "Equal"))
        yield from _choice((*path, "effect"), toleration.effect, _EFFECTS)
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
    yield from _node_selector((*path, k8s.REQUIRED), affinity.required)
    for index, term in enumerate(affinity.preferred):
        at = (*path, k8s.PREFERRED, index)
        yield from _at_least((*at, "weight"), term.weight, 1, _MAX_AFFINITY_WEIGHT)
        yield from _node_term((*at, "preference"), term.preference)


def _pod_affinity(path: Path, affinity: k8s.PodAffinity) -> Iterator[Defect]:
    for index, term in enumerate(affinity.required):
        yield from _pod_affinity_term((*path, k8s.REQUIRED, index), term)
    for index, weighted in enumerate(affinity.preferred):
        at = (*path, k8s.PREFERRED, index)
        yield from _at_least((*at, "weight"), weighted.weight, 1, _MAX_AFFINITY_WEIGHT)
        yield from _pod_affinity_term((*at, "podAffinityTerm"), weighted.pod_affinity_term)


def _pod_affinity_term(path: Path, term: k8s.PodAffinityTerm) -> Iterator[Defect]:
    yield from _given((*path, "topologyKey"), term.topology_key)
    yield from _label_selector((*path, "labelSelector"), term.label_selector)
    yield from _label_selector((*path, "namespaceSelector"), term.namespace_selector)


def _spread_constraints(constraints: list[k8s.TopologySpreadConstraint]) -> Iterator[Defect]:
    for index, constraint in enumerate(constraints):
        path: Path = ("spec", "topologySpreadConstraints", index)
        choices = ("DoNotSchedule", "ScheduleAnyway")
        yield from _choice((*path, "whenUnsatisfiable"), constraint.when_unsatisfiable, choices, required=True)
        yield from _given((*path, "topologyKey"), constraint.topology_key)
        yield from _at_least((*path, "maxSkew"), constraint.max_skew, 1)
        yield from _at_least((*path, "minDomains"), constraint.min_domains, 1)
        yield from _label_selector((*path, "labelSelector"), constraint.label_selector)
        yield from _choice((*path, "nodeAffinityPolicy"), constraint.node_affinity_policy, ("Honor", "Ignore"))
        yield from _choice((*path, "nodeTaintsPolicy"), constraint.node_taints_policy, ("Honor", "Ignore"))


# --- nodes, queues and PodGroups --------------------------------------------------------------------------------------


def _node(node: k8s.Node) -> Iterator[Defect]:
    yield from _quantities(("status", "allocatable"), node.status.allocatable)
    yield from _quantities(("status", "capacity"), node.status.capacity)
    for index, taint in enumerate(node.spec.taints):
        yield from _given(("spec", "taints", index, "key"), taint.key)
        yield from _choice(("spec", "taints", index, "effect"), taint.effect, _EFFECTS, required=True)
    for index, condition in enumerate(node.status.conditions):
        path = ("status", "conditions", index, "status")
        yield from _choice(path, condition.status, ("True", "False", "Unknown"))


def _queue(queue: k8s.Queue) -> Iterator[Defect]:
    spec = queue.spec
    yield from _at_least(("spec", "weight"), spec.weight, 1, _MAX_WEIGHT, code="invalid-weight")
    yield from _at_least(("spec", "priority"), spec.priority, 0)
    yield from _quantities(("spec", "capability"), spec.capability)
    yield from _quantities(("spec", "deserved"), spec.deserved)
    yield from _quantities(("spec", "guarantee", "resource"), spec.guarantee.resource)
    yield from _quantities(("status", "allocated"), queue.status.allocated)
    yield from _choice(("spec", "dequeueStrategy"), spec.dequeue_strategy, ("fifo", "traverse"))
    yield from _choice(("status", "state"), queue.status.state, _QUEUE_STATES)


def _pod_group(group: k8s.PodGroup) -> Iterator[Defect]:
    spec = group.spec
    yield from _at_least(("spec", "minMember"), spec.min_member, 0)
    yield from _quantities(("spec", "minResources"), spec.min_resources)
    yield from _network_topology(("spec", "networkTopology"), spec.network_topology)
    for index, policy in enumerate(spec.sub_group_policy):
        yield from _sub_group_policy(("spec", "subGroupPolicy", index), policy)
    yield from _choice(("status", "phase"), group.status.phase, _GROUP_PHASES)


def _sub_group_policy(path: Path, policy: k8s.SubGroupPolicy) -> Iterator[Defect]:
    yield from _at_least((*path, "subGroupSize"), policy.sub_group_size, 1)
    yield from _at_least((*path, "minSubGroups"), policy.min_sub_groups, 0)
    yield from _unjudged_selector((*path, "labelSelector"), policy.label_selector)
    yield from _network_topology((*path, "networkTopology"), policy.network_topology)


def _network_topology(path: Path, topology: k8s.NetworkTopology | None) -> Iterator[Defect]:
    if topology is not None:
        yield from _choice((*path, "mode"), topology.mode, ("hard", "soft"))
        yield from _at_least((*path, "highestTierAllowed"), topology.highest_tier_allowed, 0)


# --- workloads --------------------------------------------------------------------------------------------------------


def _workload(workload: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet) -> Iterator[Defect]:
    spec = workload.spec
    yield from _label_selector(("spec", "selector"), spec.selector)
    yield from _at_least(("spec", "replicas"), spec.replicas, 0, MOST_PODS)
    yield from _pod_template(("spec", "template"), spec.template)
    yield from _choice(("spec", "podManagementPolicy"), spec.pod_management_policy, ("OrderedReady", "Parallel"))
    for index, wanted in enumerate(spec.volume_claim_templates):
        yield from _claim_spec(("spec", "volumeClaimTemplates", index, "spec"), wanted.spec)


def _job(job: k8s.Job) -> Iterator[Defect]:
    spec = job.spec
    yield from _at_least(("spec", "parallelism"), spec.parallelism, 0, MOST_PODS)
    yield from _at_least(("spec", "completions"), spec.completions, 0, MOST_PODS)
    yield from _choice(("spec", "completionMode"), spec.completion_mode, ("NonIndexed", "Indexed"))
    yield from _pod_template(("spec", "template"), spec.template)


def _volcano_job(job: k8s.VolcanoJob) -> Iterator[Defect]:
    spec = job.spec
    yield from _at_least(("spec", "minAvailable"), spec.min_available, 0)
    yield from _network_topology(("spec", "networkTopology"), spec.network_topology)
    for index, task in enumerate(spec.tasks):
        path: Path = ("spec", "tasks", index)
        yield from _at_least((*path, "replicas"), task.replicas, 0, MOST_PODS)
        yield from _at_least((*path, "minAvailable"), task.min_available, 0)
        yield from _pod_template((*path, "template"), task.template)
        if task.partition_policy is not None:
            at = (*path, "partitionPolicy")
            yield from _at_least((*at, "minPartitions"), task.partition_policy.min_partitions, 0)
            yield from _network_topology((*at, "networkTopology"), task.partition_policy.network_topology)
    for index, volume in enumerate(spec.volumes):
        if volume.volume_claim is not None:
            yield from _claim_spec(("spec", "volumes", index, "volumeClaim"), volume.volume_claim)
    yield from refusals(job)


# --- the rest ---------------------------------------------------------------------------------------------------------


def _priority_class(priority_class: k8s.PriorityClass) -> Iterator[Defect]:
    return _choice(("preemptionPolicy",), priority_class.preemption_policy, _PREEMPTION_POLICIES)


def _resource_quota(quota: k8s.ResourceQuota) -> Iterator[Defect]:
    yield from _quantities(("spec", "hard"), quota.spec.hard)
    yield from _quantities(("status", "hard"), quota.status.hard)
    yield from _quantities(("status", "used"), quota.status.used)


def _disruption_budget(budget: k8s.PodDisruptionBudget) -> Iterator[Defect]:
    return _label_selector(("spec", "selector"), budget.spec.selector)


def _claim(claim: k8s.PersistentVolumeClaim) -> Iterator[Defect]:
    yield from _claim_spec(("spec",), claim.spec)
    yield from _quantities(("status", "capacity"), claim.status.capacity)


def _claim_spec(path: Path, spec: k8s.PersistentVolumeClaimSpec) -> Iterator[Defect]:
    yield from _requirements((*path, "resources"), spec.resources)
    yield from _label_selector((*path, "selector"), spec.selector)


def _volume(volume: k8s.PersistentVolume) -> Iterator[Defect]:
    yield from _quantities(("spec", "capacity"), volume.spec.capacity)
    if volume.spec.node_affinity is not None:
        yield from _node_selector(("spec", "nodeAffinity", "required"), volume.spec.node_affinity.required)


def _storage_class(storage_class: k8s.StorageClass) -> Iterator[Defect]:
    modes = ("Immediate", "WaitForFirstConsumer")
    return _choice(("volumeBindingMode",), storage_class.volume_binding_mode, modes)


def _hyper_node(hyper_node: k8s.HyperNode) -> Iterator[Defect]:
    yield from _at_least(("spec", "tier"), hyper_node.spec.tier, 0)
    for index, member in enumerate(hyper_node.spec.members):
        path: Path = ("spec", "members", index)
        yield from _choice((*path, "type"), member.type, ("Node", "HyperNode"), required=True)
        yield from _unjudged_selector((*path, "selector", "labelMatch"), member.selector.label_match)


def _runtime_class(runtime_class: k8s.RuntimeClass) -> Iterator[Defect]:
    if runtime_class.overhead is not None:
        yield from _quantities(("overhead", "podFixed"), runtime_class.overhead.pod_fixed)
    if runtime_class.scheduling is not None:
        for defect in _tolerations(runtime_class.scheduling.tolerations):
            yield defect._replace(path=("scheduling", *defect.path[1:]))


# --- what is stored ---------------------------------------------------------------------------------------------------


def _stored_pod(pod: k8s.Pod) -> Iterator[Defect]:
    yield from _choice(("status", "phase"), pod.status.phase, _POD_PHASES)
    yield from _readable(_amounts_of_pod(pod))


def _amounts_of_pod(pod: k8s.Pod) -> Iterator[tuple[Path, k8s.ResourceList]]:
    yield from _amounts_of_spec((), pod.spec)
    for key, statuses in (
        ("containerStatuses", pod.status.container_statuses),
        ("initContainerStatuses", pod.status.init_container_statuses),
    ):
        for index, status in enumerate(statuses):
            path: Path = ("status", key, index)
            if status.allocated_resources:
                yield (*path, "allocatedResources"), status.allocated_resources
            if status.resources is not None:
                yield from _amounts_of((*path, "resources"), status.resources)


def _amounts_of_spec(at: Path, spec: k8s.PodSpec) -> Iterator[tuple[Path, k8s.ResourceList]]:
    for key, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for index, container in enumerate(containers):
            yield from _amounts_of((*at, "spec", key, index, "resources"), container.resources)
    if spec.overhead:
        yield (*at, "spec", "overhead"), spec.overhead
    if spec.resources is not None:
        yield from _amounts_of((*at, "spec", "resources"), spec.resources)


def _amounts_of(path: Path, resources: k8s.ResourceRequirements) -> Iterator[tuple[Path, k8s.ResourceList]]:
    if resources.requests:
        yield (*path, "requests"), resources.requests
    if resources.limits:
        yield (*path, "limits"), resources.limits


def _stored_node(node: k8s.Node) -> Iterator[Defect]:
    status = node.status
    return _readable(((("status", "allocatable"), status.allocatable), (("status", "capacity"), status.capacity)))


def _stored_queue(queue: k8s.Queue) -> Iterator[Defect]:
    spec = queue.spec
    yield from _choice(("status", "state"), queue.status.state, _QUEUE_STATES)
    yield from _readable(
        (
            (("spec", "capability"), spec.capability),
            (("spec", "deserved"), spec.deserved),
            (("spec", "guarantee", "resource"), spec.guarantee.resource),
            (("status", "allocated"), queue.status.allocated),
        )
    )


def _stored_pod_group(group: k8s.PodGroup) -> Iterator[Defect]:
    yield from _choice(("status", "phase"), group.status.phase, _GROUP_PHASES)
    yield from _readable(((("spec", "minResources"), group.spec.min_resources),))


def _stored_workload(workload: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet) -> Iterator[Defect]:
    yield from _at_least(("spec", "replicas"), workload.spec.replicas, 0, MOST_PODS)
    yield from _readable(_amounts_of_spec(("spec", "template"), workload.spec.template.spec))
    for index, wanted in enumerate(workload.spec.volume_claim_templates):
        path: Path = ("spec", "volumeClaimTemplates", index, "spec", "resources")
        yield from _readable(_amounts_of(path, wanted.spec.resources))


def _stored_job(job: k8s.Job) -> Iterator[Defect]:
    yield from _at_least(("spec", "parallelism"), job.spec.parallelism, 0, MOST_PODS)
    yield from _at_least(("spec", "completions"), job.spec.completions, 0, MOST_PODS)
    yield from _readable(_amounts_of_spec(("spec", "template"), job.spec.template.spec))


def _stored_volcano_job(job: k8s.VolcanoJob) -> Iterator[Defect]:
    for index, task in enumerate(job.spec.tasks):
        path: Path = ("spec", "tasks", index)
        yield from _at_least((*path, "replicas"), task.replicas, 0, MOST_PODS)
        yield from _readable(_amounts_of_spec((*path, "template"), task.template.spec))
    for index, volume in enumerate(job.spec.volumes):
        if volume.volume_claim is not None:
            path = ("spec", "volumes", index, "volumeClaim", "resources")
            yield from _readable(_amounts_of(path, volume.volume_claim.resources))


def _stored_quota(quota: k8s.ResourceQuota) -> Iterator[Defect]:
    status = quota.status
    return _readable(
        (
            (("spec", "hard"), quota.spec.hard),
            (("status", "hard"), status.hard),
            (("status", "used"), status.used),
        )
    )


def _stored_claim(claim: k8s.PersistentVolumeClaim) -> Iterator[Defect]:
    return _readable(_amounts_of(("spec", "resources"), claim.spec.resources))


def _stored_volume(volume: k8s.PersistentVolume) -> Iterator[Defect]:
    return _readable(((("spec", "capacity"), volume.spec.capacity),))


_STORED: Final[Mapping[type[Any], Callable[[Any], Iterable[Defect]]]] = {
    k8s.Pod: _stored_pod,
    k8s.Node: _stored_node,
    k8s.Queue: _stored_queue,
    k8s.PodGroup: _stored_pod_group,
    k8s.ResourceQuota: _stored_quota,
    k8s.ReplicaSet: _stored_workload,
    k8s.StatefulSet: _stored_workload,
    k8s.Deployment: _stored_workload,
    k8s.Job: _stored_job,
    k8s.VolcanoJob: _stored_volcano_job,
    k8s.PersistentVolumeClaim: _stored_claim,
    k8s.PersistentVolume: _stored_volume,
}

_CHECKS: Final[dict[type[Any], Callable[[Any], Iterable[Defect]]]] = {
    k8s.Pod: _pod,
    k8s.Node: _node,
    k8s.Queue: _queue,
    k8s.PodGroup: _pod_group,
    k8s.PriorityClass: _priority_class,
    k8s.RuntimeClass: _runtime_class,
    k8s.ResourceQuota: _resource_quota,
    k8s.ReplicaSet: _workload,
    k8s.StatefulSet: _workload,
    k8s.Deployment: _workload,
    k8s.Job: _job,
    k8s.VolcanoJob: _volcano_job,
    k8s.PodDisruptionBudget: _disruption_budget,
    k8s.PersistentVolumeClaim: _claim,
    k8s.PersistentVolume: _volume,
    k8s.StorageClass: _storage_class,
    k8s.HyperNode: _hyper_node,
}
