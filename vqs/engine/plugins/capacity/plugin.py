"""The answers of the plugin capacity, and the orders in which queues are served and give up tasks.

With a tree, a job in a queue that is no leaf makes the whole tree unusable; so no answer looks whether a queue is one.

Where a queue reclaims from another, the queues above the two have their say: with the argument `ancestorReclaimLevel`
at 1, the parents count, at 2 the grandparents as well, and so on; the root never does. Reference:
getReclaimeeAncestorToCheck and sharesAnyNonRootAncestorWithinLevel in pkg/scheduler/plugins/capacity/capacity.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import total_ordering
from itertools import chain, repeat
from operator import eq, lt
from typing import TypeAlias

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.actions.eviction.order import Orders
from vqs.engine.framework import points
from vqs.engine.framework.ledger import LimitChain, QueueLedger
from vqs.engine.framework.order import drained
from vqs.engine.framework.points import DependsOn, EvictableFn, EvictionContext, EvictionKind, Key
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.trace import Trace
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.plugins.capacity.accounts import CapacityAccount, flat_accounts, tree_accounts
from vqs.engine.plugins.capacity.devices import DeviceRequests, Devices, Exceeded
from vqs.engine.plugins.queue_account import add_job_gate, simulate_remove_task, warn_of_panic
from vqs.model.cluster import OPEN, Queue
from vqs.model.codes import EvictionCode, VerdictCode
from vqs.model.job import Job, Task
from vqs.model.resource import CPU, EPSILON, PODS, Resource

NAME = "capacity"

Rule: TypeAlias = Callable[[Task, Task | None, CapacityAccount, Resource], Refusal | None]
"""Tells why a task is spared for another one, given its queue and what that still holds; None where it is not."""


class CapacityPlugin(Plugin, QueueLedger):
    """Hold queues to their limits."""

    refusals = (
        VerdictCode.NOT_ENQUEUED_CAPABILITY,
        VerdictCode.QUEUE_CAPABILITY,
        VerdictCode.QUEUE_CLOSED,
        VerdictCode.QUEUE_LIMIT,
        VerdictCode.SCHEDULER_STANDS_STILL,
        EvictionCode.BELOW_THE_SAME_QUEUE,
        EvictionCode.EVICTIONS_NOT_TRIED,
        EvictionCode.NO_COMMON_RESOURCE,
        EvictionCode.QUEUE_GUARANTEE,
        EvictionCode.QUEUE_NOT_PREEMPTIVE,
        EvictionCode.QUEUE_WITHIN_DESERVED,
    )

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.plugin = NAME
        self.tree = False
        self.standstill: Refusal | None = None
        self.accounts: dict[str, CapacityAccount] = {}
        self.jobs: dict[str, Job] = {}
        self.session: Session
        self.trace: Trace
        self.rule: Rule
        self.total: Resource

    def on_session_open(self, session: Session) -> None:
        """Settle the limits of every queue and add the answers."""
        self.session, self.total = session, session.total_resource
        self.jobs, self.trace = session.jobs, session.trace
        self.tree = session.hierarchy_enabled(NAME)
        by_all = session.profile.capacity.capacity_victims == "all-resources"
        self.rule = by_all_resources if by_all else by_relevant_resources
        self.behaviours = session.profile.capacity
        levels = self.option.arguments.int("ancestorReclaimLevel")
        ancestors_count = self.tree and self.behaviours.ancestor_reclaim != "unknown"
        self.reclaim_levels = max(levels, 0) if ancestors_count else 0
        counts_devices = self.behaviours.queue_device_quota == "by-device-class"
        claims = session.cluster.resource_claims
        if not counts_devices or not self.option.arguments.bool("capacity.DynamicResourceAllocationEnable"):
            claims = {}
        self.requests = DeviceRequests(claims) if claims else None
        if self.tree:
            self.accounts, faults = tree_accounts(session, self.requests)
            if not faults:
                session.plugins.add(
                    points.QUEUE_ORDER, NAME, lambda queue: (-queue.priority, TreeKey(self.accounts[queue.name]))
                )
                # Those queues first that share most of their way from the root with the one that reclaims.
                accounts = self.accounts
                session.plugins.add(
                    points.VICTIM_QUEUE_ORDER,
                    NAME,
                    lambda queue, own: -shared_level(accounts[queue.name], accounts[own.name]),
                )
            else:
                session.standstill = "; ".join(fault.text for fault in faults)
                self.standstill = Refusal(VerdictCode.SCHEDULER_STANDS_STILL, NAME, text=session.standstill)
        else:
            self.accounts = flat_accounts(session, self.requests)
            session.plugins.add(
                points.QUEUE_ORDER, NAME, lambda queue: (-queue.priority, share_key(self.accounts[queue.name]))
            )
        self.at_open = self.closed()
        session.queue_ledger = self
        session.plugins.add(points.ALLOCATABLE, NAME, self.allocatable)
        add_job_gate(session, NAME, self.enqueueable, self.enqueued, self.give_back)
        in_order = session.profile.capacity.capacity_candidates == "in-victim-order"
        self.orders = session.shared(Orders) if in_order else None
        depends_on = DependsOn.EVERYTHING if self.reclaim_levels or in_order else DependsOn.QUEUES

        def cache_key(reclaimer: Task) -> Hashable:
            """What the vote depends on: what the task that reclaims asks for, and where it matters too, its queue."""
            asked = tuple(reclaimer.request.names())
            return (asked, self.jobs[reclaimer.job].queue) if self.reclaim_levels or in_order else asked

        session.plugins.add(points.RECLAIMABLE, NAME, EvictableFn(self.reclaimable, depends_on, cache_key))
        session.plugins.add(points.UNIFIED_EVICTABLE, NAME, self.evictable)
        session.plugins.add(points.PREEMPTIVE, NAME, self.preemptive)
        session.plugins.add(points.SIMULATE_REMOVE_TASK, NAME, lambda: simulate_remove_task(NAME, self.option))
        session.plugins.add(points.SIMULATE_ALLOCATABLE, NAME, self.simulate_allocatable)
        session.add_event_handler(
            lambda task: self._count(task, given=True), lambda task: self._count(task, given=False)
        )

    def derivation(self) -> LimitChain:
        """How each queue came by its limits."""
        links = {name: account.link for name, account in self.accounts.items() if account.link is not None}
        return LimitChain(self.tree, self.total, links)

    # --- answers -----------------------------------------------------------------------------------------------------

    def allocatable(self, queue: Queue, task: Task) -> Refusal | None:
        """Refuse a task that would take its queue, or one above it, beyond what that may have."""
        if queue.state != OPEN:
            return Refusal(VerdictCode.QUEUE_CLOSED, NAME, text=queue.state)
        if self.standstill is not None:
            return self.standstill
        claims = {} if self.requests is None else self.requests.of(task)
        for account in self.accounts[queue.name].line:
            if claims and account.devices is not None and (exceeded := account.devices.exceeded_by(claims)):
                return _too_many_devices(VerdictCode.QUEUE_CAPABILITY, account, exceeded)
            exceeding = account.allocated.exceeding_with(task.request, account.real_capability)
            if exceeding:
                return _over_limit(account, exceeding[0], task.request)
        return None

    def simulate_allocatable(self, queue: Queue, task: Task, freed: Resource) -> bool:
        """True if a queue and those above it would stay within their limits; it need not be open here."""
        return self.standstill is None and not any(
            account.allocated.clone().sub(freed).exceeding_with(task.request, account.real_capability)
            for account in self.accounts[queue.name].line
        )

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Refuse a job whose minResources would take its queue, or one above it, beyond what that may have."""
        if self.standstill is not None:
            return self.standstill
        own = self.accounts[job.queue]
        if own.queue.state != OPEN:
            return Refusal(VerdictCode.QUEUE_CLOSED, NAME, text=own.queue.state)
        devices = {} if self.requests is None else self.requests.minimum(job)
        for account in own.line:
            if account.goes_negative(job):
                warn_of_panic(self.session, NAME, account.name)
        self.trace.pass_gates(job.uid, (account.gate(NAME, job) for account in own.line))
        refusal = next(filter(None, (_over_capability(account, job, devices) for account in own.line)), None)
        return refusal if refusal is not None else Vote.PERMIT

    def enqueued(self, job: Job) -> None:
        """Count what a job that was admitted reserves in its queue, and in those above it."""
        own = self.accounts[job.queue]
        devices = {} if self.requests is None else self.requests.minimum(job)
        if job.min_resources is None and not (devices and own.devices is not None):
            return
        reserved = job.without_gated(job.minimum())
        own.inqueue_by_job[job.uid] = reserved
        for account in own.line:
            account.inqueue.add(reserved)
            if own.devices is not None and account.devices is not None:
                account.devices.admit(devices)

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Victims:
        """Give up tasks of queues that hold more than they deserve."""
        if self.standstill is not None:
            return Victims(Vote.REJECT)
        if self.orders is not None:
            candidates = [*drained(self.orders.victims(candidates, reclaimer))]
        return victims(reclaimer, candidates, self._account_of, self.rule, self.reclaim_levels)

    def evictable(self, context: EvictionContext, candidates: Sequence[Task]) -> Victims:
        """Give up tasks to a gang of another queue likewise, whatever they ask for; to one of their own queue, all."""
        if context.kind is EvictionKind.GANG_PREEMPT:
            return Victims(tasks=[*candidates])
        if self.standstill is not None:
            return Victims(Vote.REJECT)
        return victims(None, candidates, self._account_of, by_relevant_resources)

    def preemptive(self, queue: Queue, request: Resource) -> Refusal | None:
        """Refuse that tasks reclaim where their queue would hold more than it deserves, of all that they ask for.

        Where ancestors count, one of them that would not is enough. Up to v1.12, more of one resource is too much.
        """
        if self.standstill is not None:
            return self.standstill
        if queue.state != OPEN:
            return Refusal(VerdictCode.QUEUE_CLOSED, NAME, text=queue.state)
        own = self.accounts[queue.name]
        if self.behaviours.capacity_reclaim_limit == "real-capability":
            exceeding = own.allocated.exceeding_with(request, own.real_capability)
            if exceeding:
                return _over_limit(own, exceeding[0], request)
        if self.behaviours.capacity_preemptive == "every-resource":
            exceeding = own.allocated.exceeding_with(request, own.deserved)
            own.last_overused = bool(exceeding)
            if not exceeding:
                return None
            name = exceeding[0]
            need = own.allocated.get(name) + request.get(name)
            return Refusal(VerdictCode.QUEUE_LIMIT, NAME, name, need, own.deserved.get(name))
        own.last_overused = not within_deserved(own.allocated, own.deserved, request)
        if own.last_overused and not any(
            within_deserved(each.allocated, each.deserved, request)
            for each in ancestors_within(own, self.reclaim_levels)
        ):
            return Refusal(EvictionCode.QUEUE_NOT_PREEMPTIVE, NAME)
        return None

    # --- changes -----------------------------------------------------------------------------------------------------

    def _account_of(self, task: Task) -> CapacityAccount:
        return self.accounts[self.jobs[task.job].queue]

    def _count(self, task: Task, *, given: bool) -> None:
        """Count a task in its queue and those above that was given a node, or has lost it."""
        own = self._account_of(task)
        claims = {} if self.requests is None else self.requests.of(task)
        for account in own.line:
            (account.allocated.add if given else account.allocated.sub)(task.request)
            if account.devices is not None:
                (account.devices.give if given else account.devices.take_back)(claims)
        own.update_share()  # the shares of the queues above stay as they were


