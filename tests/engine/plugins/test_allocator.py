"""The search for devices, against what the allocator of Kubernetes does."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.engine.plugins.predicates import allocator
from vqs.engine.plugins.predicates.allocator import AllocationError, Devices, SearchTimeout, allocate
from vqs.engine.plugins.predicates.pools import DeviceId, Pool
from vqs.model.devices import Device, DeviceClass, ResourceClaim

DRIVER = "gpu.io"


def pool_of(*models: str, name: str = "p", **more: Any) -> Pool:
    """Return a pool with a device of each model: the first is d0."""
    devices = [
        {"name": f"d{at}", "attributes": {"model": {"string": model}}, **more} for at, model in enumerate(models)
    ]
    read = msgspec.convert(devices, list[Device])
    named = tuple((DeviceId(DRIVER, name, each.name), each) for each in read)
    return Pool(DRIVER, name, incomplete=False, invalid="", devices=named)


def model(name: str) -> list[dict[str, Any]]:
    """Return selectors of a model."""
    return [{"cel": {"expression": f'device.attributes["{DRIVER}"].model == "{name}"'}}]


def exactly(count: int = 1, **more: Any) -> dict[str, Any]:
    """Return a request for a number of devices."""
    return {"exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, **more}}


def all_devices(**more: Any) -> dict[str, Any]:
    """Return a request for all devices."""
    return {"exactly": {"deviceClassName": "gpu", "allocationMode": "All", **more}}


def first_available(*alternatives: dict[str, Any]) -> dict[str, Any]:
    """Return a request for the first alternative that can be had."""
    named = [{"name": f"s{at}", **each["exactly"]} for at, each in enumerate(alternatives)]
    return {"firstAvailable": named}


def claim(*requests: dict[str, Any], constraints: list[dict[str, Any]] | None = None, name: str = "c") -> ResourceClaim:
    """Return a claim; its requests are called r0, r1 and on."""
    devices = {
        "requests": [{"name": f"r{at}", **each} for at, each in enumerate(requests)],
        "constraints": constraints or [],
    }
    return msgspec.convert({"metadata": {"name": name, "namespace": "ns"}, "spec": {"devices": devices}}, ResourceClaim)


def found(claims: list[ResourceClaim] | ResourceClaim, *pools: Pool, taken: str = "") -> list[list[str]] | None:
    """Return the names of the devices that claims are given."""
    given_claims = [claims] if isinstance(claims, ResourceClaim) else claims
    devices = Devices({"gpu": DeviceClass()})
    gone = {DeviceId(DRIVER, "p", name) for name in taken.split()}
    result = allocate(devices, pools, given_claims, gone)
    return None if result is None else [[each.device.name for each in of_claim] for of_claim in result.given]


def failure(claims: ResourceClaim, *pools: Pool) -> str:
    """Return the error of a search."""
    with pytest.raises(AllocationError) as caught:
        found(claims, *pools)
    return str(caught.value)


def test_the_first_devices_that_are_free() -> None:
    """Devices are taken in their order, none twice, and none that another claim holds."""
    assert found(claim(exactly(2), exactly()), pool_of("a", "a", "b", "b"), taken="d1") == [["d0", "d2", "d3"]]
    assert found(claim(exactly(4)), pool_of("a", "a", "b", "b"), taken="d1") is None


def test_a_choice_is_taken_back_where_it_leads_nowhere() -> None:
    """A request gives up the device that is the only one for a later request, also of another claim."""
    assert found(claim(exactly(), exactly(selectors=model("a"))), pool_of("a", "b")) == [["d1", "d0"]]
    claims = [claim(exactly()), claim(exactly(selectors=model("a")), name="d")]
    assert found(claims, pool_of("a", "b")) == [["d1"], ["d0"]]


def test_all_devices() -> None:
    """All that match have to be free, and there has to be one."""
    assert found(claim(all_devices(selectors=model("a"))), pool_of("a", "b", "a")) == [["d0", "d2"]]
    assert found(claim(all_devices(selectors=model("a"))), pool_of("a", "b", "a"), taken="d2") is None
    assert found(claim(all_devices(selectors=model("c"))), pool_of("a", "b", "a")) is None


def test_all_devices_of_a_pool_that_is_not_whole() -> None:
    """Slices that miss are waited for, and names that are given twice never do."""
    pool = pool_of("a")
    incomplete = Pool(pool.driver, pool.name, incomplete=True, invalid="", devices=pool.devices)
    invalid = Pool(pool.driver, pool.name, incomplete=False, invalid="duplicate device name d0", devices=pool.devices)
    prefix = "claim ns/c, request r0: asks for all devices, but resource pool gpu.io/p is currently"
    assert failure(claim(all_devices()), incomplete) == f"{prefix} being updated"
    assert failure(claim(all_devices()), invalid) == f"{prefix} invalid"
    assert found(claim(exactly()), incomplete) == [["d0"]]
    assert failure(claim(exactly()), invalid) == "pool p is invalid: duplicate device name d0"


def test_the_first_alternative_that_can_be_had() -> None:
    """Alternatives are tried in their order, and an earlier one is preferred to an earlier device."""
    wanted = first_available(exactly(2, selectors=model("b")), exactly(2, selectors=model("a")))
    assert found(claim(wanted), pool_of("a", "b", "a", "b")) == [["d1", "d3"]]
    assert found(claim(wanted), pool_of("a", "b", "a", "b"), taken="d3") == [["d0", "d2"]]


def test_the_second_of_two_alternatives_that_want_all() -> None:
    """As in the reference, it takes the choice of the first for its own."""
    wanted = first_available(all_devices(selectors=model("c")), all_devices(selectors=model("a")))
    assert found(claim(wanted), pool_of("a")) is None


def test_all_devices_after_another_alternative() -> None:
    """As in the reference, the search goes on with the first alternative, which has its one device by then."""
    wanted = first_available(exactly(1, selectors=model("c")), all_devices(selectors=model("a")))
    assert found(claim(wanted), pool_of("a", "a")) == [["d0"]]


def test_constraints() -> None:
    """Devices of the requests named have an attribute in common, and all of them have it."""
    same = [{"matchAttribute": f"{DRIVER}/model"}]
    assert found(claim(exactly(2), constraints=same), pool_of("a", "b", "b")) == [["d1", "d2"]]
    assert found(claim(exactly(), exactly(), constraints=[{**same[0], "requests": ["r0"]}]), pool_of("a", "b")) == [
        ["d0", "d1"]
    ]
    assert found(claim(exactly(), constraints=[{"matchAttribute": "other.io/model"}]), pool_of("a")) is None
    text = "claim ns/c, request r0: cannot add device gpu.io/p/d1 because a claim constraint would not be satisfied"
    assert failure(claim(all_devices(), constraints=same), pool_of("a", "b")) == text


def test_admin_access_takes_no_device_from_others() -> None:
    """A device in use can be had with admin access, though not twice for one claim."""
    assert found(claim(exactly(adminAccess=True)), pool_of("a"), taken="d0") == [["d0"]]
    assert found(claim(exactly(2, adminAccess=True)), pool_of("a")) is None


def test_features_that_are_off() -> None:
    """Devices that are made ready or share counters are not given; requests for a part of a device are refused."""
    assert found(claim(exactly()), pool_of("a", bindingConditions=["ready"])) is None
    assert found(claim(exactly()), pool_of("a", consumesCounters=[{"counterSet": "s"}])) is None
    text = "claim ns/c, request r0: has capacity requests, but the DRAConsumableCapacity feature is disabled"
    assert failure(claim(exactly(capacity={"requests": {"m": "1"}})), pool_of("a")) == text


def test_no_claim_gets_more_than_thirty_two_devices() -> None:
    """More is an error; where alternatives may want less, those are tried."""
    text = "claim ns/c: number of requested devices 33 exceeds the claim limit of 32"
    assert failure(claim(exactly(33)), pool_of(*"a" * 40)) == text
    alternatives = first_available(exactly(31), exactly(1))
    assert found(claim(exactly(2), alternatives), pool_of(*"a" * 40)) == [["d0", "d1", "d2"]]


def test_errors_of_selectors_name_their_owner() -> None:
    """The claim or the class, and the number of the selector."""
    wrong = [{"cel": {"expression": "true"}}, {"cel": {"expression": "1"}}]
    text = "claim ns/c: selector #1: CEL compile error: must evaluate to bool or the unknown type, not int"
    assert failure(claim(exactly(selectors=wrong)), pool_of("a")) == text


def test_a_search_without_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """With equal devices, all ways to choose them would be tried."""
    monkeypatch.setattr(allocator, "MOST_STEPS", 2_000)
    impossible = claim(exactly(10), exactly(selectors=model("b")))
    with pytest.raises(SearchTimeout):
        found(impossible, pool_of(*"a" * 20))


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from(["a", "b", ""])), min_size=1, max_size=3),
)
def test_devices_are_found_where_there_are_any(models: list[str], wanted: list[tuple[int, str]]) -> None:
    """The search finds devices exactly where some way to give them out satisfies all requests."""
    requests = [exactly(count, selectors=model(name) if name else []) for count, name in wanted]
    slots = [name for count, name in wanted for _ in range(count)]
    exists = any(
        all(name in ("", models[at]) for name, at in zip(slots, chosen, strict=True))
        for chosen in itertools.permutations(range(len(models)), len(slots))
    )
    assert (found(claim(*requests), pool_of(*models)) is not None) == exists
