"""Queues, PodGroups, HyperNodes and Numatopologies, and the priorities and quotas of pods."""

from collections.abc import Iterator
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.cpu_set import CpuSetError, parse_cpu_set
from vqs.model.number_text import whole_number
from vqs.snapshot.apiserver.checks.selectors import custom_resource_selector, label_selector
from vqs.snapshot.apiserver.checks.values import (
    GROUP_PHASES,
    PREEMPTION_POLICIES,
    QUEUE_STATES,
    at_least,
    choice,
    countable_cpus,
    quantities,
)
from vqs.snapshot.apiserver.validation.expressions import undecided
from vqs.snapshot.cluster.numa import RESERVABLE
from vqs.snapshot.reading.diagnostics import Defect, Path

_MAX_WEIGHT: Final = 65535


def of_queue(queue: k8s.Queue) -> Iterator[Defect]:
    """Yield what is wrong with a queue."""
    spec = queue.spec
    yield from at_least(("spec", "weight"), spec.weight, 1, _MAX_WEIGHT, code="invalid-weight")
    yield from at_least(("spec", "priority"), spec.priority, 0)
    yield from quantities(("spec", "capability"), spec.capability)
    yield from quantities(("spec", "deserved"), spec.deserved)
    yield from quantities(("spec", "guarantee", "resource"), spec.guarantee.resource)
    yield from quantities(("status", "allocated"), queue.status.allocated)
    yield from choice(("spec", "dequeueStrategy"), spec.dequeue_strategy, ("fifo", "traverse"))
    yield from choice(("status", "state"), queue.status.state, QUEUE_STATES)


def of_pod_group(group: k8s.PodGroup) -> Iterator[Defect]:
    """Yield what is wrong with a PodGroup."""
    spec = group.spec
    yield from at_least(("spec", "minMember"), spec.min_member, 0)
    yield from quantities(("spec", "minResources"), spec.min_resources)
    yield from network_topology(("spec", "networkTopology"), spec.network_topology)
    for index, policy in enumerate(spec.sub_group_policy):
        yield from _sub_group_policy(("spec", "subGroupPolicy", index), policy)
    yield from choice(("status", "phase"), group.status.phase, GROUP_PHASES)


def _sub_group_policy(path: Path, policy: k8s.SubGroupPolicy) -> Iterator[Defect]:
    yield from at_least((*path, "subGroupSize"), policy.sub_group_size, 1)
    yield from at_least((*path, "minSubGroups"), policy.min_sub_groups, 0)
    yield from custom_resource_selector((*path, "labelSelector"), policy.label_selector)
    yield from network_topology((*path, "networkTopology"), policy.network_topology)


def network_topology(path: Path, topology: k8s.NetworkTopology | None) -> Iterator[Defect]:
    """Yield what is wrong with the network topology that a job asks for."""
    if topology is not None:
        yield from choice((*path, "mode"), topology.mode, ("hard", "soft"))
        yield from at_least((*path, "highestTierAllowed"), topology.highest_tier_allowed, 0)


def of_hyper_node(hyper_node: k8s.HyperNode) -> Iterator[Defect]:
    """Yield what is wrong with a HyperNode."""
    yield from at_least(("spec", "tier"), hyper_node.spec.tier, 0)
    for index, member in enumerate(hyper_node.spec.members):
        path: Path = ("spec", "members", index)
        yield from choice((*path, "type"), member.type, ("Node", "HyperNode"), required=True)
        yield from custom_resource_selector((*path, "selector", "labelMatch"), member.selector.label_match)
    yield from readable_patterns(hyper_node)


def readable_patterns(hyper_node: k8s.HyperNode) -> Iterator[Defect]:
    """Yield the patterns of members of which it is not known what they match; one that Go refuses matches nothing."""
    for index, member in enumerate(hyper_node.spec.members):
        pattern = member.selector.regex_match
        reason = undecided(pattern.pattern) if pattern is not None else ""
        if reason:
            yield Defect("invalid-value", ("spec", "members", index, "selector", "regexMatch", "pattern"), reason)


def of_numa_topology(topology: k8s.Numatopology) -> Iterator[Defect]:
    """Yield what is wrong with a Numatopology."""
    spec = topology.spec
    for name, resource in spec.numares.items():
        try:
            parse_cpu_set(resource.allocatable)
        except CpuSetError as error:
            yield Defect("invalid-value", ("spec", "numares", name, "allocatable"), str(error), "write it as 0-3,8")
    yield from countable_cpus(topology)
    for cpu, info in spec.cpu_detail.items():
        path: Path = ("spec", "cpuDetail", cpu)
        if whole_number(cpu) is None:
            yield Defect("invalid-value", path, f"{cpu!r} is not the number of a CPU")
        yield from at_least((*path, "socket"), info.socket, 0)
        yield from at_least((*path, "core"), info.core, 0)
    yield from quantities(("spec", "resReserved"), {**spec.res_reserved})
    for name in spec.res_reserved:
        yield from choice(("spec", "resReserved", name), name, RESERVABLE)


def of_priority_class(priority_class: k8s.PriorityClass) -> Iterator[Defect]:
    """Yield what is wrong with a PriorityClass."""
    return choice(("preemptionPolicy",), priority_class.preemption_policy, PREEMPTION_POLICIES)


def of_limit_range(limits: k8s.LimitRange) -> Iterator[Defect]:
    """Yield what is wrong with a LimitRange."""
    for index, item in enumerate(limits.spec.limits):
        for name, amounts in (
            ("min", item.min),
            ("max", item.max),
            ("default", item.default),
            ("defaultRequest", item.default_request),
        ):
            yield from quantities(("spec", "limits", index, name), amounts)


def of_resource_quota(quota: k8s.ResourceQuota) -> Iterator[Defect]:
    """Yield what is wrong with a ResourceQuota."""
    yield from quantities(("spec", "hard"), quota.spec.hard)
    yield from quantities(("status", "hard"), quota.status.hard)
    yield from quantities(("status", "used"), quota.status.used)


def of_disruption_budget(budget: k8s.PodDisruptionBudget) -> Iterator[Defect]:
    """Yield what is wrong with a PodDisruptionBudget."""
    return label_selector(("spec", "selector"), budget.spec.selector)
