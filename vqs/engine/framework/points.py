"""The extension points of a session: what a plugin may answer, and the flag that switches its answer off.

Reference: pkg/scheduler/framework/session_plugins.go. Orders are given as keys to sort by, smallest first, where the
reference compares two at a time. Where it answers yes or no, a plugin here answers with a refusal or None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy.typing as npt

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.reasons import Codes
from vqs.engine.nodes.table import Floats, Integers, Masks, Nodes
from vqs.model.cluster import Queue
from vqs.model.job import Job, SubJob, Task
from vqs.model.resource import Resource

Answer = TypeVar("Answer")
Key = Any
"""Something to sort by: a number, or a tuple of numbers."""


class DependsOn(IntEnum):
    """What a vote on some tasks depends on, besides which they are and in which order."""

    NOTHING = 0
    """It never changes during a session."""
    JOBS = 1
    """It depends on what the tasks' jobs hold."""
    QUEUES = 2
    """It depends on what the tasks' queues hold as well."""
    EVERYTHING = 3
    """It depends on what all jobs hold."""


@dataclass(frozen=True, slots=True)
class EvictableFn:
    """A plugin's vote on which of some tasks may be evicted in favour of a preemptor.

    Attributes:
        vote: gives the vote.
        depends_on: what it depends on of the tasks.
        cache_key: what it depends on of the preemptor.
    """

    vote: Callable[[Task, Sequence[Task]], Victims]
    depends_on: DependsOn
    cache_key: Callable[[Task], Hashable] = lambda _: None


class EvictionKind(Enum):
    """Which action asks for victims in favour of a whole gang."""

    GANG_PREEMPT = "gangpreempt"
    GANG_RECLAIM = "gangreclaim"


@dataclass(frozen=True, slots=True)
class EvictionContext:
    """What victims are asked for: the action, and the job in whose favour they would be evicted."""

    kind: EvictionKind
    job: Job


class SearchPurpose(Enum):
    """What HyperNodes are looked for."""

    ALLOCATE = "allocate"
    """To place tasks on what is or will be idle."""
    EVICT = "evict"
    """To place tasks on what evictions free."""


@dataclass(slots=True)
class Gradients:
    """The HyperNodes that may be tried for a job or sub-job, tier by tier; the first tier that serves is taken.

    Attributes:
        tiers: the HyperNodes of each tier, by name.
        left_out: those that are not tried, and why not.
    """

    tiers: list[list[str]]
    left_out: dict[str, Refusal] = field(default_factory=dict)


@dataclass(frozen=True)
class Point(Generic[Answer]):
    """An extension point: its name, and the plugin option's flag that enables it (none: always enabled)."""

    name: str
    flag: str | None


@dataclass(frozen=True, slots=True)
class OfState(Generic[Answer]):
    """What a plugin answers about one node for one class, where that follows from the node's description and state.

    Offering it makes sessions faster (`vqs.engine.nodes.class_scores`), and changes nothing else.

    Attributes:
        answer: gives it for the number and the state (`NodeTable.amounts`) of a node, as the array kernel would.
        described: what it depends on of the descriptions besides amounts of resources and pods, (nodes,) each.
        of_class: what it depends on of the class, `described` too, where other classes may have that in common; None
            where they do not.
        lasting: where nothing of the session matters but what is given here, and the requests of the class: the name
            and the arguments of the plugin, and the codes that it answers with. Answers outlast the session then; None
            where they do not.
    """

    answer: Callable[[int, Sequence[float]], Answer]
    described: Sequence[npt.NDArray[Any]] = ()
    of_class: Hashable = None
    lasting: Hashable = None


class Predicate(Protocol):
    """A plugin's filter of nodes."""

    @abstractmethod
    def volatile(self, task_class: EquivalenceClass) -> bool:
        """True if placing any task may change the answer for nodes it is not placed on."""

    @abstractmethod
    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reasons."""


class SteadyPredicate(Predicate, ABC):
    """A plugin's filter of nodes whose answer a placement changes for its own node alone, if at all."""

    def volatile(self, _: EquivalenceClass) -> bool:
        """False: see above."""
        return False


