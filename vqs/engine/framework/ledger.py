"""What the plugin that divides the cluster among queues knows of them, and how it came to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from vqs.model.cluster import Queue
from vqs.model.job import Job
from vqs.model.resource import EPSILON, Resource


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """A queue's figures at one moment."""

    deserved: Resource
    allocated: Resource
    request: Resource
    inqueue: Resource
    elastic: Resource
    capability: Resource
    real_capability: Resource
    guarantee: Resource
    share: float
    overused: bool


# --- how deserved came about ------------------------------------------------------------------------------------------


class Satisfied(Enum):
    """Why a queue takes no part in later rounds."""

    REQUEST = "request"
    """It deserves all that its jobs ask for."""
    LIMIT = "limit"
    """The round changed nothing: what it may have keeps it from more."""


@dataclass(frozen=True, slots=True)
class ProportionStep:
    """What one round did for one queue: each amount is made of the one before it.

    Attributes:
        before: what it deserved before the round.
        offered: that, and its part of what remained.
        capped: cut to its real capability.
        wanted: cut to what its jobs ask for.
        deserved: raised to its guarantee.
        satisfied: why it takes no part in later rounds, None where it does.
    """

    queue: str
    weight: int
    before: Resource
    offered: Resource
    capped: Resource
    wanted: Resource
    deserved: Resource
    satisfied: Satisfied | None


@dataclass(frozen=True, slots=True)
class ProportionRound:
    """One round in which what remains is handed out by weight; `left` is what remains after it."""

    remaining: Resource
    total_weight: int
    steps: tuple[ProportionStep, ...]
    left: Resource


@dataclass(frozen=True, slots=True)
class ProportionRounds:
    """Rounds over a cluster's total; guarantees leave `unguaranteed` of it to all queues (proportion)."""

    total: Resource
    guaranteed: Resource
    unguaranteed: Resource
    rounds: tuple[ProportionRound, ...]


@dataclass(frozen=True, slots=True)
class LimitLink:
    """How one queue came by what it may have and what it deserves (capacity).

    Attributes:
        parent: the queue above; empty for the root, and where queues are no tree.
        available: what the parent may have; without a tree, and for a root that is limited to it, the cluster's total.
        guaranteed: the guarantees of all queues under the parent, this one's among them.
        unreserved: what of `available` is left of these, and this queue's own guarantee.
        configured: the capability in the queue's spec; amounts that are not given are missing.
        inherited: the resources whose capability is the parent's, as the queue's spec has none.
        capability: the capability in effect; without a tree, what is not given is unlimited.
        real_capability: `unreserved`, cut to `capability`.
        configured_deserved: what the queue's spec says.
        children_deserved: the sum over the queues below; the root deserves as much as this.
        deserved: what it deserves in the end.
    """

    queue: str
    parent: str
    available: Resource
    guaranteed: Resource
    unreserved: Resource
    configured: Resource
    inherited: tuple[str, ...]
    capability: Resource
    real_capability: Resource
    configured_deserved: Resource
    children_deserved: Resource
    deserved: Resource


@dataclass(frozen=True, slots=True)
class LimitChain:
    """The links of all queues, by name (capacity). `tree` tells whether queues form one."""

    tree: bool
    total: Resource
    links: Mapping[str, LimitLink]


# --- the gate to the queue --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gate:
    """The account of a job that asked to enter its queue, at one plugin and one queue.

    The sum is ``minimum + allocated + inqueue - elastic``, and may not exceed the limit in what `minimum` asks for;
    where it does, `exceeding` names the resources. The plugin overcommit has no queue, no allocated and no elastic.
    """

    plugin: str
    queue: str
    minimum: Resource
    allocated: Resource
    inqueue: Resource
    elastic: Resource
    limit: Resource
    exceeding: tuple[str, ...]


# --- the queues -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JobLoad:
    """What a job holds, asks for in all, will take beyond what it holds, and holds beyond its minimum."""

    allocated: Resource
    request: Resource
    inqueue: Resource
    elastic: Resource


