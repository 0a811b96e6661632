"""Sessions run on edited manifests, to see what becomes of one job; each is run once, and they are counted."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from vqs.engine.framework.session import Session
from vqs.explain.affected import bound_in, evictions, lost_in, lost_in_all, pods_held
from vqs.explain.assemble import decision_on
from vqs.explain.jobs.manifest import owner_of
from vqs.explain.narrowing import BudgetExhausted
from vqs.explain.outcome import Decision, JobLoss, Outlook, Verdict
from vqs.explain.outlook import Prospect, Sessions, look_ahead, tells_of
from vqs.explain.simulate import Finished, SimulateOptions, run_session
from vqs.explain.verdicts import job_verdict, pods_without_task
from vqs.model.job import WAITING_STATUSES, Job, TaskStatus
from vqs.releases.profile import ReleaseChoice
from vqs.snapshot.apiserver.queue_admission import queue_denials
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import Edit, apply

_FEW_VOTES: Final = 20_000
"""Up to this many pairs of nodes and waiting tasks, all votes are kept without being asked for."""

_BY_ITS_DEFAULT: Final = "root-queue-changed"
_FLAG: Final = "unless it runs with --enable-root-queue-protection=false"
"""The webhook denies one kind of change by a flag that is on by default: what comes of it is worth knowing."""


def few_votes(session: Session, job: Job) -> bool:
    """Tell whether the votes on whom to evict for a job are few enough to keep them all."""
    return len(session.nodes) * len(job.having(TaskStatus.Pending)) <= _FEW_VOTES


class Progress(IntEnum):
    """How far a session brings a job; the higher, the better."""

    PENDING = 0
    """Its minimum has no place."""
    PIPELINED = 1
    """Its minimum has a place once resources are released."""
    PLACED = 2
    """Its minimum is bound."""


class Goal(IntEnum):
    """What a change is to bring about, in the sessions that are looked at; the higher, the better."""

    NOTHING = 0
    """No more of its pods are bound than without the change."""
    MORE = 1
    """More of its pods are bound."""
    STARTS = 2
    """More of them are, and its minimum, which was not bound without the change."""
    ALL = 3
    """More of them are, and none waits."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a session, and of those that follow where these are looked at.

    Attributes:
        job: which job it is about.
        progress: how far the sessions that try the job's pods brought it.
        decision: what became of the job; None where the edits cannot be made.
        verdict: why it is not placed, or what of it is not.
        placed: the jobs of which sessions bound some tasks, with their minimum, by uid.
        bound: how many tasks they bound of each job.
        holds: how many pods of each job have a node in the end, after the sessions that try the job's pods.
        evicted: the tasks they evict.
        refused: why the edits cannot be made.
        denied: why the webhook denies them unless it is told to let queue root be changed; then they are simulated.
        names: what the jobs are called, by uid.
        pods: how many pods have a node after each of the sessions, by what their job is called.
        outlook: what became of the job in all of them; None where those that follow are not looked at.
        total: how many pods the job has, those that do not exist yet or are left to other schedulers included.
        losses: what each job loses by what they evict, by what it is called.
        minimums: the minAvailable of each job in the last of them, by what it is called.
        reasons: of how many nodes each reason is against its first task without a place.
    """

    job: str
    progress: Progress
    decision: Decision | None = None
    verdict: Verdict | None = None
    placed: frozenset[str] = frozenset()
    bound: Mapping[str, int] = field(default_factory=dict)
    holds: Mapping[str, int] = field(default_factory=dict)
    evicted: frozenset[str] = frozenset()
    refused: str = ""
    denied: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    pods: Sequence[Mapping[str, int]] = ()
    outlook: Outlook | None = None
    total: int = 0
    losses: Mapping[str, JobLoss] = field(default_factory=dict)
    minimums: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What the job is called."""
        return self.names.get(self.job, self.job)

    @property
    def starts(self) -> bool:
        """Whether the minimum of the job is bound in the end."""
        if self.outlook is None:
            return self.progress is Progress.PLACED
        return self.outlook.starts_in_session is not None

    def after(self, sessions: int) -> Mapping[str, int]:
        """The pods that have a node after a number of sessions, or the last one that changed something."""
        return self.pods[min(sessions, len(self.pods)) - 1]

    def reaches(self, base: Trial) -> Goal:
        """What the change brought about, compared with what comes without it."""
        if self.refused:
            return Goal.NOTHING
        own = self.pods[-1].get(self.called, 0)
        if own <= base.after(len(self.pods)).get(base.called, 0):
            return Goal.NOTHING
        if own >= self.total:
            return Goal.ALL
        return Goal.STARTS if self.starts and not base.starts else Goal.MORE


