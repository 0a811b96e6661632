"""The figures of a point that is replayed: those that sum up a replay, by name; docs/replay-figures.md defines them.

A time is in seconds. It is infinite where there is none, as no job has started, or not all have completed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, NamedTuple

from msgspec import structs

from vqs.model.job_name import JobName, jobs_called
from vqs.replay.figures import figures_of
from vqs.replay.outcome import JobRecord, Replay
from vqs.replay.statistics import Spread
from vqs.replay.summary import Group
from vqs.sweep.effects import Better

PREFIX: Final = "replay."
"""What the names of figures of all jobs, and of the whole cluster, begin with."""
_STATISTICS: Final = tuple(each.name for each in structs.fields(Spread) if each.name != "count")

Read = Callable[[Replay, Sequence[str]], float]
"""Reads a figure of a replay, given what it is of: a queue, a priority, a resource, a PodGroup, or nothing."""

Find = Callable[[Replay, Sequence[str]], Group | None]
"""Returns the jobs that a figure is of; None where there are none."""


@dataclass(frozen=True)
class Run:
    """A replay, and what its jobs and priorities are called.

    Attributes:
        replay: what came of it.
        named: returns the names of its jobs, which are worked out only where a figure asks for a job.
        priorities: the values of its priority classes, by name.
    """

    replay: Replay
    named: Callable[[], Sequence[JobName]]
    priorities: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _names(self) -> Sequence[JobName]:
        return self.named()

    def of(self, kind: str, parts: Sequence[str]) -> Sequence[str]:
        """Return what a figure is of; nothing for a job of a name that none has, or several have."""
        match kind:
            case "job":
                found = jobs_called(parts[0], self._names)
                return [found[0].uid if len(found) == 1 else ""]
            case "priority":
                return [str(self.priorities.get(parts[0], parts[0]))]
        return parts


class Replayed(NamedTuple):
    """A figure of a replay.

    Attributes:
        read: reads it.
        better: whether more of it is better, or less; None where neither is.
        is_time: whether it is a span of time.
        is_part: whether it is a part of a whole.
        can_lack: whether it is infinite where what it is about does not happen.
        unknown: why it may not be known; empty where it always is.
    """

    read: Read
    better: Better | None
    is_time: bool = False
    is_part: bool = False
    can_lack: bool = False
    unknown: str = ""


# --- jobs -------------------------------------------------------------------------------------------------------------


def _group(run: Replay, of: Sequence[str]) -> Group | None:
    """Return the jobs of a queue, or all; None for a queue in which no job arrived."""
    queue = of[0] if of else None
    groups = figures_of(run).groups
    return next((each for each in groups if each.queue == queue and each.priority is None), None)


def _of_priority(run: Replay, of: Sequence[str]) -> Group | None:
    """Return the jobs of a priority; they have no group of their own where all jobs have it."""
    if {str(job.priority) for job in run.jobs} == {of[0]}:
        return _group(run, ())
    groups = figures_of(run).groups
    return next((each for each in groups if each.queue is None and str(each.priority) == of[0]), None)


def _count(run: Replay, of: Sequence[str], *, find: Find, read: Callable[[Group], float]) -> float:
    group = find(run, of)
    return 0.0 if group is None else float(read(group))


def _spread(run: Replay, of: Sequence[str], *, find: Find, name: str, statistic: str) -> float:
    group = find(run, of)
    spread: Spread | None = None if group is None else getattr(group, name)
    return math.inf if spread is None else float(getattr(spread, statistic))


def _spreads(find: Find) -> Iterator[tuple[str, Replayed]]:
    for name in ("admission", "wait", "completion", "slowdown"):
        for statistic in _STATISTICS:
            read = partial(_spread, find=find, name=name, statistic=statistic)
            yield f"{name}.{statistic}", Replayed(read, "less", is_time=name != "slowdown", can_lack=True)


def _of_jobs(find: Find) -> dict[str, Replayed]:
    """Return the figures of jobs that are found so, by name."""
    number = partial(partial, _count, find=find)
    return {
        **dict(_spreads(find)),
        "started": Replayed(number(read=lambda group: group.started), "more"),
        "neverStarted": Replayed(number(read=lambda group: group.jobs - group.started), "less"),
        "completed": Replayed(number(read=lambda group: group.completed), "more"),
        "evictions": Replayed(number(read=lambda group: group.evictions), "less"),
        "pods-lost": Replayed(number(read=lambda group: group.pods_lost), "less"),
        "restarted": Replayed(number(read=lambda group: group.restarted), "less"),
        "workLost": Replayed(number(read=lambda group: group.work_lost), "less", is_time=True),
    }


_OF_JOBS: Final[Mapping[str, Replayed]] = _of_jobs(_group)

OF_PRIORITY: Final[Mapping[str, Replayed]] = _of_jobs(_of_priority)
"""The figures of the jobs of a priority, by name."""


def _of_job(run: Replay, of: Sequence[str], *, read: Callable[[JobRecord], float | None]) -> float:
    """Return how long after its arrival something happens to the job of a PodGroup."""
    job = next((each for each in run.jobs if of[0] == f"{each.namespace}/{each.name}"), None)
    at = None if job is None else read(job)
    return math.inf if job is None or at is None else at - job.arrival


OF_JOB: Final[Mapping[str, Replayed]] = {
    "wait": Replayed(partial(_of_job, read=lambda job: job.started), "less", is_time=True, can_lack=True),
    "completion": Replayed(partial(_of_job, read=lambda job: job.completed), "less", is_time=True, can_lack=True),
}
"""The figures of one job, by name."""


# --- queues and the cluster -------------------------------------------------------------------------------------------


_NO_DEBTS: Final = "no queue was entitled to resources, as none asked for any or no plugin divides them by queue"
_NO_CONTEST: Final = "no two queues were entitled to resources at the same time, or no plugin divides them by queue"


def _missed(run: Replay, of: Sequence[str]) -> float:
    """Return the part that a queue missed of what it was entitled to; no number where no plugin divides the cluster."""
    debts = figures_of(run).deficits
    if not debts:
        return math.nan
    return next((each.fraction for each in debts if each.queue == of[0] and each.dominant), 0.0)


def _ended(run: Replay, _: Sequence[str], *, read: Callable[[Replay], float | None]) -> float:
    found = read(run)
    return math.inf if found is None else found


def _throughput(run: Replay, _: Sequence[str]) -> float:
    return figures_of(run).throughput


def _fairness(run: Replay, _: Sequence[str]) -> float:
    mean = figures_of(run).fairness.mean
    return math.nan if mean is None else mean


def _usage(run: Replay, of: Sequence[str], *, name: str) -> float:
    found = next((each for each in figures_of(run).usage if each.resource == of[0]), None)
    return 0.0 if found is None else float(getattr(found, name))


OF_QUEUE: Final[Mapping[str, Replayed]] = {
    **_OF_JOBS,
    "missed": Replayed(_missed, "less", is_part=True, unknown=_NO_DEBTS),
}
"""The figures of the jobs of a queue, by name."""

OF_ALL: Final[Mapping[str, Replayed]] = {
    **{f"{PREFIX}{name}": each for name, each in _OF_JOBS.items()},
    f"{PREFIX}makespan": Replayed(partial(_ended, read=lambda run: run.makespan), "less", is_time=True, can_lack=True),
    f"{PREFIX}drain": Replayed(
        partial(_ended, read=lambda run: figures_of(run).drain), "less", is_time=True, can_lack=True
    ),
    f"{PREFIX}throughput": Replayed(_throughput, "more"),
    f"{PREFIX}fairness": Replayed(_fairness, "more", unknown=_NO_CONTEST),
}
"""The figures of all jobs and of the whole cluster, by name."""

OF_RESOURCE: Final[Mapping[str, Replayed]] = {
    f"{PREFIX}used": Replayed(partial(_usage, name="used"), "more", is_part=True),
    f"{PREFIX}peak": Replayed(partial(_usage, name="peak"), None, is_part=True),
    f"{PREFIX}stranded": Replayed(partial(_usage, name="stranded"), "less", is_part=True),
}
"""The figures of a resource, by name."""

BY_FAMILY: Final[Mapping[str, Replayed]] = {
    **OF_ALL,
    **OF_RESOURCE,
    **{f"queue.{name}": each for name, each in OF_QUEUE.items()},
    **{f"priority.{name}": each for name, each in OF_PRIORITY.items()},
    **{f"job.{name}": each for name, each in OF_JOB.items()},
}
"""All of them by the names of their families: those of queues, priorities and jobs, by kind and figure."""
