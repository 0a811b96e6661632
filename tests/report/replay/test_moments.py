"""The commands that open a moment of a run: on what that run was made from, and nothing else."""

from __future__ import annotations

import pytest

from tests.replay.runs import run
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


def test_a_job_is_explained_in_the_moment() -> None:
    """The snapshot is what the next command reads, by the program that was called."""
    again = Again("kubectl vqs", ("week.yaml",), (("--conf", "a.conf"),))
    assert explained(again, "ns/one", "").command == "kubectl vqs explain-job moment.json --job ns/one"
