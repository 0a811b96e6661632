"""Several runs of one workload: how sure figures are, how many runs that takes, and what equal policies look like."""

from __future__ import annotations

import io
import pickle
import re
from itertools import chain
from typing import Final

import pytest

from tests.replay.runs import crowd, runs
from vqs.replay.compare import compared
from vqs.replay.engine import ReplayOptions
from vqs.replay.figures import summed_up
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.replay.repeated import MOST_RUNS, estimates, excesses, runs_needed, typical
from vqs.replay.runs import Run, Runner
from vqs.replay.statistics import paired_difference
from vqs.report.replay.page import NO_DIFFERENCE, comparison_lines
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.reader import read_manifests

BUSY: Final = """
apiVersion: vqs/v1
kind: Scenario
nodes:
- {name: n, count: 2, cpu: NODE}
jobs:
- {name: long, count: 6, replicas: 2, cpu: 2, arrival: 1, duration: {lognormal: {median: 60, sigma: 0.5}}}
- {name: short, count: 6, cpu: 3, arrival: 2, duration: {uniform: [10, 50]}}
"""

DIFFERS: Final = re.compile("shorter|longer|fewer|more")
"""What a comparison says of figures that differ."""


def busy(cores: int = 8) -> Run:
    """Return a run of twelve jobs on two nodes with some cores each."""
    text = BUSY.replace("NODE", str(cores))
    return Run(workload_of(read_manifests(["-"], stdin=io.BytesIO(text.encode())), "busy"), ReplayOptions())


@pytest.fixture(scope="module")
def many() -> list[Replay]:
    """Runs under two hundred seeds."""
    return Runner([busy()], jobs=1).runs(range(200))


def named(policy: str, found: list[Replay]) -> list[Replay]:
    """Return runs as those of a policy, with seeds from 1 on."""
    made = []
    for seed, run in enumerate(found, 1):
        copy = summed_up(run)
        copy.policy, copy.seed = policy, seed
        made.append(copy)
    return made


def said(one: list[Replay], other: list[Replay]) -> str:
    """Return the sentence that compares two policies."""
    [line] = comparison_lines(compared(runs(*chain(named("a", one), named("b", other)))))
    return line


def test_equal_policies_do_not_differ(many: list[Replay]) -> None:
    """Of twenty pairs of policies that are one, with other seeds on either side, at most one is said to differ."""
    pairs = [said(many[at : at + 5], many[at + 5 : at + 10]) for at in range(0, 200, 10)]
    assert sum(NO_DIFFERENCE in each and not DIFFERS.search(each) for each in pairs) >= 19


def test_the_same_seeds_differ_in_nothing(many: list[Replay]) -> None:
    """A policy and itself have the same runs."""
    expected = ": mean wait, mean completion and evictions the same, 0 jobs better off"
    assert expected in said(many[:5], many[:5])


def test_a_policy_that_halves_waits_does(many: list[Replay]) -> None:
    """Twice the cores more than halve waits: in all of twenty pairs they are said to be shorter."""
    wide = Runner([busy(16)], jobs=1).runs(range(100))
    pairs = [said(many[at : at + 5], wide[at : at + 5]) for at in range(0, 100, 5)]
    assert all("shorter" in each.partition("mean completion")[0] for each in pairs)


def test_processes_change_nothing() -> None:
    """Runs are the same here and in processes of their own, in the order of policies and seeds."""
    policies = [busy(), busy(16)]
    big = [Run(each.workload, each.options) for each in policies]
    here = Runner(big, jobs=1).runs([1, 2])
    assert Runner(big, jobs=2, least=0).runs([1, 2]) == here
    assert [run.seed for run in here] == [1, 2, 1, 2]


def test_errors_come_from_processes() -> None:
    """What is wrong with an input is the same on the other side of a pipe."""
    errors = InputErrors([Diagnostic(code="too-many-pods", severity="error", message="too many pods", line=7)])
    assert pickle.loads(pickle.dumps(errors)).diagnostics == errors.diagnostics  # noqa: S301 - written here


def test_progress_counts_runs() -> None:
    """How many are over, of how many, and how much of all of them is done."""
    told: list[tuple[int, int, float]] = []
    Runner([busy()], advance=lambda _, over, number, done: told.append((over, number, done))).runs([1, 2])
    assert {number for _, number, _ in told} == {2}
    assert [over for over, _, _ in told] == sorted(over for over, _, _ in told)
    assert told[-1][0] == 1
    assert told[-1][2] == pytest.approx(2)


def test_a_figure_that_a_run_lacks_has_no_interval() -> None:
    """Its mean is of the runs that have it; sums are 0 in runs without them."""
    made = [summed_up(crowd(60, 4, seed=seed)) for seed in (1, 2, 3)]
    made[0].makespan = None
    found = estimates(made)
    assert (found["replay.makespan"].runs, found["replay.makespan"].low) == (2, None)
    assert found["replay.wait.mean"].runs == 3


def test_more_runs_make_figures_surer(many: list[Replay]) -> None:
    """So many are made that the mean wait is as sure as is asked for; each step at most doubles them."""
    assert runs_needed(many[:2], 0.1) == 3
    assert runs_needed(many[:5], 0.001) == 10
    assert runs_needed(many[:90], 0.0001) == MOST_RUNS
    assert runs_needed(many[:5], 0.9) == 5
    assert excesses(many[:5], 0.9) == []
    assert max(excesses(many[:5], 0.001)) > 1
    made = Runner([busy()], jobs=1).runs(range(1, 6), 0.1)
    wait = typical(made).estimates["replay.wait.mean"]
    assert wait.reach is not None
    assert wait.reach <= 0.1 * wait.mean
    assert [run.seed for run in made] == list(range(1, len(made) + 1))


def test_several_figures_differ_by_chance_more_often() -> None:
    """An interval that leaves out 0 by little does not, where it is one of three."""
    found = paired_difference([0, 0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0, 0.2])
    assert found.is_clear()
    assert not found.is_clear(among=3)
