"""`vqs replay` serves workloads as a real cluster served them, as far as chance lets two runs of one cluster agree.

Compared are sums, not jobs: mean waits, the 95th percentile, completions, the makespan and evictions by the scheduler.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

import pytest

from tests.conformance.reading import BESIDE, unpacked, without_copies
from tests.conformance.recorder.serve import SETTLED, batch_job_object, budget_object, deployment_object
from vqs.explain.simulate import SimulateOptions
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.outcome import Replay
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.replay.workload import EVERY_ROLE, Present, Timing, Workload
from vqs.snapshot.reading.reader import read_manifests

Plain = dict[str, Any]
Figures = dict[str, float]

SEEDS: Final = 7
"""Under how many seeds a workload is replayed."""

TOLERANCES: Final = {
    "evictions": (5.0, 0.35),
    "makespan": (4.0, 0.08),
    "p95 wait": (5.0, 0.25),
    "started": (0.0, 0.0),
    "rolled out": (0.0, 0.0),
}
MEAN: Final = (2.5, 0.2)
"""By how many seconds or evictions, and by what part, two figures may differ: somewhat more than two real runs do."""


def workloads() -> dict[str, tuple[Path, list[Path]]]:
    """Return the workloads, each with all runs of it; two that differ in their names only are one."""
    files = without_copies(
        (file, *sorted(file.parent.glob(f"{file.name.partition('.')[0]}*.outcome.json")))
        for folder in (unpacked("replay"), BESIDE / "replay")
        for file in sorted(folder.glob("*.workload.json"))
    )
    runs: defaultdict[str, list[Path]] = defaultdict(list)
    first: dict[str, Path] = {}
    for file, *_ in files:
        content = json.dumps({**json.loads(file.read_text(encoding="utf-8")), "name": ""})
        first.setdefault(content, file)
        stem = file.name.partition(".")[0]
        runs[content] += [
            file.with_name(f"{stem}.outcome.json"),
            *sorted(file.parent.glob(f"{stem}-r[0-9].outcome.json")),
        ]
    return {file.name.partition(".")[0]: (file, runs[content]) for content, file in first.items()}


def scenario(workload: Plain) -> Plain:
    """Return a recorded workload as a Scenario."""

    def given(source: Plain, *names: str) -> Plain:
        return {name: source[name] for name in names if source.get(name) not in (None, "", 0, {})}

    # Deployments and Jobs of Kubernetes are there for a while before the first job arrives.
    settled = SETTLED if workload.get("deployments") or workload.get("batchJobs") else 0.0
    jobs = ("name", "queue", "replicas", "minAvailable", "cpu", "memory", "gpu", "priorityClass")
    queues = ("name", "parent", "weight", "deserved", "capability", "guarantee")
    policies = [{"event": "PodEvicted", "action": workload["evictPolicy"]}]
    return {
        "apiVersion": "vqs/v1",
        "kind": "Scenario",
        "name": workload["name"],
        "scheduler": workload["schedulerConf"],
        "nodes": [given(each, "name", "cpu", "memory", "gpu") for each in workload["nodes"]],
        "queues": [
            {**given(each, *queues), "reclaimable": each.get("reclaimable", True)} for each in workload["queues"]
        ],
        "jobs": [
            {
                **given(each, *jobs),
                "arrival": settled + each["arrival"],
                "duration": each["duration"],
                "policies": policies,
                **given(workload, "maxRetry"),
            }
            for each in workload["jobs"]
        ],
        "rollouts": [
            {
                "at": settled + each["at"],
                "deployment": each["deployment"],
                "requests": {"cpu": each["cpu"]},
            }
            for each in workload.get("rollouts") or ()
        ],
        "manifests": [
            *map(deployment_object, workload.get("deployments") or ()),
            *map(budget_object, workload.get("budgets") or ()),
            *map(batch_job_object, workload.get("batchJobs") or ()),
        ],
        "priorityClasses": {each["name"]: each["value"] for each in workload.get("priorityClasses") or ()},
    }


def with_durations(workload: Workload, recorded: Plain) -> Workload:
    """Return a workload with how long the pods of Jobs of Kubernetes run, which a scenario does not say."""
    batch = {
        f"default/podgroup-job-{each['name']}": Present({EVERY_ROLE: Timing(Fixed(each["duration"]))})
        for each in recorded.get("batchJobs") or ()
    }
    return replace(workload, present={**workload.present, **batch})


def recorded(file: Path) -> Figures:
    """Return the figures of a run of the real cluster."""
    outcome = json.loads(file.read_text(encoding="utf-8"))
    pods = [outcome.get("services", {}), *(job["pods"] for job in outcome["jobs"])]
    evictions = sum(run.get("deletedBy") == "scheduler" for each in pods for runs in each.values() for run in runs)
    times = [(job["queue"], job["arrival"], job["minRunning"], job["completed"]) for job in outcome["jobs"]]
    rollouts = [(each["at"], each["completed"]) for each in outcome.get("rollouts", ())]
    batch = [(each["completed"], each["phase"]) for each in outcome.get("batchJobs", ())]
    return figures(times, None if outcome["timedOut"] else outcome["makespan"], evictions, rollouts, batch)


def replayed(result: Replay) -> Figures:
    """Return the figures of a replay."""
    times = [
        (job.queue, job.arrival, job.started, job.completed)
        for job in result.jobs
        if not job.name.startswith("podgroup-")
    ]
    rollouts = [(each.time, each.completed) for each in result.rollouts]
    batch = [
        (each.completed - SETTLED, each.phase)
        for each in result.jobs
        if each.name.startswith("podgroup-job-") and each.completed is not None
    ]
    # Pods of Deployments have no end.
    return figures(times, None if rollouts or batch else result.makespan, result.evictions, rollouts, batch)


def figures(
    jobs: Sequence[tuple[str, float, float | None, float | None]],
    makespan: float | None,
    evictions: int,
    rollouts: Sequence[tuple[float, float | None]] = (),
    batch: Sequence[tuple[float, str]] = (),
) -> Figures:
    """Return the figures of a run.

    Args:
        jobs: queue, arrival, start and completion of Volcano Jobs.
        makespan: when the last of them was over.
        evictions: by the scheduler.
        rollouts: when each began, and when it was complete.
        batch: when each Job of Kubernetes was over, and how it ended.
    """
    waits: defaultdict[str, list[float]] = defaultdict(list)
    for queue, arrival, started, _ in jobs:
        if started is not None:
            waits["all"].append(started - arrival)
            waits[queue].append(started - arrival)
    every = sorted(waits["all"])
    table: Figures = {"started": len(every), "evictions": evictions}
    table |= {f"mean wait {queue}": fmean(each) for queue, each in waits.items()}
    table["p95 wait"] = every[min(len(every) - 1, int(0.95 * len(every)))]
    ended = [completed - arrival for _, arrival, _, completed in jobs if completed is not None]
    if makespan is not None:
        table["makespan"] = makespan
        if len(ended) == len(jobs):
            table["mean completion"] = fmean(ended)
    took = [completed - at for at, completed in rollouts if completed is not None]
    if took:
        table |= {"rolled out": len(took), "mean rollout": fmean(took), "longest rollout": max(took)}
    if batch:
        table |= {"mean batch": fmean(at for at, _ in batch), "failed batch": sum(end == "Failed" for _, end in batch)}
    return table


def close(name: str, one: float, other: float) -> bool:
    """Tell whether two figures are within the tolerance."""
    absolute, part = TOLERANCES.get(name, MEAN)
    return abs(one - other) <= max(absolute, part * max(one, other))


def covers(name: str, values: Sequence[float], value: float) -> bool:
    """Tell whether a figure lies within what others cover, widened by the tolerance."""
    least, most = min(values), max(values)
    return least <= value <= most or close(name, least, value) or close(name, most, value)


def far_apart(real: Sequence[Figures], ours: Sequence[Figures]) -> Mapping[str, tuple[list[float], list[float]]]:
    """Return the figures in which the median of one set of runs is not within what the other set covers."""
    pairs = {
        name: ([each[name] for each in real], [each[name] for each in ours])
        for name in real[0]
        if all(name in each for each in (*real, *ours))
    }
    assert pairs
    return {
        name: (want, got)
        for name, (want, got) in pairs.items()
        if not covers(name, got, median(want)) or (len(want) > 1 and not covers(name, want, median(got)))
    }


WORKLOADS: Final = workloads()


@pytest.mark.thorough
@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_is_served_as_the_cluster_served_it(name: str, tmp_path: Path) -> None:
    """Runs under several seeds and the runs of the real cluster are two sets that cover each other's medians."""
    file, outcomes = WORKLOADS[name]
    path = tmp_path / "workload.json"
    plain = json.loads(file.read_text(encoding="utf-8"))
    path.write_text(json.dumps(scenario(plain)), encoding="utf-8")
    workload = with_durations(read_workload([str(path)], name, read_manifests, ReadingOptions()), plain)
    ours = [
        replayed(replay(workload, ReplayOptions(period=1, seed=seed, session=SimulateOptions(seed=seed))))
        for seed in range(1, SEEDS + 1)
    ]
    assert far_apart([recorded(each) for each in outcomes], ours) == {}
