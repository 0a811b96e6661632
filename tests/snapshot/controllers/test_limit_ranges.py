"""What LimitRanges make of new pods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.snapshot.controllers.objects import Object, completed, make, notes, task
from tests.snapshot.controllers.test_quotas import seen_job


def limits(kind: str = "Container", **item: Any) -> Object:
    """Make a LimitRange of namespace ns."""
    return make("LimitRange", "l", metadata={"uid": "l"}, spec={"limits": [{"type": kind, **item}]})


def asking(resources: Object) -> list[Object]:
    """Make a Job of one pod with two containers that ask for some resources each."""
    made = task(replicas=1)
    made["template"]["spec"]["containers"] = [{"name": name, "resources": resources} for name in "ab"]
    return seen_job(made)


@pytest.mark.parametrize(
    ("resources", "limit", "said"),
    [
        ({"requests": {"cpu": "1"}}, limits(min={"cpu": "2"}), "each container has to request at least 2 cpu"),
        ({"requests": {"cpu": "2"}}, limits(min={"cpu": "2"}), ""),
        ({"limits": {"cpu": "4"}}, limits(max={"cpu": "2"}), "the limit of each container has to be at most 2 cpu"),
        ({"limits": {"cpu": "2"}}, limits(max={"cpu": "2"}), ""),
        ({"requests": {"cpu": "3"}}, limits(max={"cpu": "2"}), "each container has to request at most 2 cpu"),
        ({"limits": {"cpu": "4"}}, limits("Pod", max={"cpu": "6"}), "the limit of each pod has to be at most 6 cpu"),
        ({"requests": {"cpu": "1"}}, limits("Pod", max={"cpu": "6"}), "here it is not given"),
        ({"requests": {"cpu": "1"}}, limits("Pod", min={"cpu": "3"}), "each pod has to request at least 3 cpu"),
        (
            {"requests": {"cpu": "3", "memory": "4Gi"}},
            limits(max={"cpu": "2", "memory": "1Gi"}),
            "each container has to request at most 2 cpu and 1Gi memory, and here it is 3 and 4Gi",
        ),
        (
            {"requests": {"cpu": "2"}},
            limits(max={"cpu": "4"}, default={"cpu": "1"}),
            "each container without a limit has to request at most 1 cpu, and here it is 2",
        ),
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}, limits(default={"cpu": "1"}), ""),
        # A request above a limit that the pod has itself is its own mistake, with or without a LimitRange.
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}, limits(default={"cpu": "1"}), ""),
        ({"requests": {"cpu": "1"}}, limits("PersistentVolumeClaim", min={"storage": "1Gi"}), ""),
    ],
)
def test_pods_outside_the_range_are_not_made(resources: Object, limit: Object, said: str) -> None:
    """A pod that asks for less than the least or more than the most is refused, and told why."""
    made = completed(*asking(resources), limit)

    assert len(made.pods) == (0 if said else 1)
    assert (said in notes(made)[-1]) or not said


def test_what_is_not_said_is_filled_in() -> None:
    """A container gets the defaults for what it does not ask for, and keeps what it asks for."""
    made = completed(
        *asking({"requests": {"cpu": "1"}}), limits(default={"memory": "2Gi"}, defaultRequest={"cpu": "5"})
    )

    [pod] = made.pods
    assert pod.spec.containers[0].resources.requests == {"cpu": "1", "memory": "2Gi"}
    assert pod.spec.containers[0].resources.limits == {"memory": "2Gi"}


def test_another_namespace_has_its_own_limits() -> None:
    """Pods are measured where they are."""
    other = limits(min={"cpu": "9"})
    other["metadata"]["namespace"] = "elsewhere"

    assert len(completed(*asking({"requests": {"cpu": "1"}}), other).pods) == 1
