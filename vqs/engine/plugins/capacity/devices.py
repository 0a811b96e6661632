"""How many devices of each DeviceClass the tasks of a queue may claim: `deviceclass/NAME` in its capability.

Claims that several tasks of a queue share count once in it. Requests for all devices, and those with alternatives, do
not count. Counts have 64 bits: they end at the largest number, and do not start over.
References: pkg/scheduler/plugins/capacity/capacity.go (draQuotaAttr), pkg/scheduler/cache/cache.go (buildTaskDRAInfo),
pkg/scheduler/api/job_info.go (GetMinDRAResources).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vqs.model.devices import ResourceClaim
from vqs.model.job import Job, Task
from vqs.model.kubernetes import Pod, PodResourceClaim, QueueSpec
from vqs.model.quantity import value
from vqs.model.resource import Quantity

PREFIX: Final = "deviceclass/"
_AMOUNT_OF: Final = ".deviceclass/"
_MOST: Final = 2**63 - 1
_ALL: Final = "All"

Devices = Mapping[str, int]
"""How many devices, by the name of their class."""

Claims = Mapping[str, Devices]
"""What claims ask for, by their namespace/name."""


class Exceeded(NamedTuple):
    """A class of which too many devices are wanted: its resource name, how many would be held, and how many may be."""

    resource: str
    need: int
    have: int


class DeviceRequests:
    """What the tasks of a session claim."""

    def __init__(self, claims: Mapping[str, ResourceClaim]) -> None:
        self._claims = claims
        self._of_task: dict[str, Claims] = {}

    def of(self, task: Task) -> Claims:
        """What the claims of a task ask for; nothing as long as one of them does not exist."""
        if not task.pod.spec.resource_claims:
            return {}
        if task.uid not in self._of_task:
            self._of_task[task.uid] = self._read(task.pod)
        return self._of_task[task.uid]

    def minimum(self, job: Job) -> Devices:
        """What a job needs at least: of each role its minimum, else of the first tasks by name."""
        asking = sorted(
            (task for task in job.tasks.values() if self.of(task)),
            key=lambda task: (task.namespace, task.name, task.uid),
        )
        if not job.min_task_member:
            times = [(task, 1) for task in asking[: max(job.min_available, 0)]]
        else:
            first = {task.role: task for task in reversed(asking)}
            times = [(task, number) for role, task in first.items() if (number := job.min_task_member.get(role, 0)) > 0]
        total: dict[str, int] = {}
        for task, number in times:
            for name, count in _sum(self.of(task)).items():
                total[name] = min(total.get(name, 0) + count * number, _MOST)
        return total

    def _read(self, pod: Pod) -> Claims:
        found: dict[str, Devices] = {}
        for named in pod.spec.resource_claims:
            key = f"{pod.metadata.namespace}/{_claim_name(pod, named)}"
            claim = self._claims.get(key)
            if claim is None:
                return {}
            asked = Counter[str]()
            for request in claim.spec.devices.requests:
                exactly = None if request.first_available else request.exactly
                if exactly is not None and exactly.allocation_mode != _ALL and exactly.device_class_name:
                    asked[exactly.device_class_name] += exactly.count or 1
            if asked:
                found[key] = asked
        return found


def _claim_name(pod: Pod, named: PodResourceClaim) -> str:
    """The name of a pod's claim, empty where it was not created yet."""
    if named.resource_claim_name is not None:
        return named.resource_claim_name
    made = (each.resource_claim_name for each in pod.status.resource_claim_statuses if each.name == named.name)
    return next((name for name in made if name is not None), "")


def _sum(claims: Claims) -> Devices:
    total = Counter[str]()
    for devices in claims.values():
        total.update(devices)
    return total


@dataclass(slots=True)
class DeviceQuota:
    """What a queue may claim, and what its tasks, and those of the queues below it, claim.

    Attributes:
        limits: how many devices of a class may be claimed; a class without one has no limit.
        allocated: how many tasks with a node claim.
        inqueue: how many the jobs need that were admitted in this session.
        sharing: how many tasks with a node there are for each claim.
    """

    limits: Devices
    allocated: dict[str, int] = field(default_factory=dict)
    inqueue: dict[str, int] = field(default_factory=dict)
    sharing: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, spec: QueueSpec) -> DeviceQuota | None:
        """Read what the spec of a queue says of devices; None where it says nothing."""
        lists = [_counts(amounts) for amounts in (spec.capability, spec.deserved, spec.guarantee.resource)]
        return cls(lists[0]) if any(lists) else None

    def exceeded_by(self, claims: Claims) -> Exceeded | None:
        """The class of which there would be too many with the claims of a task."""
        added = _sum({key: devices for key, devices in claims.items() if not self.sharing[key]})
        return self.exceeded(added, {})

    def exceeded(self, added: Devices, inqueue: Devices) -> Exceeded | None:
        """The class of which there would be too many with some more, beside what admitted jobs need."""
        for name in sorted(added):
            limit = self.limits.get(name, 0)
            need = min(self.allocated.get(name, 0) + inqueue.get(name, 0) + added[name], _MOST)
            if limit > 0 and need > limit:
                return Exceeded(f"{PREFIX}{name}", need, limit)
        return None

    def give(self, claims: Claims) -> Devices:
        """Count the claims of a task that got a node; return what was added."""
        added = Counter[str]()
        for key, devices in claims.items():
            if not self.sharing[key]:
                added.update(devices)
            self.sharing[key] += 1
        self.add(added)
        return added

    def add(self, devices: Devices) -> None:
        """Count devices as claimed."""
        _add(self.allocated, devices)

    def take_back(self, claims: Claims) -> None:
        """Undo `give` for a task that has lost its node; what was counted for a queue below may not be known here."""
        for key, devices in claims.items():
            if self.sharing[key] > 1:
                self.sharing[key] -= 1
                continue
            self.sharing.pop(key, None)
            for name, count in devices.items():
                if name in self.allocated:
                    self.allocated[name] = max(self.allocated[name] - count, 0)

    def admit(self, minimum: Devices) -> None:
        """Count what an admitted job needs."""
        _add(self.inqueue, minimum)


def _add(total: dict[str, int], more: Devices) -> None:
    for name, count in more.items():
        total[name] = min(total.get(name, 0) + count, _MOST)


def _counts(amounts: Mapping[str, Quantity]) -> dict[str, int]:
    """How many devices of each class a resource list names; 0 where it names an amount of what they have."""
    counts: dict[str, int] = {}
    for name, quantity in amounts.items():
        amount, is_amount, of_class = name.partition(_AMOUNT_OF)
        if is_amount and amount:
            if of_class:
                counts.setdefault(of_class, 0)
        elif name.startswith(PREFIX) and name != PREFIX:
            counts[name.removeprefix(PREFIX)] = value(quantity)
    return counts
