"""Amounts of queues."""

from __future__ import annotations

from fractions import Fraction

import pytest

from vqs.lint.amounts import above, capability, named, total, words
from vqs.model.kubernetes import Guarantee, Queue, QueueSpec
from vqs.snapshot.apiserver.queue_sums import exact


def test_exact() -> None:
    """Amounts are compared as what they are, not as they are written."""
    assert exact({"cpu": "8000m", "memory": "1Gi", "nvidia.com/gpu": 2}) == {
        "cpu": 8,
        "memory": 2**30,
        "nvidia.com/gpu": 2,
    }


def test_no_cpu_and_no_memory_are_no_limit() -> None:
    """A capability of nothing is a limit, but for cpu and memory."""
    queue = Queue(spec=QueueSpec(capability={"cpu": 0, "memory": "0", "nvidia.com/gpu": 0}))
    assert capability(queue) == {"nvidia.com/gpu": 0}


@pytest.mark.parametrize(("missing_is_zero", "names"), [(False, ["cpu"]), (True, ["cpu", "pods"])])
def test_above(missing_is_zero: bool, names: list[str]) -> None:
    """What has no limit is above it only where a missing limit means that there may be none."""
    amounts = {"cpu": Fraction(3), "memory": Fraction(1), "pods": Fraction(1)}
    limits = {"cpu": Fraction(2), "memory": Fraction(1)}
    assert above(amounts, limits, missing_is_zero=missing_is_zero) == names


def test_total() -> None:
    """Nothing adds up to nothing, and parts need not name the same resources."""
    assert total([]) == {}
    assert total([{"cpu": Fraction(1)}, {}, {"cpu": Fraction(1, 2)}]) == {"cpu": Fraction(3, 2)}


def test_named() -> None:
    """Every amount of a queue comes with its path."""
    spec = QueueSpec(capability={"cpu": 3}, deserved={"cpu": 2}, guarantee=Guarantee({"cpu": 1}))
    assert dict(named(Queue(spec=spec))) == {
        ("spec", "capability", "cpu"): 3,
        ("spec", "deserved", "cpu"): 2,
        ("spec", "guarantee", "resource", "cpu"): 1,
    }


@pytest.mark.parametrize(
    ("name", "amount", "text"),
    [
        ("cpu", Fraction(1, 2), "0.5 cpu"),
        ("memory", Fraction(3 * 2**29), "1.5Gi memory"),
        ("nvidia.com/gpu", Fraction(0), "no nvidia.com/gpu"),
    ],
)
def test_words(name: str, amount: Fraction, text: str) -> None:
    """Amounts are told in cores, Gi and counts."""
    assert words(name, amount) == text
