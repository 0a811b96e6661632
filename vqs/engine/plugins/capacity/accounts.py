"""What capacity keeps of each queue, and how its limits come about.

Without a tree, queues that have jobs count. With one, all do: what a queue holds and has promised counts for every
queue above it, and limits come down from the root; what is wrong with the tree can stop the scheduling in all queues.
Reference: checkHierarchicalQueue in pkg/scheduler/plugins/capacity/capacity.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vqs.engine.framework.ledger import LimitLink
from vqs.engine.framework.session import Session
from vqs.engine.plugins.capacity.devices import DeviceQuota, DeviceRequests
from vqs.engine.plugins.queue_account import JobLoad, QueueAccount, flat_limits, guaranteed_in_all
from vqs.model.job import Job
from vqs.model.queue import ROOT, Queue
from vqs.model.queue_tree import QueueTree, parent_name
from vqs.model.resource import CPU, MEMORY, PODS, UNLIMITED, UNLIMITED_SCALAR, Resource, exceeded_part, maximum
from vqs.model.task import ALLOCATED_STATUSES
from vqs.model.wording import written
from vqs.releases.capacity import CapacityBehaviours
from vqs.releases.profile import Profile

BEST_EFFORT_SHARE = 1.0


@dataclass(slots=True, eq=False)
class CapacityAccount(QueueAccount):
    """What is kept of one queue.

    `ancestors` starts at the root and ends above the queue. `best_effort_last` tells whether a queue that deserves
    nothing is as if it held all it deserves.
    """

    best_effort_last: bool = True
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
        """Set the share: as for proportion, but for a queue that deserves nothing."""
        if self.best_effort_last and self.best_effort:
            self.share = BEST_EFFORT_SHARE
        else:
            super(CapacityAccount, self).update_share()  # in a class with slots, super() alone finds no class

    def count(self, session: Session, job: Job, requests: DeviceRequests | None) -> None:
        """Count a job of this queue, here and in the queues above.

        Devices count above as far as the queue has a quota itself; a claim that is shared counts there once a job.
        """
        by_place = session.profile.capacity.capacity_inqueue == "unallocated-minimum"
        load = JobLoad.of(session, job, leaves_out_allocated=by_place)
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


def _new(queue: Queue, profile: Profile, requests: DeviceRequests | None) -> CapacityAccount:
    return CapacityAccount(
        queue,
        guarantee=queue.guarantee,
        deserved=_configured(queue.deserved),
        best_effort_last=profile.capacity.best_effort_queues == "last",
        devices=None if requests is None else DeviceQuota.of(queue.object.spec),
    )


def _configured(amounts: Resource | None) -> Resource:
    return Resource() if amounts is None else amounts.clone()


# --- without a tree ---------------------------------------------------------------------------------------------------


def flat_accounts(session: Session, requests: DeviceRequests | None) -> dict[str, CapacityAccount]:
    """The queues that have jobs, each for itself; `requests` are None where devices do not count."""
    names = sorted({job.queue for job in session.jobs.values()})
    accounts = {name: _new(session.queues[name], session.profile, requests) for name in names}
    for job in session.jobs.values():
        accounts[job.queue].count(session, job, requests)
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


def tree_accounts(session: Session, requests: DeviceRequests | None) -> tuple[dict[str, CapacityAccount], list[Fault]]:
    """All queues, and what is wrong with their tree; where something is, no queue has a share."""
    accounts = {name: _new(queue, session.profile, requests) for name, queue in sorted(session.queues.items())}
    for account in accounts.values():
        account.capability = _configured(account.queue.capability)
    faults = list(_faults(session.queues))
    if faults:
        return accounts, faults
    for account in accounts.values():
        if parent := parent_of(account.queue):
            accounts[parent].children.append(account)
    for account in _from_above(accounts[ROOT]):
        for child in account.children:
            child.ancestors = (*account.ancestors, account)
    for job in session.jobs.values():
        account = accounts[job.queue]
        if account.children:
            fault = f"job {job.display_name} is in queue {job.queue}, which has queues below it"
            return accounts, [Fault(job.uid, fault)]
        account.count(session, job, requests)
    return accounts, list(_settle(session, accounts))


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


def _from_above(root: CapacityAccount) -> Iterator[CapacityAccount]:
    """Yield every queue after the one above it."""
    waiting = [root]
    while waiting:
        account = waiting.pop()
        yield account
        waiting += reversed(account.children)


def _settle(session: Session, accounts: Mapping[str, CapacityAccount]) -> Iterator[Fault]:
    """Set limits, what is deserved, and shares, from the root down, as far as nothing is wrong; yield what is."""
    behaviours = session.profile.capacity
    root = accounts[ROOT]
    root.link = _settle_root(root, session.total_resource, behaviours)
    raises = behaviours.deserved_below_guarantee == "raised"
    checks = behaviours.queue_tree_violation == "standstill"
    for account in _from_above(root):
        specs = [_Spec(child.capability.clone(), child.deserved) for child in account.children]
        fault = _pass_down(account, specs, raises=raises, checks=checks)
        if (
            fault is None
            and account is root
            and (behaviours.root_deserved != "configured" or root.guarantee.is_empty())
        ):
            root.guarantee = _sum_of(child.guarantee for child in root.children)
        fault = fault or _limit_children(account, specs, raises=raises, checks=checks)
        if fault is not None:
            yield fault
            return
    for account in accounts.values():
        account.update_share()


def _settle_root(root: CapacityAccount, total: Resource, behaviours: CapacityBehaviours) -> LimitLink:
    """Set the limits of the root queue; tell how it came by them."""
    configured, configured_deserved = root.capability.clone(), root.deserved.clone()
    limited = behaviours.root_real_capability == "total"
    if root.capability.is_empty():
        scalars = dict.fromkeys(total.scalars, UNLIMITED_SCALAR)
        root.capability = total.clone() if limited else Resource(UNLIMITED, UNLIMITED, scalars)
    root.real_capability = total.clone() if limited else root.capability
    raises = behaviours.deserved_below_guarantee == "raised"
    deserved = _sum_of(_deserved(child, raises=raises) for child in root.children)
    if behaviours.root_deserved != "configured":
        root.deserved = deserved
    elif root.deserved.is_empty():
        root.deserved = deserved if total.is_empty() else total.clone()
    available = total if limited else Resource()
    return LimitLink(
        queue=root.name,
        parent="",
        available=available,
        guaranteed=Resource(),
        unreserved=available,
        configured=configured,
        inherited=(),
        capability=root.capability,
        real_capability=root.real_capability,
        configured_deserved=configured_deserved,
        children_deserved=deserved,
        deserved=root.deserved,
    )


def _deserved(account: CapacityAccount, *, raises: bool) -> Resource:
    """What a queue below another deserves: `raises` tells whether it is at least its guarantee."""
    return maximum(account.deserved, account.guarantee) if raises else account.deserved


@dataclass(slots=True)
class _Spec:
    """What the spec of a queue says, and what it inherits as its spec does not say it."""

    capability: Resource
    deserved: Resource
    inherited: tuple[str, ...] = ()


def _pass_down(parent: CapacityAccount, specs: Sequence[_Spec], *, raises: bool, checks: bool) -> Fault | None:
    """Set the capability of the queues below one, and what they deserve.

    `checks` tells whether a capability that is larger than that of the parent is a fault, and ends it.
    """
    for child, spec in zip(parent.children, specs, strict=True):
        child.deserved = _deserved(child, raises=raises)
        spec.inherited = _inherit(child.capability, parent.capability)
        fault = larger_than_parent(child.name, child.capability, parent.name, parent.capability) if checks else None
        if fault is not None:
            return fault
    return None


def _limit_children(parent: CapacityAccount, specs: Sequence[_Spec], *, raises: bool, checks: bool) -> Fault | None:
    """Set the limits of the queues below one; `checks` tells whether sums that do not add up are a fault."""
    guaranteed = _sum_of(child.guarantee for child in parent.children)
    unguaranteed = exceeded_part(parent.real_capability, guaranteed)
    for child, spec in zip(parent.children, specs, strict=True):
        unreserved = unguaranteed.clone().add(child.guarantee)
        child.real_capability = unreserved.clone().limit_to(child.capability, missing_is_unlimited=True)
        child.link = LimitLink(
            queue=child.name,
            parent=parent.name,
            available=parent.real_capability,
            guaranteed=guaranteed,
            unreserved=unreserved,
            configured=spec.capability,
            inherited=spec.inherited,
            capability=child.capability,
            real_capability=child.real_capability,
            configured_deserved=spec.deserved,
            children_deserved=_sum_of(_deserved(each, raises=raises) for each in child.children),
            deserved=child.deserved,
        )
    if not checks:
        return None
    deserved = _sum_of(child.deserved for child in parent.children)
    fault = larger_in_all(parent.name, "deserve", parent.deserved, deserved)
    return fault or larger_in_all(parent.name, "are guaranteed", parent.guarantee, guaranteed)


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


def _sum_of(resources: Iterable[Resource]) -> Resource:
    """Add up resources."""
    total = Resource()
    for resource in resources:
        total.add(resource)
    return total


_THOUSANDTHS = 1000.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the tree cannot be used: the queue or the job, and a sentence."""

    subject: str
    text: str


def larger_than_parent(queue: str, own: Resource, parent: str, limit: Resource) -> Fault | None:
    """The fault of a queue that has a larger capability than its parent of something, None where it has not."""
    name = limit.first_below(own)
    if name is None:
        return None
    have, most = _words(name, own), _words(name, limit)
    return Fault(queue, f"queue {queue} has a capability of {have}, more than the {most} of its parent {parent}")


def larger_in_all(queue: str, verb: str, own: Resource, children: Resource) -> Fault | None:
    """The fault of a queue whose children deserve, or are guaranteed, more of something in all than itself."""
    name = own.first_below(children)
    if name is None:
        return None
    have, most = _words(name, children), _words(name, own)
    return Fault(queue, f"the children of queue {queue} {verb} {have} in all, more than its own {most}")


def _words(name: str, amounts: Resource) -> str:
    amount = amounts.get(name)
    return f"{written(name, amount if name in (MEMORY, PODS) else amount / _THOUSANDTHS)} {name}"