def _over_limit(account: CapacityAccount, name: str, request: Resource) -> Refusal:
    """The refusal of a request that would take a queue beyond what it may have of a resource."""
    need = account.allocated.get(name) + request.get(name)
    limit = account.real_capability.get(name)
    return Refusal(VerdictCode.QUEUE_CAPABILITY, NAME, name, need, limit, queue=account.name)


def _too_many_devices(code: VerdictCode, account: CapacityAccount, exceeded: Exceeded) -> Refusal:
    """The refusal of claims that would take a queue beyond what it may have of a DeviceClass."""
    need, have = (1000.0 * number for number in (exceeded.need, exceeded.have))  # scalars are counted in thousandths
    return Refusal(code, NAME, exceeded.resource, need, have, queue=account.name)


def _over_capability(account: CapacityAccount, job: Job, devices: Devices) -> Refusal | None:
    wanted = account.wanted(job)
    exceeding = wanted.exceeding(account.real_capability, job.minimum())
    if not exceeding:
        quota = account.devices
        exceeded = None if quota is None else quota.exceeded(devices, quota.inqueue)
        return None if exceeded is None else _too_many_devices(VerdictCode.NOT_ENQUEUED_CAPABILITY, account, exceeded)
    name = exceeding[0]
    limit = account.real_capability.get(name)
    return Refusal(VerdictCode.NOT_ENQUEUED_CAPABILITY, NAME, name, wanted.get(name), limit, queue=account.name)


