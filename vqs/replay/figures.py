"""The figures that sum up one run of a replay; docs/replay-figures.md defines them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from vqs.explain.outcome import Amounts
from vqs.model.resource import EPSILON, PODS
from vqs.replay.outcome import JobRecord, Replay
from vqs.replay.statistics import jain, spread, weighted_median
from vqs.replay.summary import Deficit, Fairness, Figures, Group, OverTime, QueueEvictions, Usage, Waited
from vqs.replay.thrashing import Taking, thrashing
from vqs.replay.windows import Floats, means, totals, windows

SHORTEST_SERVICE: Final = 10.0
"""Jobs that run for less than this, in seconds, count as that long in slowdowns, as a second is nothing to wait for."""

_HOUR: Final = 3600.0


_Served = tuple[JobRecord, float]
"""A job, and the seconds that the longest of its pods had to run."""


def figures_of(run: Replay) -> Figures:
    """Return the figures that a run is saved with, or else work them out."""
    return run.figures or figures(run)


def summed_up(run: Replay) -> Replay:
    """Return a run with its figures."""
    return msgspec.structs.replace(run, figures=figures(run))


def figures(run: Replay) -> Figures:
    """Return the figures of a run."""
    edges = windows(run.end)
    usage, used, stranded = _usage(run, edges)
    queues = leaf_queues(run)
    deserved, request, allocated = (_held(run, queues, what) for what in ("deserved", "request", "allocated"))
    entitled = np.minimum(deserved, request)
    shares = Entitlements(queues, entitled, np.minimum(entitled, allocated))
    fairness, indices = _fairness(run, shares, edges)
    completed = [job.arrival + job.completion for job in run.jobs if job.completion is not None]
    return Figures(
        groups=list(groups([run])),
        throughput=len(completed) * _HOUR / run.end if run.end > 0 else 0.0,
        drain=drain(run),
        usage=usage,
        fairness=fairness,
        deficits=debts(run, shares),
        waited=waited(run.jobs),
        evictions_by_queue=taken(run),
        thrashing=thrashing(takings(run)),
        over_time=OverTime(
            edges=edges,
            completed=np.histogram(completed, edges)[0].tolist(),
            waiting=means([sample.time for sample in run.samples], waiting_jobs(run), edges)[:, 0].tolist(),
            used=used,
            stranded=stranded,
            fairness=indices,
        ),
    )


# --- jobs -------------------------------------------------------------------------------------------------------------


def groups(runs: Sequence[Replay]) -> Iterator[Group]:
    """Yield the figures of all jobs, then of those of each queue, of each priority, and of both where both vary.

    Args:
        runs: one, or several with other seeds, of which all jobs are taken together.
    """
    jobs = [each for run in runs for each in zip(run.jobs, services(run), strict=True)]
    by_queue: dict[str, list[_Served]] = defaultdict(list)
    by_priority: dict[int, list[_Served]] = defaultdict(list)
    by_both: dict[tuple[str, int], list[_Served]] = defaultdict(list)
    for each in jobs:
        job, _ = each
        by_queue[job.queue].append(each)
        by_priority[job.priority].append(each)
        by_both[job.queue, job.priority].append(each)
    yield _group(None, None, jobs)
    yield from (_group(queue, None, by_queue[queue]) for queue in sorted(by_queue))
    if len(by_priority) > 1:
        yield from (_group(None, priority, by_priority[priority]) for priority in sorted(by_priority, reverse=True))
        both = sorted(by_both, key=lambda each: (each[0], -each[1]))
        yield from (_group(*each, by_both[each]) for each in both if len(by_queue) > 1)


def _group(queue: str | None, priority: int | None, jobs: Sequence[_Served]) -> Group:
    records = [job for job, _ in jobs]
    completed = [(job.completion, service) for job, service in jobs if job.completion is not None]
    return Group(
        queue=queue,
        priority=priority,
        jobs=len(records),
        started=sum(job.started is not None for job in records),
        completed=len(completed),
        admission=spread([job.admitted - job.arrival for job in records if job.admitted is not None]),
        wait=spread([job.started - job.arrival for job in records if job.started is not None]),
        slowdown=spread([slowdown(*each) for each in completed]),
        completion=spread([completion for completion, _ in completed]),
        evictions=sum(job.evictions for job in records),
        pods_lost=sum(job.pods_lost for job in records),
        restarted=sum(job.restarted for job in records),
        work=sum(job.work for job in records),
        work_lost=sum(job.work_lost for job in records),
    )


def services(run: Replay) -> list[float]:
    """Return, by job, the seconds that the longest of its pods had to run: all of its lives without the work lost."""
    by_pod: dict[tuple[int, str], float] = defaultdict(float)
    for life in run.pods:
        if life.started is not None:
            end = run.end if life.ended is None else life.ended
            by_pod[life.job, life.pod] += end - life.started - life.work_lost
    longest = [0.0] * len(run.jobs)
    for (job, _), seconds in by_pod.items():
        longest[job] = max(longest[job], seconds)
    return longest


def slowdown(completion: float, service: float) -> float:
    """Return how many times as long a job took as its pods had to run, at least 1; both are in seconds.

    >>> slowdown(90.0, 30.0), slowdown(8.0, 2.0)
    (3.0, 1.0)
    """
    return max(completion / max(service, SHORTEST_SERVICE), 1.0)


def drain(run: Replay) -> float | None:
    """Return the seconds from the last arrival until the last job completed; None where some did not, or none came."""
    if run.makespan is None or not run.jobs:
        return None
    return run.makespan - max(job.arrival for job in run.jobs)


def waited(jobs: Iterable[JobRecord]) -> list[Waited]:
    """Return how long the jobs of each queue waited for what, the longest first."""
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    number: Counter[tuple[str, str]] = Counter()
    for job in jobs:
        for code, some in job.waited.items():
            seconds[job.queue, code] += some
            number[job.queue, code] += 1
    found = [
        Waited(queue=queue, code=code, jobs=number[queue, code], seconds=some)
        for (queue, code), some in seconds.items()
        if some > 0
    ]
    return sorted(found, key=lambda each: (-each.seconds, each.queue, each.code))


# --- evictions --------------------------------------------------------------------------------------------------------


def takings(run: Replay) -> Iterator[Taking]:
    """Yield the evictions by the scheduler, in the order of the pods."""
    for life in run.pods:
        if life.outcome == "evicted" and life.ended is not None:
            taker = None if life.evictor_job is None else run.jobs[life.evictor_job]
            yield Taking(
                time=life.ended,
                victim=run.jobs[life.job].queue,
                taker="" if taker is None else taker.queue,
                lost=life.work_lost,
                pod=f"{run.jobs[life.job].namespace}/{life.pod}",
                job="" if taker is None else taker.called,
                action=life.action,
            )


def taken(run: Replay) -> list[QueueEvictions]:
    """Return how many pods each queue lost to which other, or to jobs of its own, the most first."""
    pods: Counter[tuple[str, str, str]] = Counter()
    lost: dict[tuple[str, str, str], float] = defaultdict(float)
    for life in run.pods:
        if life.outcome == "evicted":
            taker = "" if life.evictor_job is None else run.jobs[life.evictor_job].queue
            key = (run.jobs[life.job].queue, taker, life.action)
            pods[key] += 1
            lost[key] += life.work_lost
    ordered = sorted(pods, key=lambda key: (-pods[key], key))
    return [
        QueueEvictions(victim_queue=key[0], evictor_queue=key[1], action=key[2], pods=pods[key], work_lost=lost[key])
        for key in ordered
    ]


# --- nodes ------------------------------------------------------------------------------------------------------------


def _usage(run: Replay, edges: Sequence[float]) -> tuple[list[Usage], dict[str, list[float]], dict[str, list[float]]]:
    """Return how much of each resource was used and stranded: in all, and by window."""
    if not run.node_samples or not run.nodes:
        return [], {}, {}
    times = [sample.time for sample in run.node_samples]
    parts, sizes = of_nodes(run)
    there = available(run)
    room = sizes[None, :, :] * there[:, :, None]
    used, idle = parts * room, (1.0 - parts).clip(0.0) * room
    typical = typical_requests(run)
    found, over_time, stranded_over_time = [], {}, {}
    for at, name in enumerate(run.resources):
        total = room[:, :, at].sum(axis=1)
        if name == PODS or not total.any():
            continue
        # At which nodes and samples what is idle is stranded; nowhere if no pod requests the resource.
        short = np.zeros(idle.shape[:2], dtype=bool)
        if name in typical:
            short = (typical[name] - idle >= EPSILON).any(axis=2) & (idle[:, :, at] > 0)
        areas = np.stack(
            [used[:, :, at].sum(axis=1), total, (idle[:, :, at] * short).sum(axis=1), idle[:, :, at].sum(axis=1)],
            axis=1,
        )
        by_window = totals(times, areas, edges)
        whole = by_window.sum(axis=0)
        over_time[name] = _parts(by_window[:, 0], by_window[:, 1]).tolist()
        stranded_over_time[name] = _parts(by_window[:, 2], by_window[:, 3]).tolist()
        found.append(
            Usage(
                resource=name,
                used=float(_parts(whole[0], whole[1])),
                peak=max(over_time[name]),
                stranded=float(_parts(whole[2], whole[3])),
            )
        )
    return found, over_time, stranded_over_time


def of_nodes(run: Replay) -> tuple[Floats, Floats]:
    """Return the used parts of nodes, (samples, nodes, resources), and what each has in all, (nodes, resources)."""
    parts = np.array([sample.used for sample in run.node_samples])
    return (
        parts.reshape(len(run.node_samples), len(run.nodes), -1),
        _amounts([node.allocatable for node in run.nodes], run.resources),
    )


def available(run: Replay) -> Floats:
    """Return the part of each node sample in which each node was there, (samples, nodes)."""
    begins = np.array([sample.time for sample in run.node_samples])
    ends = begins + np.array([sample.seconds for sample in run.node_samples])
    there = np.zeros((len(begins), len(run.nodes)))
    for place, node in enumerate(run.nodes):
        for begin, end in node.available:
            last = run.end if end is None else end
            there[:, place] += (np.minimum(ends, last) - np.maximum(begins, begin)).clip(0.0)
    parts: Floats = there / np.maximum(ends - begins, EPSILON)[:, None]
    return parts


def typical_requests(run: Replay) -> dict[str, Floats]:
    """Return, by resource, what the typical pod that requests it requests: the median of each, (resources,)."""
    pods = np.array([job.pods for job in run.jobs], dtype=np.float64)
    whole = _amounts([job.request for job in run.jobs], run.resources)
    requests = whole / np.maximum(pods, 1)[:, None]
    typical = {}
    for at, name in enumerate(run.resources):
        asking = (requests[:, at] > 0) & (pods > 0)
        if asking.any():
            columns = requests[asking].T
            typical[name] = np.array([weighted_median(values, pods[asking]) for values in columns])
    return typical


def _amounts(amounts: Sequence[Amounts], resources: Sequence[str]) -> Floats:
    """Return amounts as an array, (amounts, resources); what is missing or without a limit is 0."""
    return np.array([[each.get(name) or 0.0 for name in resources] for each in amounts]).reshape(-1, len(resources))


def _parts(some: Floats, whole: Floats) -> Floats:
    """Return parts, 0 where the whole is nothing."""
    parts: Floats = np.divide(some, whole, out=np.zeros_like(some), where=whole > 0)
    return parts


# --- queues -----------------------------------------------------------------------------------------------------------


class Entitlements(NamedTuple):
    """The queues that jobs can be in, and over time the amounts that are theirs: (samples, queues, resources).

    Attributes:
        queues: their names.
        entitled: the smaller of what each deserved and what it requested.
        held: the smaller of that and what it was allocated.
    """

    queues: Sequence[str]
    entitled: Floats
    held: Floats


def debts(run: Replay, shares: Entitlements) -> list[Deficit]:
    """Return what each queue was entitled to and did not get, the largest parts first."""
    queues, entitled, held = shares
    seconds = np.array([sample.seconds for sample in run.samples]).reshape(-1, 1, 1)
    dominant = _dominant(run, entitled)
    areas, missed = (entitled * seconds).sum(axis=0), ((entitled - held) * seconds).sum(axis=0)
    found = [
        Deficit(
            queue=queue,
            resource=name,
            entitled=float(areas[row, at]),
            deficit=float(missed[row, at]),
            fraction=float(missed[row, at] / areas[row, at]),
            dominant=bool(dominant[row] == at),
        )
        for row, queue in enumerate(queues)
        for at, name in enumerate(run.resources)
        if areas[row, at] > 0 and name != PODS
    ]
    return sorted(found, key=lambda each: (-each.fraction, each.queue, each.resource))


def _fairness(run: Replay, shares: Entitlements, edges: Sequence[float]) -> tuple[Fairness, list[float | None]]:
    """Return how even the parts are that queues got of what they were entitled to: in all, and by window.

    A queue's part is that of the resource of which it was entitled to the largest part of the cluster.
    """
    queues, entitled, held = shares
    length = edges[1] - edges[0]
    indices: list[float | None] = [None] * (len(edges) - 1)
    if queues and run.samples:
        rows = np.arange(len(queues))
        dominant = _dominant(run, entitled)
        times = [sample.time for sample in run.samples]
        owed, got = (totals(times, each[:, rows, dominant], edges) for each in (entitled, held))
        for at in np.flatnonzero((owed > 0).sum(axis=1) > 1):
            contenders = owed[at] > 0
            indices[at] = jain((got[at] / np.where(contenders, owed[at], 1.0))[contenders].tolist())
    contested = [(index, edges[at]) for at, index in enumerate(indices) if index is not None]
    lowest = min(contested, default=(None, None))
    mean = sum(index for index, _ in contested) / len(contested) if contested else None
    return Fairness(window=length, contested=len(contested), mean=mean, lowest=lowest[0], lowest_at=lowest[1]), indices


def _dominant(run: Replay, entitled: Floats) -> Floats:
    """Return the place of the resource of which each queue was entitled to the largest part of the cluster."""
    seconds = np.array([sample.seconds for sample in run.samples])
    room = _amounts([sample.allocatable for sample in run.samples], run.resources)
    whole = (room * seconds[:, None]).sum(axis=0)
    areas = (entitled * seconds[:, None, None]).sum(axis=0)
    parts = _parts(areas, np.broadcast_to(whole, areas.shape))
    parts[:, [name == PODS for name in run.resources]] = -1.0
    places: Floats = parts.argmax(axis=1)
    return places


def leaf_queues(run: Replay) -> list[str]:
    """Return the queues that have none below them, by name."""
    parents = {queue.parent for queue in run.queues}
    return sorted(queue.name for queue in run.queues if queue.name not in parents)


def _held(run: Replay, queues: Sequence[str], what: str) -> Floats:
    """Return one of the amounts of queues over time, (samples, queues, resources); without a limit it is infinite."""
    shape = (len(run.samples), len(queues), len(run.resources))
    found = np.zeros(shape)
    for row, sample in enumerate(run.samples):
        for column, queue in enumerate(queues):
            if queue in sample.queues:
                amounts: Amounts = getattr(sample.queues[queue], what)
                limits = (amounts.get(name, 0.0) for name in run.resources)
                found[row, column] = [np.inf if amount is None else amount for amount in limits]
    return found


def waiting_jobs(run: Replay) -> Floats:
    """Return how many jobs had arrived and not started, (samples, 1)."""
    queues = [sum(queue.waiting_jobs for queue in sample.queues.values()) for sample in run.samples]
    return np.array(queues, dtype=np.float64).reshape(-1, 1)
