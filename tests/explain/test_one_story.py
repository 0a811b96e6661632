"""Whichever command tells of a job, it tells the same: what becomes of it, and what keeps it waiting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.reading import read_scenario, unpacked
from tests.report.writers import as_html, as_markdown, as_table
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.outlook import simulate_ahead
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = sorted(
    path for path in (Path(__file__).parents[2] / "scenarios").glob("*.yaml") if ".plan." not in path.name
)
RECORDED = sorted(unpacked("random").glob("*-010[45].yaml"))
OPTIONS = SimulateOptions()


def tell_the_same(read: Manifests) -> None:
    """Hold what each command says of each job that waits against the list of these jobs."""
    listed = {job.display_name: job for job in waiting_jobs(read, OPTIONS).jobs if job.session == 1}
    simulated = {job.called: job for job in simulate_ahead(read, OPTIONS).jobs}
    for name, job in listed.items():
        if job.code == "unknown-queue":
            continue
        report = explain_job(read, OPTIONS, f"{job.namespace}/{job.name}")
        told = report.job
        assert (simulated[name].blockers, simulated[name].outlook) == (job.blockers, job.outlook)
        assert [each.code for each in told.blockers] == [each.code for each in job.blockers]
        assert told.outlook == job.outlook or job.outlook is None
        if not (job.outlook and job.outlook.starts_in_session):
            assert job.why.rstrip(".") in report.answer
    for queue in {job.queue for job in listed.values() if job.code != "unknown-queue"}:
        explained = explain_queues(read, OPTIONS, queue).explained
        for same in explained.jobs if explained is not None else ():
            if same.session == 1:
                assert same == listed[same.display_name]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_commands_agree(path: Path) -> None:
    """Over the bundled scenarios."""
    tell_the_same(read_manifests([str(path)]))


@pytest.mark.thorough
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_commands_agree_on_recordings(path: Path) -> None:
    """Over recorded scenarios."""
    tell_the_same(read_scenario(path))


@pytest.mark.parametrize("path", SCENARIOS[::6], ids=lambda path: path.stem)
def test_formats_agree(path: Path) -> None:
    """The headline of a job that waits is in the table, in markdown and in HTML."""
    result = waiting_jobs(read_manifests([str(path)]), OPTIONS)
    shown = simulate_ahead(read_manifests([str(path)]), OPTIONS)
    texts = [" ".join(write(shown, View()).replace("\\", "").split()) for write in (as_table, as_markdown, as_html)]
    for job in result.jobs:
        if job.session == 1 and not (job.outlook and job.outlook.starts_in_session):
            assert all(job.code in text for text in texts)
