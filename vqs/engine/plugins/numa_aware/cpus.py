"""The CPUs of a node, and which of them the containers of a pod are given, or which container keeps it away.

A set of CPUs is a whole number: bit i is the node's i-th CPU by number. As in the reference, a socket or core is taken
as a whole only where a CPU of the same number is free, and the cores of one number are one core, whatever their socket.

For each container, the smallest sets of NUMA nodes are preferred that have as many CPUs, free or not, as it asks for;
of those with as many free ones, the one with the lowest NUMA nodes is the best. The policy decides what happens where
no preferred set has enough. There is one provider of hints, for cpu, so that its best hint is found without trying
every set of NUMA nodes.
References: policy and provider/cpumanager (cpu_mng.go, cpu_assignment.go) in pkg/scheduler/plugins/numaaware;
k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology/topology.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import accumulate
from typing import Final, Generic, NamedTuple, TypeVar

from vqs.engine.framework.points import Shortfall
from vqs.model.cpu_set import CpuSet, contains, size
from vqs.model.kubernetes import Pod
from vqs.model.node import NumaTopology
from vqs.model.quantity import milli_value, value
from vqs.model.requests import container_requests
from vqs.model.resource import CPU

Cpus = int
"""A set of CPUs: bit i is the i-th CPU of the node."""


class CpuLayout:
    """Where the CPUs of a node are.

    Attributes:
        numbers: the numbers of the CPUs, in order.
        numa_nodes: the CPUs of each NUMA node, in the order of their numbers.
        has_numa_node_0: whether one of them has the number 0.
        socket_of: the number of each CPU's socket, in the order of the CPUs.
        core_of: the number of each CPU's core, in the order of the CPUs.
        sockets: the CPUs of each socket, by number, in order.
        cores: the CPUs of each core, by number, in order.
        reserved: the CPUs that are kept for the system.
        per_socket: how many CPUs a socket has.
        per_core: how many CPUs a core has.
    """

    def __init__(self, topology: NumaTopology) -> None:
        cpus = topology.cpus
        self.numbers = sorted(cpus)
        self._bit = {number: bit for bit, number in enumerate(self.numbers)}
        by_numa_node = self._by([cpus[number].numa for number in self.numbers])
        self.numa_nodes = list(by_numa_node.values())
        self.has_numa_node_0 = 0 in by_numa_node
        self.socket_of = [cpus[number].socket for number in self.numbers]
        self.core_of = [cpus[number].core for number in self.numbers]
        self.sockets = self._by(self.socket_of)
        self.cores = self._by(self.core_of)
        self._socket_of_core = {core: self.socket_of[next(_bits(cpus))] for core, cpus in self.cores.items()}
        self.per_socket = len(cpus) // len(self.sockets) if cpus else 0
        self.per_core = len(cpus) // len({(info.socket, info.core) for info in cpus.values()}) if cpus else 0
        self.reserved = self.take(self.all, topology.reserved) or 0

    @property
    def all(self) -> Cpus:
        """All CPUs of the node."""
        return (1 << len(self.numbers)) - 1

    def known(self, cpus: CpuSet) -> tuple[Cpus, int]:
        """Which CPUs of the node are in a set, and how many are in it that the node does not have."""
        mask = sum(1 << bit for number, bit in self._bit.items() if contains(cpus, number))
        return mask, size(cpus) - mask.bit_count()

    def numbers_of(self, cpus: Cpus) -> list[int]:
        """The numbers of some CPUs."""
        return [self.numbers[bit] for bit in _bits(cpus)]

    def spread(self, cpus: Cpus) -> int:
        """Over how many NUMA nodes some CPUs are spread."""
        return sum(bool(cpus & of_node) for of_node in self.numa_nodes)

    def take(self, free: Cpus, wanted: int) -> Cpus | None:
        """Take CPUs out of free ones: whole sockets, then whole cores, then single ones; None where too few are free.

        A socket is taken only if the CPU of its own number is free. Of sockets of different sizes, more may be taken
        than wanted.
        """
        if wanted < 1:
            return 0
        if wanted > free.bit_count():
            return None
        taking = _Taking(self, free, wanted)
        sockets = [socket for socket, cpus in self.sockets.items() if cpus & free and self.has(free, socket)]
        taking.groups(self.sockets, sockets, self.per_socket)
        # Of cores, those whose own CPU is free, of small sockets first; the reference takes two sockets in any order
        # where the smaller one has the higher number.
        by_socket: dict[int, set[int]] = {}
        for bit in _bits(taking.free):
            if self.has(taking.free, self.core_of[bit]):
                by_socket.setdefault(self.socket_of[bit], set()).add(self.core_of[bit])
        in_order = sorted(by_socket, key=lambda socket: (len(by_socket[socket]), socket))
        taking.groups(self.cores, [core for socket in in_order for core in sorted(by_socket[socket])], self.per_core)
        taking.singles()
        return taking.taken

    def _by(self, places: Sequence[int]) -> dict[int, Cpus]:
        """The CPUs by where they are, in order, given the place of each."""
        found = dict.fromkeys(sorted(set(places)), 0)
        for bit, place in enumerate(places):
            found[place] |= 1 << bit
        return found

    def has(self, cpus: Cpus, number: int) -> bool:
        """True if a CPU is in a set, by its number."""
        bit = self._bit.get(number)
        return bit is not None and bool(cpus >> bit & 1)

    def single_order(self, free: Cpus, taken: Cpus) -> list[int]:
        """The cores with free CPUs in the order in which single CPUs are taken from them.

        The reference compares two cores by any of five counts that speaks for one of them, so that both may be less
        than the other: what comes out is what Go's sorting makes of that.
        """
        keys = {
            core: (
                -(self.sockets[socket] & taken).bit_count(),
                (self.sockets[socket] & free).bit_count(),
                (self.cores[core] & free).bit_count(),
                socket,
                core,
            )
            for core, socket in self._socket_of_core.items()
            if self.cores[core] & free
        }
        return go_sorted(list(keys), lambda one, other: any(a < b for a, b in zip(keys[one], keys[other], strict=True)))


class _Taking:
    """CPUs that are being taken for one container."""

    def __init__(self, layout: CpuLayout, free: Cpus, wanted: int) -> None:
        self.layout = layout
        self.free = free
        self.wanted = wanted
        self.taken: Cpus = 0

    def groups(self, cpus_of: Mapping[int, Cpus], groups: Sequence[int], least: int) -> None:
        """Take whole sockets or cores, as long as no less than one is wanted."""
        for group in groups:
            if self.wanted < least:
                return
            self._take(cpus_of[group] & self.free)

    def singles(self) -> None:
        """Take CPUs one by one."""
        layout, free = self.layout, self.free
        if self.wanted < 1:
            return
        for core in layout.single_order(free, self.taken):
            for bit in _bits(layout.cores[core] & free):
                if self.wanted < 1:
                    return
                self._take(1 << bit)

    def _take(self, cpus: Cpus) -> None:
        self.taken |= cpus
        self.free &= ~cpus
        self.wanted -= cpus.bit_count()


def _bits(cpus: Cpus) -> Iterator[int]:
    while cpus:
        lowest = cpus & -cpus
        yield lowest.bit_length() - 1
        cpus ^= lowest


BEST_EFFORT: Final = "best-effort"
RESTRICTED: Final = "restricted"
SINGLE_NUMA_NODE: Final = "single-numa-node"


class Wish(NamedTuple):
    """A container's name, and how many CPUs it is to have for itself: none where it asks for a part of one."""

    container: str
    cpus: int


