"""Which CPUs of a node the containers of a pod would be given, or which container keeps the pod from it.

For each container, the smallest sets of NUMA nodes are preferred that have as many CPUs, free or not, as it asks for;
of those with as many free ones, the one with the lowest NUMA nodes is the best. The policy decides what happens where
no preferred set has enough.

There is one provider of hints, for cpu, so that its best hint is found without trying every set of NUMA nodes.
References: pkg/scheduler/plugins/numaaware/policy, provider/cpumanager/cpu_mng.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from vqs.engine.framework.points import Shortfall
from vqs.engine.plugins.numa_aware.cpus import CpuLayout, Cpus
from vqs.model.kubernetes import Pod
from vqs.model.quantity import milli_value, value
from vqs.model.requests import container_requests
from vqs.model.resource import CPU

BEST_EFFORT: Final = "best-effort"
RESTRICTED: Final = "restricted"
SINGLE_NUMA_NODE: Final = "single-numa-node"


class Wish(NamedTuple):
    """A container's name, and how many CPUs it is to have for itself: none where it asks for a part of one."""

    container: str
    cpus: int


class Answer(NamedTuple):
    """What a node says to a pod: the container that it cannot place, empty if it can, and the CPUs of the pod."""

    refused: str
    cpus: Cpus = 0


class Hint(NamedTuple):
    """Some NUMA nodes, by their place in order, and whether no fewer would do."""

    numa_nodes: tuple[int, ...]
    preferred: bool


def wishes_of(pod: Pod) -> tuple[Wish, ...]:
    """Return what each container of a pod asks for."""
    return tuple(Wish(each.name, _whole_cpus(container_requests(each).get(CPU, "0"))) for each in pod.spec.containers)


def _whole_cpus(quantity: str | float) -> int:
    cpus = value(quantity)
    return cpus if cpus * 1000 == milli_value(quantity) else 0


class Room(NamedTuple):
    """The free CPUs of a node, None where its Numatopology does not list them, and how many others are said to be."""

    free: Cpus | None
    unknown: int


def assign(layout: CpuLayout, policy: str, room: Room, wishes: Sequence[Wish]) -> Answer:
    """Return what a node with some free CPUs says to a pod."""
    total: Cpus = 0
    for wish in wishes:
        hint = best_hint(layout, policy, room, wish.cpus)
        if hint is not None and not hint.preferred and policy != BEST_EFFORT:
            return Answer(wish.container)
        cpus = _allocate(layout, (room.free or 0) & ~layout.reserved, hint, wish.cpus)
        total |= cpus
        room = room._replace(free=(room.free or 0) & ~cpus)
    return Answer("", total)


def shortfall(layout: CpuLayout, policy: str, room: Room, wishes: Sequence[Wish]) -> Shortfall | None:
    """Return what NUMA nodes have too few of for the container that a node cannot place.

    Those count that have the most free CPUs, as many as the policy allows the container to be spread over.
    """
    for wish in wishes:
        hint = best_hint(layout, policy, room, wish.cpus)
        if hint is not None and not hint.preferred and policy != BEST_EFFORT:
            number = 1 if policy == SINGLE_NUMA_NODE else _least_numa_nodes(layout, wish.cpus)
            have = _most(_free_by_numa_node(layout, room), number)
            where = f"on {'one NUMA node' if number == 1 else f'{number} NUMA nodes'} for container {wish.container}"
            return Shortfall(CPU, wish.cpus * 1000.0, have * 1000.0, where)
        cpus = _allocate(layout, (room.free or 0) & ~layout.reserved, hint, wish.cpus)
        room = room._replace(free=(room.free or 0) & ~cpus)
    return None


def best_hint(layout: CpuLayout, policy: str, room: Room, cpus: int) -> Hint | None:
    """Return the best NUMA nodes for a container, None for a policy that does not exist: any CPUs will do."""
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
    """Return on how many NUMA nodes a container fits that is alone on the node; on all where it does not fit."""
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
    """Return the lowest set of a number of NUMA nodes with enough free CPUs: the highest members are compared first."""
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


def _allocate(layout: CpuLayout, available: Cpus, hint: Hint | None, cpus: int) -> Cpus:
    """Return the CPUs of a container: from the best NUMA nodes first; none where too few are left."""
    aligned: Cpus = 0
    if hint is not None:
        nearby = available & sum(layout.numa_nodes[each] for each in hint.numa_nodes)
        aligned = layout.take(nearby, min(cpus, nearby.bit_count())) or 0
    others = layout.take(available & ~aligned, cpus - aligned.bit_count())
    return 0 if others is None else aligned | others
