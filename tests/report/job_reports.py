"""Reports on jobs of the scenarios, made once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from vqs.explain.cycles import Cycles, run_cycles
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = Path(__file__).parents[2] / "scenarios"

GATE = ("hierarchy-queue-above-is-full", "sweep")
GANG = ("gang-discarded", "gang")
TAKES = ("preempt-higher-priority", "urgent")
SPARED = ("preempt-spared-by-gang", "urgent")
NOBODY = ("preempt-same-priority-nobody", "second")
RECLAIM = ("reclaim-from-overused", "frontend")
WITHIN = ("reclaim-no-victim", "frontend")
TIERS = ("ping-pong", "poor")
LOSER = ("preempt-higher-priority", "sweep")
PLACED = ("first-look", "llama-finetune")
BROKEN = ("hierarchy-parent-missing", "web")

SHOWN = [GATE, GANG, TAKES, SPARED, NOBODY, RECLAIM, WITHIN, TIERS, LOSER, PLACED, BROKEN]


@lru_cache
def report(scenario: str, job: str, sessions: int = 80) -> JobReport:
    """Explain a job of a scenario."""
    read = read_manifests([str(SCENARIOS / f"{scenario}.yaml")])
    found = explain_job(read, SimulateOptions(scenario=f"{scenario}.yaml"), job, sessions=sessions)
    found.session.configuration = "the scenario's"  # where it lies is nobody's business
    return found


@lru_cache
def cycles(scenario: str, number: int) -> Cycles:
    """Run sessions on a scenario."""
    read = read_manifests([str(SCENARIOS / f"{scenario}.yaml")])
    ran = run_cycles(read, SimulateOptions(scenario=f"{scenario}.yaml"), number)
    for cycle in ran.cycles:
        cycle.simulation.session.configuration = "the scenario's"
    return ran
