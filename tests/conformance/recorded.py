"""Outcomes recorded from the real scheduler, and how far a simulation agrees with them.

A recorded file holds the distinct outcomes of many runs on one scenario: the real scheduler picks at random among
equally good nodes. With many outcomes, equal numbers of tasks by job and status are enough; else every task has to
match.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tests.conformance.extender import with_extender
from tests.conformance.reading import BESIDE, Recording, read_scenario, unpacked, without_copies
from vqs.engine.framework.session import Session
from vqs.explain.outcome import JobResult, QueueResult, Simulation, TaskResult
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.releases.release import read_build
from vqs.snapshot.reading.reader import read_manifests

Outcome = dict[str, Any]

RECORDED_AT: Final = datetime.fromisoformat("2026-11-21T12:00:00Z")
OTHER_RELEASES: Final = ("1.12", "1.13", "1.14.0", "1.14-head", "1.15", "1.16")
"""The folders of their outcomes, which are kept where they are others than those of v1.14.4; a head is of a branch."""

RECORDED: Final = without_copies(
    (scenario, scenario.with_suffix(".json"))
    for folder in (
        unpacked("random"),
        unpacked("plugins"),
        *(BESIDE / "conformance" / name for name in ("random", "volcano-unit")),
    )
    for scenario in sorted(folder.glob("*.yaml"))
    if scenario.with_suffix(".json").exists()
)
SCENARIOS: Final = [scenario for scenario, _ in RECORDED if scenario.parent.name != "plugins"]

PLUGINS: Final = {
    "1.12": ("deviceshare-silent", "network-topology-aware-soft"),
    "1.13": ("deviceshare-silent", "network-topology-aware-soft"),
    "1.15": (
        *("deviceshare", "network-topology-aware-edges", "numa-aware", "pdb", "sharding", "tdm", "usage"),
        *("usage-edges", "nodegroup-affine", "nodegroup-inherited", "nodegroup-scored"),
        *("capacity-served", "capacity-tried", "gang-each"),
    ),
    "1.16": (
        *("ascend", "deviceshare", "dynamic-resources", "numa-aware", "pdb", "sharding", "tdm", "usage", "volumes"),
        *("usage-edges", "usage-estimates", "usage-known", "usage-thought"),
        *("nodegroup-affine", "nodegroup-inherited", "nodegroup-limited", "nodegroup-scored"),
        *("capacity-served", "capacity-tried", "gang-each"),
        *("network-topology-aware-near", "network-topology-aware-within"),
    ),
}
"""Of which plugins all scenarios were recorded with another release, too."""

SEEDS: Final = {("", "allocate__068"): 2, ("1.14.0", "reclaim-0102"): 1, ("1.12", "strategyfit-0105"): 1}
"""Where no recorded run has drawn what vqs takes without a seed: see docs/fidelity.md."""


UNDRAWN: Final = {
    "capacity-tree": "119 127",
    "cel-broken": "114",
    "claims-made-ready": "100 102 108 111",
    "deviceshare-named": "110 117",
    "deviceshare-scored": "114",
    "drf-edges": "100 104 109",
    "everything": "120",
    "fair-tree": "108 113",
    "mig": "105",
    "network-topology-aware-soft": "103 109",
    "numa-aware-said": "101",
    "rescheduling": "101 102 109 117 119",
    "rescheduling-loaded": "104 132 146 178",
    "rescheduling-qualities": "100 103 110 112 113 401 410",
    "task-topology-labelled": "113 170",
    "tasktopology": "0104",
}
"""Scenarios by family of which vqs draws only some outcomes, as the order of Go's maps and sorts decides there, too."""


