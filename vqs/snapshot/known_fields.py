"""The fields of a PodGroup that a release knows; an API server with its definitions drops the others."""

from __future__ import annotations

from msgspec import structs

from vqs.model.kubernetes import NetworkTopology, PodGroup, SubGroupPolicy
from vqs.releases.network_topology import NetworkTopologyBehaviours


def known_fields(pod_group: PodGroup, behaviours: NetworkTopologyBehaviours) -> PodGroup:
    """Return a PodGroup without the fields that the release does not know."""
    spec = pod_group.spec
    ignores_names = behaviours.tier_names == "ignored"
    if behaviours.sub_group_policies == "ignored":
        spec = structs.replace(spec, sub_group_policy=[])
    if ignores_names and spec.network_topology is not None:
        spec = structs.replace(spec, network_topology=_without_name(spec.network_topology))
    if ignores_names and spec.sub_group_policy:
        spec = structs.replace(spec, sub_group_policy=[_unnamed(each) for each in spec.sub_group_policy])
    return pod_group if spec is pod_group.spec else structs.replace(pod_group, spec=spec)


def _unnamed(policy: SubGroupPolicy) -> SubGroupPolicy:
    written = policy.network_topology
    return policy if written is None else structs.replace(policy, network_topology=_without_name(written))


def _without_name(written: NetworkTopology) -> NetworkTopology:
    return structs.replace(written, highest_tier_name="")
