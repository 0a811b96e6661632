"""A replay runs the sessions that `vqs simulate` and `--cycles` run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.conformance.reading import unpacked
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import Finished, SimulateOptions, simulation_of
from vqs.replay.engine import Engine, ReplayOptions
from vqs.replay.reading.scenario import workload_of
from vqs.snapshot.reading.reader import read_manifests

_SESSIONS: Final = 4
_ROOT: Final = Path(__file__).parents[2]
_USAGE: Final = ("devices-claimed", "not-enqueued-quota", "numa-aware", "virtual-gpus", "volumes-claimed")
"""The scenarios in which a session leaves more behind than pods on nodes."""

_SCENARIOS: Final = [
    *sorted(unpacked("random").glob("*.yaml"))[::12],
    *(_ROOT / "scenarios" / f"{name}.yaml" for name in _USAGE),
]


def decided(simulation: Simulation) -> tuple[list[Any], list[Any]]:
    """Return what a session found and decided, task by task and job by job."""
    tasks = [(each.namespace, each.name, each.status_before, each.status, each.node) for each in simulation.tasks]
    jobs = [(each.namespace, each.name, each.phase_before, each.phase, each.decision) for each in simulation.jobs]
    return tasks, jobs


@pytest.mark.parametrize("scenario", _SCENARIOS, ids=lambda path: path.stem)
def test_a_replay_runs_the_sessions_of_cycles(scenario: Path) -> None:
    """Session for session, a replay without arrivals finds and decides what --cycles does; the first is simulate's."""
    manifests = read_manifests([str(scenario)])
    sessions: list[Simulation] = []

    def ended(finished: Finished) -> None:
        sessions.append(simulation_of(finished, finished.manifests, SimulateOptions()))

    options = ReplayOptions(write=0.0, skip_quiet=False, session_ended=ended)
    Engine(workload_of(manifests, "test"), options).run(until=_SESSIONS - 0.5)
    cycles = [each.simulation for each in run_cycles(manifests, SimulateOptions(), _SESSIONS).cycles]
    assert list(map(decided, sessions[: len(cycles)])) == list(map(decided, cycles))
