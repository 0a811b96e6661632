#!/usr/bin/env python3
"""Print how long preempt and reclaim take on full clusters, and how many tasks they evict and promise room to.

usage: bench_evict.py [--runs N] [--nodes N] [--pending N] [--queues N] [--shared FOLDER]

The clusters are those of FOLDER/bench/make_crowded.py, which has to be there. Each is simulated N times, in a process
of its own, and the medians are shown.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
ACTIONS = ("preempt", "reclaim")


def measure(path: str) -> dict[str, Any]:
    """Simulate a dump; return the seconds of each action, what became of the tasks, and the peak memory in MB."""
    from vqs.explain.simulate import SimulateOptions, simulate  # noqa: PLC0415 - its import is not measured here
    from vqs.snapshot.reader import read_manifests  # noqa: PLC0415

    simulation = simulate(read_manifests([path]), SimulateOptions(timing=True))
    assert simulation.timing is not None
    statuses = Counter(task.status for task in simulation.tasks)
    return {
        **simulation.timing.actions,
        "session": simulation.timing.session,
        "evicted": statuses["Releasing"],
        "pipelined": statuses["Pipelined"],
        "pending": statuses["Pending"],
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Make a cluster for each action, measure it and print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pending", type=int, default=500)
    parser.add_argument("--queues", type=int, default=8)
    parser.add_argument("--shared", type=Path, default=SHARED)
    arguments = parser.parse_args()
    size = [str(arguments.nodes), str(arguments.pending), str(arguments.queues)]
    with tempfile.TemporaryDirectory() as folder:
        for action in ACTIONS:
            path = str(Path(folder) / f"{action}.json")
            make = [sys.executable, str(arguments.shared / "bench" / "make_crowded.py"), *size, action, path]
            subprocess.run(make, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - a program of our own
            with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
                runs = [pool.apply(measure, (path,)) for _ in range(arguments.runs)]
            medians = {key: round(statistics.median(run[key] for run in runs), 3) for key in runs[0]}
            sys.stdout.write(f"{action}: {json.dumps(medians)}\n")


if __name__ == "__main__":
    main()