class Answer(NamedTuple):
    """What a node says to a pod: the container that it cannot place, None if it can, the CPUs of the pod, what is left.

    Where a container is refused, `room` is what those before it leave.
    """

    refused: Wish | None
    cpus: Cpus
    room: Room


class Hint(NamedTuple):
    """Some NUMA nodes, by their place in order, and whether no fewer would do."""

    numa_nodes: tuple[int, ...]
    preferred: bool


def wishes_of(pod: Pod) -> tuple[Wish, ...]:
    """What each container of a pod asks for."""
    wishes: list[Wish] = []
    for container in pod.spec.containers:
        quantity = container_requests(container).get(CPU, "0")
        cpus = value(quantity)
        wishes.append(Wish(container.name, cpus if cpus * 1000 == milli_value(quantity) else 0))
    return tuple(wishes)


class Room(NamedTuple):
    """The free CPUs of a node, None where its Numatopology does not list them, and how many others are said to be."""

    free: Cpus | None
    unknown: int


def assign(layout: CpuLayout, policy: str, room: Room, wishes: Sequence[Wish]) -> Answer:
    """What a node with some free CPUs says to a pod."""
    total: Cpus = 0
    for wish in wishes:
        hint = best_hint(layout, policy, room, wish.cpus)
        if hint is not None and not hint.preferred and policy != BEST_EFFORT:
            return Answer(wish, 0, room)
        available = (room.free or 0) & ~layout.reserved
        aligned: Cpus = 0
        if hint is not None:
            nearby = available & sum(layout.numa_nodes[each] for each in hint.numa_nodes)
            aligned = layout.take(nearby, min(wish.cpus, nearby.bit_count())) or 0
        others = layout.take(available & ~aligned, wish.cpus - aligned.bit_count())
        cpus = 0 if others is None else aligned | others
        total |= cpus
        room = room._replace(free=(room.free or 0) & ~cpus)
    return Answer(None, total, room)


