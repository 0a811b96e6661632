"""The workloads whose replays are measured: a trace of 150 days, and a busy day."""

from __future__ import annotations

import heapq
import random
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from tests.bench.cases import SHARED
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME, TASK_SPEC
from vqs.replay.distribution import Fixed
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.replay.workload import EVERY_ROLE, Arrival, Gang, Lifecycle, Timing, Workload
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

_BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_NODES: Final = 24
_DAY: Final = 86_400
_HOUR: Final = 3600.0
_A_DAY: Final = 10_000
"""How many jobs arrive in a busy day."""


def openb(pods: int = 8152) -> Workload:
    """Return the openb trace, 8,152 pods over 150 days, or its first pods, on the 24 nodes with the most GPUs."""
    files = [str(SHARED / "replay" / name) for name in ("openb_pod_list_default.csv", "openb_node_list_all_node.csv")]
    whole = read_workload(files, "openb", read_manifests, ReadingOptions(most_nodes=_NODES))
    return replace(whole, arrivals=whole.arrivals[:pods])


def day(jobs: int = 10_000, nodes: int = 1000) -> Workload:
    """Return jobs of 8 pods, 10,000 a day, that run for an hour on average."""
    rnd = random.Random(1)
    times = sorted(rnd.random() * _DAY * jobs / _A_DAY for _ in range(jobs))
    start = Manifests(nodes=[_node(f"n{number}", {"cpu": "32", "memory": "128Gi"}) for number in range(nodes)])
    arrivals = (
        _arrival(when, f"j{number}", _cpu(rnd), rnd.expovariate(1 / _HOUR), pods=8, controlled=True)
        for number, when in enumerate(times)
    )
    return Workload("day", _BEGIN, start, {}, list(arrivals))


def _cpu(rnd: random.Random) -> k8s.ResourceList:
    return {"cpu": str(rnd.randint(1, 8))}


def bare_events(number: int) -> float:
    """Return the seconds in which as many events are put into a queue by time, and taken from it."""
    rnd = random.Random(1)
    heap: list[tuple[float, int]] = []
    started = time.perf_counter()
    for each in range(number):
        heapq.heappush(heap, (rnd.random(), each))
        if len(heap) > _NODES:
            heapq.heappop(heap)
    return time.perf_counter() - started


def _node(name: str, amounts: k8s.ResourceList) -> k8s.Node:
    allocatable = {**amounts, "pods": "110"}
    return k8s.Node(
        metadata=k8s.ObjectMeta(name=name), status=k8s.NodeStatus(allocatable=allocatable, capacity=allocatable)
    )


def _arrival(
    when: float, name: str, requests: k8s.ResourceList, seconds: float, *, pods: int = 1, controlled: bool = False
) -> Arrival:
    annotations = {GROUP_NAME: name, TASK_SPEC: "worker"}
    container = k8s.Container(name="c", resources=k8s.ResourceRequirements(requests=requests))
    spec = k8s.PodSpec(scheduler_name="volcano", containers=[container])
    made = tuple(
        k8s.Pod(
            metadata=k8s.ObjectMeta(name=f"{name}-{number}", namespace="bench", annotations=annotations),
            spec=spec,
            status=k8s.PodStatus(phase="Pending"),
        )
        for number in range(pods)
    )
    group = k8s.PodGroup(
        metadata=k8s.ObjectMeta(name=name, namespace="bench"),
        spec=k8s.PodGroupSpec(min_member=pods),
        status=k8s.PodGroupStatus(phase="Pending"),
    )
    return Arrival(when, Gang(group, made, Lifecycle() if controlled else None), {EVERY_ROLE: Timing(Fixed(seconds))})
