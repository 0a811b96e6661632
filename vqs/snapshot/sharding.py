"""Which nodes belong to the shard of the scheduler, as its cache works that out from NodeShards.

Reference: pkg/scheduler/cache/shard_coordinator.go (RefreshNodeShards, getAvailableNodesFromShard).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vqs.model import kubernetes as k8s
from vqs.model.sharding import Shard, Sharding, ShardingMode
from vqs.snapshot.manifests import Manifests


def shard_of(objects: Iterable[k8s.NodeShard], sharding: Sharding) -> Shard:
    """Return the shard of a scheduler: the nodes that its NodeShard desires, without those that others still use."""
    shards = {each.metadata.name: each for each in objects}
    own = shards.pop(sharding.name, None)
    others = tuple(sorted(shards))
    if own is None:
        return Shard(sharding, others=others)
    in_use = {node for each in shards.values() for node in each.status.nodes_in_use}
    return Shard(sharding, frozenset(own.spec.nodes_desired) - in_use, is_defined=True, others=others)


def with_sharding(manifests: Manifests, mode: ShardingMode | None, name: str | None) -> Manifests:
    """Return manifests for a scheduler that is started with some flags; what is None stays as scenarios say."""
    if mode is None and name is None:
        return manifests
    sharding = manifests.sharding
    return replace(manifests, sharding_flags=Sharding(mode or sharding.mode, name or sharding.name))
