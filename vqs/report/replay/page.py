"""The pages on a replay, for terminals and markdown: what became of the jobs, what it cost, and why jobs waited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

from vqs.explain.amounts import lasting, number, percent
from vqs.model.codes import VerdictCode
from vqs.model.resource import EPSILON
from vqs.model.wording import count, first_names, listed_names
from vqs.releases.release import titled
from vqs.replay.figures import figures_of, groups
from vqs.replay.measured import WHOLE
from vqs.replay.outcome import JobRecord, Replay, Replays, RolloutRecord
from vqs.replay.summary import Contrast, Group
from vqs.report.formats import Again, Detail, Next, Option, Step, View, of_title
from vqs.report.page import Line, Page
from vqs.report.replay import parts
from vqs.report.replay.parts import CALMER, CALMER_INSIDE, Shown, plain, signed, thrashing_line

_HOURS: Final = 24
_MOST_ROLLOUTS: Final = 5


def page(result: Replay, view: View, /) -> Page:
    """Return the page on one run."""
    extent = parts.ALL if view.detail is Detail.EVERYTHING else parts.Extent()
    return Page(
        answer=[sentence(result), *chance_lines(result), *thrashing_lines([result])],
        stops=stops(result),
        headline=headline(result),
        facts=[Line(line) for line in fact_lines(result)],
        parts=[*parts.of_run(result, extent)],
        next=next_step(result, view.again),
    )


def page_of_many(result: Replays, view: View, /) -> Page:
    """Return the page on several runs."""
    extent = parts.ALL if view.detail is Detail.EVERYTHING else parts.Extent()
    return Page(
        answer=[*comparison_lines(result), *thrashing_lines(result.runs)],
        stops=stops(result.runs[0]),
        headline=comparison_headline(result),
        parts=[*parts.of_runs(result, extent)],
        next=next_step(result.runs[0], view.again),
    )


def headline(run: Replay) -> str:
    """Say what was replayed, and how."""
    sessions = f"{count(run.sessions, 'session')} {number(run.period)} s apart"
    facts = [
        count(len(run.jobs), "job"),
        count(len(run.nodes), "node"),
        lasting(run.end),
        f"{sessions}, {run.skipped_sessions:,} left out without a change",
        f"seed {run.seed}",
    ]
    return f"Volcano {titled(run.volcano)}, {run.workload or 'an unnamed workload'}: {', '.join(facts)}"


def comparison_headline(result: Replays) -> str:
    """Say what was replayed, and how often."""
    first = result.runs[0]
    facts = [
        count(len(first.jobs), "job"),
        count(len(first.nodes), "node"),
        f"{len(result.policies)} policies" if len(result.policies) > 1 else result.policies[0],
        count(len(result.seeds), "seed"),
    ]
    return f"Volcano {titled(first.volcano)}, {result.workload or 'an unnamed workload'}: {', '.join(facts)}"


def sentence(run: Replay) -> str:
    """Say in one sentence what became of the jobs."""
    every, shown = figures_of(run).all, parts.Shown(run.estimates)
    if not every.jobs:
        return "Nothing to replay: no job arrives, and none waits or runs at the start."
    ended = shown(f"{WHOLE}.end", run.end, "s")
    return f"{done(every, shown)} in {ended}; {waits(every, shown)}; {evictions(every, shown)}."


def stops(run: Replay) -> list[str]:
    """Say so where it did not come to its end, nothing can be placed, or jobs that did not start fit no node."""
    stopped = [] if run.stopped is None else [run.stopped.told()]
    if not run.nodes:
        return [*stopped, *(["Nothing can be placed: the workload has no nodes"] if run.jobs else [])]
    most = {name: max(node.allocatable.get(name) or 0.0 for node in run.nodes) for name in run.resources}

    def is_too_large(job: JobRecord) -> bool:
        """True if a pod of a job fits no node: a session has said so, or its pods' mean request is too large."""
        pods = max(job.pods, 1)
        beyond = any((job.request.get(name) or 0.0) > amount * pods + EPSILON for name, amount in most.items())
        return beyond or VerdictCode.LARGER_THAN_ANY_NODE in job.waited

    large = [job.called for job in run.jobs if job.started is None and is_too_large(job)]
    if not large:
        return stopped
    told = f"{count(len(large), 'job')} never started: a pod requests more than any node has"
    return [*stopped, f"{told}: {first_names(large)} ({VerdictCode.LARGER_THAN_ANY_NODE})"]


def chance_lines(run: Replay) -> Iterator[str]:
    """Say what the figures are of, where a run stands for several."""
    if run.seeds:
        yield (
            f"Figures are means over {len(run.seeds)} runs, and ± is how far their 95% confidence intervals reach "
            f"(≤ is where one ends that begins at 0); single jobs are those of the most typical run, seed {run.seed}."
        )


