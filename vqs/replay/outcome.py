"""The result of a replay: the document that `vqs replay --format json` prints, ``vqs/replay/v2``.

Times are in seconds since the start of the replay, amounts in cores, bytes and counts, as in a simulation's result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from vqs.explain.amounts import lasting
from vqs.explain.outcome import Amounts, Result
from vqs.model.wording import count
from vqs.replay.statistics import Estimate
from vqs.replay.summary import Contrast, Cost, Figures, Growth

SCHEMA: Final = "vqs/replay/v2"

REPLACED: Final = "Replaced"
"""The phase of a ReplicaSet that a rollout has left without pods."""

PodEnd = Literal["succeeded", "failed", "evicted", "killed", "lost"]


class JobRecord(Result, kw_only=True, omit_defaults=False):
    """What became of a job.

    Attributes:
        name: the name of its PodGroup or Volcano Job, without the namespace.
        display_name: the namespace and name that people know it by.
        priority: that of its PodGroup's priority class.
        arrival: when it was submitted; 0 for one that is there at the start.
        min_available: how many pods it needs to start.
        pods: how many pods it has.
        request: what all of its pods request together.
        admitted: when its PodGroup first became Inqueue, null where it did not.
        started: when `min_available` of its pods ran for the first time, null where they did not.
        completed: when it ended, well or not, null where it did not.
        phase: the phase of the Volcano Job, or what would be its phase, when the replay ends: Pending, Running,
            Restarting, Completed, Failed, Aborted or Terminated; Replaced that of a ReplicaSet that a rollout leaves
            without pods, which counts in no figure of completed jobs.
        evictions: how many of its pods the scheduler evicted.
        pods_lost: how many of its pods were taken off their nodes by evictions: those, and those that its controller
            deleted because of one.
        restarted: how many of these were made again.
        restarts: how often its controller restarted it, or parts of it.
        work: the seconds that its pods have run.
        work_lost: the seconds of work that have to be done again.
        waited: the seconds that it waited until it started, by the code of the verdict that kept it waiting.
    """

    name: str
    namespace: str
    display_name: str = ""
    queue: str
    priority: int
    arrival: float
    min_available: int
    pods: int
    request: Amounts
    admitted: float | None = None
    started: float | None = None
    completed: float | None = None
    phase: str = "Pending"
    evictions: int = 0
    pods_lost: int = 0
    restarted: int = 0
    restarts: int = 0
    work: float = 0.0
    work_lost: float = 0.0
    waited: dict[str, float] = msgspec.field(default_factory=dict)

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or f"{self.namespace}/{self.name}"

    @property
    def completion(self) -> float | None:
        """The seconds from its arrival until it ended; None where it has not, or was replaced by a rollout."""
        return None if self.completed is None or self.phase == REPLACED else self.completed - self.arrival


class PodRecord(Result, kw_only=True):
    """One life of a pod: from being created to its end, or to the end of the replay.

    Attributes:
        pod: its name; jobs by the index in `jobs` of the result.
        job: the index of its job in `jobs`.
        node: the node that it was bound to; empty where it was bound to none.
        outcome: how it ended; empty where it has not. `killed` is by a controller, `lost` with its node.
        evictor_job: in favour of which job it was evicted: the index in `jobs`.
        action: the action that evicted it.
        work_lost: the seconds of work that were lost with it.
    """

    pod: str
    job: int
    created: float
    node: str = ""
    bound: float | None = None
    started: float | None = None
    ended: float | None = None
    outcome: PodEnd | Literal[""] = ""
    evictor_job: int | None = None
    action: str = ""
    work_lost: float = 0.0


class QueueSample(Result, kw_only=True, omit_defaults=False):
    """A queue over a stretch of time: the mean of each figure, weighted by how long it held.

    Attributes:
        allocated: what its pods that are bound or run hold.
        request: what all of its pods request, waiting and running.
        deserved: what it deserves; empty where no plugin divides the cluster.
        pending: the pods that wait.
        running: the pods that are bound or run.
        waiting_jobs: the jobs that have arrived and not started.
    """

    allocated: Amounts
    request: Amounts
    deserved: Amounts
    pending: float
    running: float
    waiting_jobs: float


class Sample(Result, kw_only=True, omit_defaults=False):
    """The cluster over a stretch of time.

    Attributes:
        time: when it begins.
        seconds: how long it is.
        queues: by name.
        allocatable: what the nodes have.
    """

    time: float
    seconds: float
    queues: dict[str, QueueSample]
    allocatable: Amounts


class NodeSample(Result, kw_only=True, omit_defaults=False):
    """How full the nodes are over a stretch of time.

    Attributes:
        time: when it begins.
        seconds: how long it is.
        used: for each node of `nodes`, the part in use of each resource of `resources`, 0 to 1, as a mean over time.
    """

    time: float
    seconds: float
    used: list[list[float]]


class NodeRecord(Result, kw_only=True, omit_defaults=False):
    """A node, and the stretches of time in which pods could be placed on it."""

    name: str
    allocatable: Amounts
    available: list[tuple[float, float | None]]


class RolloutRecord(Result, kw_only=True, omit_defaults=False):
    """What became of a change of a Deployment's template.

    Attributes:
        deployment: its namespace/name.
        time: when the template changed.
        pods: how many pods it is to have.
        ready: how many of them are available with the new template when the replay ends, or another change begins.
        completed: when all of them were, and all others gone; null where that did not come about.
    """

    deployment: str
    time: float
    pods: int
    ready: int = 0
    completed: float | None = None


class QueueRecord(Result, kw_only=True, omit_defaults=False):
    """A queue, as its object says."""

    name: str
    parent: str
    weight: int


class Spread(Result, kw_only=True, omit_defaults=False):
    """How far chance moves a figure: its least, median and greatest value in some runs under several seeds."""

    runs: int
    min: float
    median: float
    max: float


class Stopped(Result, kw_only=True, omit_defaults=False):
    """Why a replay was stopped before its end: the number of events, and which job had the most pods meanwhile.

    Attributes:
        events: how many events had happened.
        time: when, in seconds.
        job: the namespace/name of that job; null where no pod was made.
        pods: how many pods it had, of all its lives.
        failed: how many of them failed.
        evicted: how many of them were evicted.
    """

    events: int
    time: float
    job: str | None
    pods: int
    failed: int
    evicted: int

    @classmethod
    def of(cls, events: int, time: float, jobs: Sequence[JobRecord], pods: Sequence[PodRecord]) -> Stopped:
        """Tell of the job with the most pods."""
        most = next((job for job, _ in Counter(pod.job for pod in pods).most_common(1)), None)
        ends = Counter(pod.outcome for pod in pods if pod.job == most)
        name = None if most is None else jobs[most].called
        return cls(
            events=events,
            time=time,
            job=name,
            pods=ends.total(),
            failed=ends["failed"],
            evicted=ends["evicted"],
        )

    def told(self) -> str:
        """Say why the replay did not come to its end, and what was happening."""
        ends = [
            count(number, what) for number, what in ((self.failed, "failure"), (self.evicted, "eviction")) if number
        ]
        among = f", with {' and '.join(ends)}" if ends else ""
        busiest = f" The job {self.job} had {count(self.pods, 'pod')} till then{among}." if self.job else ""
        return (
            f"The replay was stopped after {count(self.events, 'event')}, at {lasting(self.time)}, before its end."
            f"{busiest} --max-events allows more, and --until ends it at a time"
        )


class Replay(Result, tag_field="schema", tag=SCHEMA, kw_only=True, omit_defaults=False):
    """One run: a workload under one policy and one seed.

    Attributes:
        workload: what the workload is called.
        policy: what the configuration is called, of several that are compared.
        seed: what draws durations, and what the scheduler leaves to chance.
        begin: the point in time of second 0, in RFC 3339.
        period: the seconds from the end of a session to the start of the next one.
        end: when the replay ends.
        makespan: when the last job completed, null where some did not.
        evictions: how many pods the scheduler evicted.
        sessions: how many sessions were run.
        skipped_sessions: how many sessions were left out as they could change nothing.
        events: how many events happened besides sessions.
        jobs: in the order of their arrival.
        pods: in the order of their creation.
        queues: by name.
        nodes: by name.
        resources: the resources of which a node has any.
        samples: over time; bounded, so that a long replay has longer ones.
        node_samples: likewise.
        spread: where this is the most typical of several runs, how far their figures are apart, by the name of the
            figure.
        figures: what sums the run up.
        seeds: where this is the most typical of several runs, the seeds of all of them.
        estimates: what all of these runs say of each figure, by its name; all else in this document is of this run.
        stopped: why it was stopped before its end; null where it was not.
        cost: what it costs; null where nothing says what nodes cost.
        growth: what the autoscaler did; null where there is none.
        rollouts: what became of changes of Deployments, in the order of their times.
    """

    volcano: str
    workload: str
    policy: str
    seed: int
    begin: str
    period: float
    end: float
    makespan: float | None
    evictions: int
    sessions: int
    skipped_sessions: int
    events: int
    jobs: list[JobRecord]
    pods: list[PodRecord]
    queues: list[QueueRecord]
    nodes: list[NodeRecord]
    resources: list[str]
    samples: list[Sample]
    node_samples: list[NodeSample]
    spread: dict[str, Spread] = msgspec.field(default_factory=dict)
    figures: Figures | None = None
    stopped: Stopped | None = None
    seeds: list[int] = msgspec.field(default_factory=list)
    estimates: dict[str, Estimate] = msgspec.field(default_factory=dict)
    cost: Cost | None = None
    growth: Growth | None = None
    rollouts: list[RolloutRecord] = msgspec.field(default_factory=list)


class Replays(Result, tag_field="schema", tag="vqs/replays/v2", kw_only=True, omit_defaults=False):
    """Several runs of one workload: under several policies, with several seeds, in the order of both.

    `contrasts` compare each policy with the first one. `estimates` are, by policy and figure, what its runs say of it.
    """

    workload: str
    policies: list[str]
    seeds: list[int]
    runs: list[Replay]
    contrasts: list[Contrast] = msgspec.field(default_factory=list)
    estimates: dict[str, dict[str, Estimate]] = msgspec.field(default_factory=dict)
