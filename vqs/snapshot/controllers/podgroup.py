"""The PodGroups of pods that name none.

Pods with the same controller share a PodGroup. It needs one pod to start, unless the controller's annotations say
otherwise. A pod that names a PodGroup gets none, whether that exists or not.
Reference: pkg/controllers/podgroup/pg_controller.go and pg_controller_handler.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.model.number_text import whole_number
from vqs.snapshot.controllers.job import disruption_limit
from vqs.snapshot.controllers.usage import as_counted, total, usage_of_pod
from vqs.snapshot.controllers.world import World, controller_of, group_of, reference

_INHERITED = "volcano.sh/"
_INT32_MAX = 2**31 - 1
_KEPT_ANNOTATIONS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME, keys.REVOCABLE_ZONE)
_KEPT_LABELS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME)


def sync_pod_groups(world: World) -> None:
    """Make the PodGroups that are missing, and write their names on the pods."""
    # The annotations of the objects whose pods inherit them, by kind and by namespace and name.
    objects = [*world.workloads, *world.given.jobs]
    kinds = (k8s.ReplicaSet, k8s.StatefulSet, k8s.Job)
    owners = {(type(o).__name__, o.metadata.key): o.metadata.annotations for o in objects if isinstance(o, kinds)}
    for index, pod in world.unknown_pods():
        if pod.spec.scheduler_name != keys.SCHEDULER_NAME or pod.metadata.annotations.get(keys.GROUP_NAME):
            continue
        name = group_of(pod)
        if f"{pod.metadata.namespace}/{name}" not in world.pod_groups_by_key:
            inherited: dict[str, str] = {}
            for owner in pod.metadata.owner_references:
                inherited = owners.get((owner.kind, f"{pod.metadata.namespace}/{owner.name}"), {}) | inherited
            maker = world.maker("pods", index, "Pod", pod.metadata)
            own, topology = pod.metadata, None
            mode, tier = own.annotations.get(keys.TOPOLOGY_MODE), own.annotations.get(keys.TOPOLOGY_TIER)
            reads_topology = world.given.profile.controllers.pod_network_topology == "read"
            if reads_topology and (mode is not None or tier is not None):  # what cannot be read is as good as not there
                mode = "soft" if (mode or "").lower() == "soft" else "hard"
                topology = k8s.NetworkTopology(mode, highest_tier_allowed=whole_number(tier or ""))
            minimum = min_member(inherited)
            annotations = {name: value for name, value in inherited.items() if name.startswith(_INHERITED)}
            annotations |= {name: own.annotations[name] for name in _KEPT_ANNOTATIONS if name in own.annotations}
            world.add_pod_group(
                k8s.PodGroup(
                    metadata=k8s.ObjectMeta(
                        name=name,
                        namespace=own.namespace,
                        labels={name: own.labels[name] for name in _KEPT_LABELS if name in own.labels},
                        annotations=annotations | disruption_limit(own.annotations),
                        creation_timestamp=world.born(own),
                        owner_references=own.owner_references if controller_of(own) else [reference("v1", "Pod", own)],
                    ),
                    spec=k8s.PodGroupSpec(
                        min_member=minimum,
                        queue=own.annotations.get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
                        priority_class_name=pod.spec.priority_class_name,
                        min_resources=total(
                            [(usage_of_pod(as_counted(pod, world.given.profile.controllers)), minimum)]
                        ),
                        network_topology=topology,
                    ),
                    status=k8s.PodGroupStatus(phase="Pending"),
                ),
                maker,
            )
        annotations = {**pod.metadata.annotations, keys.GROUP_NAME: name}
        world.pods[index] = replace(pod, metadata=replace(pod.metadata, annotations=annotations))


def min_member(annotations: Mapping[str, str]) -> int:
    """How many pods a workload with some annotations needs to start."""
    number = whole_number(annotations.get(keys.GROUP_MIN_MEMBER, ""))
    return 1 if number is None or not 0 <= number <= _INT32_MAX else number
