#!/usr/bin/env python3
"""Print what it costs to look ahead where a session reserves nodes for jobs, in times of the session alone.

usage: bench_ahead.py [--runs N] [FILE...]

Without files, these are the recorded scenarios and clusters. Seconds of CPU count, the best of N runs of each; a file
whose session reserves nothing is only counted. The session alone includes its result, as `vqs simulate` shows it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conformance.reading import unpacked
from vqs.explain.outlook import simulate_ahead
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests


def best(run: Callable[[], object], runs: int) -> float:
    """Return the seconds of CPU of the fastest of some runs."""
    found = []
    for _ in range(runs):
        started = time.process_time()
        run()
        found.append(time.process_time() - started)
    return min(found)


def main() -> None:
    """Measure every file and print the cost of looking ahead."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--runs", type=int, default=2)
    asked = parser.parse_args()
    recorded = [*unpacked("random").glob("*.yaml"), *unpacked("cluster").glob("*-[0-9].json")]
    files = asked.files or sorted(map(str, recorded))
    options = SimulateOptions()
    costs: dict[str, tuple[float, int]] = {}
    for file in files:
        try:
            read = read_manifests([file])
            sessions = [job.outlook.sessions for job in simulate_ahead(read, options).jobs if job.outlook is not None]
        except InputErrors:
            continue
        if sessions:
            alone = best(partial(simulate, read, options), asked.runs)
            ahead = best(partial(simulate_ahead, read, options), asked.runs)
            costs[Path(file).name] = (ahead - alone) / alone, max(sessions)
    lines = [f"{cost:6.2f} {number} sessions  {name}" for name, (cost, number) in sorted(costs.items(), key=_cost)]
    found = [cost for cost, _ in costs.values()]
    lines += [
        f"{len(found)} of {len(files)} files reserve nodes; looking ahead costs, in sessions:",
        f"  mean {statistics.mean(found):.2f}, median {statistics.median(found):.2f}, over these",
        f"  mean {sum(found) / len(files):.2f}, over all files",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _cost(item: tuple[str, tuple[float, int]]) -> float:
    return item[1][0]


if __name__ == "__main__":
    main()
