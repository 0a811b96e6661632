"""Changes of a hierarchy of queues with which a release schedules nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.build import CONF, gang, manifests, node, queue
from tests.explain.jobs.searching import find_remedies
from vqs.explain.simulate import SimulateOptions
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release

HIERARCHY = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")
STANDSTILL = ReleaseChoice(Build(Release.V1_12))


@pytest.mark.parametrize(
    ("queues", "edits"),
    [
        ([queue("q", capability={"cpu": 12})], ["queue/q.spec.capability.cpu=8"]),
        (
            [queue("team", capability={"cpu": 6}), queue("q", parent="team", capability={"cpu": "6500m"})],
            ["queue/q.spec.capability.cpu=6"],
        ),
        (
            [queue("team", deserved={"cpu": 4}), *(queue(each, parent="team", deserved={"cpu": 3}) for each in "pq")],
            ["queue/p.spec.deserved.cpu=1"],
        ),
        (
            [
                queue("team", deserved={"cpu": 8}, guarantee={"resource": {"cpu": 2}}),
                queue("q", parent="team", guarantee={"resource": {"cpu": 3}}),
            ],
            ["queue/q.spec.guarantee.resource.cpu=2"],
        ),
    ],
)
def test_what_is_above_its_parent_is_lowered(queues: list[Any], edits: list[str]) -> None:
    """What a queue may have is lowered to what its parent has, and so are what the children deserve or are guaranteed.

    Where the cluster is smaller than the capability, the root is that parent.
    """
    read = replace(manifests([node("n", cpu=8), *queues, *gang("job", 1, queue="q")], HIERARCHY), release=STANDSTILL)
    found = find_remedies(read, SimulateOptions(), "ns/job")
    assert [each.edits for each in found.fixes] == [edits]
    assert found.fixes[0].commands
