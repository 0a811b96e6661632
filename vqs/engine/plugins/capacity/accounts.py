"""What capacity keeps of each queue, and how its limits come about.

Without a tree, queues that have jobs count. With one, all do: what a queue holds and has promised counts for every
queue above it, limits come down from the root, and the root has none unless its capability is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vqs.engine.ledger import LimitLink
from vqs.engine.plugins.capacity.devices import DeviceQuota, DeviceRequests
from vqs.engine.plugins.queue_account import JobLoad, QueueAccount, flat_limits, guaranteed_in_all
from vqs.engine.session import Session
from vqs.model.job import Job
from vqs.model.queue import ROOT, Queue
from vqs.model.queue_tree import QueueTree, parent_name
from vqs.model.resource import CPU, MEMORY, UNLIMITED, UNLIMITED_SCALAR, Resource, exceeded_part, maximum
from vqs.model.task import ALLOCATED_STATUSES
from vqs.releases.capacity import CapacityBehaviours

BEST_EFFORT_SHARE = 1.0


@dataclass(slots=True, eq=False)
class CapacityAccount(QueueAccount):
    """What is kept of one queue; `ancestors` starts at the root and ends above the queue."""

    ancestors: tuple[CapacityAccount, ...] = ()
    children: list[CapacityAccount] = field(default_factory=list)
    link: LimitLink | None = None
    devices: DeviceQuota | None = None

    @property
    def best_effort(self) -> bool:
        """Whether the queue deserves nothing."""
        return self.deserved.is_empty()

    @property
    def overused(self) -> bool:
        """Whether the queue holds all that it deserves; one that deserves nothing is not judged by it."""
        return not self.best_effort and self.deserved.less_equal(self.allocated)

    @property
    def line(self) -> tuple[CapacityAccount, ...]:
        """The queue, then the queues above it."""
        return (self, *reversed(self.ancestors))

    def update_share(self) -> None:
        """Set the share: as for proportion, but a queue that deserves nothing is as if it held all it deserves."""
        if self.best_effort:
            self.share = BEST_EFFORT_SHARE
        else:
            super(CapacityAccount, self).update_share()  # in a class with slots, super() alone finds no class

    def count(self, job: Job, behaviours: CapacityBehaviours, requests: DeviceRequests | None) -> None:
        """Count a job of this queue, here and in the queues above.

        Devices count above as far as the queue has a quota itself; a claim that is shared counts there once a job.
        """
        load = JobLoad.of(job, leaves_out_allocated=behaviours.capacity_inqueue == "unallocated-minimum")
        self.remember(job, load)
        for account in self.line:
            account.add(load)
        if self.devices is None or requests is None:
            return
        for status in ALLOCATED_STATUSES:
            for task in job.having(status).values():
                added = self.devices.give(requests.of(task))
                for account in self.ancestors:
                    if account.devices is not None:
                        limited = {name: count for name, count in added.items() if name in account.devices.limits}
                        account.devices.add(limited)


def _new(queue: Queue, requests: DeviceRequests | None) -> CapacityAccount:
    devices = None if requests is None else DeviceQuota.of(queue.object.spec)
    return CapacityAccount(queue, guarantee=queue.guarantee, deserved=_configured(queue.deserved), devices=devices)


def _configured(amounts: Resource | None) -> Resource:
    return Resource() if amounts is None else amounts.clone()


# --- without a tree ---------------------------------------------------------------------------------------------------


def flat_accounts(session: Session, requests: DeviceRequests | None) -> dict[str, CapacityAccount]:
    """Return the queues that have jobs, each for itself; `requests` are None where devices do not count."""
    names = sorted({job.queue for job in session.jobs.values()})
    accounts = {name: _new(session.queues[name], requests) for name in names}
    for job in session.jobs.values():
        accounts[job.queue].count(job, session.profile.capacity, requests)
    guaranteed = guaranteed_in_all(session.queues.values())
    for account in accounts.values():
        _limit(account, session.total_resource, guaranteed)
        account.update_share()
    return accounts


def _limit(account: CapacityAccount, total: Resource, guaranteed: Resource) -> None:
    """Set the limits of a queue; it deserves no more than it may have."""
    queue = account.queue
    unguaranteed = exceeded_part(total, guaranteed)
    account.capability, account.real_capability = flat_limits(queue, unguaranteed)
    account.deserved.limit_to(account.real_capability, missing_is_unlimited=True)
    account.deserved = maximum(account.deserved, account.guarantee)
    account.link = LimitLink(
        queue=account.name,
        parent="",
        available=total,
        guaranteed=guaranteed,
        unreserved=unguaranteed.add(queue.guarantee),
        configured=_configured(queue.capability),
        inherited=(),
        capability=account.capability,
        real_capability=account.real_capability,
        configured_deserved=_configured(queue.deserved),
        children_deserved=Resource(),
        deserved=account.deserved,
    )


# --- a tree -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the tree cannot be used: the queue or the job, and a sentence."""

    subject: str
    text: str


