"""Replays made by hand: small ones whose figures one can work out, and a crowd, first come, first served."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import pairwise

from vqs.explain.outcome import Amounts
from vqs.replay.outcome import (
    JobRecord,
    NodeRecord,
    NodeSample,
    PodRecord,
    QueueRecord,
    QueueSample,
    Replay,
    Replays,
    Sample,
)


def job(
    name: str, queue: str = "a", times: Sequence[float | None] = (0.0, 0.0, 1.0, 9.0), **given: object
) -> JobRecord:
    """Return a job by its times of arrival, admission, start and completion."""
    arrival, admitted, started, completed = times
    facts: dict[str, object] = {
        "namespace": "ns",
        "priority": 0,
        "min_available": 1,
        "pods": 1,
        "request": {"cpu": 1.0},
        "phase": "Pending" if started is None else "Running" if completed is None else "Completed",
    }
    return JobRecord(
        name=name,
        queue=queue,
        arrival=arrival or 0.0,
        admitted=admitted,
        started=started,
        completed=completed,
        **{**facts, **given},  # type: ignore[arg-type]
    )


def sample(time: float, seconds: float, queues: dict[str, tuple[float, float, float]], cpu: float = 10.0) -> Sample:
    """Return a stretch of time, in which each queue holds, deserves and requests so many cores."""
    return Sample(
        time=time,
        seconds=seconds,
        queues={
            name: QueueSample(
                allocated=_cores(held),
                deserved=_cores(deserved),
                request=_cores(request),
                pending=request - held,
                running=held,
                waiting_jobs=request - held,
            )
            for name, (held, deserved, request) in queues.items()
        },
        allocatable={"cpu": cpu},
    )


def _cores(amount: float) -> Amounts:
    return {"cpu": amount} if amount else {}


def run(
    jobs: Sequence[JobRecord],
    pods: Sequence[PodRecord] = (),
    samples: Sequence[Sample] = (),
    nodes: Iterable[tuple[str, float]] = (("n1", 10.0),),
    *,
    end: float = 100.0,
    node_samples: Sequence[NodeSample] = (),
    policy: str = "first.conf",
    seed: int = 1,
) -> Replay:
    """Return a run."""
    ends = [each.completed for each in jobs if each.completed is not None]
    return Replay(
        volcano="1.14",
        workload="week.yaml",
        policy=policy,
        seed=seed,
        begin="2026-01-01T00:00:00Z",
        period=1.0,
        end=end,
        makespan=max(ends) if len(ends) == len(jobs) and ends else None,
        evictions=sum(each.outcome == "evicted" for each in pods),
        sessions=10,
        skipped_sessions=2,
        events=20,
        jobs=list(jobs),
        pods=list(pods),
        queues=[QueueRecord(name="root", parent="", weight=1)]
        + [QueueRecord(name=name, parent="root", weight=1) for name in sorted({each.queue for each in jobs})],
        nodes=[NodeRecord(name=name, allocatable={"cpu": cpu}, available=[(0.0, None)]) for name, cpu in nodes],
        resources=["cpu"],
        samples=list(samples),
        node_samples=list(node_samples),
    )


def runs(*made: Replay) -> Replays:
    """Return several runs."""
    return Replays(
        workload="week.yaml",
        policies=list(dict.fromkeys(each.policy for each in made)),
        seeds=list(dict.fromkeys(each.seed for each in made)),
        runs=list(made),
    )


# --- a crowd ----------------------------------------------------------------------------------------------------------


def crowd(
    jobs: int, nodes: int, pods: int = 8, *, seed: int = 1, policy: str = "first.conf", slow: float = 1.0
) -> Replay:
    """Return a long run of gangs of pods of one core: each starts when, in the order of arrival, there is room for it.

    Some seconds after a node's pod of every thirtieth job starts, it is evicted for the job after it, and runs again.
    """
    cores, between = 8, 86_400 / jobs
    ends: list[float] = []
    records, lives = [], []
    for place in range(jobs):
        arrival = place * between
        seconds = slow * (200 + (place * 7919 * seed) % 2400) * nodes * cores / (jobs * pods) * 60
        start = arrival + 1.5
        while ends and (ends[0] <= start or len(ends) + pods > nodes * cores):
            start = max(start, heapq.heappop(ends))
        queue, taker = f"team-{'abcde'[place % 5]}", place + 1 if place % 30 == 0 and place + 1 < jobs else None
        lost = 0.0 if taker is None else min(20.0, seconds / 2)
        end = start + lost + seconds
        for _ in range(pods):
            heapq.heappush(ends, end)
        name = f"{queue}-job-{place:05}"
        waits = {"queue-limit": (start - arrival) * 0.7, "fragmented": (start - arrival) * 0.3}
        records.append(
            job(
                name,
                queue,
                (arrival, arrival + 1, start, end),
                pods=pods,
                min_available=pods,
                priority=100 * (place % 3 == 0),
                request={"cpu": float(pods)},
                evictions=pods * (taker is not None),
                work=pods * (end - start),
                work_lost=pods * lost,
                waited=waits,
            )
        )
        for number in range(pods):
            node = f"node-{(place * pods + number) % nodes:04}"
            pod = f"{name}-worker-{number}"
            if taker is not None:
                lives.append(
                    PodRecord(
                        pod=pod, job=place, created=arrival, node=node, bound=start, started=start, ended=start + lost,
                        outcome="evicted", evictor_job=taker, action="reclaim", work_lost=lost,
                    )
                )  # fmt: skip
            begin = start + lost
            lives.append(
                PodRecord(
                    pod=pod,
                    job=place,
                    created=begin,
                    node=node,
                    bound=begin,
                    started=begin,
                    ended=end,
                    outcome="succeeded",
                )
            )
    end = max(each.ended or 0.0 for each in lives)
    made = run(
        records,
        lives,
        _samples(records, end, nodes * cores),
        [(f"node-{number:04}", float(cores)) for number in range(nodes)],
        end=end,
        policy=policy,
        seed=seed,
    )
    made.node_samples = _node_samples(lives, nodes, cores, end)
    return made


def _samples(records: Sequence[JobRecord], end: float, total: int, number: int = 100) -> list[Sample]:
    queues = sorted({each.queue for each in records})
    edges = [end * place / number for place in range(number + 1)]
    made = []
    for begin, after in pairwise(edges):
        at = (begin + after) / 2
        alive = [each for each in records if each.arrival <= at < (each.completed or end)]
        held = dict.fromkeys(queues, 0.0)
        asked = dict(held)
        for each in alive:
            asked[each.queue] += each.pods
            held[each.queue] += each.pods * ((each.started or end) <= at)
        share = total / len(queues)
        of = {queue: (held[queue], min(share, asked[queue]), asked[queue]) for queue in queues}
        made.append(sample(begin, after - begin, of, float(total)))
    return made


def _node_samples(
    lives: Sequence[PodRecord], nodes: int, cores: int, end: float, number: int = 200
) -> list[NodeSample]:
    used = [[0.0] * nodes for _ in range(number)]
    width = end / number
    for life in lives:
        node = int(life.node.rpartition("-")[2])
        for at in range(int((life.started or 0) / width), min(int((life.ended or end) / width) + 1, number)):
            covered = min(life.ended or end, (at + 1) * width) - max(life.started or 0, at * width)
            used[at][node] += max(covered, 0.0) / width / cores
    return [
        NodeSample(time=at * width, seconds=width, used=[[min(part, 1.0)] for part in row])
        for at, row in enumerate(used)
    ]
