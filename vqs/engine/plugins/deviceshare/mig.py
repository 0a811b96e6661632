"""MIG: the instances that a GPU is cut into, and which of them pods hold. Reference: nvidia/vgpu/mig.go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vqs.engine.plugins.deviceshare.device_config import Geometry, MigInstance

_INSTANCE: Final = re.compile(r"[^\[]*\[(?P<group>[^\]\-]*)-(?P<position>[-+]?[0-9]{1,18})\].*", re.DOTALL | re.ASCII)


class MigUsage:
    """The geometry that a GPU has, once a pod has held an instance of it, and the instances that pods hold.

    A geometry stays once it is chosen. `used` has the numbers of the instances in use, by the name of their size.
    """

    def __init__(self, geometries: Sequence[Geometry]) -> None:
        self.geometries = geometries
        self.chosen: int | None = None
        self.used: dict[str, list[int]] = {}

    def state(self) -> tuple[object, ...]:
        """Return all that says which instance is given to the next pod."""
        return (self.chosen, *((name, tuple(used)) for name, used in self.used.items()))

    def find(self, memory: int) -> tuple[str, int] | None:
        """Return the instance that a pod would get, as `group-position`, and its memory; None where none fits."""
        if self.chosen is not None:
            return _pick(self.geometries[self.chosen], self.used, memory)
        return next((found for each in self.geometries if (found := _pick(each, {}, memory))), None)

    def take(self, group: str, position: int) -> int:
        """Note that an instance is in use; return its memory, 0 where there is no such one."""
        instance, number = self._settle(group, position)
        if instance is None:
            return 0
        used = self.used.setdefault(instance.name, [])
        if number not in used:
            used.append(number)
            used.sort()
        return instance.memory

    def give_back(self, group: str, position: int) -> int:
        """Note that an instance is in use no longer; return its memory, 0 where none of its size was."""
        instance, number = self._settle(group, position)
        memory = instance.memory if instance is not None and instance.name in self.used else 0
        used = [] if instance is None else self.used.get(instance.name, [])
        if number in used:
            used.remove(number)
        if instance is not None and not used:
            self.used.pop(instance.name, None)
        return memory

    def _settle(self, group: str, position: int) -> tuple[MigInstance | None, int]:
        """Choose the geometry of a name; return the instance at a position, and its number among those of its size."""
        for index, geometry in enumerate(self.geometries):
            if geometry.group == group:
                self.chosen = index
                first = 0
                for instance in geometry.instances:
                    if position < first + instance.count:
                        return instance, position - first
                    first += instance.count
                return None, -1
        return None, -1


def _pick(geometry: Geometry, used: dict[str, list[int]], memory: int) -> tuple[str, int] | None:
    """Return the smallest instance with enough memory.

    As in the reference, only sizes count of which one is in use, where any is.
    """
    positions = [sum(each.count for each in geometry.instances[:index]) for index in range(len(geometry.instances))]
    for position, instance in sorted(zip(positions, geometry.instances, strict=True), key=lambda each: each[1].memory):
        if instance.memory < memory:
            continue
        taken = used.get(instance.name)
        if used and (taken is None or instance.count <= len(taken)):
            continue
        free = next((each for each in range(instance.count) if each not in (taken or ())), 0)
        return f"{geometry.group}-{position + free}", instance.memory
    return None


def read_instance(uuid: str) -> tuple[str, int] | None:
    """Return the group and the position in the name of an instance, None where it names none.

    >>> read_instance("GPU-0fc3[group2-3]")
    ('group2', 3)
    """
    found = _INSTANCE.fullmatch(uuid)
    return None if found is None else (found["group"], int(found["position"]))