def share_key(account: CapacityAccount) -> Key:
    """What queues next to each other are sorted by: the share; of equals, those that deserve something first."""
    return account.share, account.best_effort_last and account.best_effort


@total_ordering
class TreeKey:
    """The place of a leaf of the tree in the order of service; others have no jobs, or all scheduling is blocked.

    Two queues are compared where their ways from the root part: by their ancestors there, or themselves. Shares of
    ancestors do not change during a session, so a key stays right until the queue's own share changes.
    """

    __slots__ = ("account",)

    def __init__(self, account: CapacityAccount) -> None:
        self.account = account

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeKey) and bool(eq(*self._keys(other)))

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: TreeKey) -> bool:
        return bool(lt(*self._keys(other)))

    def _keys(self, other: TreeKey) -> tuple[Key, Key]:
        level = shared_level(self.account, other.account) + 1
        mine, theirs = (
            each.ancestors[level] if level < len(each.ancestors) else each for each in (self.account, other.account)
        )
        return share_key(mine), share_key(theirs)


def shared_level(left: CapacityAccount, right: CapacityAccount) -> int:
    """How far below the root the ways to two queues run together; 0 where they part at the root, or before."""
    level = 0
    for depth, (mine, theirs) in enumerate(zip(left.ancestors, right.ancestors, strict=False)):
        if mine is not theirs:
            break
        level = depth
    return level


