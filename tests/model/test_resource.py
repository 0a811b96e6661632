"""Resources compare as the scheduler's do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.resource import (
    EPSILON,
    UNLIMITED,
    Resource,
    exceeded_part,
    is_scalar_resource,
    maximum,
    share,
)

GPU = "nvidia.com/gpu"

amounts = st.integers(0, 10**15).map(float)
resources = st.builds(
    Resource, amounts, amounts, st.dictionaries(st.sampled_from([GPU, "pods", "ephemeral-storage", "a.b/c"]), amounts)
)


@pytest.mark.parametrize(
    "name",
    ["nvidia.com/gpu", "hugepages-2Mi", "attachable-volumes-csi-x", "volcano.sh/vgpu-number", "foo.kubernetes.io/bar"],
)
def test_vendor_resources_take_part(name: str) -> None:
    """A vendor's resource, hugepages and attachable volumes take part in scheduling."""
    assert is_scalar_resource(name)


@pytest.mark.parametrize(
    "name",
    ["limits.cpu", "requests.nvidia.com/gpu", "count/pods", "gpu", "UPPER.com/gpu", "a.com/", "a.com/-x", "storage"],
)
def test_quota_names_and_misspelt_ones_do_not(name: str) -> None:
    """What a quota counts, a name without a vendor and a name that is none take no part."""
    assert Resource.from_quantities({name: 1}) == Resource()


def test_a_resource_list_is_read_in_the_schedulers_units() -> None:
    """Cpu is in millicores, memory in bytes, pods a count, everything else in thousandths."""
    read = Resource.from_quantities({"cpu": "1500m", "memory": "1Gi", "pods": "110", GPU: 2, "ephemeral-storage": "1k"})
    assert read == Resource(1500, 2**30, {"pods": 110, GPU: 2000, "ephemeral-storage": 10**6})


def test_quota_names_in_min_resources_are_left_out() -> None:
    """Of minResources as a job controller writes them, only what looks like the name of a resource counts."""
    written = {"cpu": 1, "requests.cpu": 1, "requests.nvidia.com/gpu": 1, "count/pods": 3, "pods": 3, GPU: 1}
    assert Resource.from_quantities(written) == Resource(1000, 0, {"pods": 3, GPU: 1000})


def test_the_quota_name_of_a_vendors_limit_passes_for_a_resource() -> None:
    """`limits.nvidia.com/gpu` looks like a vendor's resource, so the scheduler takes it for one that no node has."""
    assert Resource.from_quantities({"limits.nvidia.com/gpu": 1}).scalars == {"limits.nvidia.com/gpu": 1000}


def test_a_missing_scalar_counts_as_zero_when_compared() -> None:
    """What is asked for and not there is lacking; what is there and not asked for does not matter."""
    assert not Resource(0, 0, {GPU: 1000}).less_equal(Resource(9, 9))
    assert Resource().less_equal(Resource(0, 0, {GPU: 1000}))


def test_amounts_closer_than_the_tolerance_are_equal() -> None:
    """A tenth of a unit is the difference that counts."""
    assert Resource(100.05).less_equal(Resource(100))
    assert not Resource(100 + 2 * EPSILON).less_equal(Resource(100))
    assert Resource(100.05).lacking(Resource(100)) == []


def test_a_limit_is_compared_without_a_tolerance_and_only_where_something_is_asked_for() -> None:
    """A queue over its limit in one resource still takes a task that asks only for another."""
    future, limit = Resource(2000, 50.01, {GPU: 3000, "pods": 9}), Resource(1000, 50, {GPU: 2000})
    assert future.exceeding(limit, Resource(0, 1)) == ["memory"]
    assert future.exceeding(limit, Resource(1, 0, {GPU: 1000, "pods": 1})) == ["cpu", GPU]
    assert future.exceeding(limit, Resource()) == []


def test_limiting_treats_a_missing_scalar_as_asked() -> None:
    """A scalar that the ceiling does not name is unlimited in a capability, and zero in a request."""
    assert Resource(9, 9, {GPU: 5}).limit_to(Resource(UNLIMITED, 4), missing_is_unlimited=True) == Resource(
        9, 4, {GPU: 5}
    )
    assert Resource(9, 9, {GPU: 5}).limit_to(Resource(1, 4), missing_is_unlimited=False) == Resource(1, 4, {GPU: 0})


def test_subtracting_leaves_scalars_alone_where_there_are_none() -> None:
    """A ledger that never saw a scalar does not owe it after a subtraction."""
    assert Resource(5, 5).sub(Resource(1, 1, {GPU: 1})) == Resource(4, 4)
    assert Resource(5, 5, {"pods": 1}).sub(Resource(1, 1, {GPU: 1})) == Resource(4, 4, {"pods": 1, GPU: -1})


def test_share_of_nothing() -> None:
    """0/0 is 0, and anything of nothing is all of it."""
    assert share(0, 0) == 0
    assert share(3, 0) == 1
    assert share(3, 4) == 0.75


def test_pods_alone_are_nothing() -> None:
    """A task that asks for no more than its place as a pod is best-effort."""
    assert Resource(0, 0, {"pods": 1}).is_empty()
    assert not Resource(0, 0, {"pods": 1, GPU: 1000}).is_empty()


@given(resources, resources)
def test_adding_and_subtracting_undo_each_other(left: Resource, right: Resource) -> None:
    """Whole amounts come back exactly."""
    result = left.clone().add(right).sub(right)
    assert (result.milli_cpu, result.memory) == (left.milli_cpu, left.memory)
    assert all(result.get(name) == left.get(name) for name in {**left.scalars, **right.scalars})


@given(resources, resources)
def test_less_equal_agrees_with_what_is_lacking(left: Resource, right: Resource) -> None:
    """Something is at most as much exactly when nothing of it is lacking."""
    assert left.less_equal(right) == (left.lacking(right) == [])


@given(resources, resources)
def test_the_exceeding_part_and_the_other_make_at_least_the_whole(left: Resource, right: Resource) -> None:
    """What goes beyond, added to the other, is the larger of both in each resource."""
    whole, larger = exceeded_part(left, right).add(right), maximum(left, right)
    assert all(whole.get(name) == larger.get(name) for name in ["cpu", "memory", *larger.scalars])


@pytest.mark.parametrize(
    ("own", "other", "name"),
    [
        (Resource(2, 2), Resource(2, 2), None),
        (Resource(1), Resource(1.05), "cpu"),
        (Resource(1, 1), Resource(0, 2), "memory"),
        (Resource(), Resource(0, 0, {GPU: 0.0}), GPU),
        (Resource(0, 0, {GPU: 1.0}), Resource(0, 0, {GPU: 2.0}), GPU),
        (Resource(0, 0, {GPU: 1.0}), Resource(), None),
    ],
)
def test_what_there_is_less_of_is_named(own: Resource, other: Resource, name: str | None) -> None:
    """Without a tolerance, and a scalar that only the other lists is less, too, even where it lists nothing of it."""
    assert own.first_below(other) == name
