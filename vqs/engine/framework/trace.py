"""What a session decided, recorded once, as data, where it was decided. Explanations are derived from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from vqs.engine.framework.ledger import Gate
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.job import FitErrors, Task


@dataclass(frozen=True, slots=True)
class NodeView:
    """What a node was for a task: the reasons against it, else whether its room is idle now and its score by plugin."""

    node: str
    reasons: tuple[str, ...]
    idle: bool
    scores: dict[str, float]
    chosen: bool


class Op(Enum):
    """A step of a statement."""

    ALLOCATE = "allocate"
    PIPELINE = "pipeline"
    EVICT = "evict"


@dataclass(frozen=True, slots=True)
class PluginVote:
    """A plugin's vote on the candidates of a victim decision; tiers are counted from 0."""

    tier: int
    plugin: str
    victims: Victims


@dataclass(frozen=True, slots=True)
class VictimDecision:
    """How plugins voted on which of the tasks on a node may be evicted.

    Attributes:
        candidates: the tasks they were asked about.
        votes: in the order in which they were given; where a tier agrees on no task, the next one is asked.
        tier: the tier that decided, None where none did.
        victims: the tasks that may be evicted.
        spared_by: the plugin whose vote left no victim; empty where there are victims, or there was no candidate.
    """

    candidates: Sequence[Task]
    votes: tuple[PluginVote, ...]
    tier: int | None
    victims: Sequence[Task]
    spared_by: str

    def votes_on(self, task: Task) -> list[tuple[PluginVote, Refusal | None]]:
        """Each vote on one candidate: None where it may be evicted, else why it is spared."""
        return [(vote, vote.victims.refusal(task)) for vote in self.votes]


class Scope(Enum):
    """Among which tasks an action looks for victims."""

    QUEUE = "queue"
    """Those of other jobs in the task's queue."""
    JOB = "job"
    """Those of the task's own job."""
    OTHER_QUEUES = "other-queues"
    """Those in other queues that may be reclaimed from."""


@dataclass(slots=True)
class VictimSearch:
    """What an action found when it looked for tasks to evict in favour of one.

    Attributes:
        action: which action.
        task: in whose favour.
        scope: among which tasks.
        refusal: why nothing was looked at, None where something was.
        nodes: the number of nodes where eviction may help.
        candidates: the number of tasks on these nodes that may be evicted at most, before any plugin is asked.
        too_small: the number of these nodes on which not even all candidates together make enough room.
        asked: the number of nodes on which plugins were asked, up to the one that was taken.
        spared_by: on how many of these each plugin's vote left no victim.
        node: where the task was promised room, empty where nowhere.
        victims: what was evicted in its favour, wherever.
        decisions: by node, for those on which a task was evicted; for all nodes where the task is watched.
    """

    action: str
    task: Task
    scope: Scope
    refusal: Refusal | None = None
    nodes: int = 0
    candidates: int = 0
    too_small: int = 0
    asked: int = 0
    spared_by: Counter[str] = field(default_factory=Counter)
    node: str = ""
    victims: list[Task] = field(default_factory=list)
    decisions: dict[str, VictimDecision] = field(default_factory=dict)


class Operation(NamedTuple):
    """One step: what was done to a task on a node, and why where it is an eviction; `search` is what it is part of."""

    op: Op
    task: Task
    node: str
    reason: str = ""
    search: VictimSearch | None = None


class StatementResult(Enum):
    """What became of a statement: a kept one is neither committed nor rolled back, as its tasks wait for room."""

    COMMIT = "commit"
    KEEP = "keep"
    DISCARD = "discard"


class StatementRecord(NamedTuple):
    """A finished statement; `hyper_node` is the one whose nodes it was confined to, empty where it was not."""

    action: str
    job: str
    result: StatementResult
    operations: tuple[Operation, ...]
    hyper_node: str = ""


