"""The figures of a point: what is collected of it, and what conditions are about.

They are those of --fail-on (`vqs.diff.conditions`), and some that only a sweep has. A figure belongs to an evaluation:
what has to be run to know it. All figures of one evaluation come of the same run; `EVALUATIONS` has the kinds there
are, and `FAMILIES` what each figure is read of.

======================================== ============================================================================
``evicted``                              tasks that are evicted, whether or not they are in the base, too
``running``                              tasks that run when the session closes
``queue:NAME.FIGURE``                    placed, pipelined, pending or evicted tasks of a queue
``job:NAMESPACE/NAME.verdict``           the code of what holds the job back; empty where nothing does
``job:NAMESPACE/NAME.decision``          what became of the job, such as committed or not-enqueued
``job:NAMESPACE/NAME.startCycle``        the first cycle after which the job has as many ready tasks as it needs
``replay.FIGURE``                        a figure of a replay of the workload, such as wait.p95, evictions or makespan
``replay.FIGURE.RESOURCE``               how much of a resource is used over time, its peak, and what is stranded
``queue:NAME.FIGURE``                    a figure of the jobs of a queue in a replay, such as wait.p95 or missed
``priority:CLASS.FIGURE``                the same of the jobs of a priority, by its class or its value
``job:NAMESPACE/NAME.FIGURE``            wait and completion of a job in a replay
======================================== ============================================================================

The base of a point is its snapshot without edits, with the same release and ties broken alike. ``evictions`` counts the
tasks that are evicted, and are not evicted in the base; the other figures of a difference are those of
`vqs.diff.compare`, which takes several times as long as a session.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from vqs.diff.compare import DiffOptions, compare
from vqs.diff.condition_text import parse_figure
from vqs.diff.conditions import AMOUNTS, COUNTS, JOB, LINT, NAMED, OF_DIFFERENCES, PARTS, SHARE, Language, queue_figure
from vqs.diff.outcome import Diff
from vqs.diff.run import Input
from vqs.diff.tasks import State
from vqs.explain.cycles import Cycles, run_cycles
from vqs.explain.sequence import Sessions
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.figures import summed_up
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.sweep.observed import Observed
from vqs.sweep.replayed import BY_FAMILY, OF_ALL, OF_JOB, OF_PRIORITY, OF_QUEUE, OF_RESOURCE, Replayed, Run
from vqs.sweep.workload_jobs import WorkloadJobs

Measured = float | str | None
"""What is read of a figure: infinite where there is no limit, or it never happens; no number (NaN) where it is not
known; None where there is no such thing."""

SESSION: Final = "session"
DIFFERENCE: Final = "difference"
LINTED: Final = "linted difference"
CYCLES: Final = "cycles"
REPLAY: Final = "replay"

NEVER: Final = "never"
"""What the lack of a number is called where something does not happen in the sessions that are run."""


# --- evaluations ------------------------------------------------------------------------------------------------------


@dataclass
class Subject:
    """A point, ready to be run.

    Attributes:
        base: the snapshot without its edits.
        manifests: the snapshot with them.
        options: how to run sessions.
        cycles: how many are run at most, one after another.
        evicted_before: returns the tasks that are evicted in the base, run the same way; that is found out once for
            many points.
        replay: how to replay the workload.
        jobs: the workload that the base is the start of, where points are replayed; with its jobs, which are the same
            for many points.
    """

    base: Manifests
    manifests: Manifests
    options: SimulateOptions
    cycles: int
    evicted_before: Callable[[], frozenset[str]]
    replay: ReplayOptions = field(default_factory=ReplayOptions)
    jobs: WorkloadJobs | None = None

    @cached_property
    def after(self) -> Observed:
        """What becomes of the point."""
        return observe(self.manifests, self.options)

    def release(self) -> None:
        """Leave what the point was run on to the next one; figures that were not read are gone then."""
        if "after" in vars(self):
            self.after.release()


def observe(manifests: Manifests, options: SimulateOptions) -> Observed:
    """Run sessions on a snapshot until all pods have been tried.

    Raises:
        InputErrors: the scheduler's configuration is one that Volcano refuses.
    """
    with paused_collector():
        first = run_session(manifests, options)
        return Observed(Sessions(manifests, first, options).until_tried())


def _session(subject: Subject) -> Subject:
    _ = subject.after
    return subject


def _difference(subject: Subject, *, lint: bool) -> Diff:
    before, after = Input("base", subject.base), Input("point", subject.manifests)
    return compare(before, after, DiffOptions(subject.options, lint=lint))


def _cycles(subject: Subject) -> Cycles:
    return run_cycles(subject.manifests, subject.options, subject.cycles)


def _replayed(subject: Subject) -> Run:
    jobs = subject.jobs
    if jobs is None:
        raise ValueError("figures of a replay need a workload")
    made = summed_up(replay(replace(jobs.workload, start=subject.manifests), subject.replay))
    if made.stopped is not None:
        raise InputErrors([Diagnostic(code="replay-stopped", severity="error", message=made.stopped.told())])
    return Run(
        made,
        lambda: jobs.names(subject.manifests, (f"{each.namespace}/{each.name}" for each in made.jobs)),
        {each.metadata.name: each.value for each in subject.manifests.priority_classes},
    )


EVALUATIONS: Final[Mapping[str, Callable[[Subject], Any]]] = {
    SESSION: _session,
    DIFFERENCE: partial(_difference, lint=False),
    LINTED: partial(_difference, lint=True),
    CYCLES: _cycles,
    REPLAY: _replayed,
}
"""What is run to know figures, by name. Each is run at most once for a point."""


# --- figures ----------------------------------------------------------------------------------------------------------


class Family(NamedTuple):
    """Figures that are read alike.

    Attributes:
        evaluation: what has to be run to know them.
        read: reads one, given what came of the run, and the parts of the figure.
        missing: what the lack of a number is called; in documents it is null.
        unknown: why one may not be known.
    """

    evaluation: str
    read: Callable[[Any, tuple[str, ...]], Measured]
    missing: str = "unknown"
    unknown: str = "no plugin divides resources by queue, or scheduling is blocked"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: as it was written, and its parts, the first of which is its kind."""

    text: str
    parts: tuple[str, ...]

    @property
    def family(self) -> Family:
        """What reads it."""
        return FAMILIES[self.key]

    @property
    def key(self) -> str:
        """The name of its family."""
        kind = self.parts[0]
        return f"{kind}.{self.parts[2]}" if kind in LANGUAGE.named else kind

    @property
    def is_text(self) -> bool:
        """Whether its values are texts, not numbers."""
        return self.key in TEXTS

    @property
    def is_part(self) -> bool:
        """Whether its values are parts of a whole, which people read as percentages."""
        return LANGUAGE.is_part(self.parts)

    @property
    def is_time(self) -> bool:
        """Whether its values are spans of time, in seconds."""
        return LANGUAGE.is_time(self.parts)

    @property
    def resource(self) -> str:
        """The resource whose amount it is; empty where it is none."""
        return self.parts[3] if len(self.parts) > len(("queue", "NAME", "FIGURE")) else ""

    @property
    def resources(self) -> Sequence[str]:
        """The resources that it names: one or none."""
        return self.parts[1:] if self.parts[0] in LANGUAGE.parts else self.parts[3:]

    @property
    def named(self) -> tuple[str, str] | None:
        """The kind and the name of what it is about: a queue, a priority or a job; None where it is about none."""
        return (self.parts[0], self.parts[1]) if self.parts[0] in LANGUAGE.named else None


