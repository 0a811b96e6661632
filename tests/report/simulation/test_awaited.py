"""Every format says which pods come with the next session, and how to see what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.build import job_task, manifests, node, stored_job
from tests.report.writers import as_html, as_markdown, as_table
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import View
from vqs.report.simulation.summary import awaited_lines

SAID = (
    "The pods of 1 job come with the next session: 2 pods, created now that the PodGroup is admitted. "
    "--cycles 2 shows what becomes of them"
)


@pytest.mark.parametrize("write", [as_html, as_markdown, as_table])
def test_pods_of_the_next_session(write: Callable[[Simulation, View], str]) -> None:
    """The summary counts the pods of what is admitted, and names the option that goes on."""
    told = simulate(manifests([node("n"), *stored_job("new", job_task(), minimum=2)]), SimulateOptions())
    assert SAID in write(told, View()).replace("\\", "")


def test_pods_of_several_jobs() -> None:
    """Each has a PodGroup of its own."""
    jobs = (stored_job(name, job_task(), minimum=2) for name in ("a", "b"))
    told = simulate(manifests([node("n"), *(each for job in jobs for each in job)]), SimulateOptions())
    [line] = awaited_lines(told)
    assert line.startswith(
        "The pods of 2 jobs come with the next session: 4 pods, created now that their PodGroups are admitted."
    )


@pytest.mark.parametrize("write", [as_html, as_markdown, as_table])
def test_pods_that_are_not_created_next(write: Callable[[Simulation, View], str]) -> None:
    """Where no job is admitted, nothing comes with the next session, and the pods that are held back are counted."""
    told = simulate(manifests([node("n", cpu=1), *stored_job("new", job_task(), minimum=2)]), SimulateOptions())
    written = write(told, View()).replace("\\", "")
    assert "with the next session" not in written
    assert "1 job with 2 pods not created yet: 1 not-enqueued-overcommit" in written


def test_a_job_says_what_its_pods_ask_for() -> None:
    """The row of a job tells how many pods it will have, and what they ask for together."""
    told = simulate(manifests([node("n"), *stored_job("new", job_task(cpu=2), minimum=2)]), SimulateOptions())
    assert "its 2 pods, not created yet, ask for 4 cpu" in as_table(told, View())
