"""Sessions one after another, until the pods of what is admitted have been tried; and their outcome as a whole.

`vqs simulate` tells what the next session does. Whoever asks about a job wants to know what becomes of its pods, and
these may be created only once a session has admitted the PodGroup. Where no pods are awaited, one session is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from msgspec import structs

from vqs.config.known_plugins import PLUGINS
from vqs.explain.aftermath import PERIOD, Aftermath
from vqs.explain.outcome import Decision, NodeResult, Simulation, TaskResult, Utilisation
from vqs.explain.simulate import Finished, SimulateOptions, run_bare_session, run_session
from vqs.explain.verdicts import created_next
from vqs.model.awaited import ADMISSION, REFUSED
from vqs.model.job import NOT_ADMITTED
from vqs.model.task import TaskStatus
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.manifests import Manifests

Outcome = TypeVar("Outcome")

MOST_SESSIONS: Final = 10
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
        self._aftermath = Aftermath(manifests, self._cache)
        self._options = options
        self._now = first.session.options.now
        self._following: Manifests | None = None
        self.goes_on = True

    def until_tried(self, job: str | None = None, since: int = 1) -> list[Finished]:
        """Go on as long as the controllers create pods of what the session before has admitted; return the sessions.

        Args:
            job: the only job, by namespace/name, that is asked about: its pods are all that has to be tried.
            since: how many sessions that were run are there whatever they brought.
        """
        number = since
        while number < MOST_SESSIONS and self._may_bring_pods(self.sessions[number - 1], job):
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
    return structs.replace(
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
