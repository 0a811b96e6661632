"""How long it takes to compare two configurations; prints figures and asserts nothing.

usage: python tests/bench/bench_diff.py [--nodes N] [--pods N] [--runs N]

Both commands are run as a user would, in processes of their own. The aim is at most twice one simulation plus 0.5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.build import CONF, gang, node, queue, scheduler_conf  # noqa: E402 - the path comes first

QUEUES, GANG = 10, 10
OTHER = CONF.replace("allocate, backfill", "allocate, preempt, backfill").replace("  - name: binpack\n", "")


def main() -> None:
    """Measure one simulation, and comparisons of it with other configurations and another queue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        snapshot, old, new = (Path(folder) / name for name in ("snapshot.json", "old.conf", "new.conf"))
        items = [*_objects(arguments.nodes, arguments.pods)]
        snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
        old.write_text(CONF, encoding="utf-8")
        new.write_text(OTHER, encoding="utf-8")
        diff = ["diff-configs", "--on", str(snapshot)]
        commands = {
            "simulate": ["simulate", str(snapshot)],
            "diff-configs, the same twice": [*diff, str(old), str(old)],
            "diff-configs, two configurations": [*diff, str(old), str(new)],
            "diff-configs, another weight": [*diff, "--set", "queue/q0.spec.weight=20"],
            "diff-configs, another weight, --no-lint": [*diff, "--set", "queue/q0.spec.weight=20", "--no-lint"],
        }
        seconds = {name: _seconds(command, arguments.runs) for name, command in commands.items()}
    one, one_cpu = seconds["simulate"]
    for name, (wall, cpu) in seconds.items():
        aim = f"; aim {2 * one + 0.5:.2f} s and {2 * one_cpu + 0.5:.2f} s" if name != "simulate" else ""
        sys.stdout.write(f"{name}: {wall:.2f} s, {cpu:.2f} s of cpu{aim}\n")


def _seconds(command: list[str], runs: int) -> tuple[float, float]:
    """Return the medians of the time on the clock and on the processor."""
    found = []
    for _ in range(runs):
        started, before = time.perf_counter(), os.times()
        run = [sys.executable, "-c", "from vqs.cli.main import main; raise SystemExit(main())", *command]
        done = subprocess.run(run, cwd=ROOT, check=False, capture_output=True)  # noqa: S603 - our own command
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr.decode())
        after = os.times()
        used = after.children_user - before.children_user + after.children_system - before.children_system
        found.append((time.perf_counter() - started, used))
    return statistics.median(wall for wall, _ in found), statistics.median(cpu for _, cpu in found)


def _objects(nodes: int, pods: int) -> Iterator[dict[str, Any]]:
    """Yield a cluster, and gangs in ten queues that ask for a quarter more than there is."""
    yield scheduler_conf()
    for number in range(nodes):
        yield node(f"node-{number:05d}", cpu=16, memory="64Gi")
    for number in range(QUEUES):
        yield queue(f"q{number}", number + 1)
    for number in range(pods // GANG):
        yield from gang(f"job-{number:05d}", GANG, queue=f"q{number % QUEUES}", phase="Pending", cpu=2)


if __name__ == "__main__":
    main()
