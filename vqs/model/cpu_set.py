"""Sets of CPUs, as Linux, the kubelet and Numatopologies write them: ``0-3,8``.

Reference: k8s.io/utils/cpuset. A text may stand for more CPUs than there is memory for: sets are kept as ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from vqs.model.quantity import whole_number

CpuSet = tuple[range, ...]
"""CPUs by their numbers: ranges in order, none of which overlap or touch."""


class CpuSetError(ValueError):
    """A text is no set of CPUs; the message says why not."""


def parse_cpu_set(text: str) -> CpuSet:
    """Read a set of CPUs.

    Raises:
        CpuSetError: the text is none.

    >>> parse_cpu_set("8,0-3,2-5"), parse_cpu_set("")
    ((range(0, 6), range(8, 9)), ())
    """
    return _merged(_range(part) for part in text.split(",")) if text else ()


def _range(text: str) -> range:
    first, dash, last = text.partition("-")
    numbers = whole_number(first), whole_number(last if dash else first)
    if numbers[0] is None or numbers[1] is None:
        raise CpuSetError(f"{text!r} is neither the number of a CPU nor a range such as 0-3")
    if numbers[0] > numbers[1]:
        raise CpuSetError(f"the range {text!r} ends before it begins")
    return range(numbers[0], numbers[1] + 1)


def _merged(ranges: Iterable[range]) -> CpuSet:
    merged: list[range] = []
    for each in sorted(ranges, key=lambda each: each.start):
        if merged and each.start <= merged[-1].stop:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, each.stop))
        else:
            merged.append(each)
    return tuple(merged)


def without(cpus: CpuSet, taken: Iterable[int]) -> CpuSet:
    """A set without some CPUs.

    >>> without((range(0, 6),), [0, 3])
    (range(1, 3), range(4, 6))
    """
    left: list[range] = []
    gone = iter(sorted(set(taken)))
    next_gone = next(gone, None)
    for each in cpus:
        start = each.start
        while next_gone is not None and next_gone < each.stop:
            if next_gone >= start:
                left.append(range(start, next_gone))
                start = next_gone + 1
            next_gone = next(gone, None)
        left.append(range(start, each.stop))
    return tuple(each for each in left if each)


def union(one: CpuSet, other: CpuSet) -> CpuSet:
    """The CPUs of two sets.

    >>> union((range(0, 2), range(6, 8)), (range(2, 4),))
    (range(0, 4), range(6, 8))
    """
    return _merged([*one, *other])


def contains(cpus: CpuSet, cpu: int) -> bool:
    """True if a CPU is in a set."""
    at = bisect_right(cpus, cpu, key=lambda each: each.start)
    return at > 0 and cpu in cpus[at - 1]


def of_numbers(numbers: Iterable[int]) -> CpuSet:
    """The set of CPUs with some numbers.

    >>> of_numbers([3, 1, 2, 8])
    (range(1, 4), range(8, 9))
    """
    return _merged(range(number, number + 1) for number in numbers)


def size(cpus: CpuSet) -> int:
    """The number of CPUs in a set."""
    return sum(each.stop - each.start for each in cpus)


def write_cpu_set(cpus: CpuSet) -> str:
    """Write a set of CPUs.

    >>> write_cpu_set((range(0, 4), range(8, 9)))
    '0-3,8'
    """
    return ",".join(f"{each.start}-{each.stop - 1}" if each.stop - each.start > 1 else str(each.start) for each in cpus)
