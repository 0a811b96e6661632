"""Whichever command tells of a job, it tells the same: what becomes of it, what keeps it waiting, and how many wait."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.test_outlooks import NEW_JOB, RECORDED, lines_of
from tests.report.html_pages import Parsed
from tests.report.writers import as_html, as_json, as_markdown, as_table
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.run import Input
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.jobs.waiting_outcome import WaitingJob, WaitingJobs
from vqs.explain.outcome import Simulation
from vqs.explain.outlook import simulate_ahead
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.explain.texts.node_reasons import prospect
from vqs.fit.fit import FitOptions, fit
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.report.formats import View
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.applied import added

SCENARIOS: Final = sorted(
    path for path in (Path(__file__).parents[2] / "scenarios").glob("*.yaml") if ".plan." not in path.name
)
OPTIONS: Final = SimulateOptions()
BLOCKED: Final = re.compile(r"the job is blocked \(([^:]*): (.*)\)", re.DOTALL)
"""What a comparison says of a job that is blocked: the code and the sentence."""


def told_at_once(listed: WaitingJobs) -> dict[str, WaitingJob]:
    """The jobs of a list, by name, that the first session tells of, and that are in a queue."""
    return {job.display_name: job for job in listed.jobs if job.session == 1 and job.code != "unknown-queue"}


def statuses_of(simulation: Simulation) -> dict[str, Counter[str]]:
    """How many tasks of each job have which status, by what the job is called."""
    names = {f"{job.namespace}/{job.name}": job.called for job in simulation.jobs}
    counted = {name: Counter[str]() for name in names.values()}
    for task in simulation.tasks:
        if f"{task.namespace}/{task.job}" in names:
            counted[names[f"{task.namespace}/{task.job}"]][task.status] += 1
    return counted


def tell_the_same(read: Manifests) -> None:
    """Hold what each command says of each job that waits against the list of these jobs.

    Lists look ahead only where the session reserves nodes; what favours a job later is known where one asks for it.
    """
    listed = told_at_once(waiting_jobs(read, OPTIONS))
    simulation = simulate_ahead(read, OPTIONS)
    simulated, statuses = {job.called: job for job in simulation.jobs}, statuses_of(simulation)
    looked_ahead = any(job.outlook for job in simulation.jobs)
    for name, job in listed.items():
        report = explain_job(read, OPTIONS, f"{job.namespace}/{job.name}")
        assert (simulated[name].blockers, simulated[name].outlook) == (job.blockers, job.outlook)
        favoured = report.outlook and (report.outlook.sessions_evicting or report.outlook.sessions_reserving)
        if looked_ahead or not favoured:
            assert report.blockers == job.blockers
        assert report.outlook == job.outlook or job.outlook is None
        assert Counter(task.status for task in report.tasks) == statuses[name]
        if not (report.outlook and report.outlook.starts_in_session) and report.blockers == job.blockers:
            assert job.why.rstrip(".") in report.answer
    for queue in {job.queue for job in listed.values()}:
        explained = explain_queues(read, OPTIONS, queue).explained
        if explained is not None:
            own = {job.display_name: job for job in explained.jobs if job.session == 1}
            assert own == {name: listed[name] for name in own}
            assert own.keys() >= {name for name, job in listed.items() if job.queue == queue}


def compare_the_same(read: Manifests, other: Manifests) -> None:
    """Hold what a comparison says of a job on its first side against the session there."""
    diff = compare(Input("before", read), Input("after", other), DiffOptions(OPTIONS, lint=False))
    listed, statuses = told_at_once(waiting_jobs(read, OPTIONS)), statuses_of(simulate_ahead(read, OPTIONS))
    for job in diff.jobs if diff.before.session.sessions == 1 else ():
        if job.before is None:
            continue
        assert statuses[job.called] == job.before.statuses
        said = BLOCKED.fullmatch(job.why.before)
        if said is not None and BLOCKED.fullmatch(job.why.after) is None:
            waits = listed[job.called]
            assert said.groups() == (waits.code, waits.why.partition(". ")[0])


def fit_the_same(read: Manifests, more: Manifests) -> None:
    """Hold what `fit` says of a new job against the explanation of the job, once it is there."""
    fitted = fit(read, "", more, FitOptions(OPTIONS, sessions=0))
    if fitted.fits == "now" or fitted.denied:
        return
    report = explain_job(added(read, more), OPTIONS, f"{fitted.namespace}/{fitted.name}")
    assert (fitted.blockers, fitted.outlook) == (report.blockers, report.outlook)
    counted = Counter(task.status for task in report.tasks)
    assert (fitted.pending, fitted.pipelined) == (counted["Pending"], counted["Pipelined"])


def write_the_same(read: Manifests) -> None:
    """Hold the formats of the list of jobs, and of the session, against the list: name, figures and cause."""
    listed, view = waiting_jobs(read, OPTIONS), View(width=None)
    assert [job["why"] for job in json.loads(as_json(listed, view))["jobs"]] == [job.why for job in listed.jobs]
    simulated = simulate_ahead(read, OPTIONS)
    for write in (as_table, as_markdown, as_html):
        rows, shown = [plain(line) for line in lines_of(write(listed, view))], write(simulated, view)
        if write is as_html:  # the page carries the document, and is drawn from it
            shown = str(Parsed(shown).data)
        for job in listed.jobs:
            starts = bool(job.outlook and job.outlook.starts_in_session)
            cause = plain(prospect(job.outlook) if starts else job.why)
            own = [row for row in rows if plain(job.display_name) in row and f"{job.waiting} of {job.tasks}" in row]
            found = rows if listed.session.standstill else own  # then, one sentence tells of all jobs
            assert any(cause[1:] in row for row in found), (job.display_name, cause)
            assert starts or job.session > 1 or job.code in shown


def plain(text: str) -> str:
    """A text without the marks and the spaces of a format."""
    return " ".join(re.sub(r"[\\`*|]", "", text).split())


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_commands_agree(path: Path) -> None:
    """Over the bundled scenarios."""
    tell_the_same(read_manifests([str(path)]))


@pytest.mark.parametrize("path", SCENARIOS[::6], ids=lambda path: path.stem)
def test_formats_agree(path: Path) -> None:
    """Table, markdown, JSON and HTML give the same name, figures and cause of a job that waits."""
    write_the_same(read_manifests([str(path)]))


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "path"), RECORDED)
def test_commands_agree_on_recordings(release: Release, path: Path, tmp_path: Path) -> None:
    """Over all recordings, in each of the releases in turn; the comparison is with the release that comes next."""
    following = [*Release][([*Release].index(release) + 1) % len(Release)]
    read, other = (read_manifests([str(path)], release=ReleaseChoice(Build(each))) for each in (release, following))
    tell_the_same(read)
    write_the_same(read)
    compare_the_same(read, other)
    file = tmp_path / "job.yaml"
    file.write_text(NEW_JOB.replace("QUEUE", read.pod_groups[0].spec.queue or "default"), encoding="utf-8")
    fit_the_same(read, read_manifests([str(file)], release=ReleaseChoice(Build(release))))
