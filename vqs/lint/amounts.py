"""Amounts that queues and nodes name, as exact numbers and in words, and names that were probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Final

from vqs.explain import outcome
from vqs.model.kubernetes import Queue
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, is_scalar_resource
from vqs.model.wording import written
from vqs.snapshot.apiserver.queue_sums import amount_lists, exact
from vqs.snapshot.reading.diagnostics import Guesser, Path, differs_in_more_than_digits

Amounts = Mapping[str, Fraction]

_NOTHING: Final = Fraction(0)


def capability(queue: Queue) -> dict[str, Fraction]:
    """The capability of a queue. 0 cpu or memory is no limit, as in the scheduler.

    >>> from vqs.model.kubernetes import Queue, QueueSpec
    >>> capability(Queue(spec=QueueSpec(capability={"cpu": 0, "nvidia.com/gpu": 0})))
    {'nvidia.com/gpu': Fraction(0, 1)}
    """
    return {
        name: amount for name, amount in exact(queue.spec.capability).items() if amount or name not in (CPU, MEMORY)
    }


def deserved(queue: Queue) -> dict[str, Fraction]:
    """The amounts that a queue says it deserves."""
    return exact(queue.spec.deserved)


def guarantee(queue: Queue) -> dict[str, Fraction]:
    """The amounts that a queue says are kept for it."""
    return exact(queue.spec.guarantee.resource)


def named(queue: Queue) -> Iterable[tuple[Path, Fraction]]:
    """Yield every amount in the spec of a queue, with its path."""
    for path, found in amount_lists(queue).items():
        yield from (((*path, name), amount) for name, amount in exact(found).items())


def total(parts: Iterable[Amounts]) -> dict[str, Fraction]:
    """Add amounts up.

    >>> total([{"cpu": Fraction(2)}, {"cpu": Fraction(1), "pods": Fraction(4)}])
    {'cpu': Fraction(3, 1), 'pods': Fraction(4, 1)}
    """
    summed: dict[str, Fraction] = {}
    for part in parts:
        for name, amount in part.items():
            summed[name] = summed.get(name, _NOTHING) + amount
    return summed


def above(amounts: Amounts, limits: Amounts, *, missing_is_zero: bool = False) -> list[str]:
    """The resources that exceed their limit; a resource without one is unlimited, or has a limit of zero.

    >>> above({"cpu": Fraction(2), "pods": Fraction(1)}, {"cpu": Fraction(1)})
    ['cpu']
    """
    return [
        name
        for name, amount in amounts.items()
        if (name in limits or missing_is_zero) and amount > limits.get(name, _NOTHING)
    ]


def words(name: str, amount: Fraction) -> str:
    """Write an amount of a resource.

    >>> words("cpu", Fraction(3, 2)), words("memory", Fraction(2**34)), words("nvidia.com/gpu", Fraction(0))
    ('1.5 cpu', '16Gi memory', 'no nvidia.com/gpu')
    """
    return f"{written(name, float(amount))} {name}" if amount else f"no {name}"


def is_scheduled(name: str) -> bool:
    """True if the scheduler counts a resource of this name at all.

    >>> is_scheduled("nvidia.com/gpu"), is_scheduled("gpu"), is_scheduled("requests.cpu")
    (True, False, False)
    """
    return name in (CPU, MEMORY, PODS, EPHEMERAL_STORAGE) or (
        not name.startswith("count/") and is_scalar_resource(name)
    )


def quantity(name: str, value: float) -> str:
    """Write an amount in the scheduler's unit with its resource.

    >>> quantity("cpu", 1500.0), quantity("memory", 2.0**30), quantity("nvidia.com/gpu", 0.0)
    ('1.5 cpu', '1Gi memory', 'no nvidia.com/gpu')
    """
    if not value:
        return f"no {name}"
    if name == EPHEMERAL_STORAGE or name.startswith("hugepages-"):
        return f"{written(MEMORY, outcome.amount(name, value))} {name}"
    return f"{outcome.in_words(name, value)} {name}"


def near_names(choices: Iterable[str]) -> Callable[..., str]:
    """What hints at the name that was probably meant, be it not one of a few others; empty where none is near.

    Names that differ in a number only are not alike.

    Many objects may lack the same name, and it is looked for once.

    >>> near = near_names(["train", "test", "job-2"])
    >>> near("trian"), near("job-1")
    ("did you mean 'train'?", '')
    """
    guesser = Guesser(choices)

    def near(name: str, without: frozenset[str] = frozenset()) -> str:
        differs = differs_in_more_than_digits(name)
        return guesser.hint(name, lambda each: differs(each) and each not in without)

    return cache(near)