@dataclass(slots=True, eq=False)
class QueueAccount:
    """What a plugin keeps of one queue.

    `inqueue_by_job` and `elastic_by_job` tell, for jobs of this very queue, what makes up `inqueue` and `elastic`.
    `last_overused` is the plugin's last answer to whether the queue is overused; None where no action has asked.
    """

    queue: Queue
    real_capability: Resource = field(default_factory=Resource)
    capability: Resource = field(default_factory=Resource)
    guarantee: Resource = field(default_factory=Resource)
    deserved: Resource = field(default_factory=Resource)
    allocated: Resource = field(default_factory=Resource)
    request: Resource = field(default_factory=Resource)
    elastic: Resource = field(default_factory=Resource)
    inqueue: Resource = field(default_factory=Resource)
    share: float = 0.0
    last_overused: bool | None = None
    inqueue_by_job: dict[str, Resource] = field(default_factory=dict)
    elastic_by_job: dict[str, Resource] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The queue's name."""
        return self.queue.name

    @property
    def overused(self) -> bool:
        """Whether the queue holds, of everything, all that it deserves."""
        return self.deserved.less_equal(self.allocated)

    @property
    def limit(self) -> Resource:
        """What it may hold at most, as that limits its tasks."""
        return self.deserved

    @property
    def line(self) -> Sequence[QueueAccount]:
        """The queues whose limits apply to its tasks: itself, then the ones above it."""
        return (self,)

    def update_share(self) -> None:
        """Set the share: of what is deserved, the largest part of any one resource that is allocated."""
        parts = [self.allocated.milli_cpu / self.deserved.milli_cpu] if self.deserved.milli_cpu >= EPSILON else []
        if self.deserved.memory >= EPSILON:
            parts.append(self.allocated.memory / self.deserved.memory)
        held = self.allocated.scalars
        for name, amount in self.deserved.scalars.items():
            if amount >= EPSILON:
                parts.append(held.get(name, 0.0) / amount)
        self.share = max(parts, default=0.0)

    def add(self, job: Job, load: JobLoad) -> None:
        """Count what a job of this queue holds, asks for, and will take, here and in the queues above."""
        self.inqueue_by_job[job.uid] = load.inqueue
        self.elastic_by_job[job.uid] = load.elastic
        for account in self.line:
            account.allocated.add(load.allocated)
            account.request.add(load.request)
            account.inqueue.add(load.inqueue)
            account.elastic.add(load.elastic)

    def give_back(self, job: Job) -> None:
        """Count no more what a job of this queue will take, as it has left the queue."""
        left = self.inqueue_by_job.pop(job.uid)
        for account in self.line:
            account.inqueue.sub(left)

    def fullest(self, held: Resource) -> str:
        """The resource of which an amount comes closest to what the queue deserves, empty where it deserves none."""
        return max(self.deserved.names(), key=lambda name: held.get(name) / self.deserved.get(name), default="")

    def wanted(self, job: Job) -> Resource:
        """What the queue would hold and have promised with a job, less what it could get back."""
        return job.minimum().add(self.allocated).add(self.inqueue).sub(self.elastic)

    def goes_negative(self, job: Job) -> bool:
        """True if more could be got back than there is: the reference's process ends there.

        It happens where tasks were evicted before jobs enter, as what a job holds beyond its minimum is not updated.
        """
        return not self.elastic.less_equal(job.minimum().add(self.allocated).add(self.inqueue))

    def gate(self, plugin: str, job: Job) -> Gate:
        """The account of a job that asks to enter."""
        minimum = job.minimum()
        return Gate(
            plugin=plugin,
            queue=self.name,
            minimum=minimum,
            allocated=self.allocated.clone(),
            inqueue=self.inqueue.clone(),
            elastic=self.elastic,
            limit=self.real_capability,
            exceeding=tuple(self.wanted(job).exceeding(self.real_capability, minimum)),
        )

    def figures(self) -> QueueFigures:
        """A copy of the figures."""
        return QueueFigures(
            deserved=self.deserved.clone(),
            allocated=self.allocated.clone(),
            request=self.request.clone(),
            inqueue=self.inqueue.clone(),
            elastic=self.elastic.clone(),
            capability=self.capability.clone(),
            real_capability=self.real_capability.clone(),
            guarantee=self.guarantee.clone(),
            share=self.share,
            overused=self.overused,
        )


class QueueLedger(ABC):
    """What the plugin that divides the cluster among queues knows of them; all by the queue's name."""

    plugin: str
    accounts: Mapping[str, QueueAccount]
    at_open: Mapping[str, QueueFigures]
    """Each queue's figures when the session opened."""

    def closed(self) -> dict[str, QueueFigures]:
        """Each queue's figures now."""
        return {name: account.figures() for name, account in self.accounts.items()}

    @abstractmethod
    def derivation(self) -> ProportionRounds | LimitChain:
        """How what each queue deserves came about."""

    def line(self, queue: str) -> list[str]:
        """Name the queues whose limits apply to a task of a queue: that queue, then the ones above it."""
        return [account.name for account in self.accounts[queue].line]

    def give_back(self, job: Job) -> None:
        """Count no more what a job will take that has left its queue."""
        self.accounts[job.queue].give_back(job)