def shortfall(layout: CpuLayout, policy: str, room: Room, wishes: Sequence[Wish]) -> Shortfall | None:
    """What NUMA nodes have too few of for the container that a node cannot place.

    Those count that have the most free CPUs, as many as the policy allows the container to be spread over.
    """
    wish, _, left = assign(layout, policy, room, wishes)
    if wish is None:
        return None
    number = 1 if policy == SINGLE_NUMA_NODE else _least_numa_nodes(layout, wish.cpus)
    have = _most(_free_by_numa_node(layout, left), number)
    where = f"on {'one NUMA node' if number == 1 else f'{number} NUMA nodes'} for container {wish.container}"
    return Shortfall(CPU, wish.cpus * 1000.0, have * 1000.0, where)


def best_hint(layout: CpuLayout, policy: str, room: Room, cpus: int) -> Hint | None:
    """The best NUMA nodes for a container, None for a policy that does not exist: any CPUs will do."""
    if policy not in (BEST_EFFORT, RESTRICTED, SINGLE_NUMA_NODE):
        return None
    every = tuple(range(len(layout.numa_nodes)))
    if not cpus or room.free is None:
        return Hint(every, preferred=bool(every))
    least = _least_numa_nodes(layout, cpus)
    free = _free_by_numa_node(layout, room)
    if policy != SINGLE_NUMA_NODE or least == 1:
        preferred = _lowest(free, least, cpus)
        if preferred is not None:
            return Hint(preferred, preferred=True)
    others = (found for number in every if (found := _lowest(free, number + 1, cpus)) is not None)
    return Hint(every if policy == SINGLE_NUMA_NODE else next(others, every), preferred=False)


def _least_numa_nodes(layout: CpuLayout, cpus: int) -> int:
    """On how many NUMA nodes a container fits that is alone on the node; on all where it does not fit."""
    sizes = sorted((each.bit_count() for each in layout.numa_nodes), reverse=True)
    return next((number for number, total in enumerate(accumulate(sizes), 1) if total >= cpus), len(sizes))


def _free_by_numa_node(layout: CpuLayout, room: Room) -> list[int]:
    """Count the free CPUs of each NUMA node; those that the node does not have count as NUMA node 0's."""
    available = (room.free or 0) & ~layout.reserved
    free = [(each & available).bit_count() for each in layout.numa_nodes]
    if layout.has_numa_node_0:
        free[0] += room.unknown
    return free


def _lowest(free: Sequence[int], number: int, cpus: int) -> tuple[int, ...] | None:
    """The lowest set of a number of NUMA nodes with enough free CPUs: the highest members are compared first."""
    chosen: list[int] = []
    end = len(free)
    while number:
        found = next((last for last in range(number - 1, end) if _most(free[: last + 1], number) >= cpus), None)
        if found is None:
            return None
        chosen.append(found)
        cpus, number, end = cpus - free[found], number - 1, found
    return tuple(reversed(chosen))


def _most(free: Sequence[int], number: int) -> int:
    return sum(sorted(free, reverse=True)[:number])


Item = TypeVar("Item")

_INSERTION = 12
"""Up to this length, elements are inserted one by one."""
_SHORTEST_NINTHER = 50
_SHORTEST_SHIFT = 50
_MOST_SHIFTS = 5
_MOST_SWAPS = 12
_64_BITS = (1 << 64) - 1


def go_sorted(items: list[Item], less: Callable[[Item, Item], bool]) -> list[Item]:
    """The items in the order in which Go's ``sort.Slice`` leaves them, for comparisons that are no order.

    Where a comparison contradicts itself, what comes out depends on which elements are compared when: on the algorithm.
    Go's is a pattern-defeating quicksort (https://arxiv.org/pdf/2106.05123). What it has for elements that are equal
    is left out: of two cores, one at least is always less than the other.
    Reference: the package ``sort`` of Go 1.19 and later.

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
            # The pivot is the median of three elements, of a long part that of three medians.
            quarter = (end - start) // 4
            places = [start + quarter, start + 2 * quarter, start + 3 * quarter]
            swaps = 0
            if end - start >= _SHORTEST_NINTHER:
                for number, place in enumerate(places):
                    places[number], more = self._median(place - 1, place, place + 1)
                    swaps += more
            pivot, more = self._median(*places)
            hints = {0: _Hint.INCREASING, _MOST_SWAPS: _Hint.DECREASING}
            hint = hints.get(swaps + more, _Hint.UNKNOWN)
            if hint is _Hint.DECREASING:
                self.items[start:end] = reversed(self.items[start:end])
                pivot = (end - 1) - (pivot - start)
                hint = _Hint.INCREASING
            if balanced and partitioned and hint is _Hint.INCREASING and self._finish(start, end):
                return
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
