"""Sharding: the nodes that a scheduler takes care of, where several schedulers share a cluster.

References: pkg/scheduler/cache/shard_coordinator.go, cmd/scheduler/app/options/options.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ShardingMode(StrEnum):
    """What a scheduler does with the nodes outside its shard: the flag scheduler-sharding-mode."""

    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


DEFAULT_SHARD: Final = "volcano"
"""The shard of a scheduler that names none."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """How a scheduler is started: its flags scheduler-sharding-mode and scheduler-sharding-name."""

    mode: ShardingMode = ShardingMode.NONE
    name: str = DEFAULT_SHARD


@dataclass(frozen=True, slots=True)
class Shard:
    """The shard of a scheduler.

    Attributes:
        sharding: how the scheduler uses it.
        nodes: the names of the nodes in it that no other shard still uses.
        is_defined: whether there is a NodeShard of its name.
        others: the names of the other NodeShards.
    """

    sharding: Sharding = Sharding()
    nodes: frozenset[str] = frozenset()
    is_defined: bool = False
    others: tuple[str, ...] = ()