@dataclass(frozen=True, slots=True)
class Following:
    """What became of some jobs, and of others, in sessions one after another until one changes nothing.

    Attributes:
        prospects: the outlook of each job, by uid.
        totals: how many pods each of them has in the last session that knows it.
        pods: how many pods have a node after each of the sessions, by what their job is called.
        placed: the jobs of which sessions bound some tasks, with their minimum, by uid.
        evicted: the tasks they evict.
        losses: what each job loses by that, by what it is called.
        minimums: the minAvailable of each job in the last of them, by what it is called.
    """

    prospects: Mapping[str, Prospect]
    totals: Mapping[str, int]
    pods: Sequence[Mapping[str, int]]
    placed: frozenset[str]
    evicted: frozenset[str]
    losses: Mapping[str, JobLoss]
    minimums: Mapping[str, int]

    def added_to(self, trial: Trial) -> Trial:
        """Return a trial with what becomes of its job, and of others, in the sessions that follow."""
        return replace(
            trial,
            pods=self.pods,
            outlook=self.prospects[trial.job].outlook,
            total=self.totals[trial.job],
            placed=self.placed,
            evicted=self.evicted,
            losses=self.losses,
            minimums=self.minimums,
        )


def look_on(sessions: Sessions, jobs: Sequence[str]) -> Following:
    """Run the sessions that follow, and return what all of them did with some jobs."""
    pods: list[Mapping[str, int]] = []
    bound: set[str] = set()
    evicted: set[str] = set()
    losses: list[JobLoss] = []
    minimums: dict[str, int] = {}
    totals = dict.fromkeys(jobs, 0)

    def see(finished: Finished) -> None:
        session = finished.session
        pods.append(bound_in(session))
        bound.update(_placed_in(session))
        evicted.update(each.task for each in evictions(session))
        losses.extend(lost_in(session, finished.manifests))
        minimums.clear()
        minimums.update((job.display_name, job.min_available) for job in session.jobs.values())
        known = (uid for uid in jobs if uid in session.jobs)
        totals.update((uid, len(session.jobs[uid].tasks) + pods_without_task(session, uid)) for uid in known)

    prospects = look_ahead(sessions.sessions, sessions, jobs, see=see)
    return Following(prospects, totals, pods, frozenset(bound), frozenset(evicted), lost_in_all(losses), minimums)