def tree_accounts(session: Session, requests: DeviceRequests | None) -> tuple[dict[str, CapacityAccount], list[Fault]]:
    """Return all queues, and what is wrong with their tree; where something is, no queue has limits or a share."""
    accounts = {name: _new(queue, requests) for name, queue in sorted(session.queues.items())}
    for account in accounts.values():
        account.capability = _configured(account.queue.capability)
    faults = list(_faults(session.queues))
    if faults:
        return accounts, faults
    _connect(accounts, accounts[ROOT])
    for job in session.jobs.values():
        account = accounts[job.queue]
        if account.children:
            fault = f"job {job.display_name} is in queue {job.queue}, which has queues below it"
            return accounts, [Fault(job.uid, fault)]
        account.count(job, session.profile.capacity, requests)
    _settle(session, accounts)
    return accounts, []


def parent_of(queue: Queue) -> str:
    """Name the queue above a queue; none is above the root."""
    return parent_name(queue.name, queue.parent)


def _faults(queues: Mapping[str, Queue]) -> Iterator[Fault]:
    """Yield the queues from which no way leads to the root.

    The reference does not notice a circle. The first task that gets past its queue's limits makes it copy the tree,
    which ends the whole process with a stack overflow.
    """
    tree = QueueTree((name, parent_of(queue)) for name, queue in sorted(queues.items()))
    for name in sorted(queues):
        parent, cycle = tree.parent(name), tree.cycle(name)
        if parent and parent not in queues:
            yield Fault(name, f"queue {name} has the parent {parent}, which does not exist")
        elif cycle and name == min(cycle):
            way = " → ".join([name, *cycle])
            yield Fault(
                name, f"{way} is a cycle of parents; Volcano does not detect it and crashes with a stack overflow"
            )


def _connect(accounts: Mapping[str, CapacityAccount], root: CapacityAccount) -> None:
    """Put the queues below their parents, from the root down."""
    for account in accounts.values():
        parent = parent_of(account.queue)
        if parent:
            accounts[parent].children.append(account)
    for account in _from_above(root):
        for child in account.children:
            child.ancestors = (*account.ancestors, account)


def _from_above(root: CapacityAccount) -> Iterator[CapacityAccount]:
    """Yield every queue after the one above it."""
    waiting = [root]
    while waiting:
        account = waiting.pop()
        yield account
        waiting += reversed(account.children)


def _settle(session: Session, accounts: Mapping[str, CapacityAccount]) -> None:
    """Set limits, what is deserved, and shares, from the root down."""
    root = accounts[ROOT]
    configured = root.capability.clone()
    _limit_root(session, root)
    root.link = _root_link(root, configured)
    for account in _from_above(root):
        _settle_children(account)
    for account in accounts.values():
        account.update_share()


def _limit_root(session: Session, root: CapacityAccount) -> None:
    """Set the limits of the root queue, which come down to all others."""
    if session.profile.capacity.root_real_capability == "total":
        if root.capability.is_empty():
            root.capability = session.total_resource.clone()
        root.real_capability = session.total_resource.clone()
        return
    if root.capability.is_empty():
        scalars = dict.fromkeys(session.total_resource.scalars, UNLIMITED_SCALAR)
        root.capability = Resource(UNLIMITED, UNLIMITED, scalars)
    root.real_capability = root.capability


def _root_link(root: CapacityAccount, configured: Resource) -> LimitLink:
    nothing = Resource()
    configured_deserved = root.deserved.clone()
    children = [maximum(child.deserved, child.guarantee) for child in root.children]
    root.deserved = sum_of(children)
    root.guarantee = sum_of(child.guarantee for child in root.children)
    return LimitLink(
        queue=root.name,
        parent="",
        available=nothing,
        guaranteed=nothing,
        unreserved=nothing,
        configured=configured,
        inherited=(),
        capability=root.capability,
        real_capability=root.real_capability,
        configured_deserved=configured_deserved,
        children_deserved=root.deserved,
        deserved=root.deserved,
    )


def _settle_children(parent: CapacityAccount) -> None:
    """Set the limits of the queues below one whose own are known."""
    guaranteed = sum_of(child.guarantee for child in parent.children)
    unguaranteed = exceeded_part(parent.real_capability, guaranteed)
    for child in parent.children:
        configured, configured_deserved = child.capability.clone(), child.deserved
        inherited = _inherit(child.capability, parent.capability)
        child.deserved = maximum(child.deserved, child.guarantee)
        unreserved = unguaranteed.clone().add(child.guarantee)
        child.real_capability = unreserved.clone().limit_to(child.capability, missing_is_unlimited=True)
        child.link = LimitLink(
            queue=child.name,
            parent=parent.name,
            available=parent.real_capability,
            guaranteed=guaranteed,
            unreserved=unreserved,
            configured=configured,
            inherited=inherited,
            capability=child.capability,
            real_capability=child.real_capability,
            configured_deserved=configured_deserved,
            children_deserved=sum_of(maximum(each.deserved, each.guarantee) for each in child.children),
            deserved=child.deserved,
        )


def _inherit(capability: Resource, parent: Resource) -> tuple[str, ...]:
    """Fill in what a capability does not have from the one above it, and name that."""
    inherited = []
    if capability.milli_cpu <= 0:
        capability.milli_cpu = parent.milli_cpu
        inherited.append(CPU)
    if capability.memory <= 0:
        capability.memory = parent.memory
        inherited.append(MEMORY)
    scalars = {name: amount for name, amount in parent.scalars.items() if name not in capability.scalars}
    capability.scalars.update(scalars)
    return (*inherited, *sorted(scalars))


def sum_of(resources: Iterable[Resource]) -> Resource:
    """Add up resources."""
    total = Resource()
    for resource in resources:
        total.add(resource)
    return total