def victims(
    reclaimer: Task | None,
    candidates: Iterable[Task],
    account_of: Callable[[Task], CapacityAccount],
    rule: Rule,
    levels: int = 0,
) -> Victims:
    """Take tasks one by one in favour of another one, or of a gang, as long as a rule does not spare them.

    Up to some levels above their queue, its ancestors have to hold more than they deserve as well.
    """
    votes = Victims()
    held: dict[str, Resource] = {}
    own = account_of(reclaimer) if reclaimer is not None else None
    for task in candidates:
        account = account_of(task)
        allocated = _without_victims(held, account)
        refusal = rule(task, reclaimer, account, allocated)
        ancestors: list[tuple[CapacityAccount, Resource]] = []
        if levels and reclaimer is not None and own is not None:
            ancestors = [(each, _without_victims(held, each)) for each in judged_ancestors(own, account, levels)]
            refusal = refusal or _below_the_same_queue(task, reclaimer, own, account, levels)
            for each, amounts in ancestors:
                refusal = refusal or _within_deserved(task, each, amounts)
        if refusal is not None:
            votes.spare(task, refusal)
            continue
        for _, amounts in ancestors:
            amounts.sub(task.request)
        allocated.sub(task.request)
        votes.take(task)
    return votes


def _without_victims(held: dict[str, Resource], account: CapacityAccount) -> Resource:
    """What a queue holds without the victims found so far."""
    amounts = held.get(account.name)
    if amounts is None:
        amounts = held[account.name] = account.allocated.clone()
    return amounts


def _below_the_same_queue(
    task: Task, reclaimer: Task, own: CapacityAccount, account: CapacityAccount, levels: int
) -> Refusal | None:
    """Spare a task below the same ancestor as the reclaimer where neither queue deserves anything that is at stake."""
    if _common(task.request, account.deserved) or _common(reclaimer.request, own.deserved):
        return None
    above = list(ancestors_within(own, levels))
    shared = next((each for each in ancestors_within(account, levels) if each in above), None)
    return None if shared is None else Refusal(EvictionCode.BELOW_THE_SAME_QUEUE, NAME, queue=shared.name)


