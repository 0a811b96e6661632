"""How good the ranges of `vqs when` were: the document that `vqs verify WHEN DUMP... --format json` prints.

Times are in seconds from when the ranges were made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import inf
from typing import Final, Literal

from vqs.explain.outcome import Result
from vqs.model.durations import write_seconds
from vqs.model.moments import parse_moment
from vqs.model.wording import count
from vqs.replay.reading.dumps import began
from vqs.replay.when.outcome import JobStart, When
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.controllers.world import group_name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.verify.dumps import NotAPair

Verdict = Literal["inside", "earlier", "later", "open"]

_WHOLE: Final = 1.0
"""Clusters write times in whole seconds: a start this near to a range is in it."""


class StartCheck(Result, kw_only=True, omit_defaults=False):
    """A range, and when the job started.

    Attributes:
        display_name: the namespace and name that people know the job by.
        earliest: where the range begins; null where the job was to start in no run.
        latest: where it ends; null where some runs had no start.
        started: when it started; null where it had not by the last dump.
        verdict: whether the start was `inside` the range, `earlier`, `later`, or is `open`, as the dumps end too early.
    """

    display_name: str
    earliest: float | None
    latest: float | None
    started: float | None
    verdict: Verdict


class Starts(Result, tag_field="schema", tag="vqs/starts/v1", kw_only=True, omit_defaults=False):
    """How good the ranges of `vqs when` were.

    Attributes:
        snapshot: what they were made from.
        now: when that was.
        until: how many seconds after it the last dump was taken.
        runs: over how many runs the ranges reach.
        expected: which part of the starts should be in the ranges, by the number of runs, if the assumptions hold.
        coverage: which part of those that are known was inside; null where none is known.
        answer: the same in a sentence.
        jobs: all jobs of which there was a range.
    """

    snapshot: str
    now: str | None
    until: float
    runs: int
    expected: float
    coverage: float | None
    answer: str
    jobs: list[StartCheck]


def check_starts(ranges: When, dumps: Sequence[Manifests]) -> Starts:
    """Say how good ranges were, by later dumps of the cluster.

    Raises:
        NotAPair: it is not known when the ranges were made, or no dump is of a later time.
    """
    now = parse_moment(ranges.now or "")
    if now is None:
        raise NotAPair("nothing says at what time the ranges were made: give `vqs when` a dump with times, or --now")
    until = max(((dump.now - now).total_seconds() for dump in dumps if dump.now is not None), default=0.0)
    if until <= 0:
        raise NotAPair("no dump was taken after the ranges were made: give later ones")
    started = {job: (time - now).total_seconds() for job, time in first_starts(dumps).items()}
    checks = [check_job(job, started.get(job.display_name), until, ranges.within) for job in ranges.jobs]
    return summed_up(ranges, until, [each for each in checks if each is not None])


def summed_up(ranges: When, until: float, checks: list[StartCheck]) -> Starts:
    """Return what comes of single jobs."""
    known = [each for each in checks if each.verdict != "open"]
    inside = sum(each.verdict == "inside" for each in known)
    expected = (ranges.runs - 1) / (ranges.runs + 1)
    off = {side: sum(each.verdict == side for each in known) for side in ("earlier", "later")}
    left = f"; {len(checks) - len(known):,} had not started {write_seconds(round(until), most=2)} later, which is open"
    answer = (
        f"{inside:,} of {count(len(known), 'job')} started within the range ({inside / len(known):.0%}, where ranges "
        f"of {count(ranges.runs, 'run')} should hold {expected:.0%}), {off['earlier']:,} earlier, "
        f"{off['later']:,} later"
        if known
        else "No start is known yet"
    )
    return Starts(
        snapshot=ranges.snapshot,
        now=ranges.now,
        until=until,
        runs=ranges.runs,
        expected=expected,
        coverage=inside / len(known) if known else None,
        answer=f"{answer}{left if len(known) < len(checks) else ''}.",
        jobs=checks,
    )


def check_job(job: JobStart, started: float | None, until: float, within: float) -> StartCheck | None:
    """Compare a range with a start; a job that ran already has none."""
    if job.fate == "running":
        return None
    first = inf if job.earliest is None else job.earliest
    last = (inf if job.fate == "never" else within) if job.latest is None else job.latest
    verdict: Verdict = "inside"
    if started is not None:
        if started < min(first, within) - _WHOLE:
            verdict = "earlier"
        elif job.latest is not None and started > last + _WHOLE:
            verdict = "later"
    elif job.fate != "never" and until <= last + _WHOLE:
        verdict = "open"
    elif job.latest is not None:
        verdict = "later"
    found = None if started is None else round(started, 2)
    return StartCheck(
        display_name=job.display_name, earliest=job.earliest, latest=job.latest, started=found, verdict=verdict
    )


def first_starts(dumps: Iterable[Manifests]) -> Mapping[str, datetime]:
    """Return when as many pods of each job had begun to run as it needs, by what the job is called."""
    begins: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
    needed: dict[str, int] = {}
    for dump in dumps:
        called = {uid: name.display for uid, name in job_names(dump).items()}
        needed |= {called[each.metadata.key]: each.spec.min_member for each in dump.pod_groups}
        for pod in dump.pods:
            start = began(pod)
            if start is not None:
                group = f"{pod.metadata.namespace}/{group_name_of(pod)}"
                begins[called.get(group, group)].setdefault(pod.metadata.uid or pod.metadata.name, start)
    found = {}
    for job, times in begins.items():
        least = max(needed.get(job, 1), 1)
        if len(times) >= least:
            found[job] = sorted(times.values())[least - 1]
    return found
