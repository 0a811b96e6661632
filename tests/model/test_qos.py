"""A pod is Guaranteed where its limits are its requests."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from vqs.model.kubernetes import Pod
from vqs.model.qos import is_guaranteed

BOTH = {"cpu": "1", "memory": "1Gi"}


def container(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """Make a container."""
    return {"resources": {"requests": requests, "limits": limits}}


def read(spec: dict[str, Any], status: dict[str, Any] | None = None) -> Pod:
    """Make a pod."""
    return msgspec.convert({"spec": spec, "status": status or {}}, Pod)


@pytest.mark.parametrize(
    ("containers", "guaranteed"),
    [
        ([container(BOTH, BOTH)], True),
        ([container({"cpu": "1000m", "memory": "1024Mi"}, BOTH)], True),
        ([container({}, BOTH)], True),
        ([container({**BOTH, "nvidia.com/gpu": "1"}, BOTH)], True),
        ([container(BOTH, {})], False),
        ([container({"cpu": "1"}, {"cpu": "1"})], False),
        ([container({"cpu": "500m", "memory": "1Gi"}, BOTH)], False),
        ([container({"cpu": "0", "memory": "1Gi"}, {"cpu": "0", "memory": "1Gi"})], False),
        ([container(BOTH, BOTH), container({}, {})], False),
        ([], False),
    ],
)
def test_by_containers(containers: list[dict[str, Any]], guaranteed: bool) -> None:
    """All containers need limits for cpu and memory, and requests, which are the limits if not given, equal to them."""
    assert is_guaranteed(read({"containers": containers})) is guaranteed


def test_init_containers_count() -> None:
    """One init container without limits is enough for a pod not to be Guaranteed."""
    assert not is_guaranteed(read({"containers": [container(BOTH, BOTH)], "initContainers": [container({}, {})]}))


def test_by_the_resources_of_the_pod() -> None:
    """Where the pod itself has resources, those of its containers do not count."""
    assert is_guaranteed(read({"containers": [container({}, {})], "resources": {"limits": BOTH}}))
    assert not is_guaranteed(read({"containers": [container(BOTH, BOTH)], "resources": {"requests": BOTH}}))


@pytest.mark.parametrize("qos", ["Guaranteed", "Burstable"])
def test_the_status_goes_first(qos: str) -> None:
    """What the status says counts, whatever the containers are."""
    pod = read({"containers": [container(BOTH, BOTH if qos == "Burstable" else {})]}, {"qosClass": qos})
    assert is_guaranteed(pod) is (qos == "Guaranteed")
