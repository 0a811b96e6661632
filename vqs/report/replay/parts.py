"""The tables on a replay: jobs by queue and priority, the cluster, shares, reasons, evictions, policies compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vqs.explain.amounts import ABSENT, amount, lasting, percent
from vqs.model.durations import write_seconds
from vqs.model.resource import is_in_bytes
from vqs.replay import timing
from vqs.replay.figures import figures_of, groups
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.replay.statistics import FEWEST_PAIRS, Interval, Spread
from vqs.replay.summary import Contrast, Deficit, Difference, Figures, Group, JobDifference
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part, out_of
from vqs.report.replay.phrases import (
    figure_name,
    interval,
    job_name,
    mean_of,
    plain,
    reasons,
    signed,
    unit_of,
    valued,
)
from vqs.report.visible import visible

_FEW: Final = 5
_ROWS: Final = 20

ALL_JOBS: Final = "all"
_NEVER_STARTED: Final = "Jobs that never started"
_LONGEST: Final = "Jobs that waited longest, and started"


@dataclass(frozen=True)
class Extent:
    """How much is shown: the most rows of a table, None for all, and whether tables that few readers want are there."""

    rows: int | None = _ROWS
    details: bool = False

    @property
    def few(self) -> int | None:
        """The most rows of a table of examples."""
        return self.rows and min(self.rows, _ROWS if self.details else _FEW * 2)


_OF_QUEUES: Final = ("wait.mean", "wait.p95")
"""The figures that policies are compared by for each queue, where not all are shown."""

ALL: Final = Extent(rows=None, details=True)


def of_run(run: Replay, extent: Extent) -> Iterator[Part]:
    """Yield the tables on one run."""
    found = figures_of(run)
    yield from _jobs(found.groups, extent)
    yield from _cluster(found)
    yield from _shares(found, extent)
    yield from _waited(found, extent)
    yield from _never_started(run, extent)
    yield from _longest(run, extent)
    yield from _taken(found, extent)


def of_runs(result: Replays, extent: Extent) -> Iterator[Part]:
    """Yield the tables on several runs."""
    yield _policies(result)
    yield from map(_contrast, result.contrasts)
    for contrast in result.contrasts:
        yield from _moved(contrast, extent)
        if extent.details:
            everything = f"{contrast.policy} against {contrast.base}, all figures by queue"
            yield Part(everything, grid=_differences(contrast, contrast.differences), folded=True)
    for policy in result.policies:
        runs = [run for run in result.runs if run.policy == policy]
        seeds = f", {len(runs)} seeds together" if len(runs) > 1 else ""
        queues = [group for group in pooled(runs) if group.priority is None]
        yield Part(f"Jobs by queue under {policy}{seeds}", grid=_groups(queues, "QUEUE"))


def is_of_jobs(part: Part) -> bool:
    """Tell whether a table is of single jobs, which a page that lists all of them need not repeat."""
    return part.title.startswith((_NEVER_STARTED, _LONGEST))


def pooled(runs: Sequence[Replay]) -> Iterator[Group]:
    """Yield the figures of the jobs of several runs, taken together."""
    return groups(runs)


# --- jobs -------------------------------------------------------------------------------------------------------------


def _jobs(found: Sequence[Group], extent: Extent) -> Iterator[Part]:
    queues = [group for group in found if group.priority is None]
    priorities = [group for group in found if group.priority is not None and group.queue is None]
    both = [group for group in found if group.priority is not None and group.queue is not None]
    yield Part("Jobs by queue: time until they start", grid=_groups(queues, "QUEUE"))
    if priorities:
        yield Part("Jobs by priority", grid=_groups(priorities, "PRIORITY"))
    if extent.details:
        if both:
            yield Part("Jobs by queue and priority", grid=_groups(both, "QUEUE, PRIORITY"), folded=True)
        yield Part("Time until admission, by queue", grid=_spreads(queues, "admission"), folded=True)
        yield Part("Time until completion, by queue", grid=_spreads(queues, "completion"), folded=True)
        yield Part("Slowdown, by queue", grid=_spreads(queues, "slowdown"), folded=True)


def _groups(shown: Sequence[Group], title: str) -> Grid:
    columns = (
        Column(title, named=True),
        Column("JOBS", numeric=True),
        Column("STARTED", numeric=True),
        Column("MEAN WAIT", numeric=True),
        Column("MEDIAN", numeric=True),
        Column("P95", numeric=True),
        Column("P99", numeric=True, dispensable=True),
        Column("MAX", numeric=True),
        Column("COMPLETION", numeric=True, dispensable=True),
        Column("SLOWDOWN", numeric=True, dispensable=True),
        Column("EVICTIONS", numeric=True),
        Column("WORK LOST", numeric=True, dispensable=True),
    )
    return Grid(columns, [_group(group) for group in shown])


def _group(group: Group) -> Row:
    style = "bold" if group.queue is None and group.priority is None else ""
    wait = group.wait
    figures = (
        called(group),
        f"{group.jobs:,}",
        f"{group.started:,}",
        mean_of(wait),
        *(lasting(value) for value in ((wait.median, wait.p95, wait.p99, wait.max) if wait else [None] * 4)),
        mean_of(group.completion),
        f"{group.slowdown.mean:.2f}" if group.slowdown else ABSENT,
        f"{group.evictions:,}",
        lasting(group.work_lost) if group.work_lost else "0",
    )
    return Row(tuple(cell(text, style) for text in figures))


def called(group: Group) -> str:
    """Return what a group is called: its queue, its priority, both, or all."""
    names = [str(name) for name in (group.queue, group.priority) if name is not None]
    return ", ".join(names) or ALL_JOBS


def _spreads(shown: Sequence[Group], figure: str) -> Grid:
    columns = ("JOBS", "MEAN", "MEDIAN", "P95", "P99", "MAX")
    rows = [
        Row((cell(called(group)), *map(cell, _spread(getattr(group, figure), is_time=figure != "slowdown"))))
        for group in shown
    ]
    return Grid((Column("QUEUE", named=True), *(Column(title, numeric=True) for title in columns)), rows)


def _spread(found: Spread | None, *, is_time: bool) -> list[str]:
    if found is None:
        return ["0", *[ABSENT] * 5]
    figures = (found.mean, found.median, found.p95, found.p99, found.max)
    return [f"{found.count:,}", *(lasting(each) if is_time else f"{each:.2f}" for each in figures)]


# --- the cluster, and shares ------------------------------------------------------------------------------------------


def _cluster(found: Figures) -> Iterator[Part]:
    if found.usage:
        columns = (
            Column("RESOURCE", named=True),
            *(Column(each, numeric=True) for each in ("USED", "PEAK", "STRANDED")),
        )
        rows = [
            Row((cell(each.resource), *(cell(part(share)) for share in (each.used, each.peak, each.stranded))))
            for each in found.usage
        ]
        yield Part("Cluster utilization, as means over time", grid=Grid(columns, rows))


def _shares(found: Figures, extent: Extent) -> Iterator[Part]:
    if not found.deficits:
        return
    columns = (
        Column("QUEUE", named=True),
        Column("RESOURCE", named=True),
        Column("ENTITLED TO", numeric=True),
        Column("MISSED", numeric=True),
        Column("PART", numeric=True),
    )
    shown = [each for each in found.deficits if each.dominant or extent.rows is None][: extent.rows]
    yield Part(
        out_of("What queues deserved and requested, and did not get", len(shown), len(found.deficits)),
        lines=[fairness_line(found)],
        grid=Grid(columns, [_debt(each) for each in shown]),
    )


def fairness_line(found: Figures) -> str:
    """Say how evenly queues got what they were entitled to."""
    fairness = found.fairness
    if fairness.mean is None or fairness.lowest is None:
        return "Queues never competed: at no time were two of them entitled to anything."
    return (
        f"Jain's fairness index {fairness.mean:.3f} on average over {fairness.contested:,} windows of "
        f"{lasting(fairness.window)}, lowest {fairness.lowest:.3f} at {lasting(fairness.lowest_at)}; 1 is even."
    )


def _debt(each: Deficit) -> Row:
    areas = (area(each.resource, each.entitled), area(each.resource, each.deficit))
    return Row((cell(each.queue), cell(each.resource), *map(cell, areas), cell(part(each.fraction))))


def part(share: float) -> str:
    """Write a part; one that is next to nothing is nothing.

    >>> part(0.0001), part(0.004), part(0.25)
    ('0%', '0.4%', '25%')
    """
    return percent(share if round(share, 3) else 0.0)


def area(resource: str, seconds: float) -> str:
    """Write an amount of a resource times seconds, in hours.

    >>> area("cpu", 7200.0), area("memory", 3600.0 * 2**30)
    ('2 h', '1Gi h')
    """
    hours = seconds / 3600
    return f"{amount(resource, round(hours) if is_in_bytes(resource) else hours)} h"


# --- why jobs waited --------------------------------------------------------------------------------------------------


def _waited(found: Figures, extent: Extent) -> Iterator[Part]:
    if found.waited:
        columns = (
            Column("QUEUE", named=True),
            Column("VERDICT", named=True),
            *(Column(each, numeric=True) for each in ("JOBS", "TIME")),
        )
        shown = found.waited[: extent.rows]
        rows = [
            Row((cell(each.queue), cell(each.code), cell(f"{each.jobs:,}"), cell(lasting(each.seconds))))
            for each in shown
        ]
        yield Part(out_of("Why jobs waited", len(shown), len(found.waited)), grid=Grid(columns, rows))


def _never_started(run: Replay, extent: Extent) -> Iterator[Part]:
    jobs = sorted((job for job in run.jobs if job.started is None), key=lambda job: (job.arrival, job_name(job)))
    if jobs:
        shown = jobs[: extent.rows]
        yield Part(out_of(_NEVER_STARTED, len(shown), len(jobs)), grid=_waiting(shown, run.end))


def _longest(run: Replay, extent: Extent) -> Iterator[Part]:
    waits = [(job.started - job.arrival, job) for job in run.jobs if job.started is not None]
    waits.sort(key=lambda each: (-each[0], job_name(each[1])))
    shown = [job for wait, job in waits[: _ROWS if extent.details else _FEW] if wait > 0]
    if shown:
        yield Part(_LONGEST, grid=_waiting(shown, run.end))


def _waiting(jobs: Sequence[JobRecord], end: float) -> Grid:
    columns = (
        Column("JOB", named=True),
        Column("QUEUE", named=True),
        Column("ARRIVED", numeric=True),
        Column("WAITED", numeric=True),
    )
    return Grid(columns, [_waiter(job, end) for job in jobs], "FOR")


def waited(job: JobRecord, end: float) -> float:
    """Return the seconds that a job waited until it started, or until the end of the run."""
    return (end if job.started is None else job.started) - job.arrival


def _waiter(job: JobRecord, end: float) -> Row:
    cells = (job_name(job), job.queue, lasting(job.arrival), lasting(waited(job, end)))
    return Row(tuple(map(cell, cells)), reasons(job.waited))


def moment(job: JobRecord, end: float) -> str | None:
    """Return a moment at which a job waits, as `--at` takes it: about half of its wait is over, and it has a PodGroup.

    There is none where it waits for less than that takes.

    >>> moment(JobRecord(name="j", namespace="ns", queue="q", priority=0, arrival=0.0, min_available=1, pods=1,
    ...                  request={}), 40.0)
    '20s'
    """
    until = end if job.started is None else job.started
    since = job.arrival + timing.GROUP_CREATED
    middle = (since + until) / 2
    found = next((each for each in (round(middle), round(middle, 2)) if since <= each <= until), None)
    return None if found is None else write_seconds(found)


# --- evictions --------------------------------------------------------------------------------------------------------


def _taken(found: Figures, extent: Extent) -> Iterator[Part]:
    if found.evictions_by_queue:
        columns = (
            Column("QUEUE", named=True),
            Column("FOR QUEUE", named=True),
            Column("BY", named=True),
            Column("PODS", numeric=True),
            Column("WORK LOST", numeric=True),
        )
        shown = found.evictions_by_queue[: extent.rows]
        rows = [
            Row(
                tuple(
                    map(
                        cell,
                        (
                            each.victim_queue,
                            each.evictor_queue or ABSENT,
                            each.action or ABSENT,
                            f"{each.pods:,}",
                            lasting(each.work_lost),
                        ),
                    )
                )
            )
            for each in shown
        ]
        yield Part(out_of("Evictions", len(shown), len(found.evictions_by_queue)), grid=Grid(columns, rows))


# --- policies ---------------------------------------------------------------------------------------------------------


def _policies(result: Replays) -> Part:
    columns = (
        Column("POLICY", named=True),
        Column("SEED", numeric=True),
        Column("STARTED", numeric=True),
        Column("COMPLETED", numeric=True),
        Column("MEAN WAIT", numeric=True),
        Column("P95", numeric=True),
        Column("COMPLETION", numeric=True, dispensable=True),
        Column("MAKESPAN", numeric=True),
        Column("EVICTIONS", numeric=True),
        Column("WORK LOST", numeric=True, dispensable=True),
        Column("FAIRNESS", numeric=True, dispensable=True),
    )
    return Part("Runs", grid=Grid(columns, [_run(run) for run in result.runs]))


def _run(run: Replay) -> Row:
    found = figures_of(run)
    every, fairness = found.all, found.fairness.mean
    cells = (
        run.policy,
        str(run.seed),
        f"{every.started:,} of {every.jobs:,}",
        f"{every.completed:,}",
        mean_of(every.wait),
        lasting(every.wait.p95 if every.wait else None),
        mean_of(every.completion),
        lasting(run.makespan),
        f"{every.evictions:,}",
        lasting(every.work_lost) if every.work_lost else "0",
        ABSENT if fairness is None else f"{fairness:.3f}",
    )
    return Row(tuple(map(cell, cells)))


def certainty(found: Interval) -> str:
    """Say how sure a difference is: its sign, that there may be none, or nothing where seeds are too few.

    >>> certainty(Interval(mean=2.0, low=-1.0, high=5.0, pairs=5))
    'could be chance'
    """
    return "could be chance" if found.low is not None and not found.is_clear and found.mean else ""


def _contrast(contrast: Contrast) -> Part:
    shown = [each for each in contrast.differences if each.queue is None or each.figure in _OF_QUEUES]
    title = f"{contrast.policy} against {contrast.base}"
    return Part(title, lines=[seeds_line(contrast)], grid=_differences(contrast, shown))


def _differences(contrast: Contrast, shown: Sequence[Difference]) -> Grid:
    columns = (
        Column("FIGURE"),
        Column("QUEUE", named=True),
        Column(visible(contrast.base), numeric=True, verbatim=True),
        Column(visible(contrast.policy), numeric=True, verbatim=True),
        Column("DIFFERENCE", numeric=True),
        Column("95% INTERVAL", numeric=True),
        Column("SURE"),
    )
    return Grid(columns, [*map(_difference, shown)])


def _difference(each: Difference) -> Row:
    unit = unit_of(each.figure)
    cells = (figure_name(each.figure), each.queue or ALL_JOBS, valued(each.base, unit), valued(each.value, unit))
    return Row(
        (
            *map(cell, cells),
            cell(signed(each.difference.mean, unit), "bold" if each.difference.is_clear else ""),
            cell(interval(each.difference, unit) or ABSENT),
            cell(_sure(each.difference)),
        )
    )


def _sure(found: Interval) -> str:
    """Say which way a figure differs, where that is sure; else that it is not, and nothing without an interval."""
    if found.low is None or not found.mean:
        return ABSENT
    return ("higher" if found.mean > 0 else "lower") if found.is_clear else "no"


def seeds_line(contrast: Contrast) -> str:
    """Say what the interval is, or why there is none."""
    seeds = len(contrast.seeds)
    if seeds < FEWEST_PAIRS:
        runs = "one seed" if seeds == 1 else f"{seeds} seeds"
        return f"{runs.capitalize()}: too few for an interval, and a difference may be chance; it takes {FEWEST_PAIRS}."
    return (
        f"Means over {seeds} seeds; the interval is Student's t for differences by seed, and sure is what leaves 0 out."
    )


def _moved(contrast: Contrast, extent: Extent) -> Iterator[Part]:
    if not contrast.jobs:
        return
    shown = contrast.jobs[: extent.few]
    columns = (
        Column("JOB", named=True),
        Column("QUEUE", named=True),
        Column("COMPLETES", numeric=True),
        Column("WAIT", numeric=True),
        Column("COMPLETION", numeric=True, dispensable=True),
        Column("EVICTIONS", numeric=True, dispensable=True),
    )
    moved = contrast.better + contrast.worse
    title = f"Jobs better off: {contrast.better:,}, worse off: {contrast.worse:,}"
    yield Part(out_of(title, len(shown), moved), grid=Grid(columns, [_job(each, contrast) for each in shown]))


def _job(each: JobDifference, contrast: Contrast) -> Row:
    seeds = len(contrast.seeds)
    pairs = (each.wait, each.completion)
    times = [f"{lasting(before)} → {lasting(after)}" for before, after in pairs]
    evicted = f"{plain(each.evictions[0])} → {plain(each.evictions[1])}"
    starts = each.starts[0] != each.starts[1]
    remark = f"starts in {each.starts[0]} of {seeds} runs → {each.starts[1]} of {seeds}" if starts else ""
    later = "later" if each.completion_delay > 0 else "earlier"
    cells = (each.job, each.queue, f"{lasting(abs(each.completion_delay))} {later}", *times, evicted)
    return Row(tuple(map(cell, cells)), remark)
