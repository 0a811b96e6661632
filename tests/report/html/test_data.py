"""The order in which pages show resources."""

from __future__ import annotations

from vqs.explain.outcome import Amounts
from vqs.report.html.data import Demand, resource_list

TOTAL: Amounts = {"cpu": 100.0, "memory": 100.0, "nvidia.com/gpu": 8.0, "pods": 10.0}


def names(*demands: Demand) -> list[str]:
    """Return the resources in the order of the page."""
    return [each["name"] for each in resource_list([TOTAL], TOTAL, demands)]


def test_the_scarcest_resource_comes_first() -> None:
    """It is the one of which the largest part is requested; pods are last however many there are."""
    demand = Demand("q", "", {"cpu": 10.0, "memory": 20.0, "nvidia.com/gpu": 8.0, "pods": 90.0})
    assert names(demand) == ["nvidia.com/gpu", "memory", "cpu", "pods"]


def test_cpu_and_memory_come_first_where_nothing_is_requested() -> None:
    """Without a demand no resource is scarce."""
    assert names() == ["cpu", "memory", "nvidia.com/gpu", "pods"]


def test_requests_below_a_queue_count_once() -> None:
    """What a queue requests includes what the queues below it do."""
    leaf, parent = Demand("leaf", "team", {"cpu": 30.0}), Demand("team", "", {"cpu": 30.0})
    assert names(leaf, parent, Demand("other", "", {"memory": 50.0}))[0] == "memory"


def test_a_resource_that_no_node_has_is_the_scarcest() -> None:
    """All of nothing is not enough for any request."""
    listed = resource_list([{"cpu": 1.0, "a.b/c": 1.0}], {"cpu": 1.0}, [Demand("q", "", {"cpu": 1.0, "a.b/c": 1.0})])
    assert [each["name"] for each in listed] == ["a.b/c", "cpu"]
