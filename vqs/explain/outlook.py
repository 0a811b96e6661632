"""What becomes of jobs in the sessions that follow, when only the scheduler and the controllers act.

A session that reserves nodes for a job, or evicts pods for it, promises nothing: the next one decides anew. So the
sessions that follow are run, until one changes nothing, and what is said of a job's future is what they did with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain, islice
from typing import Final

from msgspec import structs

from vqs.engine.framework.finished import FinishedSession
from vqs.explain.affected import evictions
from vqs.explain.blockers import blockers_of
from vqs.explain.outcome import Blocker, JobResult, Outlook, Simulation
from vqs.explain.sequence import Sessions
from vqs.explain.simulate import Finished, SimulateOptions, run_session, simulation_of
from vqs.explain.texts import headline
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.task import READY_STATUSES, Task, TaskStatus
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests

MOST_SESSIONS: Final = 8
"""As many sessions are looked at, the first one included."""


_NOT_BOUND: Final = VERDICT_RULES[VerdictCode.RESERVED_NOT_BOUND]

Takers = Callable[[], dict[str, list[Task]]]
"""Returns the tasks that waited before a session and that it gave a node, or reserved one for, by that node."""


@dataclass(slots=True)
class _Course:
    """What sessions one after another did with a job: a number, or names, for each of them.

    Attributes:
        minimum: how many of its tasks have to be placed at once; None as long as no session knows the job.
        before: how many had a node when the first session opened.
        held: how many have a node after a session.
        reserved: for how many a session reserves nodes.
        evicted: how many tasks a session evicts in its favour.
        leaving: what has to leave the nodes that a session reserves.
        places: the nodes that the session before reserved, by task.
        taken: which room that was reserved for a task went to another one in the next session, in a sentence.
        blockers: what keeps it from being placed in the last session, where that is not the first one.
    """

    minimum: int | None = None
    before: int = 0
    held: list[int] = field(default_factory=list)
    reserved: list[int] = field(default_factory=list)
    evicted: list[int] = field(default_factory=list)
    leaving: list[list[str]] = field(default_factory=list)
    places: dict[str, tuple[str, str]] = field(default_factory=dict)
    taken: str = ""
    blockers: list[Blocker] = field(default_factory=list)

    def see(self, session: FinishedSession, job: Job | None, takers: Takers) -> None:
        """Take in what one more session did; `job` is None where it does not know the job."""
        if job is not None and self.minimum is None:
            self.minimum = job.min_available
            self.before = sum(task.status_before in READY_STATUSES for task in job.tasks.values())
        pipelined = [] if job is None else job.having(TaskStatus.Pipelined).values()
        # Who got the room that the session before had reserved for a task, where that one has no node yet.
        waits = {} if job is None else job.having(TaskStatus.Pending)
        lost = [place for uid, place in self.places.items() if uid in waits]
        lost += [
            self.places[task.uid]
            for task in pipelined
            if task.uid in self.places and task.node != self.places[task.uid][1]
        ]
        for name, node in sorted(lost):
            taker = next((task for task in takers().get(node, ()) if job is None or task.job != job.uid), None)
            if taker is not None:
                number, by = len(self.held), f"{taker.namespace}/{taker.name}"
                self.taken = _NOT_BOUND.said("taken by", node=node, task=name, number=number, taker=by, next=number + 1)
                break
        self.places = {task.uid: (task.name, task.node or "") for task in pipelined}
        self.held.append(0 if job is None else job.ready)
        self.reserved.append(len(pipelined))
        self.evicted.append(0)
        self.leaving.append(
            sorted({f"{each.namespace}/{each.name}" for task in pipelined for each in session.leaving_before(task)})
        )

    def overtaken(self) -> list[Blocker]:
        """What keeps a job waiting of which each session reserves nodes for all tasks that are left."""
        if not self.taken:
            return []
        return [Blocker(code=_NOT_BOUND.code.value, owner="cluster", text=_NOT_BOUND.said("taken", text=self.taken))]

    def outlook(self, *, settled: bool) -> Outlook:
        """What is said of the job's future."""
        minimum = math.inf if self.minimum is None else self.minimum
        starts = (number for number, held in enumerate(self.held, 1) if held >= minimum)
        started = 0 if self.before >= minimum else next(starts, None)
        outlook = Outlook(
            sessions=len(self.held),
            starts_in_session=started,
            settled=settled,
            pods_bound=self.held[-1],
            pods_evicted=sum(self.evicted),
            sessions_evicting=sum(map(bool, self.evicted)),
            sessions_reserving=sum(map(bool, self.reserved)),
            waits_for=self.leaving[started - 2] if started and started > 1 else [],
        )
        outlook.says = headline.prospect(outlook)
        return outlook


