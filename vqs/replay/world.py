"""The objects of the cluster while time goes by.

An object that nothing happens to stays the same object, so that a session costs by what has changed since the one
before (see `vqs.snapshot.cluster.session_cache`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.job import NOT_ADMITTED
from vqs.model.keys import pod_group_of
from vqs.replay.usage import Usage
from vqs.snapshot.controllers.upkeep.budgets import recounted
from vqs.snapshot.controllers.world import is_active
from vqs.snapshot.reading.documents import EditedText, Origin
from vqs.snapshot.reading.manifests import Manifests


class World:
    """PodGroups, pods and nodes by name, what pods use, and everything else as it was at the start.

    Attributes:
        base: what was there at the start; what of it changes is in the attributes below.
        usage: what pods use beside nodes.
        origin: where something of it was written; all that comes later is said to be from there.
        groups: the PodGroups, by namespace/name.
        pods: the pods, by namespace/name.
        nodes: the nodes that the scheduler sees, by name.
        changed: whether anything is different since the last session.
        rebuilt: whether a node or a PodGroup has come or gone since the last session that was run.
        touched: the PodGroups, by namespace/name, that are different, or have pods that are, since the last session.
        unadmitted: the PodGroups, by namespace/name, that wait to be admitted.
    """

    def __init__(self, start: Manifests, deployments: Sequence[k8s.Deployment] = ()) -> None:
        self.base = start
        self._deployments = [*deployments]
        self._counted: Manifests | None = None
        self.usage = Usage(start)
        places = chain(*start.origins.values(), (scenario.origin for scenario in start.scenarios))
        self.origin = next(places, None) or Origin(EditedText("workload", ""))
        self.groups = {group.metadata.key: group for group in start.pod_groups}
        self.pods = {pod.metadata.key: pod for pod in start.pods}
        self.nodes = {node.metadata.name: node for node in start.nodes}
        self.changed = True
        self.rebuilt = True
        self.touched: set[str] = set()
        self.unadmitted = {key for key, group in self.groups.items() if group.status.phase in NOT_ADMITTED}

    # --- changes -----------------------------------------------------------------------------------------------------

    def put_pod(self, pod: k8s.Pod) -> None:
        """Add a pod, or put it in the place of the one of its name."""
        self.usage.put(self.pods.get(pod.metadata.key), pod)
        self.pods[pod.metadata.key] = pod
        self._touch(pod_group_of(pod.metadata))

    def remove_pod(self, key: str) -> None:
        """Remove a pod, if it is there."""
        pod = self.pods.pop(key, None)
        if pod is not None:
            self.usage.remove(pod)
            self._touch(pod_group_of(pod.metadata))

    def finish_start(self) -> None:
        """Do what controllers do for the pods at the start after the first session, which finds it not done yet.

        Claims on devices that they lack are made, and quotas count the pods that controllers made.
        Reference: `vqs.snapshot.controllers.workloads`.
        """
        self.usage.count_pods(self.pods.values())
        for pod in [pod for pod in self.pods.values() if pod.spec.resource_claims and is_active(pod)]:
            known = self.usage.with_own_claims(pod)
            if known is not pod:
                self.put_pod(known)

    def put_group(self, group: k8s.PodGroup) -> None:
        """Add a PodGroup, or put it in the place of the one of its name."""
        key = group.metadata.key
        self.rebuilt |= key not in self.groups
        self.groups[key] = group
        (self.unadmitted.add if group.status.phase in NOT_ADMITTED else self.unadmitted.discard)(key)
        self._touch(key)

    def remove_group(self, key: str) -> None:
        """Remove a PodGroup, if it is there."""
        if self.groups.pop(key, None) is not None:
            self.unadmitted.discard(key)
            self.rebuilt = True
            self._touch(key)

    def add_replica_sets(self, made: Manifests) -> None:
        """Add ReplicaSets, which default spreading counts pods by; they have no pods as yet."""
        empty = [structs.replace(each, spec=structs.replace(each.spec, replicas=0)) for each in made.workloads]
        there = self.base.origins.get("workloads", ())
        origins = {**self.base.origins, "workloads": [*there, *made.origins["workloads"]]}
        self.base = replace(self.base, workloads=[*self.base.workloads, *empty], origins=origins)
        self.changed = self.rebuilt = True

    def scale_replica_set(self, namespace: str, name: str, replicas: int) -> None:
        """Write how many pods a ReplicaSet is to have."""
        for index, each in enumerate(self.base.workloads):
            if isinstance(each, k8s.ReplicaSet) and (each.metadata.namespace, each.metadata.name) == (namespace, name):
                if each.spec.replicas != replicas:
                    scaled = structs.replace(each, spec=structs.replace(each.spec, replicas=replicas))
                    workloads = [*self.base.workloads[:index], scaled, *self.base.workloads[index + 1 :]]
                    self.base = replace(self.base, workloads=workloads)
                return

    def put_node(self, node: k8s.Node) -> None:
        """Add a node, or put it in the place of the one of its name."""
        self.nodes[node.metadata.name] = node
        self.changed = self.rebuilt = True

    def remove_node(self, name: str) -> None:
        """Remove a node, if it is there."""
        if self.nodes.pop(name, None) is not None:
            self.changed = self.rebuilt = True

    def take_cpus(self, places: Mapping[str, str]) -> None:
        """Take CPUs that a session gave to a task, by node, whether it is bound or not."""
        for node, cpus in places.items():
            self.usage.take_cpus(node, cpus)
        self.changed = True

    def _touch(self, group: str) -> None:
        self.touched.add(group)
        self.changed = True

    def seen(self) -> set[str]:
        """Note that a session has seen everything; return what was touched before it."""
        touched, self.touched = self.touched, set()
        self.changed = False
        return touched

    # --- the whole ---------------------------------------------------------------------------------------------------

    def manifests(self, sessions: int) -> Manifests:
        """Return the objects as they are now, for a session that comes after some others.

        PodDisruptionBudgets have counted the pods by then.
        """
        lists: dict[str, Any] = {
            "pods": list(self.pods.values()),
            "pod_groups": list(self.groups.values()),
            "nodes": list(self.nodes.values()),
            **self.usage.objects(),
        }
        origins = {name: [self.origin] * len(objects) for name, objects in lists.items()}
        now = replace(
            self.base, **lists, origins={**self.base.origins, **origins}, sessions=self.base.sessions + sessions
        )
        if not self.base.disruption_budgets:
            return now
        counting = replace(now, deployments=self._deployments)
        self._counted = recounted(self._counted or replace(self.base, deployments=self._deployments), counting)
        self.base = replace(self.base, disruption_budgets=self._counted.disruption_budgets)
        return replace(now, disruption_budgets=self._counted.disruption_budgets)
