"""Objects as the API server stores them by the custom resource definitions of a release.

A field that a definition does not have is pruned, and a missing value may have a default. What is said of it here is
what controllers and the scheduler look at.
References: config/crd/volcano/bases in volcano-sh/volcano; k8s.io/apiextensions-apiserver pkg/apiserver/schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_fields
from typing import Any

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.releases.schemas import SchemaBehaviours
from vqs.snapshot.reading.manifests import Manifests


def served(manifests: Manifests) -> Manifests:
    """Manifests as they are stored; they are the same where the definitions have all that they use."""
    schemas = manifests.profile.schemas
    if _has_all(schemas):
        return manifests
    return with_fields(
        manifests,
        volcano_jobs=[served_job(job, schemas) for job in manifests.volcano_jobs],
        pod_groups=[_pod_group(group, schemas) for group in manifests.pod_groups],
        hyper_nodes=[_hyper_node(each, schemas) for each in manifests.hyper_nodes],
    )


def served_job(job: k8s.VolcanoJob, schemas: SchemaBehaviours) -> k8s.VolcanoJob:
    """A Job as it is stored."""
    if _has_all(schemas):
        return job
    spec = job.spec
    tasks = [_task(task, schemas) for task in spec.tasks]
    return replace(job, spec=replace(spec, tasks=tasks, network_topology=_topology(spec.network_topology, schemas)))


def _has_all(schemas: SchemaBehaviours) -> bool:
    """True if Jobs, PodGroups and HyperNodes are stored as they are written."""
    return (
        schemas.job_partitions == "present"
        and schemas.tier_name_fields == "present"
        and schemas.highest_tier_default == "unlimited"
    )


def _task(task: k8s.TaskSpec, schemas: SchemaBehaviours) -> k8s.TaskSpec:
    parts = task.partition_policy
    if parts is None:
        return task
    if schemas.job_partitions == "absent":
        return replace(task, partition_policy=None)
    topology = _topology(parts.network_topology, schemas)
    return replace(task, partition_policy=replace(parts, network_topology=topology))


def _pod_group(group: k8s.PodGroup, schemas: SchemaBehaviours) -> k8s.PodGroup:
    spec = group.spec
    policies = [
        replace(policy, network_topology=_topology(policy.network_topology, schemas))
        for policy in (spec.sub_group_policy if schemas.job_partitions == "present" else ())
    ]
    topology = _topology(spec.network_topology, schemas)
    return replace(group, spec=replace(spec, sub_group_policy=policies, network_topology=topology))


def _topology(topology: k8s.NetworkTopology | None, schemas: SchemaBehaviours) -> k8s.NetworkTopology | None:
    if topology is None:
        return None
    highest = topology.highest_tier_allowed
    if highest is None and schemas.highest_tier_default == "1":
        highest = 1
    name = topology.highest_tier_name if schemas.tier_name_fields == "present" else ""
    return replace(topology, highest_tier_allowed=highest, highest_tier_name=name)


def _hyper_node(hyper_node: k8s.HyperNode, schemas: SchemaBehaviours) -> k8s.HyperNode:
    if schemas.tier_name_fields == "present" or not hyper_node.spec.tier_name:
        return hyper_node
    return replace(hyper_node, spec=replace(hyper_node.spec, tier_name=""))


_HAS_A_STATUS_BY_HAND = "Node"
"""A kind that is written by hand with a status too, as what matters of it stands there."""


def is_stored(value: Mapping[str, Any]) -> bool:
    """True if an object, as it is written, is from a cluster; an empty status is in what tools generate.

    What a cluster holds has passed its webhooks and its API server: no check of creation applies to it.

    >>> is_stored({"metadata": {"name": "a", "uid": "1"}}), is_stored({"metadata": {"name": "a"}, "status": {}})
    (True, False)
    """
    metadata = value.get("metadata")
    given = isinstance(metadata, dict) and bool(metadata.get("uid") or metadata.get("resourceVersion"))
    return given or bool(value.get("status") and value.get("kind") != _HAS_A_STATUS_BY_HAND)
