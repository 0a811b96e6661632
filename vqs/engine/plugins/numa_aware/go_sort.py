"""Sorting as Go's ``sort.Slice`` does it, for comparisons that are no order.

Where a comparison contradicts itself, what comes out depends on which elements are compared when: on the algorithm.
Go's is a pattern-defeating quicksort (https://arxiv.org/pdf/2106.05123).
Reference: the package ``sort`` of Go 1.19 and later.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

Item = TypeVar("Item")

_INSERTION = 12
"""Up to this length, elements are inserted one by one."""
_SHORTEST_NINTHER = 50
_SHORTEST_SHIFT = 50
_MOST_SHIFTS = 5
_MOST_SWAPS = 12
_SHORTEST_SCATTER = 8
_64_BITS = (1 << 64) - 1


def go_sorted(items: list[Item], less: Callable[[Item, Item], bool]) -> list[Item]:
    """The items in the order in which ``sort.Slice`` leaves them.

    >>> go_sorted([3, 1, 2], lambda one, other: one < other)
    [1, 2, 3]
    """
    sorting = _Sorting(list(items), less)
    sorting.sort(0, len(items), len(items).bit_length())
    return sorting.items


class _Hint(Enum):
    """What comparing a few elements tells about the order of all."""

    UNKNOWN = auto()
    INCREASING = auto()
    DECREASING = auto()


class _Sorting(Generic[Item]):
    """Items that are being sorted; all methods take a part of them by its start and its end."""

    def __init__(self, items: list[Item], less: Callable[[Item, Item], bool]) -> None:
        self.items = items
        self._less = less

    def less(self, one: int, other: int) -> bool:
        return self._less(self.items[one], self.items[other])

    def swap(self, one: int, other: int) -> None:
        self.items[one], self.items[other] = self.items[other], self.items[one]

    def sort(self, start: int, end: int, bad_pivots: int) -> None:
        """Sort a part; after some bad pivots, a heap does."""
        balanced = partitioned = True
        while end - start > _INSERTION:
            if not bad_pivots:
                self._sort_by_heap(start, end)
                return
            if not balanced:
                self._scatter(start, end)
                bad_pivots -= 1
            pivot, hint = self._pivot(start, end)
            if hint is _Hint.DECREASING:
                self.items[start:end] = reversed(self.items[start:end])
                pivot = (end - 1) - (pivot - start)
                hint = _Hint.INCREASING
            if balanced and partitioned and hint is _Hint.INCREASING and self._finish(start, end):
                return
            if start > 0 and not self.less(start - 1, pivot):
                start = self._partition_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= (end - start) // 8
            if left < right:
                self.sort(start, middle, bad_pivots)
                start = middle + 1
            else:
                self.sort(middle + 1, end, bad_pivots)
                end = middle
        for each in range(start + 1, end):
            self._shift_left(each, start)

    def _shift_left(self, at: int, start: int) -> None:
        """Move an element to the left, past those that it is less than."""
        while at > start and self.less(at, at - 1):
            self.swap(at, at - 1)
            at -= 1

    # --- partitions --------------------------------------------------------------------------------------------------

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Put what is less than the pivot before it, the rest behind; return its place, and whether all was so."""
        self.swap(start, pivot)
        left, right = start + 1, end - 1
        done = True
        while True:
            while left <= right and self.less(left, start):
                left += 1
            while left <= right and not self.less(right, start):
                right -= 1
            if left > right:
                break
            done = False
            self.swap(left, right)
            left, right = left + 1, right - 1
        self.swap(right, start)
        return right, done

    def _partition_equal(self, start: int, end: int, pivot: int) -> int:
        """Put what equals the pivot before what is greater; return where that begins."""
        self.swap(start, pivot)
        left, right = start + 1, end - 1
        while True:
            while left <= right and not self.less(start, left):
                left += 1
            while left <= right and self.less(start, right):
                right -= 1
            if left > right:
                return left
            self.swap(left, right)
            left, right = left + 1, right - 1

    def _finish(self, start: int, end: int) -> bool:
        """Try to sort what is nearly sorted; tell whether it is sorted now."""
        at = start + 1
        for _ in range(_MOST_SHIFTS):
            while at < end and not self.less(at, at - 1):
                at += 1
            if at == end:
                return True
            if end - start < _SHORTEST_SHIFT:
                return False
            self.swap(at, at - 1)
            if at - start > 1:
                self._shift_left(at - 1, 0)
            for right in range(at + 1, end):
                if not self.less(right, right - 1):
                    break
                self.swap(right, right - 1)
        return False

    # --- pivots ------------------------------------------------------------------------------------------------------

    def _pivot(self, start: int, end: int) -> tuple[int, _Hint]:
        """Choose a pivot: the median of three elements, of a long part that of three medians."""
        quarter = (end - start) // 4
        places = [start + quarter, start + 2 * quarter, start + 3 * quarter]
        swaps = 0
        if end - start >= _SHORTEST_NINTHER:
            for number, place in enumerate(places):
                places[number], more = self._median(place - 1, place, place + 1)
                swaps += more
        pivot, more = self._median(*places)
        hints = {0: _Hint.INCREASING, _MOST_SWAPS: _Hint.DECREASING}
        return pivot, hints.get(swaps + more, _Hint.UNKNOWN)

    def _median(self, one: int, two: int, three: int) -> tuple[int, int]:
        """Where the median of three elements is, and how many of them were swapped to find it."""
        swaps = 0
        if self.less(two, one):
            one, two, swaps = two, one, swaps + 1
        if self.less(three, two):
            two, swaps = three, swaps + 1
        if self.less(two, one):
            two, swaps = one, swaps + 1
        return two, swaps

    def _scatter(self, start: int, end: int) -> None:
        """Swap three elements in the middle with others, which are drawn by a xorshift that the length seeds."""
        length = end - start
        if length < _SHORTEST_SCATTER:
            return
        drawn, modulus = length, 1 << length.bit_length()
        middle = start + (length // 4) * 2
        for place in range(middle - 1, middle + 2):
            drawn ^= drawn << 13 & _64_BITS
            drawn ^= drawn >> 7
            drawn ^= drawn << 17 & _64_BITS
            other = drawn & (modulus - 1)
            self.swap(place, start + (other - length if other >= length else other))

    # --- the heap ----------------------------------------------------------------------------------------------------

    def _sort_by_heap(self, start: int, end: int) -> None:
        length = end - start
        for root in range((length - 1) // 2, -1, -1):
            self._sift(root, length, start)
        for last in range(length - 1, -1, -1):
            self.swap(start, start + last)
            self._sift(0, last, start)

    def _sift(self, root: int, length: int, start: int) -> None:
        """Let an element sink in the heap that begins at `start`."""
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self.less(start + child, start + child + 1):
                child += 1
            if not self.less(start + root, start + child):
                return
            self.swap(start + root, start + child)
            root = child
