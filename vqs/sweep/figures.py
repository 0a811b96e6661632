"""The figures of a point of a plan: what is collected of it, and what conditions and goals are about.

They are those of --fail-on (`vqs.diff.figures`), which are read of sessions where that is possible, and some that only
plans have. A figure belongs to an evaluation: what has to be run to know it. All figures of one evaluation come of the
same run; `EVALUATIONS` has the kinds there are.

The base of a point is its snapshot without edits, with the same release and ties broken alike. ``evictions`` counts the
tasks that are evicted, and are not evicted in the base; the other figures of a difference are those of
`vqs.diff.compare`, which takes several times as long as a session. Those of a replay sum it up, and
docs/replay-figures.md defines them: a time is in seconds, and infinite where there is none, as no job has started, or
not all have completed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, Final

from vqs.diff.compare import DiffOptions, compare
from vqs.diff.conditions import Condition, ConditionError, Measured, parse_conditions, parse_figure
from vqs.diff.figures import DIFFERENCES, LINT, Better, Kind, Kinds, Of, Unit, by_key, queue_figure
from vqs.diff.outcome import Diff
from vqs.diff.run import Input
from vqs.diff.tasks import State
from vqs.explain.cycles import Cycles, run_cycles
from vqs.explain.outlook import Sessions
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.model.job import JobName, jobs_called
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.figures import figures_of, summed_up
from vqs.replay.measured import SPREADS, STATISTICS, WHOLE, measured
from vqs.replay.outcome import JobRecord, Replay
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.sweep.observed import Observed
from vqs.sweep.workload_jobs import WorkloadJobs

SESSION: Final = "session"
DIFFERENCE: Final = "difference"
LINTED: Final = "linted difference"
CYCLES: Final = "cycles"
REPLAY: Final = "replay"

NEVER: Final = "never"
"""What the lack of a number is called where something does not happen in the sessions that are run."""
_UNKNOWN: Final = "unknown"


def conditions_of(text: str) -> list[Condition]:
    """Read conditions, which commas separate.

    Raises:
        ConditionError: one cannot be understood, or compares a text.
    """
    found = parse_conditions(text, PLANS)
    for each in found:
        if each.figure.kind.unit == "text":
            message = f"'{each.figure.text}' is a text, and conditions compare numbers"
            raise ConditionError(message, text, each.at, "such as job:NAMESPACE/NAME.pending>0")
    return found


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
    def measured(self) -> Mapping[str, float]:
        """Its figures by name."""
        return measured(self.replay)

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


def _replay(subject: Subject) -> Run:
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
    CYCLES: lambda subject: run_cycles(subject.manifests, subject.options, subject.cycles),
    REPLAY: _replay,
}
"""What is run to know figures, by name. Each is run at most once for a point."""


# --- readers of sessions ----------------------------------------------------------------------------------------------


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
    found, read = subject.after.utilisation.get(parts[1]), DIFFERENCES[parts[0]].read
    return read(found) if found is not None and read is not None else 0.0


def _queue(subject: Subject, parts: tuple[str, ...]) -> Measured:
    seen = subject.after
    if parts[2] == "share":  # without putting together all figures of all queues
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


def _start_cycle(cycles: Cycles, parts: tuple[str, ...]) -> Measured:
    for cycle in cycles.cycles:
        for job in cycle.simulation.jobs:
            if parts[1] in job.spellings() and job.tasks and job.ready >= job.min_available:
                return float(cycle.number)
    return math.inf


def _count(diff: Diff, parts: tuple[str, ...]) -> Measured:
    read = DIFFERENCES[parts[0]].read
    return None if read is None else float(read(diff) or 0.0)


def _of_lost(attribute: str) -> Callable[[Subject, tuple[str, ...]], Measured]:
    return lambda subject, _: float(sum(getattr(each, attribute) for each in subject.after.lost))


# --- readers of replays -----------------------------------------------------------------------------------------------


_NO_DEBTS: Final = "no queue was entitled to resources, as none asked for any or no plugin divides them by queue"
_NO_CONTEST: Final = "no two queues were entitled to resources at the same time, or no plugin divides them by queue"


def _of_replay(run: Run, parts: tuple[str, ...], *, of: Of, name: str, otherwise: float) -> Measured:
    """Return a figure of a replay; `otherwise` where the run does not have it."""
    named = run.of(parts[0], parts[1:2])
    scope = f"{of}:{named[0]}" if of not in ("", "resource") else WHOLE
    return run.measured.get(f"{scope}.{name}" + (f".{named[0]}" if of == "resource" else ""), otherwise)


def _missed(run: Run, parts: tuple[str, ...]) -> Measured:
    """Return the part that a queue missed of what it was entitled to; no number where no plugin divides the cluster."""
    nothing = 0.0 if figures_of(run.replay).deficits else math.nan
    return _of_replay(run, parts, of="queue", name="missed", otherwise=nothing)


def _of_job(run: Run, parts: tuple[str, ...], *, read: Callable[[JobRecord], float | None]) -> Measured:
    """Return how long after its arrival something happens to the job of a PodGroup."""
    [name] = run.of(parts[0], parts[1:2])
    job = next((each for each in run.replay.jobs if name == f"{each.namespace}/{each.name}"), None)
    at = None if job is None else read(job)
    return math.inf if job is None or at is None else at - job.arrival


_NO_PRICES: Final = "no scenario says what nodes cost, or how many watts they take"


# --- the table --------------------------------------------------------------------------------------------------------


def _in_plan(kind: Kind) -> Kind:
    """A figure of differences, as a point has it."""
    run, read = SESSION, _OF_SESSIONS.get(kind.name if not kind.of else kind.of)
    if read is None:
        run, read = LINTED if kind.name in LINT else DIFFERENCE, _count
    return replace(kind, run=run, read_point=read, missing=kind.missing if kind.unit == "amount" else _UNKNOWN)


_OF_SESSIONS: Final[Mapping[str, Callable[[Any, tuple[str, ...]], Measured]]] = {
    "evictions": _evictions,
    "spread": _spread,
    **dict.fromkeys(("pending", "placed", "pipelined"), _total),
    "gangs": _gangs,
    "pods-lost": _of_lost("pods_lost"),
    "restarted": _of_lost("restarted"),
    "resource": _part,
    "queue": _queue,
    "job": _job_tasks,
}
"""What reads figures of differences of sessions, by their names, or by what has them."""

_of_session = partial(Kind, run=SESSION, missing=_UNKNOWN)
_of_queue = partial(_of_session, of="queue", read_point=_queue_tasks)
_text = partial(_of_session, of="job", unit="text", missing="missing")


def _replayed(
    name: str,
    means: str,
    better: Better | None,
    unit: Unit = "count",
    *,
    of: Of = "",
    lacks: bool = False,
    unknown: str = "",
    read: Callable[[Run, tuple[str, ...]], Measured] | None = None,
) -> Kind:
    """A figure of a replay; it is infinite where what it is about does not happen, if it `lacks` a number then."""
    otherwise = math.inf if lacks else math.nan if unknown else 0.0
    return Kind(
        name=name if of not in ("", "resource") else f"replay.{name}",
        means=means,
        of=of,
        unit=unit,
        better=better,
        run=REPLAY,
        read_point=read or partial(_of_replay, of=of, name=name, otherwise=otherwise),
        missing=NEVER if lacks else _UNKNOWN,
        unknown=unknown,
    )


def _of_jobs(of: Of) -> Iterator[Kind]:
    """The figures of the jobs of a queue, of a priority, or of all jobs."""
    for name in SPREADS:
        for statistic in STATISTICS:
            unit: Unit = "count" if name == "slowdown" else "seconds"
            yield _replayed(f"{name}.{statistic}", f"the {statistic} of {name}", "less", unit, of=of, lacks=True)
    yield _replayed("started", "jobs that started", "more", of=of)
    yield _replayed("neverStarted", "jobs that did not start", "less", of=of)
    yield _replayed("completed", "jobs that completed", "more", of=of)
    yield _replayed("evictions", "pods that are evicted", "less", of=of)
    lost = "pods that evictions took off their nodes, with those that controllers then delete"
    yield _replayed("pods-lost", lost, "less", of=of)
    yield _replayed("restarted", "of these, those that are made again", "less", of=of)
    yield _replayed("workLost", "work to do again", "less", "seconds", of=of)


PLANS: Final[Kinds] = by_key(
    [
        *map(_in_plan, DIFFERENCES.values()),
        _of_session(
            name="evicted",
            better="less",
            read_point=_total,
            means="tasks that are evicted, whether or not they are in the base, too",
        ),
        _of_session(name="running", better="more", read_point=_running, means="tasks that run when the session closes"),
        *_of_jobs(""),
        _replayed("makespan", "when the last job completes", "less", "seconds", lacks=True),
        _replayed("drain", "from the last arrival to the last completion", "less", "seconds", lacks=True),
        _replayed("throughput", "jobs that complete in an hour", "more"),
        _replayed("fairness", "Jain's index, as a mean over windows", "more", unknown=_NO_CONTEST),
        _replayed("cost.spent", "what nodes cost", "less", unknown=_NO_PRICES),
        _replayed("cost.idle", "what of it was for what no pod held", "less", unknown=_NO_PRICES),
        _replayed("cost.lost", "what of it was for work to do again", "less", unknown=_NO_PRICES),
        _replayed("energy.spent", "the kilowatt hours of nodes", "less", unknown=_NO_PRICES),
        _replayed("cost", "what was spent for the pods of the queue", "less", of="queue", unknown=_NO_PRICES),
        _replayed("used", "how much is used over time", "more", "part", of="resource"),
        _replayed("peak", "the largest mean of a window", None, "part", of="resource"),
        _replayed("stranded", "what is stranded", "less", "part", of="resource"),
        _of_queue(name="placed", better="more", means="its placed tasks"),
        _of_queue(name="pipelined", means="its pipelined tasks"),
        _of_queue(name="pending", better="less", means="its pending tasks"),
        _of_queue(name="evicted", better="less", means="its tasks that are evicted"),
        *_of_jobs("queue"),
        _replayed("missed", "what it missed of its share", "less", "part", of="queue", unknown=_NO_DEBTS, read=_missed),
        *_of_jobs("priority"),
        _text(
            name="verdict", read_point=_verdict, means="the code of what holds the job back; empty where nothing does"
        ),
        _text(name="decision", read_point=_decision, means="what became of the job, such as committed or not-enqueued"),
        Kind(
            name="startCycle",
            of="job",
            better="less",
            run=CYCLES,
            read_point=_start_cycle,
            missing=NEVER,
            means="the first cycle after which the job has as many ready tasks as it needs",
        ),
        _replayed(
            "wait",
            "until it starts",
            "less",
            "seconds",
            of="job",
            lacks=True,
            read=partial(_of_job, read=attrgetter("started")),
        ),
        _replayed(
            "completion",
            "until it completes",
            "less",
            "seconds",
            of="job",
            lacks=True,
            read=partial(_of_job, read=lambda job: None if job.completion is None else job.completed),
        ),
    ]
)
"""The figures that plans know, by their keys."""

figure_of: Final = partial(parse_figure, kinds=PLANS)
"""Reads a figure of a plan."""
