"""Jobs of a template that arrive again and again: at a fixed interval, or at random moments at a rate.

The moments of a template depend on the seed and its name alone, so that policies compared under one seed see the same
jobs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.moments import later
from vqs.replay.distribution import share
from vqs.replay.workload import Arrival, Timing

HOUR: Final = 3600.0
HOURS_OF_A_DAY: Final = 24


@dataclass(frozen=True, slots=True)
class Window:
    """When a process begins and stops, in seconds, and how many moments it has at most."""

    start: float
    until: float
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Every:
    """A moment at the start of the window, and others at a fixed interval in seconds."""

    interval: float
    window: Window

    @property
    def expected(self) -> float:
        """How many moments there are."""
        window = self.window
        number = (window.until - window.start) / self.interval
        return min(math.ceil(number), window.most) if number < math.inf else window.most

    @property
    def end(self) -> float:
        """When there are no more of them."""
        window = self.window
        return min(window.until, window.start + window.most * self.interval)

    def moments(self, seed: int, name: str) -> Iterator[float]:  # noqa: ARG002 - nothing is drawn
        """Yield the moments."""
        window = self.window
        for number in count():
            moment = window.start + number * self.interval
            if moment >= window.until or number >= window.most:
                return
            yield moment


@dataclass(frozen=True, slots=True)
class Poisson:
    """Moments that do not depend on one another.

    Attributes:
        per_hour: how many there are in an hour on average, for each hour of the day in UTC.
        second_of_day: the time of the day at the start of the replay, in seconds since midnight.
        window: when they may be.
    """

    per_hour: tuple[float, ...]
    second_of_day: float
    window: Window

    @property
    def expected(self) -> float:
        """How many moments there are on average; the rates of a day are taken for any part of one."""
        rate = max(self.per_hour)
        if rate == 0:
            return 0.0
        return min(rate * (self.window.until - self.window.start) / HOUR, self.window.most)

    @property
    def end(self) -> float:
        """About when there are no more of them: of rates that change, the mean is taken."""
        rate = sum(self.per_hour) / len(self.per_hour)
        return min(self.window.until, self.window.start + self.window.most * HOUR / rate if rate else math.inf)

    def moments(self, seed: int, name: str) -> Iterator[float]:
        """Yield the moments: the times between them are exponential where the rate is constant."""
        moment = self.window.start
        for number in count():
            if number >= self.window.most:
                return
            # The next one is where so many are expected since this one, hour by hour.
            expected = -math.log1p(-share(seed, "arrival", name, number))
            while True:
                if moment >= self.window.until:
                    return
                hours = (self.second_of_day + moment) / HOUR
                rate = self.per_hour[int(hours) % HOURS_OF_A_DAY] / HOUR
                seconds_left = max((math.floor(hours) + 1 - hours) * HOUR, 1e-3)
                if rate * seconds_left >= expected:
                    break
                expected -= rate * seconds_left
                moment += seconds_left
            moment += expected / rate
            if moment >= self.window.until:
                return
            yield moment


Process = Every | Poisson
"""Moments at which something happens, in seconds since the start of the replay."""


@dataclass(frozen=True, slots=True)
class Template:
    """Jobs that are alike but for their names and the moments at which they arrive.

    Attributes:
        job: what arrives; its name is the first part of theirs.
        process: the moments.
        timing: how their pods run, by role.
        begin: the point in time of second 0.
    """

    job: k8s.VolcanoJob
    process: Process
    timing: Mapping[str, Timing]
    begin: datetime

    @property
    def end(self) -> float:
        """The time at which they stop, as far as that is known beforehand."""
        return self.process.end

    def expected(self, until: float) -> float:
        """Return how many arrive up to some time, on average, as if they came evenly."""
        start = self.process.window.start
        part = 1.0 if until >= self.end else max(until - start, 0.0) / (self.end - start)
        return self.process.expected * part

    def arrivals(self, seed: int) -> Iterator[Arrival]:
        """Yield the jobs by the moments at which they arrive."""
        for number, moment in enumerate(self.process.moments(seed, self.job.metadata.key)):
            name = f"{self.job.metadata.name}-{number}"
            yield Arrival(moment, named(self.job, name, later(self.begin, moment)), self.timing)


def named(job: k8s.VolcanoJob, name: str, created: datetime) -> k8s.VolcanoJob:
    """Return a job under a name and with the time of its creation; the specs are shared."""
    metadata = structs.replace(job.metadata, name=name, creation_timestamp=created)
    return structs.replace(job, metadata=metadata)
