"""Old releases do not know all fields of a PodGroup."""

from __future__ import annotations

import msgspec

from vqs.model.kubernetes import PodGroup
from vqs.releases.network_topology import NetworkTopologyBehaviours
from vqs.snapshot.known_fields import known_fields

GROUP = msgspec.convert(
    {
        "metadata": {"name": "g"},
        "spec": {
            "networkTopology": {"mode": "hard", "highestTierName": "hall"},
            "subGroupPolicy": [{"name": "a", "networkTopology": {"highestTierName": "rack"}}, {"name": "b"}],
        },
    },
    PodGroup,
)


def test_a_release_that_knows_all_fields_drops_none() -> None:
    """The PodGroup is the same one."""
    assert known_fields(GROUP, NetworkTopologyBehaviours()) is GROUP


def test_names_of_tiers_are_dropped() -> None:
    """Of the PodGroup and of its sub-groups; the rest stays."""
    spec = known_fields(GROUP, NetworkTopologyBehaviours(tier_names="ignored")).spec
    topologies = [spec.network_topology, *(each.network_topology for each in spec.sub_group_policy)]
    assert [each and (each.mode, each.highest_tier_name) for each in topologies] == [("hard", ""), ("hard", ""), None]


def test_sub_groups_are_dropped() -> None:
    """What the PodGroup itself asks for stays."""
    spec = known_fields(GROUP, NetworkTopologyBehaviours(sub_group_policies="ignored")).spec
    assert spec.sub_group_policy == []
    assert spec.network_topology == GROUP.spec.network_topology
