"""What a change only brings forward or puts off: what each side's next sessions lead to.

A comparison ends with the session in which all pods have been tried. What only one side gets until then, the other may
get a session later: pods that are terminating are gone by then, and other jobs have been admitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from msgspec import structs

from vqs.diff.outcome import JobChange, JobDifference
from vqs.diff.run import Run
from vqs.diff.tasks import State, effect_of, statuses_of
from vqs.explain.affected import evictions
from vqs.explain.outlook import look_ahead
from vqs.model.job import TaskStatus

MOST: Final = 3
"""More sessions than these are not looked ahead."""

Figure = Literal["with a node", "placed", "evicted"]
"""What is counted of a job's tasks; those that are pipelined have a node, and are not placed yet."""

BASE_LATE: Final[Mapping[JobChange, Figure]] = {
    "placed": "with a node",
    "waits": "with a node",
    "placed-at-once": "placed",
    "evicted": "evicted",
}
"""What may come about in the base as well, only later, and what is counted to see that."""

_CANDIDATE_LATE: Final[Mapping[JobChange, Figure]] = {
    "unplaced": "with a node",
    "no-longer-waits": "with a node",
    "waits-instead": "placed",
    "spared": "evicted",
}
"""What may not come about in the candidate only because it comes later there."""

_PLACED: Final = statuses_of(State.PLACED) | {TaskStatus.Succeeded.name}
_WITH_NODE: Final = _PLACED | statuses_of(State.WAITS)


class _Race(NamedTuple):
    """A figure of a job that is `goal` on one side, and less on the side that is behind."""

    figure: Figure
    goal: int
    evicted: int
    """How many of its tasks have been evicted so far on the side that is behind."""


def without_empty_promises(jobs: Sequence[JobDifference], before: Run, after: Run) -> list[JobDifference]:
    """Return job differences in which a reservation that no session keeps is no gain, and its end is no loss.

    The sessions that follow are run where nodes are reserved for a job on one side only.
    """
    empty: set[tuple[str, str]] = set()
    for change, run in (("waits", after), ("no-longer-waits", before)):
        names = {run.jobs[job.uid].uid: job.uid for job in jobs if change in job.changes and job.uid in run.jobs}
        prospects = look_ahead(run.sequence.sessions, run.sequence, names) if names else {}
        empty |= {(names[uid], change) for uid, each in prospects.items() if each.outlook.starts_in_session is None}
    found = []
    for job in jobs:
        kept = [change for change in job.changes if (job.uid, change) not in empty]
        is_kept = len(kept) == len(job.changes)
        found.append(job if is_kept else structs.replace(job, effect=effect_of(kept), reserved_not_bound=True))
    return found


def with_catching_up(jobs: Sequence[JobDifference], before: Run, after: Run) -> list[JobDifference]:
    """Return job differences that say after how many more sessions the side that is behind has caught up.

    No session is run where no job can catch up, or nothing changes any more; at most `MOST` are on each side. Jobs that
    both gain and lose are left out: there is no one side that is behind.
    """
    of_base, of_candidate = {}, {}
    for job in jobs:
        if job.before is not None and job.after is not None and job.effect in ("gains", "loses"):
            if figure := BASE_LATE.get(job.changes[0]):
                of_base[job.uid] = _Race(
                    figure, _count(figure, job.after.statuses, job.after.evicted), job.before.evicted
                )
            elif figure := _CANDIDATE_LATE.get(job.changes[0]):
                of_candidate[job.uid] = _Race(
                    figure, _count(figure, job.before.statuses, job.before.evicted), job.after.evicted
                )
    late = _caught_up(before, of_base) | _caught_up(after, of_candidate)
    return [structs.replace(job, caught_up_after=late.get(job.uid)) for job in jobs]


def _count(figure: Figure, statuses: Mapping[str, int], evicted: int) -> int:
    if figure == "evicted":
        return evicted
    wanted = _PLACED if figure == "placed" else _WITH_NODE
    return sum(number for status, number in statuses.items() if status in wanted)


def _caught_up(run: Run, races: Mapping[str, _Race]) -> dict[str, int]:
    """Return after how many more sessions each job has reached its goal; without those that do not."""
    reached: dict[str, int] = {}
    evicted = Counter({name: race.evicted for name, race in races.items()})
    for number, finished in enumerate(islice(run.sequence.ahead(), MOST if races else 0), 1):
        jobs = {run.key(uid): job for uid, job in finished.session.jobs.items()}
        evicted.update(run.key(each.job) for each in evictions(finished.session))
        for name, race in races.items():
            statuses = Counter(task.status.name for task in jobs[name].tasks.values()) if name in jobs else {}
            if _count(race.figure, statuses, evicted[name]) >= race.goal:
                reached.setdefault(name, number)
        if len(reached) == len(races):
            break
    return reached
