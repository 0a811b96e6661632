"""Jobs that are taken to arrive later, as those of the snapshot did: at their rate, each like one of them.

The rate is that of the creation of the Volcano Jobs that the snapshot has, ended ones among them, from the first of
them until now. Jobs that were deleted when they had ended are not counted. Where the last job was created longer ago
than three of the mean times between them, which chance explains once in twenty times, none is taken to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.durations import write_seconds
from vqs.model.moments import later
from vqs.model.wording import count
from vqs.replay.distribution import share
from vqs.replay.generator import HOUR, HOURS_OF_A_DAY, Poisson, Window, named
from vqs.replay.when.outcome import Assumption
from vqs.replay.workload import Arrival, Timing

FEWEST: Final = 4
"""The fewest jobs that say how often others arrive."""

_STOPPED: Final = 3.0
"""After how many mean times between jobs without any, none is taken to follow."""

MOST: Final = 1000
"""The most jobs that are taken to arrive."""


TimingOf = Callable[[k8s.VolcanoJob, str], Mapping[str, Timing]]
"""Says how the pods of a job run, by role, that is like the one of a namespace/name."""


@dataclass(frozen=True)
class Further:
    """Jobs that arrive at random moments, each like one of some jobs.

    Attributes:
        jobs: what they are like.
        process: the moments.
        begin: the point in time of second 0.
        timing: how the pods of a job run.
    """

    jobs: Sequence[k8s.VolcanoJob]
    process: Poisson
    begin: datetime
    timing: TimingOf

    @property
    def end(self) -> float:
        """The time at which they stop, as far as that is known beforehand."""
        return self.process.end

    def expected(self, until: float) -> float:
        """Return how many arrive up to some time, on average."""
        return min(self.process.per_hour[0] * min(until, self.process.window.until) / HOUR, float(MOST))

    def arrivals(self, seed: int) -> Iterator[Arrival]:
        """Yield the jobs by the moments at which they arrive."""
        for number, moment in enumerate(self.process.moments(seed, "further")):
            like = self.jobs[int(share(seed, "like", number) * len(self.jobs))]
            job = named(like, f"{like.metadata.name}-later-{number}", later(self.begin, moment))
            metadata = structs.replace(job.metadata, uid="")
            job = structs.replace(job, metadata=metadata, status=k8s.VolcanoJobStatus())
            yield Arrival(moment, job, self.timing(job, like.metadata.key))


def further(
    jobs: Sequence[k8s.VolcanoJob],
    now: datetime,
    within: float,
    timing: TimingOf,
) -> tuple[Further | None, Assumption]:
    """Return the jobs that arrive within some seconds from now, None where none is taken to, and what that rests on."""
    created = [(at, job) for job in jobs if (at := job.metadata.creation_timestamp) is not None and at <= now]
    ages = sorted((now - at).total_seconds() for at, _ in created)
    if len(ages) < FEWEST or not ages[-1]:
        said = f"no job arrives: the snapshot has {count(len(ages), 'Volcano Job')}, too few to say how often they do"
        return None, Assumption(source="workload", pods=0, overdue=0, text=said)
    mean = ages[-1] / (len(ages) - 1)
    if ages[0] > _STOPPED * mean:
        ago = write_seconds(round(ages[0]))
        said = f"no job arrives: the last was created {ago} ago, and one every {_every(mean)} before"
        return None, Assumption(source="workload", pods=0, overdue=0, text=said)
    process = Poisson((HOUR / mean,) * HOURS_OF_A_DAY, 0.0, Window(0.0, within, MOST))
    said = f"a job arrives every {_every(mean)} on average, like one of the {len(ages):,} that did"
    return Further([job for _, job in created], process, now, timing), Assumption(
        source="workload", pods=0, overdue=0, text=said
    )


def _every(seconds: float) -> str:
    """Write a mean time: whole seconds, or less where it is short."""
    return write_seconds(max(round(seconds), 1))
