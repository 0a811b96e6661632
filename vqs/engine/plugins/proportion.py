"""proportion: divide the cluster among the queues that have jobs, in proportion to their weights.

What a queue deserves is found in rounds: what remains is handed out by weight, cut to what the queue may have (its real
capability) and to what its jobs ask for, raised to its guarantee; what was cut off is handed out again, until nothing
remains or no queue wants more. A queue that holds all it deserves gets nothing more. No arguments.
Reference: pkg/scheduler/plugins/proportion/proportion.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.ledger import (
    ProportionRound,
    ProportionRounds,
    ProportionStep,
    QueueAccount,
    QueueLedger,
    Satisfied,
)
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.trace import Trace
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.plugins.queue_account import (
    add_job_gate,
    flat_limits,
    load_of,
    simulate_remove_task,
    warn_of_panic,
)
from vqs.model.cluster import OPEN, Queue
from vqs.model.codes import EvictionCode, VerdictCode
from vqs.model.job import Job, Task
from vqs.model.resource import Resource, exceeded_part, maximum

NAME = "proportion"


class ProportionPlugin(Plugin, QueueLedger):
    """Divide the cluster, and keep every queue within its part."""

    refusals = (
        VerdictCode.NOT_ENQUEUED_CAPABILITY,
        VerdictCode.QUEUE_CLOSED,
        VerdictCode.QUEUE_LIMIT,
        VerdictCode.QUEUE_OVERUSED,
        EvictionCode.EVICTIONS_NOT_TRIED,
        EvictionCode.QUEUE_WITHIN_DESERVED,
    )

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.plugin = NAME
        self.accounts: dict[str, QueueAccount] = {}
        self.jobs: dict[str, Job] = {}
        self.session: Session
        self.trace: Trace

    def on_session_open(self, session: Session) -> None:
        """Compute what each queue deserves and add the answers."""
        self.session, self.jobs, self.trace = session, session.jobs, session.trace
        total, guaranteed = session.total_resource, Resource.total(queue.guarantee for queue in session.queues.values())
        unguaranteed = exceeded_part(total, guaranteed)
        accounts: dict[str, QueueAccount] = {}
        leaves_out_allocated = session.profile.proportion.proportion_inqueue == "less-allocated"
        for job in session.jobs.values():
            account = accounts.get(job.queue)
            if account is None:
                queue = session.queues[job.queue]
                capability, real_capability = flat_limits(queue, unguaranteed)
                account = accounts[job.queue] = QueueAccount(queue, real_capability, capability, queue.guarantee)
            account.add(job, load_of(session, job, leaves_out_allocated=leaves_out_allocated))
        self.accounts = dict(sorted(accounts.items()))
        self.division = ProportionRounds(total, guaranteed, unguaranteed, tuple(divide(total, self.accounts.values())))
        self.at_open = self.closed()
        session.queue_ledger = self
        session.plugins.add(points.QUEUE_ORDER, NAME, lambda queue: (-queue.priority, self.accounts[queue.name].share))
        session.plugins.add(points.OVERUSED, NAME, self.overused)
        session.plugins.add(points.ALLOCATABLE, NAME, self.allocatable)
        add_job_gate(session, NAME, self.enqueueable, self.enqueued, self.give_back)
        session.plugins.add(points.RECLAIMABLE, NAME, EvictableFn(self.reclaimable, DependsOn.QUEUES))
        session.plugins.add(points.PREEMPTIVE, NAME, self.preemptive)
        session.plugins.add(points.SIMULATE_REMOVE_TASK, NAME, lambda: simulate_remove_task(NAME, self.option))
        session.plugins.add(points.SIMULATE_ALLOCATABLE, NAME, self.simulate_allocatable)
        session.add_event_handler(
            lambda task: self._count(task, given=True), lambda task: self._count(task, given=False)
        )

    def derivation(self) -> ProportionRounds:
        """The rounds in which the cluster was divided."""
        return self.division

    # --- answers -----------------------------------------------------------------------------------------------------

    def overused(self, queue: Queue) -> Refusal | None:
        """Refuse a queue that holds, of every resource it deserves any of, all that it deserves."""
        own = self.accounts[queue.name]
        own.last_overused = own.overused
        if not own.last_overused:
            return None
        fullest = own.fullest(own.allocated)
        return Refusal(VerdictCode.QUEUE_OVERUSED, NAME, fullest, own.allocated.get(fullest), own.deserved.get(fullest))

    def allocatable(self, queue: Queue, task: Task) -> Refusal | None:
        """Refuse a task that would take its queue beyond what it deserves, in a resource the task asks for."""
        return self.preemptive(queue, task.request)

    def preemptive(self, queue: Queue, request: Resource) -> Refusal | None:
        """Refuse a request that would take a queue beyond what it deserves, in a resource that is asked for."""
        if queue.state != OPEN:
            return Refusal(VerdictCode.QUEUE_CLOSED, NAME, text=queue.state)
        own = self.accounts[queue.name]
        exceeding = own.allocated.exceeding_with(request, own.deserved)
        if not exceeding:
            return None
        name = exceeding[0]
        need = own.allocated.get(name) + request.get(name)
        return Refusal(VerdictCode.QUEUE_LIMIT, NAME, name, need, own.deserved.get(name))

    def simulate_allocatable(self, queue: Queue, task: Task, freed: Resource) -> bool:
        """True if a queue would stay within what it deserves; here it does not matter whether it is open."""
        own = self.accounts[queue.name]
        return not own.allocated.clone().sub(freed).exceeding_with(task.request, own.deserved)

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Refuse a job whose minResources would take its queue beyond its real capability."""
        own = self.accounts[job.queue]
        if own.queue.state != OPEN:
            return Refusal(VerdictCode.QUEUE_CLOSED, NAME, text=own.queue.state)
        self.trace.pass_gates(job.uid, (account.gate(NAME, job) for account in (own,)))
        if own.goes_negative(job):
            warn_of_panic(self.session, NAME, own.name)
        wanted = own.wanted(job)
        exceeding = wanted.exceeding(own.real_capability, job.minimum())
        if exceeding:
            name = exceeding[0]
            return Refusal(
                VerdictCode.NOT_ENQUEUED_CAPABILITY, NAME, name, wanted.get(name), own.real_capability.get(name)
            )
        return Vote.PERMIT

    def enqueued(self, job: Job) -> None:
        """Count what a job that was admitted reserves in its queue."""
        if job.min_resources is not None:
            own, reserved = self.accounts[job.queue], job.without_gated(job.minimum())
            own.inqueue.add(reserved)
            own.inqueue_by_job[job.uid] = reserved

    def reclaimable(self, _: Task, candidates: Sequence[Task]) -> Victims:
        """Give up tasks of queues that hold more than they deserve, as long as they do."""
        votes = Victims()
        held: dict[str, Resource] = {}
        within: dict[str, Refusal] = {}  # a queue that holds no more than it deserves stays so, as it gives up nothing
        for task in candidates:
            name = self.jobs[task.job].queue
            own = self.accounts[name]
            if name not in held:
                held[name] = own.allocated.clone()
            if name not in within and held[name].less_equal(own.deserved):
                fullest = own.fullest(held[name])
                amounts = held[name].get(fullest), own.deserved.get(fullest)
                within[name] = Refusal(EvictionCode.QUEUE_WITHIN_DESERVED, NAME, fullest, *amounts, queue=name)
            if name in within:
                votes.spare(task, within[name])
            else:
                held[name].sub(task.request)
                votes.take(task)
        return votes

    # --- changes -----------------------------------------------------------------------------------------------------

    def _count(self, task: Task, *, given: bool) -> None:
        """Count a task in its queue that was given a node, or has lost it."""
        own = self.accounts[self.jobs[task.job].queue]
        (own.allocated.add if given else own.allocated.sub)(task.request)
        own.update_share()


