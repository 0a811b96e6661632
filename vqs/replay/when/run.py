"""Replays of a snapshot under several seeds, and what they say of when the jobs that wait will start.

Other jobs are taken to arrive meanwhile, as those of the snapshot did: at their rate, each like one of them. The rate
is that of the creation of the Volcano Jobs that the snapshot has, ended ones among them, from the first of them until
now. Jobs that were deleted when they had ended are not counted. Where the last job was created longer ago than three of
the mean times between them, which chance explains once in twenty times, none is taken to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from math import inf
from shlex import quote
from statistics import median
from typing import Final, NamedTuple

from msgspec import structs

from vqs.explain.assemble import diagnostic_result
from vqs.explain.jobs.report import NoSuchJob
from vqs.explain.jobs.waiting import waiting_after
from vqs.explain.jobs.waiting_outcome import WaitingJob
from vqs.explain.outcome import Blocker
from vqs.explain.simulate import EPOCH, SimulateOptions, run_session
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.model.durations import write_seconds
from vqs.model.job import READY_STATUSES, JobName, TaskStatus, jobs_called
from vqs.model.moments import later, timestamp
from vqs.model.wording import count
from vqs.replay.distribution import share
from vqs.replay.engine import ReplayOptions
from vqs.replay.generator import HOUR, HOURS_OF_A_DAY, Poisson, Window, named
from vqs.replay.outcome import Replay
from vqs.replay.reading.read import of_manifests
from vqs.replay.reading.scenario import workload_of
from vqs.replay.runs import Run
from vqs.replay.when.durations import Durations, Lengths
from vqs.replay.when.outcome import Assumption, Fate, JobStart, When
from vqs.replay.workload import Arrival, Timing, Workload
from vqs.snapshot.controllers.job import unknown_job
from vqs.snapshot.reading.manifests import Manifests

RUNS: Final = 9
"""How many replays there are, unless that is asked for: a further one would lie between the earliest and the latest of
nine in four cases of five."""

WITHIN: Final = 7 * 86400.0
"""How many seconds replays last at most, unless that is asked for."""

_FOR_GOOD: Final = frozenset(
    {
        VerdictCode.NO_POD_GROUP,
        VerdictCode.UNKNOWN_QUEUE,
        VerdictCode.UNKNOWN_DEVICE_CLAIM,
        VerdictCode.QUEUE_CLOSED,
        VerdictCode.SCHEDULER_STANDS_STILL,
        VerdictCode.GANG_TOO_SMALL,
        VerdictCode.GATED,
        VerdictCode.OTHER_SCHEDULER,
    }
)
"""What keeps a job waiting until a person acts, whatever else ends."""


@dataclass(frozen=True)
class WhenOptions:
    """What is asked.

    Attributes:
        session: how to run the session that says which jobs wait.
        replay: how to replay what follows; its seed does not count.
        durations: how long pods run.
        history: earlier dumps of the cluster, in the order of their times.
        jobs: the names of the jobs; all that wait where there are none.
        within: how many seconds the replays last at most.
        arrivals: whether jobs arrive as those of the snapshot did; else none does.
    """

    session: SimulateOptions
    replay: ReplayOptions
    durations: Durations
    history: Sequence[Manifests] = ()
    jobs: Sequence[str] = ()
    within: float = WITHIN
    arrivals: bool = False


class _Row(NamedTuple):
    """A job that is to start: what it is called, its queue, and why it waits once a session is over, if it does."""

    name: JobName
    queue: str
    waiting: WaitingJob | None = None

    def started(self, starts: Mapping[str, float | None]) -> float | None:
        """Return when it starts in a run; a Volcano Job without pods is submitted anew there, under its own name."""
        return next((starts[uid] for uid in self.uids if uid in starts), None)

    @property
    def uids(self) -> tuple[str, ...]:
        """What it may be called in a run, by namespace/name."""
        owner = self.name.owner
        return (self.name.uid,) if owner is None else (self.name.uid, f"{self.name.namespace}/{owner.name}")


def when(manifests: Manifests, options: WhenOptions, run: Callable[[Run], list[Replay]]) -> When:
    """Say when the jobs of a snapshot that wait will start.

    Raises:
        NoSuchJob: there is no job of a name.
        InputErrors: as for `vqs.replay.engine.replay`.
    """
    first = run_session(manifests, options.session)
    names, pods = dict(first.session.cluster.names), first.manifests.pods
    rows = {}
    for each in first.session.jobs.values():
        # Before the session, it has fewer pods on nodes than it needs to start, and others that wait.
        before = [task.status_before for task in each.tasks.values()]
        waits = TaskStatus.Pending in before or each.uid in first.session.cluster.awaited
        if waits and sum(status in READY_STATUSES for status in before) < each.min_available:
            rows[each.uid] = _Row(names[each.uid], each.queue)
    asked = [_uid(name, names) for name in options.jobs]
    listed = waiting_after(manifests, first, options.session)
    title = options.session.scenario
    now = options.session.now or manifests.now
    workload = of_manifests(manifests, title)
    workload = replace(workload, begin=now or workload.begin)
    history = sorted(options.history, key=lambda dump: dump.now or EPOCH)
    lengths = Lengths(options.durations, manifests, pods, names, workload.begin, history=history)
    workload = lengths.given_to(workload, workload_of(manifests, title).present)
    for job in listed.jobs:
        uid = f"{job.namespace}/{job.name}"
        rows[uid] = _Row(names.get(uid, JobName(uid, job.display_name)), job.queue, job)
    waiting = sorted((row for uid, row in rows.items() if not asked or uid in asked), key=lambda row: row.name.display)
    # Others may arrive for days while a job waits for what does not come.
    changes = workload.node_events or workload.autoscaler is not None
    awaited = [row for row in waiting if changes or _lasting(row.waiting) is None]
    arrivals = options.arrivals and bool(awaited)
    workload, about = _with_arrivals(workload, options, [*history, manifests], lengths, arrivals=arrivals)
    to_start = frozenset(each for row in (awaited if workload.generators else waiting) for each in row.uids)
    asking = Run(workload, replace(options.replay, until=options.within, until_started=to_start))
    runs = run(asking) if waiting else []
    starts = [{f"{job.namespace}/{job.name}": job.started for job in each.jobs} for each in runs]
    jobs = [_start(row, [row.started(each) for each in starts], now) for row in waiting]
    unused = options.durations.unused([each.display for each in names.values()])
    return When(
        volcano=manifests.profile.name,
        snapshot=title,
        session=listed.first,
        now=None if now is None else timestamp(now),
        within=options.within,
        runs=len(runs),
        seeds=[each.seed for each in runs],
        stopped=sum(each.stopped is not None for each in runs),
        answer=_answer(jobs, [names[uid].display for uid in asked], options.within, len(runs)),
        jobs=jobs,
        assumptions=[*lengths.assumptions(), *about],
        diagnostics=[*listed.diagnostics, *map(diagnostic_result, unused)],
    )


def _with_arrivals(
    workload: Workload, options: WhenOptions, dumps: Sequence[Manifests], lengths: Lengths, *, arrivals: bool
) -> tuple[Workload, list[Assumption]]:
    """Return a workload with the jobs that arrive as those of dumps did, if any do, and what is assumed of that."""
    alone = _of_workload(len(workload.arrivals), len(workload.node_events))
    if not arrivals:
        return workload, [alone]
    created = {job.metadata.uid or job.metadata.key: job for dump in dumps for job in dump.volcano_jobs}
    of_queues = (queue.metadata.creation_timestamp for dump in dumps for queue in dump.queues)
    following, said = further(
        [*created.values()],
        workload.begin,
        options.within,
        lambda job, like: lengths.of_arriving(job, {}, like),
        since=min((at for at in of_queues if at is not None), default=workload.begin),
    )
    if following is None:
        return workload, [said, alone]
    others = _of_workload(None, len(workload.node_events))
    return replace(workload, generators=(*workload.generators, following)), [said, others]


def _uid(name: str, names: Mapping[str, JobName]) -> str:
    found = jobs_called(name, names.values())
    if len(found) == 1:
        return found[0].uid
    if found:
        listed = ", ".join(quote(each.display) for each in found)
        raise NoSuchJob(f"there are {len(found)} jobs {name!r} (write one of {listed})")
    hint = unknown_job(name, names.values())
    raise NoSuchJob(f"there is no job {name!r}{f' ({hint})' if hint else ''}")


def _start(row: _Row, starts: Sequence[float | None], now: datetime | None) -> JobStart:
    """Return when a job starts, from when it does so in each run."""
    times = sorted(inf if each is None else each for each in starts)
    started = sum(each < inf for each in times)
    fate: Fate = "starts" if started else "not-within"
    waiting = row.waiting
    code, why = (waiting.code, waiting.why) if waiting is not None else ("", "")
    if started and not times[-1]:
        fate = "running"
    elif not started and (blocker := _lasting(waiting)) is not None:
        fate, code, why = "never", blocker.code, blocker.text
    found = [None if time == inf else round(time, 2) for time in (times[0], median(times), times[-1])]
    at = [None if time is None or now is None else timestamp(later(now, round(time))) for time in found]
    return JobStart(
        namespace=row.name.namespace,
        name=row.name.uid.partition("/")[2],
        display_name=row.name.display,
        queue=row.queue,
        fate=fate,
        started=started,
        earliest=found[0],
        median=found[1],
        latest=found[2],
        earliest_at=at[0],
        median_at=at[1],
        latest_at=at[2],
        starts=[None if each is None else round(each, 2) for each in starts],
        code=code,
        why=why,
    )


def _lasting(waiting: WaitingJob | None) -> Blocker | None:
    """Return what keeps a job from starting whatever ends, if anything does."""
    blockers = [] if waiting is None else waiting.blockers
    return next((each for each in blockers if each.blocks_min_available or each.code in _FOR_GOOD), None)


def _answer(jobs: Sequence[JobStart], asked: Sequence[str], within: float, runs: int) -> str:
    if not jobs:
        return f"{' and '.join(asked)} {'do' if len(asked) > 1 else 'does'} not wait." if asked else "No job waits."
    if len(jobs) == 1:
        return _of_one(jobs[0], within, runs)
    number = {fate: sum(job.fate == fate for job in jobs) for fate in ("starts", "not-within", "never", "running")}
    span, verb = write_seconds(within), "starts" if number["starts"] == 1 else "start"
    texts = {
        "starts": f"{verb} within {span} in some or all of {count(runs, 'run')}",
        "not-within": f"not within {span}",
        "never": "never, as it is",
        "running": "running already, with fewer pods than asked for",
    }
    parts = [f"{number[fate]:,} {text}" for fate, text in texts.items() if number[fate]]
    return f"Of {count(len(jobs), 'job')} that wait, {'; '.join(parts)}."


def _of_one(job: JobStart, within: float, runs: int) -> str:
    if job.fate == "running":
        return f"{job.display_name} runs already, with fewer pods than it asks for."
    why = f": {job.code}: {job.why}" if job.code else ""
    if job.fate == "never":
        return f"{job.display_name} never starts, as it is{why}."
    if job.earliest is None:
        return f"{job.display_name} does not start within {write_seconds(within)} in any of {count(runs, 'run')}{why}."
    latest = "later" if job.latest is None else _span(job.latest)
    middle = "" if job.median is None else f", half of the time within {_span(job.median)}"
    return (
        f"{job.display_name} starts in {_span(job.earliest)} to {latest}{middle}; it does so within "
        f"{write_seconds(within)} in {job.started:,} of {count(runs, 'run')}."
    )


def _span(seconds: float) -> str:
    return write_seconds(round(seconds), " ", most=2)


def _of_workload(arrivals: int | None, node_events: int) -> Assumption:
    """Say what comes to the cluster, and leaves it; without a number of jobs, they are told of elsewhere."""
    known: Iterator[str] = filter(
        None,
        (
            f"{count(arrivals, 'job')} of the snapshot without pods" if arrivals else "",
            f"{count(node_events, 'event')} of nodes in the scenario" if node_events else "",
        ),
    )
    but = " and ".join(known)
    jobs = "" if arrivals is None else "no job arrives, "
    text = f"{jobs}no node comes or goes, and no object is changed{f', but for {but}' if but else ''}"
    return Assumption(source="workload", pods=0, overdue=0, text=text)


# --- jobs that arrive -------------------------------------------------------------------------------------------------

FEWEST: Final = 10
"""The fewest jobs that say how often others arrive."""

_STOPPED: Final = 3.0
"""After how many mean times between jobs without any, none is taken to follow."""

MOST: Final = 200
"""The most jobs that are taken to arrive."""


TimingOf = Callable[[k8s.VolcanoJob, str], Mapping[str, Timing]]
"""Says how the pods of a job run, by role, that is like the one of a namespace/name."""


@dataclass(frozen=True)
class Further:
    """Jobs that arrive at random moments, each like one of some jobs.

    Attributes:
        jobs: what they are like.
        process: the moments.
        lasted: for how many seconds jobs have arrived. For how long they go on is not known: they do so for as long
            again in half of the runs, for twice as long in a third, and so on.
        begin: the point in time of second 0.
        timing: how the pods of a job run.
    """

    jobs: Sequence[k8s.VolcanoJob]
    process: Poisson
    lasted: float
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
        until = self.lasted / share(seed, "until") - self.lasted
        moments = takewhile(lambda moment: moment < until, self.process.moments(seed, "further"))
        for number, moment in enumerate(moments):
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
    *,
    since: datetime,
) -> tuple[Further | None, Assumption]:
    """Return the jobs that arrive within some seconds from now, None where none is taken to, and what that rests on.

    Args:
        jobs: those that are known.
        now: the point in time of second 0.
        within: for how many seconds jobs are asked for.
        timing: how the pods of a job run.
        since: when there was the first queue: as long, or since the first job, jobs have arrived.
    """
    created = [(at, job) for job in jobs if (at := job.metadata.creation_timestamp) is not None and at <= now]
    ages = sorted((now - at).total_seconds() for at, _ in created)
    if len(ages) < FEWEST or not ages[-1]:
        said = f"no job arrives: too few Volcano Jobs are known ({len(ages)}) to tell how often they do"
        return None, Assumption(source="workload", pods=0, overdue=0, text=said)
    mean = ages[-1] / (len(ages) - 1)
    if ages[0] > _STOPPED * mean:
        ago = write_seconds(round(ages[0]))
        said = f"the last job was created {ago} ago, and one every {write_seconds(max(round(mean), 1))} before"
        return None, Assumption(source="workload", pods=0, overdue=0, text=said)
    process = Poisson((HOUR / mean,) * HOURS_OF_A_DAY, 0.0, Window(0.0, within, MOST))
    every = write_seconds(max(round(mean), 1))
    most = f", {MOST:,} of them at most" if within / mean > MOST else ""
    like = f"like one of the {len(ages):,} that did"
    lasted = max(ages[-1], (now - since).total_seconds())
    how_long = f"for another {write_seconds(round(lasted))} in half of the runs"
    said = f"a job arrives every {every} on average{most}, {like}, {how_long}: --arrivals none has none"
    return Further([job for _, job in created], process, lasted, now, timing), Assumption(
        source="workload", pods=0, overdue=0, text=said
    )
