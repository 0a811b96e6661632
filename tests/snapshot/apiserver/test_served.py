"""What the custom resource definitions of a release leave of objects."""

from __future__ import annotations

from typing import Any

from tests.build import hyper_node, manifests
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.manifests import Manifests

JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train"},
    "spec": {
        "networkTopology": {"mode": "hard", "highestTierName": "rack"},
        "tasks": [
            {
                "name": "worker",
                "replicas": 2,
                "partitionPolicy": {"totalPartitions": 2, "partitionSize": 1, "minPartitions": 2},
                "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
            }
        ],
    },
}


def completed(release: Release) -> Manifests:
    """Return what a release makes of a Job and a HyperNode."""
    read = manifests([JOB, hyper_node("h1", 1, nodes=["n1"], tier_name="rack")])
    read.release = ReleaseChoice(Build(release))
    return complete(read)


def test_fields_that_a_release_does_not_have_are_pruned() -> None:
    """In 1.13, there are no partitions and no names of tiers, and the highest tier is 1 where none is given."""
    made = completed(Release.V1_13)
    [group] = made.pod_groups
    assert group.spec.sub_group_policy == []
    assert group.spec.network_topology is not None
    assert (group.spec.network_topology.highest_tier_name, group.spec.network_topology.highest_tier_allowed) == ("", 1)
    assert not any("volcano.sh/partition-id" in pod.metadata.labels for pod in made.pods)
    assert made.hyper_nodes[0].spec.tier_name == ""


def test_the_rest_stays() -> None:
    """Later releases have all of it."""
    made = completed(Release.V1_14_0)
    [group] = made.pod_groups
    assert [each.name for each in group.spec.sub_group_policy] == ["worker"]
    assert group.spec.network_topology is not None
    assert group.spec.network_topology.highest_tier_name == "rack"
    assert group.spec.network_topology.highest_tier_allowed is None
    assert made.hyper_nodes[0].spec.tier_name == "rack"