def by_relevant_resources(
    task: Task, reclaimer: Task | None, account: CapacityAccount, allocated: Resource
) -> Refusal | None:
    """Spare a task without which its queue would hold less than its guarantee, or that need not go.

    That is one that holds nothing of what the reclaimer asks for, or whose queue holds no more than it deserves of all
    that the task holds. One that holds nothing of what its queue deserves is not spared for that.
    """
    if reclaimer is not None and not any(name != PODS for name in _common(task.request, reclaimer.request)):
        return Refusal(EvictionCode.NO_COMMON_RESOURCE, NAME)
    return _guaranteed(task, account, allocated) or _within_deserved(task, account, allocated)


def by_all_resources(task: Task, _: Task | None, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    """Spare a task without which its queue would hold less than its guarantee, or whose queue holds what it deserves.

    A scalar counts only where it is deserved; one that is deserved and of which the queue has never held anything
    counts as if it held more than that.
    """
    deserved = account.deserved
    known = Resource(allocated.milli_cpu, allocated.memory)
    known.scalars = {name: amount for name, amount in allocated.scalars.items() if name in deserved.scalars}
    if known.less_equal(deserved) and known.scalars.keys() == deserved.scalars.keys():
        name = next(iter(task.request.names()), CPU)
        need, have = allocated.get(name), account.deserved.get(name)
        return Refusal(EvictionCode.QUEUE_WITHIN_DESERVED, NAME, name, need, have, queue=account.name)
    return _guaranteed(task, account, allocated)


def _within_deserved(task: Task, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    """Spare a task of a queue that holds no more than it deserves of anything that the task holds."""
    if not _common(task.request, account.deserved) or _exceeds(allocated, account.deserved, task.request):
        return None
    name = _common(task.request, account.deserved)[0]
    need, have = allocated.get(name), account.deserved.get(name)
    return Refusal(EvictionCode.QUEUE_WITHIN_DESERVED, NAME, name, need, have, queue=account.name)


def _guaranteed(task: Task, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    lacking = account.guarantee.lacking(allocated.clone().sub(task.request))
    if not lacking:
        return None
    name = lacking[0]
    need, have = account.guarantee.get(name), allocated.get(name)
    return Refusal(EvictionCode.QUEUE_GUARANTEE, NAME, name, need, have, queue=account.name)


def _common(left: Resource, right: Resource) -> list[str]:
    """Name the resources that both have a noticeable amount of."""
    theirs = set(right.names())
    return [name for name in left.names() if name in theirs]


def _exceeds(allocated: Resource, deserved: Resource, request: Resource) -> bool:
    """True if more is held than deserved of anything that is asked for, as far as deserved speaks of it."""
    if request.milli_cpu > 0 and deserved.milli_cpu >= EPSILON and allocated.milli_cpu > deserved.milli_cpu:
        return True
    if request.memory > 0 and deserved.memory >= EPSILON and allocated.memory > deserved.memory:
        return True
    return any(
        amount > 0 and name != PODS and allocated.get(name) > deserved.scalars[name]
        for name, amount in request.scalars.items()
        if name in deserved.scalars
    )


def within_deserved(allocated: Resource, deserved: Resource, request: Resource) -> bool:
    """True if with a request something that it asks for is still no more than deserved.

    What the queue neither holds nor deserves does not count.
    """
    future = allocated.clone().add(request)
    return any(
        request.get(name) > 0
        and name != PODS
        and max(future.get(name), deserved.get(name)) >= EPSILON
        and future.get(name) - deserved.get(name) < EPSILON
        for name in request.dimensions()
    )


def ancestors_within(account: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the queues up to some levels above a queue, the nearest first, without the root."""
    yield from reversed(account.ancestors[1:][-levels:] if levels > 0 else ())


def judged_ancestors(reclaimer: CapacityAccount, victim: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the ancestors that have to hold more than they deserve for a task of a queue to be a victim.

    An ancestor that the queue that reclaims has at the same level is left out.
    """
    others = chain(ancestors_within(reclaimer, levels), repeat(None))
    for own, other in zip(ancestors_within(victim, levels), others, strict=False):
        if own is not other:
            yield own
