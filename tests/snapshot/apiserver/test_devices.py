"""What the API server requires of claims of devices."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from vqs.model.devices import ResourceClaim
from vqs.snapshot.apiserver.checks import defects

NAMED = {"deviceClassName": "gpu"}


@pytest.mark.parametrize(
    ("request_", "paths"),
    [
        ({"exactly": NAMED}, []),
        ({"exactly": {}}, [("exactly", "deviceClassName")]),
        ({"firstAvailable": [{"name": "a", **NAMED}, {"name": "b"}]}, [("firstAvailable", 1, "deviceClassName")]),
        ({}, []),
    ],
)
def test_a_request_names_a_device_class(request_: dict[str, Any], paths: list[tuple[str | int, ...]]) -> None:
    """So does each of its alternatives; a request of a version that is not read asks for nothing."""
    spec = {"devices": {"requests": [{"name": "r", **request_}]}}
    claim = msgspec.convert({"metadata": {"name": "c", "namespace": "ns"}, "spec": spec}, ResourceClaim)
    found = [each for each in defects(claim) if each.path[:3] == ("spec", "devices", "requests")]
    assert [each.path[4:] for each in found] == paths
    assert {each.message for each in found} <= {"deviceClassName is missing"}