def figure_of(text: str) -> Figure:
    """Read a figure.

    Raises:
        ConditionError: there is no such figure.

    >>> figure_of("job:ns/train.startCycle").parts
    ('job', 'ns/train', 'startCycle')
    """
    return Figure(text.strip(), parse_figure(text.strip(), LANGUAGE))


_STATES: Final[Mapping[str, State]] = {
    "placed": State.PLACED,
    "pipelined": State.WAITS,
    "pending": State.PENDING,
    "evicted": State.EVICTED,
}


def _spread(subject: Subject, _: tuple[str, ...]) -> Measured:
    seen = subject.after
    if not seen.shares_known:
        return math.nan
    used = {job.queue for job in seen.session.jobs.values()}
    shares = [share for name, share in seen.shares.items() if name in used]
    return max(shares) - min(shares) if shares else 0.0


def _total(subject: Subject, parts: tuple[str, ...]) -> Measured:
    seen = subject.after
    return float(seen.totals[_STATES[parts[0]]] - (seen.held if parts[0] == "placed" else 0))


def _running(subject: Subject, _: tuple[str, ...]) -> Measured:
    return float(subject.after.running)


def _gangs(subject: Subject, _: tuple[str, ...]) -> Measured:
    jobs = subject.after.session.jobs.values()
    return float(sum(job.total > 0 and job.ready >= job.min_available for job in jobs))


def _evictions(subject: Subject, _: tuple[str, ...]) -> Measured:
    return float(len(subject.after.evicted - subject.evicted_before()))


def _part(subject: Subject, parts: tuple[str, ...]) -> Measured:
    found = subject.after.utilisation.get(parts[1])
    return getattr(found, PARTS[parts[0]]) if found is not None else 0.0


