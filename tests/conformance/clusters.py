"""Sessions of real clusters: dumps of kubectl from before a session, what was then done, and how far vqs agrees.

`NAME.json` is the dump, `NAME.outcome.json` what was bound, evicted and said of what waits.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.conformance.reading import BESIDE, Recording, read_scenario, unpacked, without_copies
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import Simulation, TaskResult
from vqs.explain.simulate import SimulateOptions

GROUP: Final = "scheduling.k8s.io/group-name"
PLACE: Final = re.compile(r"(assigned to|on node) \S+")
FOLDERS: Final = (unpacked("cluster"), BESIDE / "conformance" / "cluster")

SESSIONS: Final = without_copies(
    (dump, dump.with_suffix(".outcome.json"))
    for folder in FOLDERS
    for dump in sorted(folder.glob("*.json"))
    if not dump.name.endswith(".outcome.json")
)
CHAINS: Final = without_copies(
    (first, second, second.with_suffix(".outcome.json"))
    for folder in FOLDERS
    for first in sorted(folder.glob("*-1.json"))
    if (second := first.with_name(first.name.replace("-1.json", "-2.json"))).exists()
)
LUCKY: Final = {name for folder in FOLDERS if folder.exists() for name in (folder / "luck.txt").read_text().split()}
"""Sessions that hang on choices which the scheduler makes at random, and which no dump tells."""


@dataclass(frozen=True)
class Agreement:
    """How far a simulation agrees with what a cluster did; pairs are how many are the same, and of how many."""

    bound: bool
    evicted: bool
    phases: bool
    conditions: bool
    messages: tuple[int, int]
    nodes: tuple[int, int]


def agreement(recording: Recording, simulation: Simulation) -> Agreement:
    """Compare a session with what was recorded.

    Nodes are compared only where no task of the session had a tie. Of a lucky session, about as many pods are bound
    and evicted in all.
    """
    dump, outcome = recording
    want = json.loads(outcome.read_text(encoding="utf-8"))
    groups = groups_of(dump)
    tasks = {f"{each.namespace}/{each.name}": each for each in simulation.tasks}
    jobs = {f"{each.namespace}/{each.name}": each for each in simulation.jobs}
    bound = newly_bound(simulation.tasks)
    evicted = [key for key, each in tasks.items() if each.status == "Releasing" != each.status_before]
    others = sum(key not in jobs or jobs[key].phase != phase for key, phase in want["phases"].items())
    lucky = dump.stem in LUCKY
    tied = any(each.tied_nodes for each in simulation.tasks)
    both = () if tied else want["bound"].keys() & bound.keys()
    told = {key: plain(tasks[key].pod_scheduled or tasks[key].message) for key in want["messages"] if key in tasks}
    return Agreement(
        bound=about_as_many(want["bound"], bound, 0.01)
        if lucky
        else counted(want["bound"], groups) == counted(bound, groups),
        evicted=about_as_many(want["evicted"], evicted, 0.1)
        if lucky
        else counted(want["evicted"], groups) == counted(evicted, groups),
        phases=others <= 4 if lucky else others == 0,
        conditions=all(key in jobs and jobs[key].unschedulable == text for key, text in want["unschedulable"].items()),
        messages=(sum(plain(text) == told.get(key) for key, text in want["messages"].items()), len(want["messages"])),
        nodes=(sum(want["bound"][key] == bound[key] for key in both), len(both)),
    )


def newly_bound(tasks: Iterable[TaskResult]) -> dict[str, str | None]:
    """Return the nodes of the pods that a session binds."""
    return {
        f"{each.namespace}/{each.name}": each.node
        for each in tasks
        if each.status == "Binding" and each.status_before == "Pending"
    }


def groups_of(dump: Path) -> dict[str, str]:
    """Return the PodGroups of the pods in a dump."""
    items: list[dict[str, Any]] = json.loads(dump.read_text(encoding="utf-8"))["items"]
    return {
        f"{each['metadata'].get('namespace', '')}/{each['metadata']['name']}": (
            f"{each['metadata'].get('namespace', '')}/{each['metadata'].get('annotations', {}).get(GROUP)}"
        )
        for each in items
        if each["kind"] == "Pod"
    }


def counted(keys: Iterable[str], groups: dict[str, str]) -> Counter[str | None]:
    """How many pods of each PodGroup there are among some."""
    return Counter(groups.get(key) for key in keys)


def about_as_many(real: Iterable[str], ours: Iterable[str], tolerance: float) -> bool:
    """Tell whether the numbers differ by 2 or by a part of the real one at most."""
    one, other = len([*real]), len([*ours])
    return abs(one - other) <= max(2, tolerance * one)


def plain(message: str) -> str:
    """Return a message without the name of the node, which ties decide."""
    return PLACE.sub(r"\1 NODE", message)


def bound_next(chain: Recording) -> tuple[Counter[str | None], Counter[str | None]]:
    """Return how many pods of each PodGroup the second of two sessions bound in a cluster, and binds with vqs.

    Of a lucky session, only about how many they are together.
    """
    first, second, outcome = chain
    wanted = json.loads(outcome.read_text(encoding="utf-8"))["bound"]
    cycles = run_cycles(read_scenario(first), SimulateOptions(), 2).cycles
    found = newly_bound(cycles[1].simulation.tasks) if len(cycles) > 1 else {}
    if second.stem in LUCKY:
        return Counter({None: len(wanted) // 10}), Counter({None: len(found) // 10})
    groups = groups_of(second)
    return counted(wanted, groups), counted(found, groups)
