"""The commands that open a moment of a run: on what that run was made from, and nothing else."""

from __future__ import annotations

import pytest

from tests.replay.runs import run
from vqs.replay.outcome import Spread
from vqs.report.again import Again
from vqs.report.replay.moments import explained, opened


@pytest.mark.parametrize(
    ("policy", "options", "command"),
    [
        ("", (("--conf", "a.conf"), ("--period", "5")), "--conf a.conf --period 5"),
        ("b.conf", (("--conf", "a.conf"), ("--conf", "b.conf")), "--conf b.conf"),
        ("as it is", (("--conf", "a.conf"), ("--edits", "more.yaml")), "--conf a.conf"),
        ("more.yaml", (("--edits", "more.yaml"), ("--edits", "less.yaml")), "--edits more.yaml"),
        (
            "b.conf with more.yaml",
            (("--conf", "a.conf"), ("--conf", "b.conf"), ("--edits", "more.yaml"), ("--edits", "less.yaml")),
            "--conf b.conf --edits more.yaml",
        ),
        ("b.conf", (("--conf", "a.conf"), ("--conf", "b.conf"), ("--edits", "more.yaml")), "--conf b.conf"),
        ("", (("--seeds", "3"),), "--seed 2"),
        ("", (("--seed", "2"),), "--seed 2"),
    ],
)
def test_a_moment_is_that_of_one_run(policy: str, options: tuple[tuple[str, str], ...], command: str) -> None:
    """Of several configurations, edits and seeds, the command has those of the run."""
    again = Again(files=("week.yaml",), options=options)
    step = opened(run([], policy=policy, seed=2), again, "3h12m", "")
    assert step.command == f"vqs replay week.yaml {command} --at 3h12m --output moment.json"


@pytest.mark.parametrize(("seed", "drawn"), [(0, ""), (3, " --seed 3")])
def test_the_most_typical_of_several_runs_is_repeated_with_its_seed(seed: int, drawn: str) -> None:
    """The command without a seed would open a moment of the run without one."""
    typical = run([], seed=seed)
    typical.spread = {"evictions": Spread(runs=7, least=0, median=1, most=2)}
    step = opened(typical, Again(files=("week.yaml",)), "3h12m", "")
    assert step.command == f"vqs replay week.yaml{drawn} --at 3h12m --output moment.json"


def test_a_job_is_explained_in_the_moment() -> None:
    """The snapshot is what the next command reads, by the program that was called."""
    again = Again("kubectl vqs", ("week.yaml",), (("--conf", "a.conf"),))
    assert explained(again, "ns/one", "").command == "kubectl vqs explain-job moment.json --job ns/one"
