"""How long the API server, controllers and kubelets take is drawn, as measured or as a scenario says."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Final

import pytest

from vqs.explain.simulate import SimulateOptions
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.replay.runs import Run
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

WORKLOAD: Final = """
apiVersion: vqs/v1
kind: Scenario
name: many
nodes: [{name: n, cpu: 400, memory: 640Gi}]
jobs: [{name: j, count: 200, cpu: 1, arrival: 1, duration: 10}]
"""


def run(text: str = WORKLOAD, seed: int | None = None) -> Replay:
    """Return the run of a scenario under a seed."""
    workload = workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "test")
    asked = Run(workload, ReplayOptions(session=SimulateOptions())).under(seed)
    return replay(asked.workload, asked.options)


def starts(result: Replay) -> list[float]:
    """Return the seconds from being bound to running, in ascending order."""
    return sorted(round((pod.started or 0.0) - (pod.bound or 0.0), 6) for pod in result.pods)


def test_without_a_seed_all_take_the_usual_time() -> None:
    """Half of all draws are below it."""
    assert set(starts(run())) == {0.03}


def test_under_a_seed_each_time_is_drawn() -> None:
    """Their median is that without a seed, nine of ten are as measured, and the same seed draws the same."""
    drawn = starts(run(seed=3))
    assert 0.025 < drawn[100] < 0.036
    assert 0.005 < drawn[10] < 0.012
    assert 0.08 < drawn[190] < 0.2
    assert drawn == starts(run(seed=3)) != starts(run(seed=4))


def test_a_scenario_says_how_long_they_take() -> None:
    """With or without a seed; what it does not say is as measured."""
    text = f"{WORKLOAD}latencies: {{start: 2s, podGroup: {{uniform: [5, 6]}}}}\n"
    for seed in (None, 1):
        result = run(text, seed)
        assert set(starts(result)) == {2.0}
        assert all(6.0 <= (job.admitted or 0.0) < 20.0 for job in result.jobs)


def test_what_is_no_latency_is_refused() -> None:
    """With its place, as any other value of a scenario."""
    with pytest.raises(InputErrors) as refused:
        run(f"{WORKLOAD}latencies: {{removal: soon}}\n")
    assert "$.latencies.removal: 'soon' is no duration" in str(refused.value)
    with pytest.raises(InputErrors) as refused:
        run(f"{WORKLOAD}latencies: {{remvoal: 1}}\n")
    assert "removal" in str(refused.value)


def test_an_option_goes_before_the_scenario() -> None:
    """As --start-delay does."""
    workload = workload_of(read_manifests(["-"], stdin=io.BytesIO(WORKLOAD.encode())), "test")
    options = ReplayOptions(session=SimulateOptions(seed=1), seed=1)
    assert set(starts(replay(workload, replace(options, start_delay=Fixed(4.0))))) == {4.0}
