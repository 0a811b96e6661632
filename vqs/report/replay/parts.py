"""The tables on a replay, and what all reports on one say in the same words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vqs.explain.amounts import amount, lasting, number, percent
from vqs.inert import name as visible
from vqs.model.durations import write_seconds
from vqs.model.resource import is_in_bytes
from vqs.model.wording import count, first_names, listed_names
from vqs.replay.figures import figures_of, groups
from vqs.replay.measured import STATISTICS, WHOLE, measured, of_group, scope_of
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.replay.repeated import estimates
from vqs.replay.statistics import FEWEST_PAIRS, Estimate, Interval
from vqs.replay.summary import Contrast, Cost, Difference, Figures, Group, Growth, JobDifference, Purchase, Usage
from vqs.replay.thrashing import Thrashing
from vqs.report.page import Cell, Column, Grid, Part, cell, first_rows, out_of, table

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


_OF_QUEUES: Final = ("wait.mean", "wait.p95")
"""The figures that policies are compared by for each queue, where not all are shown."""

ALL: Final = Extent(rows=None, details=True)


@dataclass(frozen=True)
class Shown:
    """Writes figures: those of a run, or means over several with how far their 95% confidence intervals reach."""

    estimates: Mapping[str, Estimate]

    def __call__(self, name: str, value: float | None, unit: str = "") -> str | None:
        """Write a figure by its name; `value` is that of the run where there are no others."""
        found = self.estimates.get(name)
        if found is None:
            return None if value is None or self.estimates else valued(value, unit)
        if found.at_most is not None:
            return f"{valued(found.mean, unit)} (≤{valued(found.at_most, unit)})"
        reach = valued(found.reach, unit) if found.reach else ""
        return f"{valued(found.mean, unit)} ±{reach}" if re.search("[1-9]", reach) else valued(found.mean, unit)


def of_run(run: Replay, extent: Extent) -> Iterator[Part]:
    """Yield the tables on one run."""
    found, shown = figures_of(run), Shown(run.estimates)
    yield from _jobs(found.groups, extent, shown)
    if found.usage:
        columns = {Column("RESOURCE", named=True): lambda each: each.resource} | {
            Column(name.upper(), numeric=True): _usage(name, shown) for name in ("used", "peak", "stranded")
        }
        yield Part("Cluster utilisation, as means over time", grid=table(found.usage, columns))
    if run.growth is not None:
        yield _growth(run.growth, extent)
    if run.cost is not None:
        yield _cost(run.cost, shown)
    yield from _shares(found, extent, shown)
    if found.waited:
        yield first_rows(
            "Why jobs waited",
            found.waited,
            extent.rows,
            {
                Column("QUEUE", named=True): lambda each: each.queue,
                Column("VERDICT", named=True): lambda each: each.code,
                Column("JOBS", numeric=True): lambda each: each.jobs,
                Column("TIME", numeric=True): lambda each: shown(
                    f"{scope_of(each.queue)}.waited.{each.code}", each.seconds, "s"
                ),
            },
        )
    yield from _waiting(run, extent)
    if found.evictions_by_queue:
        yield first_rows(
            "Evictions",
            found.evictions_by_queue,
            extent.rows,
            {
                Column("QUEUE", named=True): lambda each: each.victim_queue,
                Column("FOR QUEUE", named=True): lambda each: each.evictor_queue or None,
                Column("BY", named=True): lambda each: each.action or None,
                Column("PODS", numeric=True): lambda each: shown(
                    f"{scope_of(each.victim_queue)}.evicted.{each.action}.{each.evictor_queue}", each.pods
                ),
                Column("WORK LOST", numeric=True): lambda each: lasting(each.work_lost),
            },
        )


def of_runs(result: Replays, extent: Extent) -> Iterator[Part]:
    """Yield the tables on several runs."""
    yield Part("Policies", grid=_policies(result))
    for contrast in result.contrasts:
        shown = [each for each in contrast.differences if each.queue is None or each.figure in _OF_QUEUES]
        title = f"{contrast.policy} against {contrast.base}"
        yield Part(title, lines=[seeds_line(contrast)], grid=_differences(contrast, shown))
    for contrast in result.contrasts:
        if contrast.jobs:
            yield _moved(contrast, extent)
        if extent.details:
            everything = f"{contrast.policy} against {contrast.base}, all figures by queue"
            yield Part(everything, grid=_differences(contrast, contrast.differences), folded=True)
    for policy in result.policies:
        runs = [run for run in result.runs if run.policy == policy]
        of_one = len(runs) == 1
        queues = [group for group in groups(runs) if group.priority is None]
        title = f"Jobs by queue under {policy}" if policy else "Jobs by queue"
        grid = _groups(queues, "QUEUE", means_of(result, policy))
        yield Part(f"{title}{'' if of_one else f', means over {len(runs)} runs'}", grid=grid)
    if extent.details and len(result.seeds) > 1:
        yield Part("Runs", grid=_runs(result), folded=True)


def means_of(result: Replays, policy: str) -> Shown:
    """Return what writes the figures of a policy; a result that was saved long ago has none."""
    return Shown(result.estimates.get(policy) or estimates([run for run in result.runs if run.policy == policy]))


def is_of_jobs(part: Part) -> bool:
    """True if a table is of single jobs, which a page that lists all of them need not repeat."""
    return part.title.startswith((_NEVER_STARTED, _LONGEST))


# --- jobs -------------------------------------------------------------------------------------------------------------


def _jobs(found: Sequence[Group], extent: Extent, shown: Shown) -> Iterator[Part]:
    queues = [group for group in found if group.priority is None]
    priorities = [group for group in found if group.priority is not None and group.queue is None]
    both = [group for group in found if group.priority is not None and group.queue is not None]
    yield Part("Jobs by queue: time until they start", grid=_groups(queues, "QUEUE", shown))
    if priorities:
        yield Part("Jobs by priority", grid=_groups(priorities, "PRIORITY", shown))
    if extent.details:
        if both:
            yield Part("Jobs by queue and priority", grid=_groups(both, "QUEUE, PRIORITY", shown), folded=True)
        for title, figure in (
            ("Time until admission", "admission"),
            ("Time until completion", "completion"),
            ("Slowdown", "slowdown"),
        ):
            yield Part(f"{title}, by queue", grid=_spreads(queues, figure, shown), folded=True)


def _groups(found: Sequence[Group], title: str, shown: Shown) -> Grid:
    def of(name: str, unit: str = "") -> Callable[[Group], Cell]:
        return lambda group: _of_group(group, name, shown, unit)

    return table(
        found,
        {
            Column(title, named=True): _called,
            Column("JOBS", numeric=True): of("jobs"),
            Column("STARTED", numeric=True): of("started"),
            Column("MEAN WAIT", numeric=True): of("wait.mean", "s"),
            Column("MEDIAN", numeric=True): of("wait.median", "s"),
            Column("P95", numeric=True): of("wait.p95", "s"),
            Column("P99", numeric=True, dispensable=True): of("wait.p99", "s"),
            Column("MAX", numeric=True): of("wait.max", "s"),
            Column("COMPLETION", numeric=True, dispensable=True): of("completion.mean", "s"),
            Column("SLOWDOWN", numeric=True, dispensable=True): of("slowdown.mean", "ratio"),
            Column("EVICTIONS", numeric=True): of("evictions"),
            Column("WORK LOST", numeric=True, dispensable=True): of("workLost", "work"),
        },
        style=lambda group: "bold" if group.queue is None and group.priority is None else "",
    )


def _of_group(group: Group, name: str, shown: Shown, unit: str) -> str | None:
    """Write a figure of some jobs."""
    return shown(f"{scope_of(group.queue, group.priority)}.{name}", dict(of_group(group)).get(name), unit)


def _called(group: Group) -> str:
    """What a group is called: its queue, its priority, both, or all."""
    return ", ".join(str(name) for name in (group.queue, group.priority) if name is not None) or ALL_JOBS


def _spreads(found: Sequence[Group], figure: str, shown: Shown) -> Grid:
    def spread(name: str) -> Callable[[Group], Cell]:
        return lambda group: _of_group(group, f"{figure}.{name}", shown, "ratio" if figure == "slowdown" else "s")

    return table(
        found,
        {
            Column("QUEUE", named=True): _called,
            Column("JOBS", numeric=True): lambda group: getattr(getattr(group, figure), "count", 0),
            **{Column(name.upper(), numeric=True): spread(name) for name in STATISTICS},
        },
    )


# --- the cluster, and shares ------------------------------------------------------------------------------------------


def _shares(found: Figures, extent: Extent, figures: Shown) -> Iterator[Part]:
    if not found.deficits:
        return
    shown = [each for each in found.deficits if each.dominant or extent.rows is None][: extent.rows]
    fairness = found.fairness
    fair = "Queues never competed: at no time were two of them entitled to anything."
    if fairness.mean is not None and fairness.lowest is not None:
        fair = (
            f"Jain's fairness index {fairness.mean:.3f} on average over {fairness.contested:,} windows of "
            f"{lasting(fairness.window)}, lowest {fairness.lowest:.3f} at {lasting(fairness.lowest_at)}; 1 is even."
        )
    columns = {
        Column("QUEUE", named=True): lambda each: each.queue,
        Column("RESOURCE", named=True): lambda each: each.resource,
        Column("ENTITLED TO", numeric=True): lambda each: figures(
            f"{scope_of(each.queue)}.entitled.{each.resource}", each.entitled, _AREA + each.resource
        ),
        Column("MISSED", numeric=True): lambda each: figures(
            f"{scope_of(each.queue)}.deficit.{each.resource}", each.deficit, _AREA + each.resource
        ),
        Column("PART", numeric=True): lambda each: figures(
            f"{scope_of(each.queue)}.fraction.{each.resource}", each.fraction, "part"
        ),
    }
    title = out_of("What queues deserved and requested, and did not get", len(shown), len(found.deficits))
    yield Part(title, lines=[fair], grid=table(shown, columns))


def _growth(growth: Growth, extent: Extent) -> Part:
    """The table of nodes that the autoscaler asked for."""
    lines = []
    if growth.not_admitted:
        times = f"{count(growth.not_admitted, 'job')} had no pods for {lasting(growth.not_admitted_seconds)}"
        lines.append(f"{times}, as they were not admitted: the autoscaler does not see these.")

    if not growth.purchases:
        return Part(_GROWTH, lines=[*lines, "It asked for none."])

    def counted(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{number} {what}" for what, number in counts.items())

    columns: dict[Column, Callable[[Purchase], Cell]] = {
        Column("AT", numeric=True): lambda each: lasting(each.time),
        Column("GROUP", named=True): lambda each: each.group,
        Column("NODES", numeric=True): lambda each: len(each.nodes),
        Column("NEVER USED", numeric=True): lambda each: len(each.unused),
        Column("FOR PODS OF", named=True): lambda each: counted(each.queues),
        Column("THAT WAIT FOR", named=True): lambda each: counted(each.reasons),
    }
    return first_rows(_GROWTH, growth.purchases, extent.rows, columns, lines=lines)


_GROWTH: Final = "Nodes that the autoscaler asked for"


def _cost(cost: Cost, shown: Shown) -> Part:
    """The table of what was spent, by queue; what no queue held comes last."""
    money, energy, unit = cost.money, cost.energy, _MONEY + cost.currency
    rows = [
        _Spent(each.queue, scope_of(each.queue), (each.spent, each.lost, each.energy, each.energy_lost), _OF_QUEUE)
        for each in cost.queues
    ]
    for called, name, lost in (("idle", "idle", ""), ("of it stranded", "stranded", ""), (ALL_JOBS, "spent", "lost")):
        values = tuple(
            None if bill is None else getattr(bill, each, None) for bill in (money, energy) for each in (name, lost)
        )
        rows.append(
            _Spent(
                called, WHOLE, values, tuple(f"{what}.{each}" for what in ("cost", "energy") for each in (name, lost))
            )
        )

    def of(place: int, unit: str) -> Callable[[_Spent], Cell]:
        return lambda row: shown(f"{row.scope}.{row.names[place]}", row.values[place], unit)

    columns: dict[Column, Callable[[_Spent], Cell]] = {Column("QUEUE", named=True): lambda row: row.called}
    columns |= {Column("SPENT", numeric=True): of(0, unit), Column("LOST", numeric=True): of(1, unit)}
    if energy is not None:
        columns |= {Column("ENERGY", numeric=True): of(2, _ENERGY), Column("ENERGY LOST", numeric=True): of(3, _ENERGY)}
    lines = [f"Without a price, so free: {first_names(cost.unpriced)}."] if cost.unpriced else []
    grid = table(rows, columns, style=lambda row: "bold" if row.called == ALL_JOBS else "")
    return Part("Cost of nodes, and of work that was lost", lines=lines, grid=grid)


class _Spent(NamedTuple):
    """A row of the table of costs: what it is called, and its figures with their scope and names."""

    called: str
    scope: str
    values: tuple[float | None, ...]
    names: tuple[str, ...]


_OF_QUEUE: Final = ("cost", "cost.lost", "energy", "energy.lost")
"""The figures of a queue in that table."""

_MONEY: Final = "money "
"""What the unit of money begins with; the currency follows."""

_ENERGY: Final = "kWh"


def cost_line(cost: Cost, shown: Shown) -> str:
    """Say what was spent, and how much of it was wasted."""

    def part(name: str, of: float, whole: float) -> str:
        found = shown.estimates.get(f"{WHOLE}.cost.{name}")
        spent = shown.estimates.get(f"{WHOLE}.cost.spent")
        of, whole = (of, whole) if found is None or spent is None else (found.mean, spent.mean)
        return percent(of / whole) if whole else "0%"

    money = cost.money
    spent = shown(f"{WHOLE}.cost.spent", money.spent, _MONEY + cost.currency)
    energy = None if cost.energy is None else shown(f"{WHOLE}.energy.spent", cost.energy.spent, _ENERGY)
    lost, idle, stranded = (part(name, getattr(money, name), money.spent) for name in ("lost", "idle", "stranded"))
    return (
        f"Spent: {spent}{'' if energy is None else f' and {energy}'}; {lost} for work that was lost, "
        f"{idle} idle, {stranded} stranded"
    )


def _usage(name: str, shown: Shown) -> Callable[[Usage], Cell]:
    return lambda each: shown(f"{WHOLE}.{name}.{each.resource}", getattr(each, name), "part")


_AREA: Final = "area "
"""What the unit of an amount over time begins with; the resource follows."""


def area(resource: str, seconds: float) -> str:
    """Write an amount of a resource times seconds, in hours.

    >>> area("cpu", 7200.0), area("memory", 3600.0 * 2**30)
    ('2 h', '1Gi h')
    """
    hours = seconds / 3600
    return f"{amount(resource, round(hours) if is_in_bytes(resource) else hours)} h"


# --- why jobs waited --------------------------------------------------------------------------------------------------


def _waiting(run: Replay, extent: Extent) -> Iterator[Part]:
    """Yield the jobs that never started, and those that waited longest and did."""
    columns: dict[Column, Callable[[JobRecord], Cell]] = {
        Column("JOB", named=True): lambda job: job.called,
        Column("QUEUE", named=True): lambda job: job.queue,
        Column("ARRIVED", numeric=True): lambda job: lasting(job.arrival),
        Column("WAITED", numeric=True): lambda job: lasting(waited(job, run.end)),
    }
    never = sorted((job for job in run.jobs if job.started is None), key=lambda job: (job.arrival, job.called))
    if never:
        yield first_rows(_NEVER_STARTED, never, extent.rows, columns, "FOR", says=lambda job: reasons(job.waited))
    started = sorted(
        (job for job in run.jobs if job.started is not None), key=lambda job: (-waited(job, run.end), job.called)
    )
    longest = [job for job in started[: _ROWS if extent.details else _FEW] if waited(job, run.end) > 0]
    if longest:
        yield Part(_LONGEST, grid=table(longest, columns, "FOR", lambda job: reasons(job.waited)))


def waited(job: JobRecord, end: float) -> float:
    """The seconds that a job waited until it started, or until the end of the run."""
    return (end if job.started is None else job.started) - job.arrival


_POD_GROUP: Final = 0.03
"""The seconds in which most jobs have got their PodGroup."""


def moment(job: JobRecord, end: float) -> str | None:
    """A moment at which a job waits, as `--at` takes it: about half of its wait is over, and it has a PodGroup.

    There is none where it waits for less than that takes.

    >>> moment(JobRecord(name="j", namespace="ns", queue="q", priority=0, arrival=0.0, min_available=1, pods=1,
    ...                  request={}), 40.0)
    '20s'
    """
    until = end if job.started is None else job.started
    since = job.arrival + _POD_GROUP
    middle = (since + until) / 2
    found = next((each for each in (round(middle), round(middle, 2)) if since <= each <= until), None)
    return None if found is None else write_seconds(found)


# --- policies ---------------------------------------------------------------------------------------------------------


_COLUMNS: Final[Mapping[Column, tuple[str, str]]] = {
    Column("STARTED", numeric=True): ("started", ""),
    Column("COMPLETED", numeric=True): ("completed", ""),
    Column("MEAN WAIT", numeric=True): ("wait.mean", "s"),
    Column("P95", numeric=True): ("wait.p95", "s"),
    Column("COMPLETION", numeric=True, dispensable=True): ("completion.mean", "s"),
    Column("MAKESPAN", numeric=True): ("makespan", "s"),
    Column("EVICTIONS", numeric=True): ("evictions", ""),
    Column("WORK LOST", numeric=True, dispensable=True): ("workLost", "work"),
    Column("FAIRNESS", numeric=True, dispensable=True): ("fairness", "index"),
}
"""What tables of policies and runs have, with its unit."""


def _policies(result: Replays) -> Grid:
    """Return a row for each policy, with means over its runs."""

    def of(name: str, unit: str) -> Callable[[str], Cell]:
        return lambda policy: means[policy](f"{WHOLE}.{name}", None, unit)

    runs = Counter(run.policy for run in result.runs)
    means = {policy: means_of(result, policy) for policy in result.policies}
    return table(
        result.policies,
        {
            Column("POLICY", named=True): visible,
            Column("RUNS", numeric=True): lambda policy: runs[policy],
            **{column: of(*figure) for column, figure in _COLUMNS.items()},
        },
    )


def _runs(result: Replays) -> Grid:
    """Return a row for each run."""

    def of(name: str, unit: str) -> Callable[[tuple[Replay, Mapping[str, float]]], Cell]:
        return lambda each: Shown({})(f"{WHOLE}.{name}", each[1].get(f"{WHOLE}.{name}"), unit)

    return table(
        [(run, measured(run)) for run in result.runs],
        {
            Column("POLICY", named=True): lambda each: each[0].policy,
            Column("SEED", numeric=True): lambda each: str(each[0].seed),
            **{column: of(*figure) for column, figure in _COLUMNS.items()},
        },
    )


def _differences(contrast: Contrast, shown: Sequence[Difference]) -> Grid:
    return table(
        shown,
        {
            Column("FIGURE"): lambda each: NAMES.get(each.figure) or f"{each.figure.removeprefix('used.')} used",
            Column("QUEUE", named=True): lambda each: each.queue or ALL_JOBS,
            Column(visible(contrast.base), numeric=True, verbatim=True): lambda each: valued(
                each.base, unit_of(each.figure)
            ),
            Column(visible(contrast.policy), numeric=True, verbatim=True): lambda each: valued(
                each.value, unit_of(each.figure)
            ),
            Column("DIFFERENCE", numeric=True): lambda each: cell(
                signed(each.difference.mean, unit_of(each.figure)), "bold" if each.difference.is_clear() else ""
            ),
            Column("95% INTERVAL", numeric=True): lambda each: _interval(each.difference, unit_of(each.figure)),
            Column("SURE"): lambda each: _sure(each.difference),
        },
    )


def _interval(found: Interval, unit: str) -> str | None:
    if found.low is None or found.high is None:
        return None
    return f"{signed(found.low, unit)} to {signed(found.high, unit)}"


def _sure(found: Interval) -> str | None:
    """Say which way a figure differs, where that is sure; else that it is not, and nothing without an interval."""
    if found.low is None or not found.mean:
        return None
    return ("higher" if found.mean > 0 else "lower") if found.is_clear() else "no"


def reach_of(found: Interval, unit: str) -> str:
    """Write how far an interval reaches to either side; nothing where it has no width."""
    reach = 0.0 if found.low is None or found.high is None else (found.high - found.low) / 2
    return f" ±{valued(reach, unit)}" if reach else ""


def seeds_line(contrast: Contrast) -> str:
    """Say what the interval is, or why there is none."""
    seeds = len(contrast.seeds)
    if seeds < FEWEST_PAIRS:
        runs = "one seed" if seeds == 1 else f"{seeds} seeds"
        return f"{runs.capitalize()}: too few for an interval, and a difference may be chance; it takes {FEWEST_PAIRS}."
    return (
        f"Means over {seeds} seeds; the interval is Student's t for differences by seed, and sure is what leaves 0 out."
    )


def _moved(contrast: Contrast, extent: Extent) -> Part:
    def starts(each: JobDifference) -> str:
        before, after, seeds = *each.starts, len(contrast.seeds)
        return "" if before == after else f"starts in {before} of {seeds} runs → {after} of {seeds}"

    shown = contrast.jobs[: extent.rows and min(extent.rows, _ROWS if extent.details else _FEW * 2)]
    columns: dict[Column, Callable[[JobDifference], Cell]] = {
        Column("JOB", named=True): lambda each: each.job,
        Column("QUEUE", named=True): lambda each: each.queue,
        Column("COMPLETES", numeric=True): lambda each: (
            f"{lasting(abs(each.completion_delay))} {'later' if each.completion_delay > 0 else 'earlier'}"
        ),
        Column("WAIT", numeric=True): lambda each: " → ".join(map(lasting, each.wait)),
        Column("COMPLETION", numeric=True, dispensable=True): lambda each: " → ".join(map(lasting, each.completion)),
        Column("EVICTIONS", numeric=True, dispensable=True): lambda each: " → ".join(map(plain, each.evictions)),
    }
    title = f"Jobs better off: {contrast.better:,}, worse off: {contrast.worse:,}"
    return Part(out_of(title, len(shown), contrast.better + contrast.worse), grid=table(shown, columns, says=starts))


# --- words ------------------------------------------------------------------------------------------------------------

_LARGE: Final = 100
_REASONS: Final = 3
"""The most reasons for which one job waited that are told in a line."""


def reasons(waited: Mapping[str, float]) -> str:
    """Say how long a job waited for what, the longest first.

    >>> reasons({"fragmented": 3000.0, "queue-limit": 7800.0})
    '2h 10m for queue-limit, 50m for fragmented'
    """
    ordered = sorted((item for item in waited.items() if item[1] > 0), key=lambda item: (-item[1], item[0]))
    told = [f"{lasting(seconds)} for {code}" for code, seconds in ordered[:_REASONS]]
    rest = sum(seconds for _, seconds in ordered[_REASONS:])
    return ", ".join([*told, *([f"{lasting(rest)} for other reasons"] if rest else [])])


CALMER: Final = (
    "What helps: the plugin cdp with the annotation volcano.sh/cooldown-time on their jobs, which protects pods for a "
    "while after they are placed; or reclaimable: false on a queue, which protects all of its pods. "
    "Replay it with --conf or --edits to see what it changes."
)
"""What to change where queues take from each other."""


CALMER_INSIDE: Final = (
    "What helps inside a queue: the first tier in which all plugins let the same pod go decides, so leave plugins such "
    "as drf out of that (enablePreemptable: false) or move them to the tier of priority; or "
    'volcano.sh/preemptable: "false" on jobs, which protects their pods. '
    "Replay it with --conf or --edits to see what it changes."
)
"""What to change where pods of a queue are evicted again and again for jobs of the same queue."""


def thrashing_line(found: Thrashing, work: float) -> str:
    """Say that evictions go to and fro, and what they cost, also as a part of all work, in seconds of pods."""
    if len(found.queues) > 1:
        what = f"Queues {listed_names(found.queues)} take from each other"
    else:
        what = f"In queue {found.queues[0]}, {found.action or 'the scheduler'} evicts the same pods again and again"
    part = percent(found.work_lost / work) if work else ""
    return (
        f"{what} for {lasting(found.end - found.start)}, "
        f"from {lasting(found.start)} to {lasting(found.end)}: {found.evictions:,} evictions, "
        f"{lasting(found.work_lost)} of work lost{'' if part in ('', '0.0%') else f' ({part} of all work)'}."
    )


def signed(value: float, unit: str) -> str:
    """Write a difference with its sign.

    >>> signed(-75.0, "s"), signed(0.125, "%"), signed(3.0, "")
    ('-1m 15s', '+12.5 points', '+3')
    """
    sign = "+" if value > 0 else ""
    match unit:
        case "s":
            return f"{sign}{lasting(value)}"
        case "%":
            return f"{value * 100:+.1f} points"
        case "index":
            return f"{value:+.3f}"
        case _ if unit == _ENERGY or unit.startswith(_MONEY):
            return f"{sign}{valued(value, unit)}"
        case _:
            return f"{sign}{plain(value)}"


def valued(value: float, unit: str) -> str:
    """Write a figure in its unit; a part that is next to nothing is nothing."""
    match unit:
        case "s":
            return lasting(value)
        case "%":
            return f"{value * 100:.1f}%"
        case "work":
            return lasting(value) if value else "0"
        case "index":
            return f"{value:.3f}"
        case "ratio":
            return f"{value:.2f}"
        case _ if unit.startswith(_AREA):
            return area(unit.removeprefix(_AREA), value)
        case _ if unit.startswith(_MONEY):
            return f"{value:,.2f} {unit.removeprefix(_MONEY)}".rstrip()
        case "kWh":
            return f"{plain(value)} kWh"
        case "part":
            return percent(value if round(value, 3) else 0.0)
        case _:
            return plain(value)


def plain(value: float) -> str:
    """Write a number; one of 100 or more without decimals.

    >>> plain(1.5), plain(-601.67), plain(12345.0)
    ('1.5', '-602', '12,345')
    """
    return f"{value:,.0f}" if abs(value) >= _LARGE else number(value)


def unit_of(figure: str) -> str:
    """The unit of a figure: ``s`` for seconds, ``%`` for a part, ``index``, or none for a plain number."""
    if figure == "fairness":
        return "index"
    if figure.startswith(("wait.", "completion.")) or figure in ("makespan", "workLost"):
        return "s"
    if figure.startswith(("cost.", "energy.")):
        return _MONEY if figure.startswith("cost.") else _ENERGY
    return "%" if figure.startswith("used.") else ""


NAMES: Final[Mapping[str, str]] = {
    "started": "jobs started",
    "wait.mean": "mean wait",
    "wait.p95": "p95 wait",
    "completion.mean": "mean completion",
    "slowdown.mean": "mean slowdown",
    "evictions": "evictions",
    "pods-lost": "pods lost",
    "restarted": "restarted pods",
    "workLost": "work lost",
    "makespan": "makespan",
    "fairness": "fairness (Jain)",
    "cost.spent": "cost",
    "cost.idle": "cost of what was idle",
    "cost.lost": "cost of work lost",
    "energy.spent": "energy",
}
"""What figures that policies are compared by are called."""