class Trials:
    """Runs sessions, as long as there may be more of them.

    Attributes:
        told: the session that decides on the job as it is, with the votes on whom to evict for it.
        admitted: whether only the next session admits the job, and the one that is told of is that.
        has_tried: whether a change was tried, by this process or one that shares the search.
    """

    told: Finished
    has_tried: bool = False

    def __init__(
        self,
        manifests: Manifests,
        options: SimulateOptions,
        job: str,
        most: int | None = None,
        *,
        seconds: float = math.inf,
        ahead: bool = False,
    ) -> None:
        """Take what sessions are run on.

        Args:
            manifests: the snapshot.
            options: how to run the sessions.
            job: the job, by namespace/name of its PodGroup.
            most: how many trials there may be; None is any number.
            seconds: how long they may take; one that would hardly end within that is not begun.
            ahead: whether the sessions that follow are part of a trial.
        """
        self.manifests = manifests
        self.options = replace(
            options,
            watch=frozenset(),
            gates=False,
            nodes=False,
            timing=False,
            progress=None,
            opened=None,
            cache=options.cache or SessionCache(),
        )
        self.job = job
        self.most = most
        self.count = 0
        self.admitted = False
        self._until = time.monotonic() + seconds
        self._took = 0.0
        self._ahead = ahead
        self._maker = ""
        self._known: dict[tuple[str, ...], Trial] = {}

    def open(self) -> None:
        """Run the snapshot without an edit."""
        options = replace(self.options, opened=self._keep_votes)
        with paused_collector():
            sessions = self._sessions(self.manifests, options)
            self.begin(sessions, sessions.until_tried(self.job))

    def begin(self, sessions: Sessions, ran: list[Finished], following: Following | None = None) -> None:
        """Begin with sessions of the snapshot without an edit, by which the job is tried.

        If the last of these does not admit the job, the next one may, as enqueue counts a starting gang twice.

        Args:
            sessions: runs those that follow.
            ran: the sessions that try the job.
            following: what comes of all that were run and follow; looked at where it is not given.
        """
        # Until a trial has shown how long one takes: about as long as these sessions.
        self._took = sum(each.timing.load + each.timing.session for each in ran)
        self.told, base = tells_of(ran, self.job), _trial(ran, self.job)
        base = (following or look_on(sessions, [self.job])).added_to(base)
        if self.job in self.told.session.not_enqueued and sessions.until(len(ran) + 1):
            following_one = tells_of(sessions.until_tried(self.job, len(ran) + 1)[len(ran) :], self.job)
            self.admitted = (
                self.job in following_one.session.jobs and self.job not in following_one.session.not_enqueued
            )
            if self.admitted:
                self.told = following_one
        self._known[()] = base
        made, job = ran[0].manifests.created_from.get("pod_groups", {}), self.told.session.jobs.get(self.job)
        self._maker = made.get(self.job) or (owner_of(job.pod_group.metadata) if job is not None else "")

    def edited(self, edits: Sequence[Edit]) -> Trials:
        """Return what tries further changes on top of some edits, within the same limits.

        Raises:
            BudgetExhausted: there may be no more.
        """
        self._check()
        left = None if self.most is None else self.most - self.count
        options = replace(self.options, cache=None)  # its first session stays, and so nothing of it is handed on
        within = Trials(apply(self.manifests, edits), options, self.job, left, ahead=self._ahead)
        within._until, within._took, within.has_tried = self._until, self._took, self.has_tried
        within.open()
        return within

    def under(self, choice: ReleaseChoice) -> Trial:
        """What becomes of the job as it is, as another release decides; it is not counted, as nothing is changed.

        Raises:
            BudgetExhausted: there is no time left.
        """
        self._check(is_change=False)
        manifests = self.manifests.taken_by(choice.over(self.manifests.release))
        return self._timed(Trials(manifests, self.options, self.job, 1, ahead=self._ahead).run, [])

    def _check(self, *, is_change: bool = True) -> None:
        """See to it that another change may be tried: one always may, and further ones as long as there is time."""
        spent = is_change and self.most is not None and self.count >= self.most
        if spent or (self.has_tried and time.monotonic() + self._took > self._until):
            raise BudgetExhausted

    def _timed(self, work: Callable[[Sequence[Edit]], Trial], edits: Sequence[Edit]) -> Trial:
        """Do some work of a trial, and take note of how long that takes."""
        began = time.monotonic()
        trial = work(edits)
        self.has_tried, self._took = True, time.monotonic() - began
        return trial

    def forget(self) -> None:
        """Forget all trials but the one without an edit: what is tried anew counts, whatever was tried before."""
        self._known = {(): self._known[()]}

    def limit(self, seconds: float) -> None:
        """Begin to count the time that trials may take."""
        self._until = time.monotonic() + seconds

    def _sessions(self, manifests: Manifests, options: SimulateOptions) -> Sessions:
        """Run a session; those after it, without which the job's pods are not tried, can be run as well."""
        return Sessions(manifests, run_session(manifests, options), options)

    def _name(self, first: Finished) -> str:
        """Return what the job is called: the PodGroup of a Deployment with another template has another name."""
        made = first.manifests.created_from.get("pod_groups", {})
        if self.job in first.session.jobs or not self._maker:
            return self.job
        return next((name for name, maker in made.items() if maker == self._maker), self.job)

    def _keep_votes(self, session: Session) -> None:
        """Have all votes on whom to evict for the job kept, where they are few."""
        job = session.jobs.get(self.job)
        if job is not None and few_votes(session, job):
            session.options.watch = frozenset({self.job})

    def run(self, edits: Sequence[Edit]) -> Trial:
        """Run a session with some edits, unless that was done before.

        Raises:
            BudgetExhausted: there have been enough.
        """
        key = tuple(map(str, edits))
        if key not in self._known:
            self._check()
            self.count += 1
            self._known[key] = self._timed(self._run, edits)
        return self._known[key]

    def _run(self, edits: Sequence[Edit]) -> Trial:
        try:
            with paused_collector():
                edited = apply(self.manifests, edits)
                denied = [each.diagnostic for each in queue_denials(self.manifests, edited, edits)]
                for each in denied:
                    if each.code != _BY_ITS_DEFAULT:
                        return Trial(self.job, Progress.PENDING, refused=each.message)
                sessions = self._sessions(edited, self.options)
                name = self._name(sessions.sessions[0])
                ran = sessions.until_tried(name)
                trial = _trial(ran, name)
                if denied:
                    trial = replace(trial, denied=f"{denied[0].code}: {denied[0].message}, {_FLAG}")
                if self._ahead:
                    trial = look_on(sessions, [name]).added_to(trial)
                for session in reversed(ran):  # the next trial begins with a session like the first one
                    session.release()
        except InputErrors as errors:
            return Trial(self.job, Progress.PENDING, refused=errors.diagnostics[0].message)
        return trial