def _queue(subject: Subject, parts: tuple[str, ...]) -> Measured:
    seen = subject.after
    if parts[2] == SHARE:  # without putting together all figures of all queues
        return seen.shares.get(parts[1], 0.0) if seen.shares_known else math.nan
    return queue_figure(seen.queues.get(parts[1]), parts[2], *parts[3:], shares_known=seen.shares_known)


def _queue_tasks(subject: Subject, parts: tuple[str, ...]) -> Measured:
    counts = subject.after.by_queue.get(parts[1])
    return float(counts[_STATES[parts[2]]]) if counts is not None else 0.0


def _job_tasks(subject: Subject, parts: tuple[str, ...]) -> Measured:
    seen = subject.after
    job = seen.job(parts[1])
    if job is None:
        return 0.0
    match parts[2]:
        case "ready":
            return float(job.ready)
        case "tasks":
            return float(job.total)
        case state:
            return float(seen.by_job[job.uid][_STATES[state]]) if job.uid in seen.by_job else 0.0


def _verdict(subject: Subject, parts: tuple[str, ...]) -> Measured:
    job = subject.after.job(parts[1])
    return None if job is None else subject.after.verdict(job)


def _decision(subject: Subject, parts: tuple[str, ...]) -> Measured:
    job = subject.after.job(parts[1])
    return None if job is None else subject.after.decisions[job.uid]


def _of_replay(each: Replayed) -> Family:
    def read(run: Run, parts: tuple[str, ...]) -> Measured:
        return each.read(run.replay, run.of(parts[0], parts[1:2]))

    return Family(REPLAY, read, NEVER if each.can_lack else "unknown", each.unknown)


def _start_cycle(cycles: Cycles, parts: tuple[str, ...]) -> Measured:
    for cycle in cycles.cycles:
        for job in cycle.simulation.jobs:
            if parts[1] in job.spellings() and job.tasks and job.ready >= job.min_available:
                return float(cycle.number)
    return math.inf


def _count(diff: Diff, parts: tuple[str, ...]) -> Measured:
    return float(COUNTS[parts[0]](diff))


def _pods_lost(subject: Subject, _: tuple[str, ...]) -> Measured:
    return float(sum(each.pods_lost for each in subject.after.lost))


def _restarted(subject: Subject, _: tuple[str, ...]) -> Measured:
    return float(sum(each.restarted for each in subject.after.lost))


FAMILIES: Final[Mapping[str, Family]] = {
    **{name: Family(LINTED if name in LINT else DIFFERENCE, _count) for name in COUNTS},
    "evictions": Family(SESSION, _evictions),
    "evicted": Family(SESSION, _total),
    "pods-lost": Family(SESSION, _pods_lost),
    "restarted": Family(SESSION, _restarted),
    "running": Family(SESSION, _running),
    "spread": Family(SESSION, _spread),
    "pending": Family(SESSION, _total),
    "placed": Family(SESSION, _total),
    "pipelined": Family(SESSION, _total),
    "gangs": Family(SESSION, _gangs),
    **{name: Family(SESSION, _part) for name in PARTS},
    **{f"queue.{name}": Family(SESSION, _queue, "unlimited") for name in AMOUNTS},
    f"queue.{SHARE}": Family(SESSION, _queue),
    **{f"queue.{name}": Family(SESSION, _queue_tasks) for name in _STATES},
    **{f"job.{name}": Family(SESSION, _job_tasks) for name in JOB},
    "job.verdict": Family(SESSION, _verdict, "missing"),
    "job.decision": Family(SESSION, _decision, "missing"),
    "job.startCycle": Family(CYCLES, _start_cycle, NEVER),
    **{name: _of_replay(each) for name, each in BY_FAMILY.items()},
}
"""What each figure is read of, by its kind; of queues and jobs, by kind and figure."""

TEXTS: Final = ("job.verdict", "job.decision")
"""The figures whose values are texts."""

LANGUAGE: Final = Language(
    totals=(*OF_DIFFERENCES.totals, "evicted", "running", *OF_ALL),
    parts=(*OF_DIFFERENCES.parts, *OF_RESOURCE),
    named={
        "queue": (*NAMED["queue"], *_STATES, *OF_QUEUE),
        "priority": tuple(OF_PRIORITY),
        "job": (*NAMED["job"], "verdict", "decision", "startCycle", *OF_JOB),
    },
    shares=(*OF_DIFFERENCES.shares, *(name for name, each in OF_QUEUE.items() if each.is_part)),
    times=tuple(name for name, each in (*OF_ALL.items(), *OF_QUEUE.items(), *OF_JOB.items()) if each.is_time),
)
"""The figures that plans know."""
