"""What becomes of jobs in the sessions that follow, when only the scheduler and the controllers act.

A session that reserves nodes for a job, or evicts pods for it, promises nothing: the next one decides anew. So the
sessions that follow are run, until one changes nothing, and what is said of a job's future is what they did with it.

`vqs simulate` tells what the next session does. Whoever asks about a job wants to know what becomes of its pods, and
these may be created only once a session has admitted the PodGroup. Where no pods are awaited, one session is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import chain, islice
from typing import Final, TypeVar

from msgspec import structs

from vqs.config.known_plugins import PLUGINS
from vqs.engine.framework.finished import FinishedSession
from vqs.explain.affected import evictions
from vqs.explain.aftermath import PERIOD, Aftermath
from vqs.explain.blockers import blockers_of
from vqs.explain.outcome import Blocker, Decision, JobResult, NodeResult, Outlook, Simulation, TaskResult, Utilisation
from vqs.explain.simulate import Finished, SimulateOptions, run_bare_session, run_session, simulation_of
from vqs.explain.texts import node_reasons
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import created_next
from vqs.explain.words import reason_of, tell_of_jobs
from vqs.model.awaited import ADMISSION, REFUSED
from vqs.model.codes import VerdictCode
from vqs.model.job import NOT_ADMITTED, READY_STATUSES, Job, Task, TaskStatus
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests

Outcome = TypeVar("Outcome")

MOST_IN_SEQUENCE: Final = 10
"""More sessions are not run: where tasks depend on one another in a longer chain, the report ends with the last one."""

_TIMED: Final = frozenset(["cdp", "deviceshare", "extender", "numa-aware", "rescheduling", "sla", "tdm", "usage"])
"""The plugins that decide by more than the objects, such as the time; those from outside the package may, too."""

_NOTHING_TRIED: Final = ("not-considered", "not-enqueued")
_BOUND: Final = ("committed", "partially-committed")


# --- running ----------------------------------------------------------------------------------------------------------


class Sessions:
    """Sessions one after another, each on what the one before has left behind.

    Attributes:
        sessions: those that were run, the first one first.
        goes_on: whether the last session that was yielded by `ahead`, or else that was run, changes anything.
    """

    def __init__(self, manifests: Manifests, first: Finished, options: SimulateOptions) -> None:
        self.sessions = [first]
        self._cache = SessionCache() if options.cache is None else options.cache
        self._manifests = manifests
        self._options = options
        self._now = first.session.options.now
        self._following: Manifests | None = None
        self.goes_on = True

    @cached_property
    def _aftermath(self) -> Aftermath:
        return Aftermath(self._manifests, self._cache)

    def until_tried(self, job: str | None = None, since: int = 1) -> list[Finished]:
        """Go on as long as the controllers create pods of what the session before has admitted; return the sessions.

        Args:
            job: the only job, by namespace/name, that is asked about: its pods are all that has to be tried.
            since: how many sessions that were run are there whatever they brought.
        """
        number = since
        while number < MOST_IN_SEQUENCE and self._may_bring_pods(self.sessions[number - 1], job):
            if number == len(self.sessions):
                following = self._left_behind()
                if not self._aftermath.created:
                    break
                self._run(following)
            number += 1
        return self.sessions[:number]

    def until(self, number: int) -> list[Finished]:
        """Go on until the given number of sessions has run."""
        while len(self.sessions) < number:
            self._run(self._left_behind())
        return self.sessions

    def ahead(self, *, releasing: bool = False) -> Iterator[Finished]:
        """Yield the sessions that come after those that were run, until one changes nothing.

        Each is gone once the next one, or the end, is asked for; if `releasing`, so is the last one that was run, whose
        session cache is then used.
        """
        following, now = self._left_behind(), self._now
        last = self.sessions[-1]
        process = last.session.options.process
        aftermath = self._aftermath.fork()
        cache = self._cache if releasing else self._cache.ahead
        options = replace(self._options, cache=cache, gates=False, watch=frozenset(), opened=None)
        self.goes_on = aftermath.changed
        while self.goes_on:
            if aftermath.has_more or not _is_repeated(last, following):
                if releasing or last is not self.sessions[-1]:
                    last.release()
                now += PERIOD
                last = run_bare_session(following, replace(options, now=now, process=process))
                process = last.session.options.process
                following = aftermath.of(last, now)
                self.goes_on = aftermath.changed
            else:
                self.goes_on = False  # the next one decides the same
            yield last
        if last is not self.sessions[-1]:
            last.release()

    @staticmethod
    def _may_bring_pods(last: Finished, job: str | None) -> bool:
        """True if pods may be created after a session that were awaited before it."""
        awaited, jobs = last.manifests.awaited, last.session.jobs
        if job is not None and job not in awaited:
            return False
        return any(
            uid in jobs and (pods.waits_for not in (ADMISSION, REFUSED) or created_next(jobs[uid], pods))
            for uid, pods in awaited.items()
        )

    def _left_behind(self) -> Manifests:
        if self._following is None:
            self._following = self._aftermath.of(self.sessions[-1], self._now)
        return self._following

    def _run(self, manifests: Manifests) -> None:
        self._now += PERIOD
        self._following = None
        process = self.sessions[-1].session.options.process
        self.sessions.append(run_session(manifests, replace(self._options, now=self._now, process=process)))


def _is_repeated(last: Finished, following: Manifests) -> bool:
    """True if the next session decides as the last one did, of which nothing is left but other phases of PodGroups.

    Phases count when jobs ask to be admitted. That may not be said of sessions that depend on the time, on where a
    search for nodes ended, or on what is outside of them.
    """
    session = last.session
    plugins = {option.name for option in session.conf.plugins}
    return (
        plugins <= PLUGINS.built_in.keys() - _TIMED
        and session.options.sample is None
        and session.profile.enqueue.inqueue_jobs == "stay"
        and not any(group.status.phase in NOT_ADMITTED for group in following.pod_groups)
    )


def tells_of(sessions: Sequence[Finished], job: str) -> Finished:
    """Return the session that tells of a job: the first that finds all of its pods, else the last that knows it."""
    knowing = [each for each in sessions if job in each.session.jobs] or [sessions[-1]]
    return next((each for each in knowing if job not in each.manifests.awaited), knowing[-1])


# --- the outcome as a whole -------------------------------------------------------------------------------------------


def as_one(simulations: Sequence[Simulation]) -> Simulation:
    """Return what became of a cluster in sessions one after another, as if it were the outcome of one.

    Jobs, tasks and nodes are told of as the first session found them, and as the last one left them. A pod that was
    bound in an earlier session is bound, though the last one finds it running; a pod that was evicted is evicted,
    though it is gone by then or there again. Queues have the figures of the last session, which is the first to see all
    requests.
    """
    first, last = simulations[0], simulations[-1]
    if first is last:
        return first
    jobs = ((f"{job.namespace}/{job.name}", job) for each in simulations for job in each.jobs)
    tasks = ((f"{task.namespace}/{task.name}", task) for each in simulations for task in each.tasks)
    statements = [statement for each in simulations for statement in each.trace]
    noticed = {(each.code, each.message): each for simulation in simulations for each in simulation.diagnostics}

    def task_as_one(before: TaskResult, task: TaskResult) -> TaskResult:
        keeps = keeps_status(before.status, task.status)
        return before if keeps else structs.replace(task, status_before=before.status_before)

    merged_jobs = [
        *_merged(
            jobs,
            lambda before, job: structs.replace(
                job, phase_before=before.phase_before, decision=_decision(before.decision, job.decision)
            ),
        )
    ]
    merged_tasks = sorted(_merged(tasks, task_as_one), key=lambda task: (task.namespace, task.name))
    outside = len(last.tasks) - last.session.tasks
    whole = structs.replace(
        last,
        session=structs.replace(
            last.session,
            now=first.session.now,
            sessions=len(simulations),
            jobs=len(merged_jobs),
            tasks=len(merged_tasks) - outside,
        ),
        jobs=merged_jobs,
        tasks=merged_tasks,
        trace=[structs.replace(each, id=number) for number, each in enumerate(statements, 1)],
        diagnostics=list(noticed.values()),
        utilisation=list(_utilisation(first.utilisation, last.utilisation)),
        nodes=list(_nodes(first.nodes, last.nodes)),
        expectations=first.expectations,
        losses=[lost for each in simulations for lost in each.losses],
        taint_evictions=list(
            {each.task: each for sim in reversed(simulations) for each in sim.taint_evictions}.values()
        ),
    )
    return tell_of_jobs(whole)


def _merged(found: Iterable[tuple[str, Outcome]], later: Callable[[Outcome, Outcome], Outcome]) -> Iterator[Outcome]:
    """Yield what was found under each name; of what was found again, `later` makes one of the earlier and the later."""
    merged: dict[str, Outcome] = {}
    for name, outcome in found:
        merged[name] = later(merged[name], outcome) if name in merged else outcome
    yield from merged.values()


def _decision(before: Decision, after: Decision) -> Decision:
    """Return the decision on a job as a whole: the last one that came of trying it, and what was bound stays bound."""
    if after in _NOTHING_TRIED and before not in _NOTHING_TRIED:
        return before
    return "partially-committed" if before in _BOUND and after not in _BOUND else after


def keeps_status(before: str, after: str) -> bool:
    """Tell whether what became of a task in an earlier session stays, given its statuses after that and a later one."""
    is_evicted = before == TaskStatus.Releasing.name
    stays_bound = before == TaskStatus.Binding.name and after == TaskStatus.Running.name
    return is_evicted or stays_bound


def _utilisation(first: Iterable[Utilisation], last: Iterable[Utilisation]) -> Iterator[Utilisation]:
    before = {each.resource: each for each in first}
    for each in last:
        was = before.get(each.resource, each)
        yield structs.replace(each, used_before=was.used_before, stranded_before=was.stranded_before)


def _nodes(first: Iterable[NodeResult], last: Iterable[NodeResult]) -> Iterator[NodeResult]:
    before = {each.name: each for each in first}
    for each in last:
        was = before.get(each.name, each)
        yield structs.replace(each, used_before=was.used_before, pods_before=was.pods_before)


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
        outlook.says = node_reasons.prospect(outlook)
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
    job.reason = reason_of(job)