class StatePredicate(Predicate, ABC):
    """A plugin's filter of nodes that, for some classes, sees no more of a node than its description and state."""

    @abstractmethod
    def of_state(self, task_class: EquivalenceClass) -> OfState[int] | None:
        """What gives the code of one node, None where more than its description and state matters."""


class Shortfall(NamedTuple):
    """What a node that a predicate refuses has too little of, and how much, in the scheduler's units.

    `where` says of what these amounts are, where they are not those of the node: "on one GPU".
    """

    resource: str
    need: float
    have: float
    where: str = ""

    @property
    def part(self) -> float:
        """The part of what is needed that there is not."""
        return (self.need - self.have) / self.need


class MeasuringPredicate(ABC):
    """A plugin's filter of nodes that can say how far those that it refuses are from taking a task."""

    @abstractmethod
    def measures(self, task_class: EquivalenceClass) -> bool:
        """True if it looks at amounts at all for a class."""

    @abstractmethod
    def shortfall(self, task_class: EquivalenceClass, nodes: Integers) -> tuple[int, Shortfall] | None:
        """The one of some nodes that it refuses that lacks the smallest part, and what that lacks.

        None where that cannot be said in figures of any of them.
        """


def least(shortfalls: Iterable[tuple[int, Shortfall | None]]) -> tuple[int, Shortfall] | None:
    """The node, of some with what they lack, that lacks the smallest part; the first of equals."""
    known = [(node, lacked) for node, lacked in shortfalls if lacked is not None and lacked.need > lacked.have]
    return min(known, key=lambda each: each[1].part, default=None)


class OutsidePredicate(Predicate, ABC):
    """A plugin's filter of nodes that asks a server, and so only when the scheduler would.

    Its `codes` are what it was told when it was last asked about a node; only `ask` asks.
    """

    @abstractmethod
    def ask(self, task_class: EquivalenceClass, nodes: Nodes, codes: Codes) -> Codes:
        """Ask about those of some nodes that nothing refuses yet, and return the codes of all.

        Code `ACCEPTED` is of a node that later predicates are not asked about.
        """


class NodeScore(Protocol):
    """A plugin's score of nodes that depends on each node alone."""

    def __call__(self, task_class: EquivalenceClass, nodes: Nodes, /) -> Floats:
        """The score of each of some nodes."""


@dataclass(frozen=True, slots=True)
class StateScore:
    """A plugin's score of nodes that, for some classes, follows from a node's description and state.

    Attributes:
        score: gives the score of each of some nodes.
        of_state: returns what gives that of one node, None where more than its description and state matters.
    """

    score: NodeScore
    of_state: Callable[[EquivalenceClass], OfState[float] | None]

    def __call__(self, task_class: EquivalenceClass, nodes: Nodes, /) -> Floats:
        """The score of each of some nodes."""
        return self.score(task_class, nodes)


@dataclass(frozen=True, slots=True)
class FallibleScore:
    """A plugin's score of nodes that it may fail to give: such a node loses what other plugins score it by, too.

    The scores that compare nodes with each other stay.

    Attributes:
        score: gives the score of each of some nodes.
        fails: tells for which of some nodes it fails.
    """

    score: NodeScore
    fails: Callable[[Nodes], Masks]

    def __call__(self, task_class: EquivalenceClass, nodes: Nodes, /) -> Floats:
        """The score of each of some nodes."""
        return self.score(task_class, nodes)


class BatchScore(Protocol):
    """A plugin's score of nodes that depends on which other nodes are candidates."""

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """The score where it is the same for every node whatever the candidates are, else None."""

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """The score of each candidate, minus infinity for each where candidates cannot be compared at all."""


Listener = Callable[..., None]
"""Hears what an answer returned, and what it was asked: a class, and the nodes where it was asked about some."""

