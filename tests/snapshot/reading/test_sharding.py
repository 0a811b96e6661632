"""Which nodes a scheduler's shard has."""

from __future__ import annotations

from typing import Any

from tests.build import manifests, node_shard
from vqs.model.sharding import Shard, Sharding, ShardingMode
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.manifests import with_sharding

OWN = node_shard("volcano", "a", "b")
FLAGS: dict[str, Any] = {"scheduler-sharding-mode": "soft", "scheduler-sharding-name": "mine"}


def shard_of(*objects: Any, mode: ShardingMode | None = ShardingMode.HARD, name: str | None = None) -> Shard:
    """Return the shard of a scheduler that is started with some flags."""
    return build_cluster(with_sharding(manifests([*objects]), mode, name)).shard


def scenario(flags: dict[str, Any]) -> dict[str, Any]:
    """Make a scenario of the scheduler's flags."""
    return {"apiVersion": "vqs/v1", "kind": "Scenario", "flags": flags}


def test_a_shard_has_the_nodes_that_it_wants() -> None:
    """What its status says that it uses does not matter."""
    assert shard_of(node_shard("volcano", "a", "b", in_use=["c"])).nodes == {"a", "b"}


def test_a_node_that_another_shard_still_uses_is_not_in_it() -> None:
    """Until the other one has left it; that the other one wants it keeps nothing from this one."""
    assert shard_of(OWN, node_shard("agent", in_use=["b"])).nodes == {"a"}
    assert shard_of(OWN, node_shard("agent", "b")).nodes == {"a", "b"}


def test_a_shard_without_an_object_has_no_nodes() -> None:
    """The others are named, so that the right one can be found among them."""
    shard = shard_of(OWN, name="volcan")
    assert (shard.is_defined, shard.nodes, shard.others) == (False, frozenset(), ("volcano",))


def test_a_scenario_has_the_flags() -> None:
    """What it leaves out is as the scheduler has it."""
    assert manifests([scenario(FLAGS)]).sharding == Sharding(ShardingMode.SOFT, "mine")
    assert manifests([scenario({})]).sharding == Sharding(ShardingMode.NONE, "volcano")


def test_the_command_line_wins_over_a_scenario() -> None:
    """Flag by flag."""
    given = with_sharding(manifests([scenario(FLAGS)]), ShardingMode.HARD, None)
    assert given.sharding == Sharding(ShardingMode.HARD, "mine")
    assert with_sharding(given, None, "other").sharding == Sharding(ShardingMode.HARD, "other")
