"""What capacity keeps of each queue, and how its limits come about.

Without a tree, queues that have jobs count. With one, all do: what a queue holds and has promised counts for every
queue above it, and limits come down from the root; what is wrong with the tree can stop the scheduling in all queues.
Reference: checkHierarchicalQueue in pkg/scheduler/plugins/capacity/capacity.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from vqs.engine.framework.ledger import LimitLink, QueueAccount
from vqs.engine.framework.session import Session
from vqs.engine.plugins.capacity.devices import DeviceQuota, DeviceRequests
from vqs.engine.plugins.queue_account import flat_limits, load_of
from vqs.model.cluster import ROOT, Queue, QueueTree, parent_name
from vqs.model.job import ALLOCATED_STATUSES, Job
from vqs.model.resource import CPU, MEMORY, PODS, UNLIMITED, UNLIMITED_SCALAR, Resource, exceeded_part, maximum
from vqs.model.wording import written
from vqs.releases.capacity import CapacityBehaviours
from vqs.releases.profile import Profile

BEST_EFFORT_SHARE = 1.0


@dataclass(slots=True, eq=False)
class CapacityAccount(QueueAccount):
    """What is kept of one queue.

    `configured` and `configured_deserved` are what the queue's spec says, `inherited` names what it takes from its
    parent's capability. `ancestors` starts at the root and ends above the queue. `best_effort_last` tells whether a
    queue that deserves nothing is as if it held all it deserves.
    """

    configured: Resource = field(default_factory=Resource)
    configured_deserved: Resource = field(default_factory=Resource)
    inherited: tuple[str, ...] = ()
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
    def limit(self) -> Resource:
        """Its real capability."""
        return self.real_capability

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

    def note_limits(
        self,
        *,
        available: Resource,
        guaranteed: Resource,
        unreserved: Resource,
        children_deserved: Resource,
        parent: str = "",
    ) -> None:
        """Note how the queue came by what it may have and what it deserves; see `LimitLink`."""
        self.link = LimitLink(
            queue=self.name,
            parent=parent,
            available=available,
            guaranteed=guaranteed,
            unreserved=unreserved,
            configured=self.configured,
            inherited=self.inherited,
            capability=self.capability,
            real_capability=self.real_capability,
            configured_deserved=self.configured_deserved,
            children_deserved=children_deserved,
            deserved=self.deserved,
        )

    def count(self, session: Session, job: Job, requests: DeviceRequests | None) -> None:
        """Count a job of this queue, here and in the queues above.

        Devices count above as far as the queue has a quota itself; a claim that is shared counts there once a job.
        """
        by_place = session.profile.capacity.capacity_inqueue == "unallocated-minimum"
        self.add(job, load_of(session, job, leaves_out_allocated=by_place))
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
        configured=_configured(queue.capability),
        configured_deserved=_configured(queue.deserved),
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
    guaranteed = Resource.total(queue.guarantee for queue in session.queues.values())
    for account in accounts.values():
        unguaranteed = exceeded_part(session.total_resource, guaranteed)
        account.capability, account.real_capability = flat_limits(account.queue, unguaranteed)
        account.deserved.limit_to(account.real_capability, missing_is_unlimited=True)
        account.deserved = maximum(account.deserved, account.guarantee)
        account.note_limits(
            available=session.total_resource,
            guaranteed=guaranteed,
            unreserved=unguaranteed.add(account.guarantee),
            children_deserved=Resource(),
        )
        account.update_share()
    return accounts


# --- a tree -----------------------------------------------------------------------------------------------------------


def tree_accounts(session: Session, requests: DeviceRequests | None) -> tuple[dict[str, CapacityAccount], list[Fault]]:
    """All queues, and what is wrong with their tree; where something is, no queue has a share."""
    accounts = {name: _new(queue, session.profile, requests) for name, queue in sorted(session.queues.items())}
    for account in accounts.values():
        account.capability = _configured(account.queue.capability)
    faults = _faults(session.queues)
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
            text = f"job {job.display_name} is in queue {job.queue}, which has queues below it"
            return accounts, [Fault(job.uid, text)]
        account.count(session, job, requests)
    fault = _settle(session, accounts)
    return accounts, [] if fault is None else [fault]


def parent_of(queue: Queue) -> str:
    """Name the queue above a queue; none is above the root."""
    return parent_name(queue.name, queue.parent)


def _faults(queues: Mapping[str, Queue]) -> list[Fault]:
    """The queues from which no way leads to the root.

    The reference does not notice a circle. The first task that gets past its queue's limits makes it copy the tree,
    which ends the whole process with a stack overflow.
    """
    faults: list[Fault] = []
    tree = QueueTree((name, parent_of(queue)) for name, queue in sorted(queues.items()))
    for name in sorted(queues):
        parent, cycle = tree.parent(name), tree.cycle(name)
        if parent and parent not in queues:
            faults.append(Fault(name, f"queue {name} has the parent {parent}, which does not exist"))
        elif cycle and name == min(cycle):
            way = f"{' → '.join([name, *cycle])} is a cycle of parents"
            faults.append(Fault(name, f"{way}; Volcano does not detect it and crashes with a stack overflow"))
    return faults


def _from_above(root: CapacityAccount) -> Iterator[CapacityAccount]:
    """Yield every queue after the one above it."""
    waiting = [root]
    while waiting:
        account = waiting.pop()
        yield account
        waiting += reversed(account.children)


def _settle(session: Session, accounts: Mapping[str, CapacityAccount]) -> Fault | None:
    """Set limits, what is deserved, and shares, from the root down, as far as nothing is wrong; return what is."""
    behaviours, root, total = session.profile.capacity, accounts[ROOT], session.total_resource
    limited = behaviours.root_real_capability == "total"
    if root.capability.is_empty() or behaviours.root_deserved == "total":
        scalars = dict.fromkeys(total.scalars, UNLIMITED_SCALAR)
        root.capability = total.clone() if limited else Resource(UNLIMITED, UNLIMITED, scalars)
    root.real_capability = total.clone() if limited else root.capability
    deserved = _deserved_below(root, behaviours)
    if behaviours.root_deserved == "sum-of-children":
        root.deserved = deserved
    elif behaviours.root_deserved == "total":
        root.deserved = total.clone()
    elif root.deserved.is_empty():
        root.deserved = deserved if total.is_empty() else total.clone()
    available = total if limited else Resource()
    root.note_limits(available=available, guaranteed=Resource(), unreserved=available, children_deserved=deserved)
    for account in _from_above(root):
        fault = _limit_children(account, behaviours)
        if fault is not None:
            return fault
    for account in accounts.values():
        account.update_share()
    return None


def _deserved(account: CapacityAccount, behaviours: CapacityBehaviours) -> Resource:
    """What a queue below another deserves: in most releases, at least its guarantee."""
    raises = behaviours.deserved_below_guarantee == "raised"
    return maximum(account.deserved, account.guarantee) if raises else account.deserved


def _deserved_below(account: CapacityAccount, behaviours: CapacityBehaviours) -> Resource:
    """What the queues below one deserve together."""
    return Resource.total(_deserved(child, behaviours) for child in account.children)


def _limit_children(parent: CapacityAccount, behaviours: CapacityBehaviours) -> Fault | None:
    """Set what the queues below one may have and deserve.

    Where the release checks it, a capability that is larger than the parent's is a fault that ends it, and so are sums
    that do not add up, once the limits are set.
    """
    checks = behaviours.queue_tree_violation == "standstill"
    for child in parent.children:
        child.deserved = _deserved(child, behaviours)
        child.inherited = _inherit(child.capability, parent.capability, behaviours)
        said = f"queue {child.name} has a capability of", ", more than the", f" of its parent {parent.name}"
        if checks and (fault := _excess(child.name, child.capability, parent.capability, said)) is not None:
            return fault
    guaranteed = Resource.total(child.guarantee for child in parent.children)
    if parent.name == ROOT and (behaviours.root_deserved != "configured" or parent.guarantee.is_empty()):
        parent.guarantee = guaranteed.clone()
    unguaranteed = exceeded_part(parent.real_capability, guaranteed)
    for child in parent.children:
        unreserved = unguaranteed.clone().add(child.guarantee)
        child.real_capability = unreserved.clone().limit_to(child.capability, missing_is_unlimited=True)
        if behaviours.deserved_above_capability == "lowered":
            child.deserved.limit_to(child.real_capability, missing_is_unlimited=True)
            child.deserved = _deserved(child, behaviours)
        child.note_limits(
            parent=parent.name,
            available=parent.real_capability,
            guaranteed=guaranteed,
            unreserved=unreserved,
            children_deserved=_deserved_below(child, behaviours),
        )
    if not checks:
        return None
    children, more = f"the children of queue {parent.name}", (" in all, more than its own", "")
    below = _deserved_below(parent, behaviours)
    return _excess(parent.name, below, parent.deserved, (f"{children} deserve", *more)) or _excess(
        parent.name, guaranteed, parent.guarantee, (f"{children} are guaranteed", *more)
    )


def _inherit(capability: Resource, parent: Resource, behaviours: CapacityBehaviours) -> tuple[str, ...]:
    """Fill in what a capability does not have from the one above it, and name that."""
    inherited: list[str] = []
    if capability.milli_cpu <= 0:
        capability.milli_cpu = parent.milli_cpu
        inherited.append(CPU)
    if capability.memory <= 0:
        capability.memory = parent.memory
        inherited.append(MEMORY)
    if behaviours.inherited_capability == "cpu-and-memory":
        return tuple(inherited)
    scalars = {name: amount for name, amount in parent.scalars.items() if name not in capability.scalars}
    capability.scalars.update(scalars)
    return (*inherited, *sorted(scalars))


_THOUSANDTHS = 1000.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the tree cannot be used: the queue or the job, and a sentence."""

    subject: str
    text: str


def _excess(queue: str, amounts: Resource, limit: Resource, said: tuple[str, str, str]) -> Fault | None:
    """The fault of a queue where an amount is more than a limit; what is said stands before, between and after both."""
    name = limit.first_below(amounts)
    if name is None:
        return None
    before, between, after = said
    return Fault(queue, f"{before} {_words(name, amounts)}{between} {_words(name, limit)}{after}")


def _words(name: str, amounts: Resource) -> str:
    amount = amounts.get(name)
    return f"{written(name, amount if name in (MEMORY, PODS) else amount / _THOUSANDTHS)} {name}"