def recorded_with(release: str) -> list[Recording]:
    """Return the scenarios, each with what a release other than the default made of it."""
    folders = [(unpacked("random"), unpacked("random") / "versions")]
    beside = BESIDE / "conformance" / "versions"
    if (beside / release).is_dir():
        folders.append((BESIDE / "conformance" / "random", beside))
    plugins = unpacked("plugins")
    folders += [(plugins, plugins / "versions")]
    return without_copies(
        (scenario, own if own.exists() else scenario.with_suffix(".json"))
        for scenarios, versions in folders
        if (versions / release).is_dir()
        for scenario in sorted(scenarios.glob("*.yaml"))
        for own in [versions / release / f"{scenario.stem}.json"]
        if own.exists() or scenarios.name != "plugins" or scenario.stem.rpartition("-")[0] in PLUGINS.get(release, ())
    )


def seed_of(scenario: Path, release: str = "") -> int | None:
    """Return the seed with which a scenario is simulated; None for most."""
    return SEEDS.get((release, scenario.stem)) or SEEDS.get((release, scenario.stem.partition("-")[0]))


def simulated(
    scenario: Path, release: str = "", opened: Callable[[Session], None] | None = None, seed: int | None = None
) -> Simulation:
    """Simulate a scenario as it was recorded, with its extender running where it has one.

    Args:
        scenario: its file.
        release: one of `OTHER_RELEASES`; empty for the default.
        opened: looks at the session as it opens.
        seed: draws what the real scheduler leaves to chance; else it is drawn only where no run was as without a seed.
    """
    seed = seed_of(scenario, release) if seed is None else seed
    has_extender = scenario.stem.startswith("extender-")
    options = SimulateOptions(now=RECORDED_AT, seed=seed, opened=opened, allow_extender=has_extender)
    choice = ReleaseChoice(read_build(release)) if release else ANY_RELEASE
    if has_extender:
        with with_extender(scenario, choice) as manifests:
            return simulate(manifests, options)
    return simulate(read_manifests([str(scenario)], release=choice) if release else read_scenario(scenario), options)


# --- agreement --------------------------------------------------------------------------------------------------------

MANY = 4
"""From so many outcomes on, a scenario is decided by luck, and numbers are compared."""

UNCOMPILED: Final = "compilation failed: "
"""Why an expression cannot be read, vqs says in words of its own: see docs/fidelity.md."""

FIGURES = ("deserved", "allocated", "request", "inqueue", "elastic", "real_capability", "guarantee")


def outcomes(file: Path) -> list[Outcome]:
    """Return the outcomes recorded for a scenario."""
    recorded: list[Outcome] = json.loads(file.read_text(encoding="utf-8"))["outcomes"]
    return recorded


def has_few_drawn(scenario: Path, recorded: list[Outcome]) -> bool:
    """True if a scenario has few outcomes, all of which vqs draws with one seed or another."""
    family, _, number = scenario.stem.rpartition("-")
    return 1 < len(recorded) < MANY and number not in UNDRAWN.get(family, "").split()


def drawn_by_none(scenario: Path, recorded: list[Outcome], seeds: int = 48) -> list[Outcome]:
    """Return the outcomes of at least a tenth of the runs that no seed draws: what vqs never does, and ought to."""
    runs = sum(each.get("runs", 1) for each in recorded)
    left = [each for each in recorded if 10 * each.get("runs", 1) >= runs]
    for seed in range(1, seeds + 1):
        tasks = {f"{task.namespace}/{task.name}": task for task in simulated(scenario, seed=seed).tasks}
        left = [each for each in left if any(_placements(each, tasks))]
        if not left:
            break
    return left


def disagreements(recorded: list[Outcome], simulation: Simulation, many: int = MANY) -> list[str]:
    """Return in what a simulation disagrees with every recorded outcome, as far as the closest one goes."""
    tasks = {f"{task.namespace}/{task.name}": task for task in simulation.tasks}
    problems = list(_opened(recorded[0], simulation))
    exact = [each for each in recorded if not list(_placements(each, tasks))]
    alike = [each for each in recorded if len(recorded) >= many and _numbers(each) == _numbers_of(tasks)]
    candidates = exact or alike
    if not candidates:
        return problems + min((list(_placements(each, tasks)) for each in recorded), key=len)
    rest = [
        [*_jobs(each, simulation), *_closed(each, simulation), *(_messages(each, tasks) if exact else ())]
        for each in candidates
    ]
    return problems + min(rest, key=len)