def done(group: Group, shown: Shown) -> str:
    """Say how many jobs completed, and how many never started."""
    counts = [shown.estimates.get(f"{WHOLE}.{name}") for name in ("jobs", "completed", "neverStarted")]
    if any(each is not None and each.min < each.max for each in counts):
        jobs, completed, never = (shown(f"{WHOLE}.{each}", None) for each in ("jobs", "completed", "neverStarted"))
        part = f"All {jobs}" if completed == jobs else f"{completed} of {jobs}"
        return f"{part} jobs completed{'' if never == '0' else f', {never} never started,'}"
    unstarted = group.jobs - group.started
    if group.jobs == 1:
        came = "completed" if group.completed else "never started" if unstarted else "has not completed"
        return f"The only job {came}"
    all_of_them = "All" if group.completed == group.jobs else f"{group.completed:,} of"
    told = f"{all_of_them} {count(group.jobs, 'job')} completed"
    return f"{told}, {unstarted:,} never started," if unstarted else told


def waits(group: Group, shown: Shown) -> str:
    """Say how long jobs waited until they started."""
    if group.wait is None:
        return "it waited until the end" if group.jobs == 1 else "none started"
    mean, p95 = (shown(f"{WHOLE}.wait.{name}", getattr(group.wait, name), "s") for name in ("mean", "p95"))
    if group.jobs == 1:
        return f"it waited {mean}"
    return f"jobs waited {mean} on average, 95% of them at most {p95}"


def evictions(group: Group, shown: Shown) -> str:
    """Say how many pods were evicted, and what it cost."""
    several = shown.estimates.get(f"{WHOLE}.evictions")
    if several is not None and several.max:
        number, lost = (shown(f"{WHOLE}.{name}", None, unit) for name, unit in (("evictions", ""), ("workLost", "s")))
        return f"{number} evictions lost {lost} of work"
    if not group.evictions:
        lost = shown(f"{WHOLE}.workLost", group.work_lost, "s")
        return f"no evictions; {lost} of work was lost with nodes" if group.work_lost else "no evictions"
    told = f"{count(group.evictions, 'eviction')} lost {lasting(group.work_lost)} of work"
    if group.pods_lost > group.evictions:
        told = told.replace(" lost ", f" took {group.pods_lost:,} pods away and lost ")
    part = percent(group.work_lost / group.work) if group.work else ""
    return told if part in ("", "0.0%") else f"{told} ({part} of all work)"


def thrashing_lines(runs: Sequence[Replay]) -> list[str]:
    """Say where evictions go to and fro, in the first run under each policy that has any such, and what helps."""
    said, worst = {}, []
    for run in runs:
        figures = figures_of(run)
        if figures.thrashing and run.policy not in said:
            several = f"{run.policy}: " if len({each.policy for each in runs}) > 1 else ""
            first, *others = figures.thrashing
            more = f" {count(len(others), 'more such time')}." if others else ""
            said[run.policy] = f"{several}{thrashing_line(first, figures.all.work)}{more}"
            worst.append(first)
    inside = [len(each.queues) == 1 for each in worst]
    return [*said.values(), *([] if all(inside) else [CALMER]), *([CALMER_INSIDE] if any(inside) else [])]


def fact_lines(run: Replay) -> Iterator[str]:
    """Say what else sums up the run."""
    found, shown = figures_of(run), parts.Shown(run.estimates)
    several = run.estimates.get(f"{WHOLE}.throughput")
    makespan, drain = shown(f"{WHOLE}.makespan", run.makespan, "s"), shown(f"{WHOLE}.drain", found.drain, "s")
    done_at = "" if makespan is None else f"; makespan {makespan}"
    drained = "" if drain is None else f", {drain} after the last arrival"
    yield f"Throughput: {rate(found.throughput if several is None else several.mean)}{done_at}{drained}"
    if run.growth is not None:
        bought, unused = (sum(len(getattr(each, of)) for each in run.growth.purchases) for of in ("nodes", "unused"))
        asked = shown(f"{WHOLE}.bought", bought, "")
        never, removed = shown(f"{WHOLE}.boughtUnused", unused, ""), shown(f"{WHOLE}.removed", run.growth.removed, "")
        limits = Counter(code for each in run.growth.purchases if each.unused for code in each.reasons)
        reasons = f" (their pods waited for {listed_names([*limits])})" if unused else ""
        yield f"Autoscaler: {asked} nodes asked for, {never} of them never used{reasons}, {removed} removed"
    if run.cost is not None:
        yield parts.cost_line(run.cost, shown)
    shown_first = run.rollouts[:_MOST_ROLLOUTS]
    yield from map(rollout_line, shown_first)
    if len(run.rollouts) > len(shown_first):
        yield f"{count(len(run.rollouts) - len(shown_first), 'more rollout')} (--format json has all)"


def rollout_line(rollout: RolloutRecord) -> str:
    """Say when a Deployment changed, and how long it took to have new pods only."""
    told = f"Rollout of Deployment {rollout.deployment} at {lasting(rollout.time)}"
    if rollout.completed is not None:
        return (
            f"{told}: complete after {lasting(rollout.completed - rollout.time)}, with {count(rollout.pods, 'new pod')}"
        )
    return f"{told}: not complete, with {rollout.ready:,} of {count(rollout.pods, 'new pod')} available"


