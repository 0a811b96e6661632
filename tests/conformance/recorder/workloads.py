"""Workloads to serve by a real cluster: workloads.py FOLDER. Each is the same whenever it is made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

Plain = dict[str, Any]

_CONF: Final = """actions: {actions}
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
{more}- plugins:
{plugins}"""
_SECOND: Final = ("drf\n    enablePreemptable: false", "predicates", "{shares}", "nodeorder", "binpack")
CLASSES: Final = [{"name": "low", "value": 10}, {"name": "mid", "value": 100}, {"name": "high", "value": 1000}]


def conf(actions: str, shares: str, more: str = "") -> str:
    """Return a configuration of the scheduler."""
    plugins = "".join(f"  - name: {each.format(shares=shares)}\n" for each in _SECOND)
    return _CONF.format(actions=actions, more=f"  - name: {more}\n" if more else "", plugins=plugins)


def jobs(random: Random, queues: dict[str, int], *, classes: bool, until: float) -> list[Plain]:
    """Return jobs of some queues, as many as said of each, with arrivals up to a time."""
    found = []
    for queue, number in queues.items():
        for place in range(number):
            replicas = random.randint(1, 6)
            found.append(
                {
                    "name": f"{queue[-1]}{place:02d}",
                    "queue": queue,
                    "arrival": round(random.uniform(0, until), 2),
                    "duration": random.randint(12, 50),
                    "replicas": replicas,
                    "minAvailable": random.randint(1, replicas),
                    "cpu": str(random.randint(2, 6)),
                    "memory": f"{random.choice((4, 8, 12))}Gi",
                    "gpu": random.choice((0, 0, 0, 1)),
                    "priorityClass": random.choice(CLASSES)["name"] if classes else None,
                }
            )
    return sorted(found, key=lambda job: job["arrival"])


def workload(name: str, seed: int, queues: list[Plain], **more: Any) -> Plain:
    """Return a workload on ten equal nodes."""
    nodes = [{"name": f"node-{place:02d}", "cpu": "16", "memory": "64Gi", "gpu": 2} for place in range(10)]
    plain: Plain = {"name": name, "seed": seed, "timeLimit": 290, "schedulePeriod": 1, "maxRetry": 1000}
    return {**plain, "nodes": nodes, "queues": queues, **more}


def guarantees() -> Plain:
    """Capacity with guarantees: what is guaranteed stays free for its queue, and what is deserved is reclaimed.

    Jobs fail after a few evictions.
    """
    random = Random(41)
    queues = [
        {"name": "qa", "deserved": {"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "8"},
         "guarantee": {"cpu": "32", "memory": "128Gi", "nvidia.com/gpu": "4"}},
        {"name": "qb", "deserved": {"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "8"},
         "capability": {"cpu": "112", "memory": "448Gi", "nvidia.com/gpu": "14"}},
        {"name": "qc", "deserved": {"cpu": "32", "memory": "128Gi", "nvidia.com/gpu": "4"},
         "guarantee": {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "2"}},
    ]  # fmt: skip
    submitted = jobs(random, {"qa": 22, "qb": 26, "qc": 14}, classes=False, until=110)
    return workload(
        "guarantees", 41, queues, evictPolicy="RestartPod", maxRetry=3, jobs=submitted,
        schedulerConf=conf("enqueue, allocate, reclaim, backfill", "capacity"),
    )  # fmt: skip


def budgets() -> Plain:
    """Preemption with PodDisruptionBudgets, which the plugin pdb keeps."""
    random = Random(42)
    submitted = jobs(random, {"qt": 64}, classes=True, until=110)
    kept = [job for job in submitted if job["priorityClass"] != "high" and random.random() < 0.5]
    return workload(
        "budgets", 42, [{"name": "qt"}], evictPolicy="RestartPod", priorityClasses=CLASSES, jobs=submitted,
        budgets=[{"job": job["name"], "minAvailable": max(job["replicas"] - 1, 1)} for job in kept],
        schedulerConf=conf("enqueue, allocate, preempt, backfill", "proportion", "pdb"),
    )  # fmt: skip


def restarted_tasks() -> Plain:
    """RestartTask on PodEvicted: an eviction ends all pods of its task."""
    random = Random(43)
    queues = [{"name": "qa", "weight": 3}, {"name": "qb", "weight": 2}, {"name": "qc", "weight": 1}]
    submitted = jobs(random, {"qa": 18, "qb": 18, "qc": 18}, classes=False, until=120)
    return workload(
        "restarted-tasks", 43, queues, evictPolicy="RestartTask", jobs=submitted,
        schedulerConf=conf("enqueue, allocate, reclaim, backfill", "proportion"),
    )  # fmt: skip


def rollouts() -> Plain:
    """Deployments that roll out beside jobs, twice each, the second time to larger pods."""
    random = Random(44)
    submitted = jobs(random, {"qa": 16, "qb": 16}, classes=False, until=110)
    deployments, changes = [], []
    for place in range(8):
        name, queue = f"web-{place}", random.choice(("qa", "qb"))
        limits = random.choice(((1, 0), (0, 1), ("25%", "25%"), (2, 1), ("50%", 0), (0, "50%")))
        replicas = random.randint(3, 6)
        deployments.append({"name": name, "queue": queue, "replicas": replicas, "cpu": "1",
                            "maxSurge": limits[0], "maxUnavailable": limits[1]})  # fmt: skip
        changes.append({"at": round(random.uniform(5, 60), 2), "deployment": name, "cpu": "1"})
        changes.append({"at": round(random.uniform(80, 120), 2), "deployment": name, "cpu": "2"})
    return workload(
        "rollouts", 44, [{"name": "qa", "weight": 2}, {"name": "qb", "weight": 1}], evictPolicy="RestartPod",
        jobs=submitted, deployments=deployments, rollouts=changes,
        schedulerConf=conf("enqueue, allocate, reclaim, backfill", "proportion"),
    )  # fmt: skip


def batch_jobs() -> Plain:
    """Jobs of Kubernetes with more completions than they run at a time, whose pods others preempt."""
    random = Random(45)
    submitted = jobs(random, {"qt": 44}, classes=True, until=100)
    batch = [
        {"name": f"batch-{place}", "queue": "qt", "cpu": str(random.randint(2, 4)), "priorityClass": "low",
         "parallelism": random.randint(2, 4), "completions": random.randint(6, 10),
         "backoffLimit": random.choice((2, 6, 6)), "duration": random.randint(8, 20)}
        for place in range(9)
    ]  # fmt: skip
    return workload(
        "batch-jobs", 45, [{"name": "qt"}], evictPolicy="RestartPod", priorityClasses=CLASSES, jobs=submitted,
        batchJobs=batch, schedulerConf=conf("enqueue, allocate, preempt, backfill", "proportion"),
    )  # fmt: skip


def main(folder: str) -> None:
    """Write all workloads into a folder."""
    for made in (guarantees(), budgets(), restarted_tasks(), rollouts(), batch_jobs()):
        Path(folder, f"{made['name']}.workload.json").write_text(json.dumps(made, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