def _opened(outcome: Outcome, simulation: Simulation) -> Iterator[str]:
    queues = {queue.name: queue for queue in simulation.queues}
    for name, recorded in outcome["queues"].items():
        if name not in queues:
            yield f"queue {name} is missing"
            continue
        opened = queues[name].opened
        for figure in FIGURES:
            real = recorded["opened"]["realCapability" if figure == "real_capability" else figure]
            yield from _amounts(real, getattr(opened, figure), f"{name} opened {figure}")
        if any(recorded["opened"]["allocated"].values()) and not _close(recorded["opened"]["share"], opened.share):
            yield f"{name} opened share: {recorded['opened']['share']} is {opened.share}"


def _closed(outcome: Outcome, simulation: Simulation) -> Iterator[str]:
    queues: dict[str, QueueResult] = {queue.name: queue for queue in simulation.queues}
    for name, recorded in outcome["queues"].items():
        closed = queues[name].closed
        yield from _amounts(recorded["closed"]["allocated"], closed.allocated, f"{name} closed allocated")
        if not _close(recorded["closed"]["share"], closed.share):
            yield f"{name} closed share: {recorded['closed']['share']} is {closed.share}"


def _amounts(real: dict[str, Any], ours: dict[str, float | None], where: str) -> Iterator[str]:
    for name in sorted({*real, *ours}):
        if not _close(real.get(name, 0), ours.get(name, 0)):
            yield f"{where} {name}: {real.get(name)} is {ours.get(name)}"


def _close(real: float | str, ours: float | None) -> bool:
    if real == "inf" or ours is None:
        return real == "inf" and ours is None
    return math.isclose(float(real), ours, rel_tol=1e-6, abs_tol=1e-6)


def _placements(outcome: Outcome, tasks: dict[str, TaskResult]) -> Iterator[str]:
    for name, real in outcome["tasks"].items():
        task = tasks.get(name)
        ours = (task.status, task.node or "") if task else None
        if ours != (real["status"], real.get("node") or ""):
            yield f"{name}: {real['status']} on {real.get('node')} is {ours}"


def _numbers(outcome: Outcome) -> Counter[tuple[str, str]]:
    return Counter((task["job"], task["status"]) for task in outcome["tasks"].values())


def _numbers_of(tasks: dict[str, TaskResult]) -> Counter[tuple[str, str]]:
    return Counter((task.job, task.status) for task in tasks.values())


def _jobs(outcome: Outcome, simulation: Simulation) -> Iterator[str]:
    jobs: dict[str, JobResult] = {f"{job.namespace}/{job.name}": job for job in simulation.jobs}
    for name, real in outcome["jobs"].items():
        message = (jobs[name].unschedulable or "").split(". Origin reason is ")[0]
        if (real["phase"], real["unschedulable"]) != (jobs[name].phase, message):
            yield f"{name}: {real['phase']} {real['unschedulable']!r} is {jobs[name].phase} {message!r}"


def is_worded_otherwise(message: str) -> bool:
    """True if a message says in words of vqs why an expression cannot be read."""
    return UNCOMPILED in message and "ERROR: <input>" not in message


def _messages(outcome: Outcome, tasks: dict[str, TaskResult]) -> Iterator[str]:
    for name, real in outcome["tasks"].items():
        told, ours = real.get("message", ""), tasks[name].message
        if is_worded_otherwise(ours):
            told, ours = (each.partition(UNCOMPILED)[0] for each in (told, ours))
        if real["status"] == "Pending" and told != ours:
            yield f"{name}: {told!r} is {ours!r}"
