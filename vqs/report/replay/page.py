"""The pages on a replay, for terminals and markdown: what became of the jobs, what it cost, and why jobs waited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

from vqs.explain.amounts import lasting, number, percent
from vqs.model.codes import VerdictCode
from vqs.model.resource import EPSILON
from vqs.model.wording import count, first_names
from vqs.releases.release import titled
from vqs.replay.figures import figures_of, groups
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.replay.summary import Contrast, Group
from vqs.report.again import Again, Next, Option, Step, of_title
from vqs.report.formats import Detail, View
from vqs.report.page import Line, Page
from vqs.report.replay import parts
from vqs.report.replay.parts import CALMER, CALMER_INSIDE, job_name, plain, signed, thrashing_line, time_of

_HOURS: Final = 24


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
    every = figures_of(run).all
    if not every.jobs:
        return "Nothing to replay: no job arrives, and none waits or runs at the start."
    return f"{done(every)} in {lasting(run.end)}; {waits(every)}; {evictions(every)}."


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

    large = [job_name(job) for job in run.jobs if job.started is None and is_too_large(job)]
    if not large:
        return stopped
    told = f"{count(len(large), 'job')} never started: a pod requests more than any node has"
    return [*stopped, f"{told}: {first_names(large)} ({VerdictCode.LARGER_THAN_ANY_NODE})"]


def chance_lines(run: Replay) -> Iterator[str]:
    """Say how far chance moves the figures, where a run stands for several."""
    if run.spread:
        wait, end = run.spread.get("mean wait"), run.spread.get("makespan")
        evicted = run.spread["evictions"]
        ranges = [
            *([f"the mean wait is {_range(lasting(wait.min), lasting(wait.max))}"] if wait else []),
            *([f"the last job completes after {_range(lasting(end.min), lasting(end.max))}"] if end else []),
            f"{_range(f'{evicted.min:,.0f}', f'{evicted.max:,.0f}') if evicted.max else 'no'} pods are evicted",
        ]
        typical = f"of {evicted.runs} runs, this is the most typical"
        yield f"Chance decides ties: {typical}. In all of them, {', '.join(ranges)}."


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def done(group: Group) -> str:
    """Say how many jobs completed, and how many never started."""
    never = group.jobs - group.started
    if group.jobs == 1:
        return f"The only job {'completed' if group.completed else 'never started' if never else 'has not completed'}"
    completed = "All" if group.completed == group.jobs else f"{group.completed:,} of"
    told = f"{completed} {count(group.jobs, 'job')} completed"
    return f"{told}, {never:,} never started," if never else told


def waits(group: Group) -> str:
    """Say how long jobs waited until they started."""
    if group.wait is None:
        return "it waited until the end" if group.jobs == 1 else "none started"
    if group.jobs == 1:
        return f"it waited {time_of(group.wait)}"
    return f"jobs waited {time_of(group.wait)} on average, 95% of them at most {lasting(group.wait.p95)}"


def evictions(group: Group) -> str:
    """Say how many pods were evicted, and what it cost."""
    if not group.evictions:
        return "no evictions"
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
    found = figures_of(run)
    done_at = "" if run.makespan is None else f"; makespan {lasting(run.makespan)}"
    drained = "" if found.drain is None else f", {lasting(found.drain)} after the last arrival"
    yield f"Throughput: {rate(found.throughput)}{done_at}{drained}"


def rate(jobs: float) -> str:
    """Write how many jobs complete, of those that do in an hour; a day's where these are few.

    >>> rate(1110.74), rate(0.25)
    ('1,111 jobs an hour', '6 jobs a day')
    """
    return f"{plain(jobs)} jobs an hour" if jobs >= 1 else f"{plain(jobs * _HOURS)} jobs a day"


def comparison_lines(result: Replays) -> Iterator[str]:
    """Say, for each policy but the first, what it changes; or of the only one, how its runs went."""
    if not result.contrasts:
        every = next(iter(groups(result.runs)))
        yield f"{done(every)}; {waits(every)}; {evictions(every)}; {count(len(result.runs), 'run')} together."
    yield from map(contrast_line, result.contrasts)


def contrast_line(contrast: Contrast) -> str:
    """Say what a policy changes."""
    whole = {each.figure: each for each in contrast.differences if each.queue is None}
    told = []
    for figure, words, unit in (
        ("wait.mean", "mean wait", "s"),
        ("completion.mean", "mean completion", "s"),
        ("evictions", "evictions", ""),
    ):
        if (found := whole.get(figure)) is not None:
            sure = parts.certainty(found.difference)
            told.append(f"{words} {signed(found.difference.mean, unit)}{f' ({sure})' if sure else ''}")
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
        explained(again, job_name(longest), "then says why that job waits"),
    )


MOMENT: Final = "moment.json"
"""What the snapshot is called."""


def of_run(run: Replay, again: Again | None) -> Again:
    """Return what one run was made from: of the policies and seeds of a command, only its own.

    A command without a seed may show a run with one, as the most typical of several.
    A saved result does not say what its policies were made from; that is left to the reader.
    """
    base = again or (Again() if run.policy else of_title(run.workload))
    names = [name for name, _ in base.options]
    kept = tuple(each for each in base.options if _is_of(run.policy, each, names))
    drawn = "--seeds" in names or (run.spread and run.seed)
    seed = (("--seed", str(run.seed)),) if drawn else ()
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
