"""Gangs: PodGroups and their pods, for jobs that are not Volcano Jobs."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME, TASK_SPEC
from vqs.replay.workload import Gang
from vqs.snapshot.controllers.usage import total, usage_of_pod


def pod_group_of(
    name: str, pods: Sequence[k8s.Pod], *, queue: str, role: str, min_member: int, group: k8s.PodGroup | None = None
) -> Gang:
    """Return pods with their PodGroup, which is made as the controller for pods without one does.

    Args:
        name: the name of the PodGroup.
        pods: one or more pods, of one namespace; they are told of the PodGroup and their role.
        queue: the queue of the PodGroup.
        role: the role of the pods that do not have one.
        min_member: how many pods it needs to start.
        group: the PodGroup, where there is one already.
    """
    first = pods[0]
    if group is None:
        group = k8s.PodGroup(
            metadata=k8s.ObjectMeta(
                name=name, namespace=first.metadata.namespace, creation_timestamp=first.metadata.creation_timestamp
            ),
            spec=k8s.PodGroupSpec(
                min_member=min_member,
                queue=queue,
                priority_class_name=first.spec.priority_class_name,
                min_resources=total([(usage_of_pod(first), min_member)]),
            ),
            status=k8s.PodGroupStatus(phase="Pending"),
        )
    return Gang(group, tuple(_member(pod, group.metadata.name, role) for pod in pods))


def _member(pod: k8s.Pod, group: str, role: str) -> k8s.Pod:
    annotations = {TASK_SPEC: role, **pod.metadata.annotations, GROUP_NAME: group}
    return structs.replace(pod, metadata=structs.replace(pod.metadata, annotations=annotations))
