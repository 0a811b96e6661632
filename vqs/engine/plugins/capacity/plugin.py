"""The answers of the plugin capacity, and the orders in which queues are served and give up tasks.

With a tree, a job in a queue that is no leaf makes the whole tree unusable; so no answer looks whether a queue is one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import total_ordering

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.actions.eviction.order import Orders
from vqs.engine.framework import points
from vqs.engine.framework.ledger import LimitChain, QueueLedger
from vqs.engine.framework.order import drained
from vqs.engine.framework.points import DependsOn, EvictableFn, EvictionContext, EvictionKind, Key
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.trace import Trace
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.plugins.capacity import reclaim
from vqs.engine.plugins.capacity.accounts import CapacityAccount, flat_accounts, tree_accounts
from vqs.engine.plugins.capacity.devices import DeviceRequests, Devices, Exceeded
from vqs.engine.plugins.capacity.reclaim import ancestors_within
from vqs.engine.plugins.queue_account import add_job_gate, simulate_remove_task, warn_of_panic
from vqs.model.codes import EvictionCode, VerdictCode
from vqs.model.job import Job
from vqs.model.queue import OPEN, Queue
from vqs.model.resource import Resource
from vqs.model.task import Task

NAME = reclaim.NAME


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
        self.rule: reclaim.Rule
        self.total: Resource

    def on_session_open(self, session: Session) -> None:
        """Settle the limits of every queue and add the answers."""
        self.session, self.total = session, session.total_resource
        self.jobs, self.trace = session.jobs, session.trace
        self.tree = session.hierarchy_enabled(NAME)
        by_all = session.profile.capacity.capacity_victims == "all-resources"
        self.rule = reclaim.by_all_resources if by_all else reclaim.by_relevant_resources
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
        cache_key: Callable[[Task], Hashable] = reclaim.cache_key
        if self.reclaim_levels or in_order:  # then, the queue of the task that reclaims matters too
            cache_key = lambda task: (reclaim.cache_key(task), self.jobs[task.job].queue)  # noqa: E731
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
        if job.min_resources is None and not (devices and own.devices is not None):
            return Vote.PERMIT
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
        return reclaim.victims(reclaimer, candidates, self._account_of, self.rule, self.reclaim_levels)

    def evictable(self, context: EvictionContext, candidates: Sequence[Task]) -> Victims:
        """Give up tasks to a gang of another queue likewise, whatever they ask for; to one of their own queue, all."""
        if context.kind is EvictionKind.GANG_PREEMPT:
            return Victims(tasks=[*candidates])
        if self.standstill is not None:
            return Victims(Vote.REJECT)
        return reclaim.victims(None, candidates, self._account_of, reclaim.by_relevant_resources)

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
            return _over_deserved(own, exceeding[0], request) if exceeding else None
        own.last_overused = not reclaim.within_deserved(own.allocated, own.deserved, request)
        if own.last_overused and not any(
            reclaim.within_deserved(each.allocated, each.deserved, request)
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


def _over_deserved(account: CapacityAccount, name: str, request: Resource) -> Refusal:
    """The refusal of a request that would take a queue beyond what it deserves of a resource."""
    need = account.allocated.get(name) + request.get(name)
    return Refusal(VerdictCode.QUEUE_LIMIT, NAME, name, need, account.deserved.get(name))


def _too_many_devices(code: VerdictCode, account: CapacityAccount, exceeded: Exceeded) -> Refusal:
    """The refusal of claims that would take a queue beyond what it may have of a DeviceClass."""
    need, have = (1000.0 * number for number in (exceeded.need, exceeded.have))  # scalars are counted in thousandths
    return Refusal(code, NAME, exceeded.resource, need, have, queue=account.name)


def _over_capability(account: CapacityAccount, job: Job, devices: Devices) -> Refusal | None:
    wanted = account.wanted(job)
    exceeding = wanted.exceeding(account.real_capability, job.minimum())
    if not exceeding:
        exceeded = None if account.devices is None else account.devices.exceeded_by_job(devices)
        return None if exceeded is None else _too_many_devices(VerdictCode.NOT_ENQUEUED_CAPABILITY, account, exceeded)
    name = exceeding[0]
    limit = account.real_capability.get(name)
    return Refusal(VerdictCode.NOT_ENQUEUED_CAPABILITY, NAME, name, wanted.get(name), limit, queue=account.name)


def share_key(account: CapacityAccount) -> Key:
    """What queues next to each other are sorted by: the share; of equals, those that deserve something first."""
    return account.share, account.best_effort_last and account.best_effort


@total_ordering
class TreeKey:
    """A queue's place in the order of service; it can be compared with those of other queues of the tree only.

    Two queues are compared where their ways from the root part: by their ancestors there, or themselves. Shares of
    ancestors do not change during a session, so a key stays right until the queue's own share changes.
    """

    __slots__ = ("account",)

    def __init__(self, account: CapacityAccount) -> None:
        self.account = account

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeKey):
            return NotImplemented
        mine, theirs = self._keys(other)
        return bool(mine == theirs)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: TreeKey) -> bool:
        mine, theirs = self._keys(other)
        return bool(mine < theirs)

    def _keys(self, other: TreeKey) -> tuple[Key, Key]:
        mine, theirs = self.account, other.account
        if mine.children or theirs.children:
            first, second = mine, theirs
        else:
            level = shared_level(mine, theirs) + 1
            first, second = (
                mine.ancestors[level] if level < len(mine.ancestors) else mine,
                theirs.ancestors[level] if level < len(theirs.ancestors) else theirs,
            )
        same_height = bool(mine.children) == bool(theirs.children)
        return (bool(mine.children), *(share_key(first) if same_height else ())), (
            bool(theirs.children),
            *(share_key(second) if same_height else ()),
        )


def shared_level(left: CapacityAccount, right: CapacityAccount) -> int:
    """How far below the root the ways to two queues run together; 0 where they part at the root, or before."""
    level = 0
    for depth, (mine, theirs) in enumerate(zip(left.ancestors, right.ancestors, strict=False)):
        if mine is not theirs:
            break
        level = depth
    return level
