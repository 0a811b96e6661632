"""What is said of a job's future comes true: in further sessions of vqs, and in those of real clusters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import accumulate
from operator import add
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.clusters import SESSIONS, counted, groups_of
from tests.conformance.reading import read_scenario, unpacked
from tests.report.writers import as_html, as_markdown, as_table
from vqs.explain.cycles import run_cycles
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.outcome import Blocker, JobResult, Outlook, Simulation
from vqs.explain.outlook import MOST_SESSIONS, Sessions, look_ahead, simulate_ahead
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions, run_session, simulation_of
from vqs.fit.fit import FitOptions, fit
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.report.formats import Format, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.reader import read_manifests

RECORDED: Final = [
    pytest.param([*Release][at % len(Release)], path, id=f"{path.stem}-{[*Release][at % len(Release)]}")
    for at, path in enumerate([*sorted(unpacked("random").rglob("*.yaml")), *(dump for dump, _ in SESSIONS)])
]
"""The recordings, each with one of the releases in turn."""

HOLDING: Final = ("Allocated", "Binding", "Bound", "Running", "Succeeded")

STARTS: Final = re.compile(r"starts in session (\d+)(?:, once (\S+?),? )?")
STARTS_NOT: Final = re.compile(
    r"does not start(?: in (\d+) session|, however many)|, and it still waits\.|can never start"
)
OTHER_PROMISES: Final = re.compile(
    r"\b(?:will (?:start|be bound|be placed|fit)|fits (?:next|in the next session)|until the next session places)\b"
)
"""Words of a future that no session was run for; no template has them."""


def held(simulation: Simulation, job: JobResult) -> int:
    """Count the tasks of a job that have a node after a session."""
    return sum(
        task.status in HOLDING for task in simulation.tasks if (task.namespace, task.job) == (job.namespace, job.name)
    )


Outlooks = Mapping[str, Sequence[Outlook | Blocker | None]]
"""What is known of the future of jobs, by what they are called: outlooks without and with fixes, and what blocks."""


def lines_of(text: str) -> list[str]:
    """The lines of a text for people; of a page, what its rows and paragraphs say."""
    if not text.startswith("<!"):
        return text.splitlines()
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    parts = re.split(r"</(?:tr|p|li|h\d|summary|details|div|section)>", shown)
    return [" ".join(unescape(re.sub(r"<[^>]*>", " ", part)).split()) for part in parts]


def every_promise_has_an_outlook(text: str, outlooks: Outlooks) -> None:
    """Hold what is said of jobs against the outlooks: each that is told a session has one that says the same.

    What can never start has an outlook that says so, or a blocker that no session can lift.
    """
    assert OTHER_PROMISES.search(text) is None
    for line in lines_of(text):
        starts, never = STARTS.search(line), STARTS_NOT.search(line)
        if not starts and not never:
            continue
        told = next((outlooks[word] for word in re.split(r"[\s|`:]+", line) if word in outlooks), None)
        if told is None and len(outlooks) == 1:  # the page is about one job
            [told] = outlooks.values()
        known = [each for each in told or () if isinstance(each, Outlook)]
        stopped = any(isinstance(each, Blocker) and each.impossible for each in told or ())
        if starts:
            assert int(starts[1]) in [each.starts_in_session for each in known], line
            gone = (starts[2] or "").rstrip(",")
            assert not gone or any(gone in each.waits_for for each in known), line
        else:
            assert stopped or any(each.starts_in_session is None for each in known), line


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "path"), RECORDED)
def test_promises_are_kept(release: Release, path: Path) -> None:
    """Whatever is promised of a job has an outlook, and the sessions that follow are as that says, in each release."""
    read = read_manifests([str(path)], release=ReleaseChoice(Build(release)))
    result = simulate_ahead(read, SimulateOptions())
    outlooks = {job.called: [job.outlook, *job.blockers] for job in result.jobs}
    for written in (as_table, as_markdown, as_html):
        every_promise_has_an_outlook(written(result, View(width=None)), outlooks)
    told = [job for job in result.jobs if job.outlook is not None and job.outlook.starts_in_session != 0]
    sessions = run_cycles(read, SimulateOptions(), MOST_SESSIONS).cycles if told else []
    for job in told:
        assert job.outlook is not None
        counts = [held(each.simulation, job) for each in sessions]
        first = next((number for number, count in enumerate(counts, 1) if count >= job.min_available), None)
        assert (job.outlook.starts_in_session, job.outlook.pods_bound) == (first, counts[-1]), job.called
        assert job.outlook.starts_in_session is not None or job.blockers, job.called


NEW_JOB: Final = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: newcomer, namespace: outlooks}
spec:
  queue: QUEUE
  minAvailable: 2
  tasks:
  - name: w
    replicas: 2
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 2Gi}}}]}}
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "path"), RECORDED)
def test_each_command_promises_what_an_outlook_keeps(release: Release, path: Path, tmp_path: Path) -> None:
    """Lists of jobs, the pages of a job and of its queue, and fit say no session but that of an outlook."""
    choice, view = ReleaseChoice(Build(release)), View(width=None)
    read, options = read_manifests([str(path)], release=choice), SimulateOptions()
    results: list[tuple[object, Outlooks]] = []
    waiting = waiting_jobs(read, options)
    results.append((waiting, {job.display_name: [job.outlook, *job.blockers] for job in waiting.jobs}))
    job = next((each for each in waiting.jobs if each.outlook is not None), None)
    if job is None:
        return  # nothing is reserved, so nothing is said of what follows
    report = explain_job(read, options, f"{job.namespace}/{job.name}", sessions=20)
    results.append(
        (report, {job.display_name: [report.outlook, *report.blockers, *(fix.outlook for fix in report.fixes)]})
    )
    queue = explain_queues(read, options, job.queue)
    listed = () if queue.explained is None else queue.explained.jobs
    results.append((queue, {each.display_name: [each.outlook, *each.blockers] for each in listed}))
    file = tmp_path / "job.yaml"
    file.write_text(NEW_JOB.replace("QUEUE", job.queue), encoding="utf-8")
    fitted = fit(read, "", read_manifests([str(file)], release=choice), FitOptions(options, sessions=0))
    results.append((fitted, {fitted.called: [fitted.outlook, *fitted.blockers]}))
    for result, outlooks in results:
        formats = formats_of(type(result).__name__)
        for chosen in (Format.TABLE, Format.MARKDOWN, Format.HTML):
            if chosen in formats:
                every_promise_has_an_outlook(write(result, chosen, view), outlooks)


# --- against real clusters --------------------------------------------------------------------------------------------


def followed() -> Iterator[list[Path]]:
    """Yield each dump that others follow, a session later each, with these."""
    dumps = {dump.stem: dump for dump, _ in SESSIONS}
    for first in dumps:
        name, _, number = first.rpartition("-")
        chain = [first]
        while (following := f"{name}-{int(number) + len(chain)}") in dumps:
            chain.append(following)
        if len(chain) > 1:
            yield [dumps[each] for each in chain]


DRAWS: Final = {
    ("hier-4", "default/j17"): "reclaim took other victims and nodes that were equally good: j18 had its place",
    ("hier-4", "default/j18"): "reclaim took one of its own pods, and evicts whom the cluster evicted with --seed 1",
}
"""By dump and job, what a cluster drew where it bound the job in another session than was said."""


@pytest.mark.thorough
@pytest.mark.parametrize("chain", list(followed()), ids=lambda chain: chain[0].stem)
def test_clusters_bind_jobs_when_they_are_said_to_start(chain: list[Path]) -> None:
    """Each job that waits has its minimum bound in the session that was said, as far as sessions were recorded."""
    first = chain[0]
    groups = {pod: group for dump in chain for pod, group in groups_of(dump).items()}
    outcomes = (json.loads(each.with_suffix(".outcome.json").read_text(encoding="utf-8")) for each in chain)
    bound = list(accumulate((counted(each["bound"], groups) for each in outcomes), add))
    read = read_scenario(first)
    finished = run_session(read, SimulateOptions())
    result = simulation_of(finished, read, SimulateOptions())
    uids = [job.uid for job in result.jobs]
    prospects = look_ahead([finished], Sessions(read, finished, SimulateOptions()), uids)
    for job in result.jobs:
        said = prospects[job.uid].outlook.starts_in_session
        running = sum(
            task.status_before in HOLDING for task in result.tasks if f"{task.namespace}/{task.job}" == job.uid
        )
        if said == 0 or (first.stem, job.called) in DRAWS:
            continue
        starts = (number for number, pods in enumerate(bound, 1) if running + pods[job.uid] >= job.min_available)
        assert next(starts, None) == (said if said is not None and said <= len(chain) else None), job.called