def progress_of(session: Session, job: Job) -> Progress:
    """Return how far a closed session brought a job; one that has no task left to place is placed."""
    if job.having(TaskStatus.Binding) and session.plugins.job_ready(job):
        return Progress.PLACED
    if job.waiting and session.plugins.job_pipelined(job):
        return Progress.PIPELINED
    waits = any(map(job.having, WAITING_STATUSES))
    return Progress.PLACED if job.tasks and not waits and session.plugins.job_ready(job) else Progress.PENDING


def _trial(ran: Sequence[Finished], uid: str) -> Trial:
    """Return what came of a job in sessions one after another; what one of them bound or evicted counts."""
    sessions = [each.session for each in ran]
    # What is told is what the first session says that brings it furthest, the last where none brings it anywhere.
    progress = [progress_of(each, each.jobs[uid]) if uid in each.jobs else Progress.PENDING for each in sessions]
    reached = max(progress)
    told = sessions[-1 if reached is Progress.PENDING else progress.index(reached)]
    job = told.jobs.get(uid)
    refused = (job.fit_errors.get(task.uid) for task in job.unplaced()) if job else iter(())
    bound: Counter[str] = Counter()
    for session in sessions:
        bound.update({each.uid: len(each.having(TaskStatus.Binding)) for each in session.jobs.values()})
    return Trial(
        uid,
        progress=reached,
        decision=decision_on(told, job) if job else None,
        verdict=job_verdict(told, job) if job else None,
        placed=frozenset().union(*map(_placed_in, sessions)),
        bound=bound,
        holds=pods_held(sessions[-1], ran[-1].manifests),
        evicted=frozenset(each.task for session in sessions for each in evictions(session)),
        names={
            job.uid: job.display_name
            for session in sessions
            for job in (*session.jobs.values(), *session.cluster.ignored_jobs)
        },
        reasons=next((dict(each.reasons) for each in refused if each is not None), {}),
    )


def _placed_in(session: Session) -> Iterator[str]:
    """Yield the jobs of which a session binds tasks, with their minimum."""
    for job in session.jobs.values():
        if job.having(TaskStatus.Binding) and progress_of(session, job) is Progress.PLACED:
            yield job.uid