@dataclass(frozen=True, slots=True)
class Prospect:
    """The outlook of a job, and what keeps it from being placed in the last session that was looked at.

    There are no `blockers` where that is the first session, nothing was done in the job's favour, or the job starts.
    """

    outlook: Outlook
    blockers: list[Blocker]


def look_ahead(
    ran: Sequence[Finished],
    sequence: Sessions,
    jobs: Collection[str],
    most: int = MOST_SESSIONS,
    *,
    see: Callable[[Finished], None] | None = None,
    releasing: bool = False,
) -> dict[str, Prospect]:
    """Run the sessions that follow, and say what becomes of some jobs.

    Args:
        ran: the sessions that were run, the first one first.
        sequence: runs the others.
        jobs: the jobs, by the namespace/name of their PodGroups.
        most: how many sessions may be looked at, those that were run included.
        see: called with each of the sessions.
        releasing: whether nothing looks at the last one that was run any more.
    """
    courses = {job: _Course() for job in jobs}
    following = islice(sequence.ahead(releasing=releasing), max(most - len(ran), 0))
    for number, finished in enumerate(chain(ran, following), 1):
        session = finished.session
        if see is not None:
            see(finished)
        takers = cache(partial(_takers, session))
        is_last = number > len(ran) and (number == most or not sequence.goes_on)
        for uid, course in courses.items():
            job = session.jobs.get(uid)
            course.see(session, job, takers)
            if (
                is_last
                and (any(course.reserved) or any(course.evicted))
                and job is not None
                and course.minimum is not None
                and job.ready < course.minimum
            ):
                course.blockers = blockers_of(session, job) or course.overtaken()
        for eviction in evictions(session):
            if eviction.evictor_job in courses:
                courses[eviction.evictor_job].evicted[-1] += 1
    settled = not sequence.goes_on
    return {job: Prospect(course.outlook(settled=settled), course.blockers) for job, course in courses.items()}


def _takers(session: FinishedSession) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = {}
    for job in session.jobs.values():
        for status in (TaskStatus.Pipelined, TaskStatus.Allocated, TaskStatus.Binding):
            for task in job.having(status).values():
                if task.status_before is TaskStatus.Pending:
                    found.setdefault(task.node or "", []).append(task)
    return found


def ahead_of_promises(
    ran: Sequence[Finished], sequence: Sessions, jobs: Iterable[str], *, releasing: bool = False
) -> dict[str, Prospect]:
    """Run the sessions that follow where the last one that was run reserves nodes for any job.

    Returns what becomes of those of `jobs` for which it does, and of others that start then, or that something else
    keeps waiting then. The other arguments are those of `look_ahead`.
    """
    known = ran[-1].session.jobs
    promised = {uid for uid, job in known.items() if job.waiting}
    if not promised:
        return {}
    waiting = [uid for uid in jobs if uid in known and (uid in promised or known[uid].having(TaskStatus.Pending))]
    return {
        uid: prospect
        for uid, prospect in (look_ahead(ran, sequence, waiting, releasing=releasing) if waiting else {}).items()
        if uid in promised or prospect.outlook.starts_in_session or prospect.blockers
    }


def simulate_ahead(manifests: Manifests, options: SimulateOptions) -> Simulation:
    """Run one session; where it reserves nodes for jobs, also those that follow, to say what becomes of these jobs.

    Raises:
        InputErrors: as for `vqs.explain.simulate.simulate`.
    """
    with paused_collector():
        options = replace(options, cache=SessionCache())
        finished = run_session(manifests, options)
        result = simulation_of(finished, manifests, options)
        sequence = Sessions(manifests, finished, options)
        prospects = ahead_of_promises([finished], sequence, finished.session.jobs, releasing=True)
        for job in result.jobs:
            if job.uid in prospects:
                take(job, prospects[job.uid])
        return result


def take(job: JobResult, prospect: Prospect) -> None:
    """Add to a job what becomes of it; where it never starts, what keeps it from that in the end comes first.

    Its figures are those of the last session that was looked at, which is named where they are not those of the first.
    """
    job.outlook = prospect.outlook
    if prospect.outlook.starts_in_session is None and prospect.blockers:
        impossible = [each for each in job.blockers if each.impossible]
        now = {each.text for each in job.blockers}
        then = [
            each
            if each.impossible or each.have is None or each.text in now
            else structs.replace(each, text=f"in session {prospect.outlook.sessions}, {each.text}")
            for each in prospect.blockers
        ]
        found = {(each.code, each.resource, each.queue): each for each in reversed([*impossible, *then])}
        job.blockers = list(reversed(found.values()))
    if prospect.outlook.starts_in_session is None and not job.blockers and job.verdict is not None:
        if job.verdict.action:
            text = _NOT_BOUND.said("never bound", action=job.verdict.action)
            job.blockers = [Blocker(code=_NOT_BOUND.code.value, owner="cluster", text=text)]
        else:
            job.blockers = [Blocker(code=job.verdict.code, owner="job", text=job.verdict.text)]
