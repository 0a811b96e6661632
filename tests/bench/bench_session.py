#!/usr/bin/env python3
"""Print how long a session takes on dumps, and where the time goes.

usage: bench_session.py [--runs N] FILE...

Each file is simulated N times, in a process of its own; the medians are shown.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import sys
import time
from collections import Counter
from typing import Any


def measure(path: str) -> dict[str, Any]:
    """Simulate one dump and return the seconds of each part, the number of bound tasks and the peak memory in MB."""
    from vqs.explain.simulate import SimulateOptions, simulate  # noqa: PLC0415 - its import is not measured here
    from vqs.snapshot.reading.reader import read_manifests  # noqa: PLC0415

    started = time.perf_counter()
    manifests = read_manifests([path])
    read = time.perf_counter() - started
    simulation = simulate(manifests, SimulateOptions(timing=True))
    timing = simulation.timing
    assert timing is not None
    bound = Counter(task.status for task in simulation.tasks)["Binding"]
    return {
        "read": read,
        "load": timing.load,
        "open": timing.open,
        **timing.actions,
        "session": timing.session,
        "bound": bound,
        "us/bound": timing.session / bound * 1e6 if bound else 0.0,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Measure every file and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    for path in arguments.files:
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            runs = [pool.apply(measure, (path,)) for _ in range(arguments.runs)]
        medians = {key: round(statistics.median(run[key] for run in runs), 3) for key in runs[0]}
        sys.stdout.write(f"{path}: {json.dumps(medians)}\n")


if __name__ == "__main__":
    main()