JOB_ORDER: Point[Callable[[Job], Key]] = Point("jobOrder", "enableJobOrder")
QUEUE_ORDER: Point[Callable[[Queue], Key]] = Point("queueOrder", "enableQueueOrder")
TASK_ORDER: Point[Callable[[Task], Key]] = Point("taskOrder", "enableTaskOrder")
SUB_JOB_ORDER: Point[Callable[[SubJob], Key]] = Point("subJobOrder", "enabledSubJobOrder")
JOB_VALID: Point[Callable[[Job], Refusal | None]] = Point("jobValid", None)
JOB_ENQUEUEABLE: Point[Callable[[Job], Vote | Refusal]] = Point("jobEnqueueable", "enableJobEnqueued")
JOB_ENQUEUED: Point[Callable[[Job], None]] = Point("jobEnqueued", "enableJobEnqueued")
JOB_LEFT_QUEUE: Point[Callable[[Job], None]] = Point("jobLeftQueue", "enableJobEnqueued")
JOB_READY: Point[Callable[[Job], bool]] = Point("jobReady", "enableJobReady")
JOB_PIPELINED: Point[Callable[[Job], Vote]] = Point("jobPipelined", "enableJobPipelined")
SUB_JOB_READY: Point[Callable[[SubJob], bool]] = Point("subJobReady", "enabledSubJobReady")
SUB_JOB_PIPELINED: Point[Callable[[SubJob], Vote]] = Point("subJobPipelined", "enabledSubJobPipelined")
OVERUSED: Point[Callable[[Queue], Refusal | None]] = Point("overused", "enabledOverused")
ALLOCATABLE: Point[Callable[[Queue, Task], Refusal | None]] = Point("allocatable", "enabledAllocatable")
JOB_STARVING: Point[Callable[[Job], bool]] = Point("jobStarving", "enableJobStarving")
PREEMPTABLE: Point[EvictableFn] = Point("preemptable", "enablePreemptable")
RECLAIMABLE: Point[EvictableFn] = Point("reclaimable", "enableReclaimable")
PREEMPTIVE: Point[Callable[[Queue, Resource], Refusal | None]] = Point("preemptive", "enablePreemptive")
UNIFIED_EVICTABLE: Point[Callable[[EvictionContext, Sequence[Task]], Victims]] = Point("unifiedEvictable", None)
VICTIM_TASKS: Point[Callable[[Sequence[Task]], Sequence[Task]]] = Point("victimTasks", "enabledVictim")
SIMULATE_REMOVE_TASK: Point[Callable[[], Refusal | None]] = Point("simulateRemoveTask", None)
SIMULATE_ALLOCATABLE: Point[Callable[[Queue, Task, Resource], bool]] = Point(
    "simulateAllocatable", "enabledAllocatable"
)
SIMULATE_PREDICATE: Point[Callable[[Task, int, Sequence[Task]], bool]] = Point("simulatePredicate", "enablePredicate")
SIMULATE_DEVICES: Point[Callable[[Task, int, Sequence[Task]], bool]] = Point("simulateDevices", None)
VICTIM_QUEUE_ORDER: Point[Callable[[Queue, Queue], Key]] = Point("victimQueueOrder", None)
RESERVE: Point[Callable[[Task], Refusal | None]] = Point("reserve", None)
PRE_PREDICATE: Point[Callable[[Task], Refusal | None]] = Point("prePredicate", "enablePredicate")
PREDICATE: Point[Predicate | OutsidePredicate] = Point("predicate", "enablePredicate")
NODE_ORDER: Point[NodeScore] = Point("nodeOrder", "enableNodeOrder")
BATCH_NODE_ORDER: Point[BatchScore] = Point("batchNodeOrder", "enableNodeOrder")
NODE_POINTS: tuple[Point[Any], ...] = (PREDICATE, NODE_ORDER, BATCH_NODE_ORDER)
"""Those where the answer is an object that is asked about nodes; it is heard where it is asked, and not wrapped."""
HYPER_NODE_ORDER: Point[Callable[[SubJob, Sequence[str]], Floats]] = Point("hyperNodeOrder", "enabledHyperNodeOrder")
HYPER_NODE_GRADIENT_FOR_JOB: Point[Callable[[Job, str, SearchPurpose], Gradients]] = Point(
    "hyperNodeGradientForJob", "enabledHyperNodeGradient"
)
HYPER_NODE_GRADIENT_FOR_SUB_JOB: Point[Callable[[Job, SubJob, str, SearchPurpose], Gradients]] = Point(
    "hyperNodeGradientForSubJob", "enabledHyperNodeGradient"
)
