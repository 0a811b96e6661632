"""How many devices of a DeviceClass the tasks of a queue may claim."""

from __future__ import annotations

import pytest

from vqs.engine.plugins.capacity.devices import DeviceQuota, Exceeded
from vqs.model.kubernetes import QueueSpec, ResourceList

MOST = 2**63 - 1


def limited(limit: int) -> DeviceQuota:
    """Return the quota of a queue that may claim some gpus."""
    return DeviceQuota({"gpu": limit})


@pytest.mark.parametrize(
    ("capability", "limits"),
    [
        ({"cpu": 1, "deviceclass/gpu": "2k", "deviceclass/": 1}, {"gpu": 2000}),
        ({"memory.deviceclass/gpu": "80Gi"}, {"gpu": 0}),
        ({"memory.deviceclass/gpu": "80Gi", "deviceclass/gpu": 1, "x.deviceclass/": 1}, {"gpu": 1}),
    ],
)
def test_a_capability_names_classes(capability: ResourceList, limits: dict[str, int]) -> None:
    """An amount of what devices have names its class without a limit of their number."""
    made = DeviceQuota.of(QueueSpec(capability=capability))
    assert made is not None
    assert made.limits == limits


def test_a_queue_has_no_quota_unless_its_spec_names_a_class() -> None:
    """One that only deserves devices has one, without limits."""
    assert DeviceQuota.of(QueueSpec(capability={"cpu": 4, "nvidia.com/gpu": 1})) is None
    assert DeviceQuota.of(QueueSpec(deserved={"deviceclass/gpu": 1})) == DeviceQuota({})


def test_a_shared_claim_counts_once() -> None:
    """It counts until the last task that shares it has lost its node."""
    made, claims = limited(1), {"ns/shared": {"gpu": 1}}
    made.give(claims)
    assert made.exceeded_by(claims) is None
    assert made.exceeded_by({"ns/other": {"gpu": 1}}) == Exceeded("deviceclass/gpu", 2, 1)
    made.give(claims)
    made.take_back(claims)
    assert made.allocated == {"gpu": 1}
    made.take_back(claims)
    assert made.allocated == {"gpu": 0}


def test_admitted_jobs_count_for_jobs_alone() -> None:
    """What they need does not keep a task from its node."""
    made = limited(2)
    made.admit({"gpu": 2})
    assert made.exceeded_by({"ns/c": {"gpu": 2}}) is None
    assert made.exceeded({"gpu": 1}, made.inqueue) == Exceeded("deviceclass/gpu", 3, 2)


def test_counts_end_at_the_largest_number() -> None:
    """They do not start over, so that the limit still holds."""
    made = limited(5)
    made.add({"gpu": MOST})
    made.add({"gpu": MOST})
    assert made.exceeded({"gpu": MOST}, made.inqueue) == Exceeded("deviceclass/gpu", MOST, 5)


def test_a_class_without_a_limit_is_never_exceeded() -> None:
    """Neither is one of which the capability only names amounts."""
    made = DeviceQuota({"gpu": 0})
    assert made.exceeded({"gpu": 9, "nic": 9}, made.inqueue) is None
