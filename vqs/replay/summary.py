"""What a replay comes to: the figures that sum up a run, and the difference between policies.

Times are in seconds, areas in seconds times the unit of what is summed up. docs/replay-figures.md defines each figure.
"""

from __future__ import annotations

import msgspec

from vqs.explain.outcome import Result
from vqs.replay.statistics import Interval, Spread
from vqs.replay.thrashing import Thrashing


class Group(Result, kw_only=True, omit_defaults=False):
    """The jobs of a queue, of a priority, of both, or all jobs.

    Attributes:
        queue: the queue, null for all.
        priority: the priority, null for all.
        jobs: how many jobs arrived.
        started: how many of them started.
        completed: how many of them completed.
        admission: from their arrival until their PodGroup was admitted, of those that were; null without any.
        wait: from their arrival until their start, of those that started; null without any.
        slowdown: how many times as long they took as their longest pod runs, of those that completed; null without any.
        completion: from their arrival until they completed, of those that did; null without any.
        evictions: how many of their pods the scheduler evicted.
        pods_lost: how many of their pods were taken off their nodes by evictions: those, and what controllers deleted
            because of one.
        restarted: how many of these were made again.
        work: the seconds that their pods ran.
        work_lost: the seconds of it that had to be done again.
    """

    queue: str | None
    priority: int | None
    jobs: int
    started: int
    completed: int
    admission: Spread | None
    wait: Spread | None
    slowdown: Spread | None
    completion: Spread | None
    evictions: int
    pods_lost: int = 0
    restarted: int = 0
    work: float
    work_lost: float


class Usage(Result, kw_only=True, omit_defaults=False):
    """How much of a resource was used, as parts between 0 and 1.

    Attributes:
        resource: its name.
        used: the mean over time.
        peak: the largest mean over a window.
        stranded: the part of the idle amount on nodes without room for the typical pod, as a mean over time.
    """

    resource: str
    used: float
    peak: float
    stranded: float


class Deficit(Result, kw_only=True, omit_defaults=False):
    """What a queue was entitled to and did not get.

    Attributes:
        queue: its name.
        resource: of which resource.
        entitled: the area under the smaller of what it deserved and what it requested.
        deficit: the area between that and what it held, where it held less.
        fraction: `deficit` as a part of `entitled`.
        dominant: whether it is the resource of which the queue was entitled to the largest part of the cluster.
    """

    queue: str
    resource: str
    entitled: float
    deficit: float
    fraction: float
    dominant: bool


class Fairness(Result, kw_only=True, omit_defaults=False):
    """How evenly queues got what they were entitled to: Jain's index over windows in which two or more were.

    Attributes:
        window: the length of a window.
        contested: in how many windows two or more queues were entitled to anything.
        mean: the mean index of those; null without any.
        lowest: the lowest index; null without any.
        lowest_at: when its window begins; null without any.
    """

    window: float
    contested: int
    mean: float | None
    lowest: float | None
    lowest_at: float | None


class Waited(Result, kw_only=True, omit_defaults=False):
    """How long the jobs of a queue waited for one reason.

    Attributes:
        queue: its name.
        code: the code of the verdict that kept them waiting.
        jobs: how many jobs waited for it.
        seconds: for how long, all of them together.
    """

    queue: str
    code: str
    jobs: int
    seconds: float


class QueueEvictions(Result, kw_only=True, omit_defaults=False):
    """How many pods of a queue were evicted for one of another.

    Attributes:
        victim_queue: the queue that lost them.
        evictor_queue: the queue that they made room for; empty where that is not known.
        action: the action that evicted them.
        pods: how many.
        work_lost: the seconds of work lost with them.
    """

    victim_queue: str
    evictor_queue: str
    action: str
    pods: int
    work_lost: float


class OverTime(Result, kw_only=True, omit_defaults=False):
    """Figures by window.

    Attributes:
        edges: where windows begin, and where the last one ends.
        completed: how many jobs completed in each.
        waiting: how many jobs had arrived and not started, as a mean.
        used: the part of each resource that was used.
        stranded: the part of the idle amount of each resource that was stranded.
        fairness: Jain's index; null where fewer than two queues were entitled to anything.
    """

    edges: list[float]
    completed: list[int]
    waiting: list[float]
    used: dict[str, list[float]]
    stranded: dict[str, list[float]]
    fairness: list[float | None]


class Bill(Result, kw_only=True, omit_defaults=False):
    """What was spent, and what of it was wasted: money in the currency of the prices, energy in kilowatt hours.

    Attributes:
        spent: for all nodes, as long as they were there: `used` and `idle`.
        used: for what pods held of them.
        lost: what of that was for work that had to be done again.
        idle: for what no pod held.
        stranded: what of that was on nodes without room for a typical pod.
    """

    spent: float
    used: float
    lost: float
    idle: float
    stranded: float


