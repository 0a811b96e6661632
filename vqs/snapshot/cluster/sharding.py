"""Which nodes belong to the shard of the scheduler, as its cache works that out from NodeShards.

Reference: pkg/scheduler/cache/shard_coordinator.go (RefreshNodeShards, getAvailableNodesFromShard).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.sharding import Shard, Sharding, ShardingMode
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests

UNKNOWN_FLAG: Final = "unknown-flag"
"""The code of the error of a flag that the scheduler does not have."""


def shard_of(objects: Iterable[k8s.NodeShard], sharding: Sharding) -> Shard:
    """The shard of a scheduler: the nodes that its NodeShard desires, without those that others still use."""
    shards = {each.metadata.name: each for each in objects}
    own = shards.pop(sharding.name, None)
    others = tuple(sorted(shards))
    if own is None:
        return Shard(sharding, others=others)
    in_use = {node for each in shards.values() for node in each.status.nodes_in_use}
    return Shard(sharding, frozenset(own.spec.nodes_desired) - in_use, is_defined=True, others=others)


def with_sharding(manifests: Manifests, mode: ShardingMode | None, name: str | None) -> Manifests:
    """Manifests for a scheduler that is started with some flags; what is None stays as scenarios say.

    Raises:
        InputErrors: the release does not know the flags.
    """
    if mode is None and name is None:
        return manifests
    sharding = manifests.sharding
    changed = replace(manifests, sharding_flags=Sharding(mode or sharding.mode, name or sharding.name))
    unknown = unknown_flags(changed)
    if unknown is not None:
        raise InputErrors([unknown])
    return changed


def unknown_flags(manifests: Manifests) -> Diagnostic | None:
    """The error that a scheduler has flags about sharding, where its release does not know them."""
    profile = manifests.profile
    if profile.flags.sharding_flags == "known" or manifests.sharding == Sharding():
        return None
    message = f"the scheduler of Volcano {profile.release} has no flag --scheduler-sharding-mode, and does not start"
    return Diagnostic(code=UNKNOWN_FLAG, severity="error", message=message, help="leave the flags about sharding out")
