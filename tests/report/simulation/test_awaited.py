"""Every format says which pods come with the next session, and how to see what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.build import group, job_task, manifests, node, pod, stored_job
from tests.report.writers import as_html, as_markdown, as_table
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import View
from vqs.report.simulation.summary import awaited_lines

SAID = "1 job is admitted: its 2 pods are created next and tried in the next session (--cycles 2 shows it)"


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
    assert line.startswith("2 jobs are admitted: their 4 pods are created next and tried in the next session")


@pytest.mark.parametrize("write", [as_html, as_markdown, as_table])
def test_pods_that_are_not_created_next(write: Callable[[Simulation, View], str]) -> None:
    """Where no job is admitted, its pods are counted as not created, with the reason."""
    busy = [group("busy", 2, phase="Running"), *(pod(f"busy-{each}", "busy", node="n") for each in range(2))]
    objects = [node("n", cpu=2), *busy, *stored_job("new", job_task(), minimum=2)]
    told = simulate(manifests(objects), SimulateOptions())
    written = write(told, View()).replace("\\", "")
    assert "with the next session" not in written
    why = "not admitted, as the overcommit limit, which leaves 0.4 cpu for jobs that wait, would be exceeded"
    assert f"ns/new (2 pods not created yet): {why}" in written


def test_a_job_says_what_its_pods_ask_for() -> None:
    """The row of a job tells how many pods it will have, and what they request together."""
    told = simulate(manifests([node("n"), *stored_job("new", job_task(cpu=2), minimum=2)]), SimulateOptions())
    assert "its 2 pods request 4 cpu and are not created yet" in as_table(told, View())