class QueueBill(Result, kw_only=True, omit_defaults=False):
    """What was spent for the pods of a queue.

    Attributes:
        queue: its name.
        spent: for what its pods held of nodes.
        lost: what of that was for work that had to be done again.
        energy: the kilowatt hours of the same; null where no price has watts.
        energy_lost: those that were lost.
    """

    queue: str
    spent: float
    lost: float
    energy: float | None
    energy_lost: float | None


class Cost(Result, kw_only=True, omit_defaults=False):
    """What a run costs, where a scenario has `prices`.

    Attributes:
        currency: what money is counted in, as the prices say.
        money: what was spent.
        energy: the same in kilowatt hours; null where no price has watts.
        queues: by name.
        unpriced: the nodes that no price is for, and which cost nothing.
    """

    currency: str
    money: Bill
    energy: Bill | None
    queues: list[QueueBill]
    unpriced: list[str]


class Purchase(Result, kw_only=True, omit_defaults=False):
    """Nodes that the autoscaler asked for at once.

    Attributes:
        time: when.
        group: of which group they are.
        nodes: their names.
        queues: for how many pods of each queue.
        reasons: by the code of their verdicts, how many of these pods waited for what.
        unused: the nodes on which no pod ran until the end, those that have not joined among them.
    """

    time: float
    group: str
    nodes: list[str]
    queues: dict[str, int]
    reasons: dict[str, int]
    unused: list[str] = msgspec.field(default_factory=list)


class Growth(Result, kw_only=True, omit_defaults=False):
    """What the autoscaler did, where a scenario has `nodeGroups`.

    Attributes:
        purchases: the nodes that it asked for.
        removed: how many nodes it removed.
        not_admitted: the jobs that waited to be admitted, and have no pods until they are: it does not see these.
        not_admitted_seconds: for how long, all of them together.
    """

    purchases: list[Purchase]
    removed: int
    not_admitted: int
    not_admitted_seconds: float


class Figures(Result, kw_only=True, omit_defaults=False):
    """The figures of one run.

    Attributes:
        groups: all jobs first, then by queue, by priority, and by both.
        throughput: how many jobs completed in an hour.
        drain: from the last arrival until the last job completed; null where some did not.
        usage: by resource.
        fairness: how evenly queues got what they were entitled to.
        deficits: by queue and resource, the largest parts first.
        waited: by queue and reason, the longest first.
        evictions_by_queue: evictions by queue, the most first.
        thrashing: evictions to and fro for minutes: between queues, and inside one.
        over_time: some of the figures by window.
    """

    groups: list[Group]
    throughput: float
    drain: float | None
    usage: list[Usage]
    fairness: Fairness
    deficits: list[Deficit]
    waited: list[Waited]
    evictions_by_queue: list[QueueEvictions]
    thrashing: list[Thrashing]
    over_time: OverTime

    @property
    def all(self) -> Group:
        """All jobs."""
        return self.groups[0]


class Difference(Result, kw_only=True, omit_defaults=False):
    """How much larger a figure is under one policy than under the first one, with the same seeds.

    Attributes:
        figure: the figure: ``wait.mean``, ``wait.p95``, ``completion.mean``, ``slowdown.mean``, ``makespan``,
            ``evictions``, ``workLost``, ``started``, ``fairness``, or ``used.RESOURCE``.
        queue: the queue, null for all.
        base: the figure under the first policy, as a mean over seeds.
        value: the figure under this policy, likewise.
        difference: the mean difference over seeds, with its interval.
    """

    figure: str
    queue: str | None
    base: float
    value: float
    difference: Interval


class JobDifference(Result, kw_only=True, omit_defaults=False):
    """What becomes of one job under two policies; times are means over the seeds with which it gets that far.

    Attributes:
        job: its namespace/name.
        queue: its queue.
        starts: in how many of the runs under the first policy, and under the other, it starts.
        wait: until its start, under the first policy and under the other; null where it starts in no run.
        completion: until it completes, likewise.
        evictions: how many of its pods are evicted, as means.
        completion_delay: how much later it completes; where it does not complete, the end of the run counts.
    """

    job: str
    queue: str
    starts: tuple[int, int]
    wait: tuple[float | None, float | None]
    completion: tuple[float | None, float | None]
    evictions: tuple[float, float]
    completion_delay: float


class Contrast(Result, kw_only=True, omit_defaults=False):
    """One policy, compared with the first one.

    Attributes:
        policy: the policy.
        base: the first policy.
        seeds: with which seeds both were run.
        differences: by figure and queue.
        better: how many jobs complete earlier, by more than a tenth and a second, and more than chance explains.
        worse: how many complete later, likewise.
        jobs: those jobs, the largest changes first.
    """

    policy: str
    base: str
    seeds: list[int]
    differences: list[Difference]
    better: int
    worse: int
    jobs: list[JobDifference] = msgspec.field(default_factory=list)
