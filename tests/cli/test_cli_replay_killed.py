"""`vqs replay --checkpoint`, killed at random moments and run again, writes what it writes when it is left alone."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.forked import Forked
from vqs.cli.main import main

KILLS: Final = 3
SLOWEST: Final = 60.0
"""The seconds after which a process that writes no journal is taken to hang."""


def scenario(folder: Path) -> list[str]:
    """Write jobs of two priorities, of which the higher one evicts, for about 60 sessions."""
    text = """
apiVersion: vqs/v1
kind: Scenario
name: killed
priorityClasses: {low: 1, high: 100}
scheduler: |
  actions: "enqueue, allocate, preempt, backfill"
  tiers:
  - plugins: [{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}]
  - plugins: [{name: predicates}, {name: nodeorder}]
nodes:
- {name: n, count: 3, cpu: 4, memory: 8Gi}
jobs:
- {name: low, replicas: 2, cpu: 2, priorityClass: low, arrivals: {every: 7, most: 9}, duration: {exponential: 20}}
- {name: high, replicas: 2, cpu: 2, priorityClass: high, arrivals: {every: 11, most: 5}, duration: {exponential: 10}}
"""
    path = folder / "workload.yaml"
    path.write_text(text, encoding="utf-8")
    return [str(path), "--seed", "1"]


def trace(folder: Path) -> list[str]:
    """Write tables as those of openb, of pods that ask for half of a node's GPUs or all of them."""
    rnd = random.Random(1)
    pods = ["name,cpu_milli,memory_mib,num_gpu,qos,creation_time,deletion_time,scheduled_time"]
    for number in range(20):
        created = 3 * number
        pods.append(f"p{number},4000,1024,{rnd.choice([4, 8])},LS,{created},{created + rnd.randint(5, 60)},{created}")
    nodes = ["sn,cpu_milli,memory_mib,gpu,model", "n1,32000,65536,8,G1", "n2,32000,65536,8,G1"]
    paths = [folder / "pods.csv", folder / "nodes.csv"]
    for path, lines in zip(paths, (pods, nodes), strict=True):
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return [*map(str, paths), "--seed", "1"]


@pytest.mark.parametrize("workload", [scenario, trace])
def test_a_replay_that_is_killed_goes_on(workload: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """Whenever its process is killed, the one that goes on ends with the same bytes, and the same journal."""
    files = workload(tmp_path)
    wanted, journal_wanted = tmp_path / "wanted.json", tmp_path / "wanted.journal"
    assert main(["replay", *files, "--checkpoint", str(journal_wanted), "--output", str(wanted), "--quiet"]) == 0
    result, journal = tmp_path / "result.json", tmp_path / "journal"
    command = ["replay", *files, "--checkpoint", str(journal), "--output", str(result), "--quiet"]
    sizes = random.Random(2).sample(range(journal_wanted.stat().st_size), KILLS)
    for size in sorted(sizes):
        _killed_at(size, journal, command)
        assert not result.exists()
    assert main(command) == 0
    assert result.read_bytes() == wanted.read_bytes()
    assert journal.read_bytes() == journal_wanted.read_bytes()


def _killed_at(size: int, journal: Path, command: list[str]) -> None:
    """Run a command in a process of its own, and kill it as soon as its journal is longer than a size."""
    process = Forked(command)
    give_up = time.monotonic() + SLOWEST
    while not (journal.exists() and journal.stat().st_size > size) and time.monotonic() < give_up:
        time.sleep(0.001)
    process.kill()
    assert process.wait().code == -signal.SIGKILL