def divide(total: Resource, accounts: Iterable[QueueAccount]) -> Iterator[ProportionRound]:
    """Hand the cluster out to the queues, a round at a time; sets what each deserves, and its share."""
    remaining = total.clone()
    wanting = list(accounts)
    while (total_weight := sum(account.queue.weight for account in wanting)) > 0:
        steps = [_hand_out(account, remaining, total_weight) for account in wanting]
        handed_out, taken_back = Resource(), Resource()
        for step in steps:
            more, less = step.deserved.diff(step.before)
            handed_out.add(more)
            taken_back.add(less)
        left = exceeded_part(remaining.clone().add(taken_back), handed_out)
        yield ProportionRound(remaining, total_weight, tuple(steps), left)
        wanting = [account for account, step in zip(wanting, steps, strict=True) if step.satisfied is None]
        if left.is_empty() or left == remaining:
            return
        remaining = left


def _hand_out(account: QueueAccount, remaining: Resource, total_weight: int) -> ProportionStep:
    """Give a queue its part of what remains, as far as it may have and wants it, and no less than its guarantee."""
    before = account.deserved
    weight = account.queue.weight
    offered = before.clone().add(remaining.clone().multiply(weight / total_weight))
    capped = offered.clone().limit_to(account.real_capability, missing_is_unlimited=True)
    wanted = capped.clone().limit_to(account.request, missing_is_unlimited=False)
    account.deserved = maximum(wanted, account.guarantee)
    account.update_share()
    satisfied = Satisfied.LIMIT if account.deserved == before else None
    if account.request.less_equal(account.deserved):
        satisfied = Satisfied.REQUEST
    return ProportionStep(account.name, weight, before, offered, capped, wanted, account.deserved, satisfied)