def rate(jobs: float) -> str:
    """Write how many jobs complete, of those that do in an hour; a day's where these are few.

    >>> rate(1110.74), rate(0.25)
    ('1,111 jobs an hour', '6 jobs a day')
    """
    return f"{plain(jobs)} jobs an hour" if jobs >= 1 else f"{plain(jobs * _HOURS)} jobs a day"


def comparison_lines(result: Replays) -> Iterator[str]:
    """Say, for each policy but the first, what it changes; or of the only one, how its runs went."""
    if not result.contrasts:
        every, shown = next(iter(groups(result.runs[:1]))), parts.means_of(result, result.policies[0])
        told = f"{done(every, shown)}; {waits(every, shown)}; {evictions(every, shown)}"
        yield f"{told}; means over {count(len(result.runs), 'run')}."
    yield from map(contrast_line, result.contrasts)


_CONTRASTED: Final = (
    ("wait.mean", "mean wait", "s", "shorter", "longer"),
    ("completion.mean", "mean completion", "s", "shorter", "longer"),
    ("evictions", "evictions", "", "fewer", "more"),
    ("cost.spent", "cost", parts.unit_of("cost.spent"), "less", "more"),
)
"""The figures that a comparison begins with: their names, words and units, and what less and more of them is."""

NO_DIFFERENCE: Final = "no difference that chance does not explain"
"""What is said of figures whose intervals hold 0."""


def contrast_line(contrast: Contrast) -> str:
    """Say what a policy changes, and what of it may be chance."""
    whole = {each.figure: each.difference for each in contrast.differences if each.queue is None}
    there = [each for each in _CONTRASTED if each[0] in whole]
    told, same, unclear = [], [], []
    for figure, words, unit, less, more in there:
        found = whole[figure]
        if found.low is None:
            told.append(f"{words} {signed(found.mean, unit)}")
        elif not found.low and not found.high:
            same.append(words)
        elif found.is_clear(among=len(there)):
            reach = parts.reach_of(found, unit)
            told.append(f"{words} {parts.valued(abs(found.mean), unit)}{reach} {less if found.mean < 0 else more}")
        else:
            unclear.append(f"{words} {signed(found.mean, unit)}{parts.reach_of(found, unit)}")
    if same:
        told.append(f"{listed_names(same)} the same")
    if unclear:
        told.append(f"{NO_DIFFERENCE} in {listed_names(unclear)} (one policy differs as much from seed to seed)")
    moved = f"{count(contrast.better, 'job')} better off, {contrast.worse:,} worse off"
    return f"{contrast.policy} against {contrast.base}: {', '.join([*told, moved])}."


def next_step(run: Replay, again: Again | None) -> Next:
    """Name the command that shows a job that waited longest, when it waited."""
    base = of_run(run, again)
    moments = [(parts.waited(job, run.end), at, job) for job in run.jobs if (at := parts.moment(job, run.end))]
    if not moments:
        return base.last()
    _, at, longest = max(moments, key=itemgetter(0))
    return base.last(
        opened(run, again, at, "writes the cluster at that time"),
        explained(again, longest.called, "then says why that job waits"),
    )


MOMENT: Final = "moment.json"
"""What the snapshot is called."""


def of_run(run: Replay, again: Again | None) -> Again:
    """Return what one run was made from: of the policies and seeds of a command, only its own.

    A command may show one run of several under further seeds, as the most typical of them.
    A saved result does not say what its policies were made from; that is left to the reader.
    """
    base = again or (Again() if run.policy else of_title(run.workload))
    names = [name for name, _ in base.options]
    kept = tuple(each for each in base.options if _is_of(run.policy, each, names))
    of_chance = ("--seed", "--seeds", "--runs", "--precision")
    asked = tuple(each for each in base.options if each[0] == "--seed")
    seed = (("--seed", str(run.seed)),) if run.seed else asked
    kept = tuple(each for each in kept if each[0] not in of_chance)
    return replace(base, options=(*kept, *seed))


def opened(run: Replay, again: Again | None, at: str, says: str) -> Step:
    """Return the command that writes the cluster at a time of a run as a snapshot."""
    return of_run(run, again).command("replay", says, ("--at", at), ("--output", MOMENT))


def explained(again: Again | None, job: str, says: str) -> Step:
    """Return the command that explains a job in that snapshot."""
    base = again or Again()
    return Again(base.program, (MOMENT,)).command("explain-job", says, ("--job", job))


def _is_of(policy: str, option: Option, names: list[str]) -> bool:
    """Tell whether an option is one of a policy: those of others name a configuration or edits that it is not run with.

    A policy is called after its configuration, where there are several, and after its edits.
    """
    name, value = option
    if name == "--conf" and names.count(name) > 1:
        return policy == value or policy.startswith(f"{value} with ")
    if name == "--edits":
        return policy == value or policy.endswith(f" with {value}")
    return True
