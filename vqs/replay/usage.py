"""What pods use beside room on nodes, kept up as they come, are bound, end and go: quotas, claims and CPUs.

- A quota counts a pod from being made until it has ended, and as an object until it is gone.
- A claim on a volume that a session bound stays bound. One that is to have its volume made keeps the node.
- A claim on devices has them until the last pod that uses it has ended or is gone; one that was made for a pod goes
  with it.
- CPUs that the plugin numa-aware gave to a pod are free again when it has ended or is gone, and with them those that
  were given to tasks that had to wait. As in Volcano, these are taken until the node's exporter lists more CPUs as free
  than before. Which CPUs the pods have that are there at the start is not known: these stay taken.

References: pkg/controller/resourcequota and pkg/controller/resourceclaim of Kubernetes; addNumaInfo in
pkg/scheduler/cache/event_handlers.go and RefreshNumaSchedulerInfoByCrd in pkg/scheduler/api/node_info.go of
volcano-sh/volcano.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, Final

from msgspec import structs

from vqs.explain.given import Given, counted, holding_claim, owned_volume, settled_claim
from vqs.model import kubernetes as k8s
from vqs.model.cpu_set import CpuSet, parse_cpu_set, union, without, write_cpu_set
from vqs.model.node import numa_topology
from vqs.model.requests import device_claims
from vqs.model.resource import CPU
from vqs.snapshot.controllers.quotas import QuotaAdmission, uncounted_pods
from vqs.snapshot.controllers.workloads import with_claims
from vqs.snapshot.controllers.world import is_controlled
from vqs.snapshot.reading.manifests import Manifests

_LISTS: Final = ("resource_quotas", "claims", "volumes", "resource_claims", "numa_topologies")
"""The lists of objects that change as pods use them."""

_OF_THE_CLUSTER: Final = (k8s.PersistentVolume, k8s.Numatopology)


class Usage:
    """The objects that pods use, and who uses what."""

    def __init__(self, start: Manifests) -> None:
        """Begin with what is there; the quotas have counted all pods that controllers did not make just now."""
        self._lists: dict[str, dict[str, Any]] = {
            name: {_key(each): each for each in getattr(start, name)} for name in _LISTS
        }
        self._changed: dict[str, list[Any] | None] = {}
        self._templates = {each.metadata.key: each for each in start.resource_claim_templates}
        self._quotas: defaultdict[str, list[str]] = defaultdict(list)
        for quota in start.resource_quotas:
            self._quotas[quota.metadata.namespace].append(quota.metadata.key)
        new = {pod.metadata.key for pod in uncounted_pods(start)}
        there = start.pods if self._quotas else ()
        self._counted = {pod.metadata.key for pod in there if pod.metadata.key not in new}
        self._users: defaultdict[str, set[str]] = defaultdict(set)
        for claim in start.resource_claims:
            names = {f"{claim.metadata.namespace}/{user.name}" for user in claim.status.reserved_for}
            if names:
                self._users[claim.metadata.key] |= names
        for pod in start.pods if start.resource_claims else ():
            self._begin_to_use(pod)
        self._cpus: dict[str, tuple[str, CpuSet]] = {}
        self._lent: dict[str, CpuSet] = {}

    def objects(self) -> Mapping[str, list[Any]]:
        """Return the lists of objects that are different from those at the start, by name."""
        for name, made in self._changed.items():
            self._changed[name] = list(self._lists[name].values()) if made is None else made
        return {name: made for name, made in self._changed.items() if made is not None}

    # --- pods come and go --------------------------------------------------------------------------------------------

    def with_own_claims(self, pod: k8s.Pod) -> k8s.Pod:
        """Make the claims on devices that a new pod gets from templates; return the pod, which knows them."""
        known, claims = with_claims(pod, self._templates) if pod.spec.resource_claims else (pod, [])
        for claim in claims:
            self._put("resource_claims", claim)
        return known

    def refuses(self, pod: k8s.Pod) -> bool:
        """True if a quota of its namespace has no room for a new pod."""
        names = self._quotas.get(pod.metadata.namespace, ())
        quotas = [self._lists["resource_quotas"][name] for name in names]
        return bool(quotas) and QuotaAdmission(quotas).refusal(pod) is not None

    def count_pods(self, pods: Iterable[k8s.Pod]) -> None:
        """Have the quotas count pods that they have not counted yet: those that controllers made at the start."""
        for pod in pods if self._quotas else ():
            if pod.metadata.key not in self._counted:
                self._count(None, pod)

    def add_claims(self, claims: Iterable[k8s.PersistentVolumeClaim]) -> None:
        """Add claims on volumes that a controller makes, unless they are there."""
        for claim in claims:
            if claim.metadata.key not in self._lists["claims"]:
                self._put("claims", claim)

    def put(self, before: k8s.Pod | None, pod: k8s.Pod) -> None:
        """Note that a pod is new, or not as it was before."""
        has_ended = pod.status.phase in k8s.ENDED_PHASES
        if before is None or (has_ended and before.status.phase not in k8s.ENDED_PHASES):
            self._count(before, pod)
        if has_ended:
            self._release(pod)

    def remove(self, pod: k8s.Pod) -> None:
        """Note that a pod is gone."""
        self._count(pod, None)
        self._release(pod)
        for name in device_claims(pod):
            claim = self._lists["resource_claims"].get(name)
            if claim is not None and is_controlled(claim.metadata, "Pod", pod.metadata):
                del self._lists["resource_claims"][name]
                self._changed["resource_claims"] = None

    def _count(self, before: k8s.Pod | None, after: k8s.Pod | None) -> None:
        """Have the quotas of a namespace count what a pod uses now, and no longer what it used before."""
        pod = after or before
        if pod is None or pod.metadata.namespace not in self._quotas:
            return
        key = pod.metadata.key
        went = [before] if before is not None and key in self._counted else []
        came = [after] if after is not None and (went or before is None) else []
        (self._counted.add if came else self._counted.discard)(key)
        for name in self._quotas[pod.metadata.namespace]:
            self._put("resource_quotas", counted(self._lists["resource_quotas"][name], came, went))

    # --- what sessions give ------------------------------------------------------------------------------------------

    def give(self, pod: k8s.Pod, given: Given | None, cpus: str | None) -> None:
        """Note that a pod is bound, what its claims were given with it, and which of the CPUs taken before are its."""
        if given is not None:
            for name, volume in given.volumes.items():
                self._settle(name, volume, None)
            for name, node in given.nodes.items():
                self._settle(name, None, node)
            for name, held in given.devices.items():
                if (claim := self._lists["resource_claims"].get(name)) is not None:
                    self._put("resource_claims", holding_claim(claim, held))
        self._begin_to_use(pod)
        if cpus is not None:
            node, own = pod.spec.node_name, parse_cpu_set(cpus)
            self._cpus[pod.metadata.key] = node, own
            self._lent[node] = without(self._lent.get(node, ()), chain.from_iterable(own))

    def _settle(self, name: str, volume: str | None, node: str | None) -> None:
        claim = self._lists["claims"].get(name)
        if claim is None:
            return
        settled = settled_claim(claim, volume, node)
        self._put("claims", settled)
        if volume is not None and volume in self._lists["volumes"]:
            self._put("volumes", owned_volume(self._lists["volumes"][volume], settled))

    # --- devices -----------------------------------------------------------------------------------------------------

    def _begin_to_use(self, pod: k8s.Pod) -> None:
        if pod.spec.node_name and pod.status.phase not in k8s.ENDED_PHASES:
            for name in device_claims(pod):
                self._users[name].add(pod.metadata.key)

    def _release(self, pod: k8s.Pod) -> None:
        """Free what only a pod used that has ended, or is gone. Reference: syncClaim."""
        for name in device_claims(pod) if pod.spec.resource_claims else ():
            users, claim = self._users.get(name, set()), self._lists["resource_claims"].get(name)
            if pod.metadata.key in users:
                users.remove(pod.metadata.key)
                if not users:
                    del self._users[name]
                if claim is not None:
                    left = [user for user in claim.status.reserved_for if user.name != pod.metadata.name]
                    status = structs.replace(claim.status, reserved_for=left)
                    # Without users, it has no devices either.
                    allocation = status.allocation if users else None
                    self._put("resource_claims", holding_claim(structs.replace(claim, status=status), allocation))
        held = self._cpus.pop(pod.metadata.key, None)
        if held is not None:
            node, cpus = held
            back = union(cpus, self._lent.pop(node, ()))
            self._list_free(node, lambda free: union(free, back))

    # --- CPUs --------------------------------------------------------------------------------------------------------

    def take_cpus(self, node: str, cpus: str) -> None:
        """Note that a session gave a set of CPUs of a node to a task; whether the task is bound is to be seen."""
        taken = parse_cpu_set(cpus)
        self._lent[node] = union(self._lent.get(node, ()), taken)
        self._list_free(node, lambda free: without(free, chain.from_iterable(taken)))

    def _list_free(self, node: str, change: Callable[[CpuSet], CpuSet]) -> None:
        topology = self._lists["numa_topologies"].get(node)
        if topology is not None and (free := numa_topology(topology).free) is not None:
            cpu = structs.replace(topology.spec.numares[CPU], allocatable=write_cpu_set(change(free)))
            spec = structs.replace(topology.spec, numares={**topology.spec.numares, CPU: cpu})
            self._put("numa_topologies", structs.replace(topology, spec=spec))

    # --- objects -----------------------------------------------------------------------------------------------------

    def _put(self, list_name: str, made: Any) -> None:
        self._lists[list_name][_key(made)] = made
        self._changed[list_name] = None


def _key(made: Any) -> str:
    """Return the name of an object that belongs to the whole cluster, and the namespace/name of another one."""
    name: str = made.metadata.name if isinstance(made, _OF_THE_CLUSTER) else made.metadata.key
    return name
