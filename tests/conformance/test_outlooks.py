"""What is said of a job's future comes true: in further sessions of vqs, and in those of real clusters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from operator import add
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.clusters import SESSIONS, counted, groups_of
from tests.conformance.reading import read_scenario, unpacked
from tests.report.writers import as_table
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import JobResult, Simulation
from vqs.explain.outlook import MOST_SESSIONS, look_ahead, simulate_ahead
from vqs.explain.sequence import Sessions
from vqs.explain.simulate import SimulateOptions, run_session, simulation_of
from vqs.releases.choice import ReleaseChoice
from vqs.releases.release import Release
from vqs.report.formats import View
from vqs.snapshot.reading.reader import read_manifests

RECORDED: Final = [
    pytest.param([*Release][at % len(Release)], path, id=f"{path.stem}-{[*Release][at % len(Release)]}")
    for at, path in enumerate([*sorted(unpacked("random").rglob("*.yaml")), *(dump for dump, _ in SESSIONS)])
]
"""The recordings, each with one of the releases in turn."""

HOLDING: Final = ("Allocated", "Binding", "Bound", "Running", "Succeeded")

STARTS: Final = re.compile(r"starts in session (\d+)(?:, once (\S+?),? )?")
STARTS_NOT: Final = re.compile(
    r"does not start(?: in (\d+) session|, however many)|it does not start\.|can never start"
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


def every_promise_has_an_outlook(result: Simulation) -> None:
    """Hold the rows of jobs in the table against the outlooks: whoever is told a session has one that says the same."""
    table = as_table(result, View(width=None))
    assert OTHER_PROMISES.search(table) is None
    jobs = {job.called: job for job in result.jobs}
    for line in table.splitlines():
        job = jobs.get(line.partition(" ")[0])
        starts, never = STARTS.search(line), STARTS_NOT.search(line)
        if job is not None and starts:
            assert job.outlook is not None, line
            assert job.outlook.starts_in_session == int(starts[1]), line
            assert (starts[2] or "").rstrip(",") in ("", *job.outlook.waits_for), line
        if job is not None and never:
            assert job.outlook is not None, line
            assert job.outlook.starts_in_session is None, line


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "path"), RECORDED)
def test_promises_are_kept(release: Release, path: Path) -> None:
    """Whatever is promised of a job has an outlook, and the sessions that follow are as that says, in each release."""
    read = read_manifests([str(path)], release=ReleaseChoice(release))
    result = simulate_ahead(read, SimulateOptions())
    every_promise_has_an_outlook(result)
    told = [job for job in result.jobs if job.outlook is not None and job.outlook.starts_in_session != 0]
    sessions = run_cycles(read, SimulateOptions(), MOST_SESSIONS).cycles if told else []
    for job in told:
        assert job.outlook is not None
        counts = [held(each.simulation, job) for each in sessions]
        first = next((number for number, count in enumerate(counts, 1) if count >= job.min_available), None)
        assert (job.outlook.starts_in_session, job.outlook.pods_bound) == (first, counts[-1]), job.called
        assert job.outlook.starts_in_session is not None or job.blockers, job.called


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