@dataclass(slots=True)
class HyperNodeTrial:
    """What came of a HyperNode that was considered for a job or sub-job.

    Attributes:
        hyper_node: its name.
        sub_job: for which sub-job, empty where it was for the job.
        placed: how many tasks it took, None where it was not tried.
        refusal: why it was not tried, None where it was.
        score: how well it suits, where it was compared with others that had room.
        chosen: whether it was taken.
    """

    hyper_node: str
    sub_job: str = ""
    placed: int | None = None
    refusal: Refusal | None = None
    score: float | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One step in the story of a job that is followed, in the order in which things happened.

    Attributes:
        action: the action that ran.
        task: which task it was about, None where it was about the job.
        refusal: why it was refused, None where it was not.
        errors: what the nodes said, where they were asked and refused.
        node: the node that was given, and of how many equally good ones it was one.
        statement: what became of the steps before; the end of a try.
    """

    action: str
    task: Task | None = None
    refusal: Refusal | None = None
    errors: FitErrors | None = None
    node: str = ""
    ties: int = 0
    statement: StatementRecord | None = None


@dataclass(slots=True)
class Trace:
    """The decisions of one session.

    Attributes:
        statements: in the order in which they were finished.
        jobs: the last refusal of a job as a whole (at the enqueue gate, by the check of the gang), with the action.
        tasks: the last refusal of a task, with the action, by uid.
        before_place: the last refusal of a task that was given or reserved a node after that, likewise.
        queues: the last refusal that took a queue out of an action, with that action.
        tried: the jobs of which a task was looked at.
        ties: of how many equal nodes a task was given one, by uid; only where there were several.
        views: the nodes as they were when a task was tried last, by uid; only for tasks that are watched.
        action: the action that runs now.
        followed: the jobs whose story is kept, by uid.
        story: what happened to these jobs.
        hyper_nodes: the HyperNodes that were considered in the last try of a job, by its uid.
        gates: the accounts of jobs that ask to enter their queues, by the job's uid; None where they are not kept.
        victim_searches: the searches for victims, in their order.
        preemptors: by action that evicts, for each job that it looked at: why it will not evict in favour of the job,
            None where it would.
        excluded_queues: by action that evicts, why it leaves out a queue.
        shuffled: the plugins that selected a task that the action shuffle evicted, by uid.
    """

    action: str = ""
    followed: frozenset[str] = frozenset()
    story: list[Event] = field(default_factory=list)
    gates: dict[str, list[Gate]] | None = None
    statements: list[StatementRecord] = field(default_factory=list)
    jobs: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    tasks: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    before_place: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    queues: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    views: dict[str, list[NodeView]] = field(default_factory=dict)
    ties: dict[str, int] = field(default_factory=dict)
    hyper_nodes: dict[str, list[HyperNodeTrial]] = field(default_factory=dict)
    victim_searches: list[VictimSearch] = field(default_factory=list)
    preemptors: dict[str, dict[str, Refusal | None]] = field(default_factory=dict)
    excluded_queues: dict[str, dict[str, Refusal]] = field(default_factory=dict)
    shuffled: dict[str, list[str]] = field(default_factory=dict)

    def begin(self, action: str) -> None:
        """Note from now on what an action decides."""
        self.action = action

    def begin_search(self, task: Task, scope: Scope) -> VictimSearch:
        """Start to note a search for victims."""
        search = VictimSearch(self.action, task, scope)
        self.victim_searches.append(search)
        return search

    def note_preemptor(self, job: str, refusal: Refusal | None) -> None:
        """Note whether the running action would evict in favour of a job."""
        self.preemptors.setdefault(self.action, {})[job] = refusal

    def exclude_queue(self, queue: str, refusal: Refusal) -> None:
        """Note that the running action evicts nothing in favour of a queue."""
        self.excluded_queues.setdefault(self.action, {})[queue] = refusal

    def refuse_job(self, job: str, refusal: Refusal) -> None:
        """Note that the running action refused a job."""
        self.jobs[job] = (self.action, refusal)
        if job in self.followed:
            self.story.append(Event(self.action, refusal=refusal))

    def pass_gates(self, job: str, accounts: Iterable[Gate]) -> None:
        """Keep the accounts of a job that asks to enter its queue; where none are kept, they are not computed."""
        if self.gates is not None:
            self.gates.setdefault(job, []).extend(accounts)

    def refuse_task(self, task: Task, refusal: Refusal, errors: FitErrors | None = None) -> None:
        """Note that the running action refused a task, and what the nodes said where they were asked."""
        self.tried.add(task.job)
        self.tasks[task.uid] = (self.action, refusal)
        if task.job in self.followed:
            self.story.append(Event(self.action, task, refusal, errors))

    def refuse_queue(self, queue: str, refusal: Refusal) -> None:
        """Note that the running action left a queue out."""
        self.queues[queue] = (self.action, refusal)

    def place(self, task: Task, ties: int) -> None:
        """Note that a task was given a node, and the number of equally good ones; earlier refusals of it are void."""
        refused = self.tasks.pop(task.uid, None)
        if refused is not None:
            self.before_place[task.uid] = refused
        self.ties.pop(task.uid, None)
        if ties > 1:
            self.ties[task.uid] = ties
        if task.job in self.followed:
            self.story.append(Event(self.action, task, node=task.node or "", ties=ties))

    def end_trial(self, job: str, hyper_node: str, operations: Sequence[Operation]) -> None:
        """Note that a try on the nodes of a HyperNode was rolled back; of one that has a name, only the story tells."""
        self.tried.add(job)
        if not hyper_node:
            self.finish(job, StatementResult.DISCARD, operations)
        elif job in self.followed:
            record = StatementRecord(self.action, job, StatementResult.DISCARD, tuple(operations), hyper_node)
            self.story.append(Event(self.action, statement=record))

    def finish(self, job: str, result: StatementResult, operations: Sequence[Operation]) -> None:
        """Note a statement with what became of it; one without a step is not worth noting, but ends a try."""
        record = StatementRecord(self.action, job, result, tuple(operations))
        if operations:
            self.statements.append(record)
        if job in self.followed:
            self.story.append(Event(self.action, statement=record))
