"""Jobs that are taken to arrive later, as those of a snapshot did."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest
import yaml

from vqs.explain.simulate import SimulateOptions
from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions
from vqs.replay.runs import Runner
from vqs.replay.when.durations import Durations
from vqs.replay.when.outcome import When
from vqs.replay.when.run import MOST, WhenOptions, further, when
from vqs.replay.workload import Timing
from vqs.snapshot.reading.reader import read_manifests

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def jobs(*ages: float) -> list[k8s.VolcanoJob]:
    """Return jobs that were created some seconds ago."""
    return [
        k8s.VolcanoJob(
            metadata=k8s.ObjectMeta(
                name=f"j{number}", namespace="ns", uid="u", creation_timestamp=NOW - timedelta(seconds=age)
            )
        )
        for number, age in enumerate(ages)
    ]


def no_timing(job: k8s.VolcanoJob, like: str) -> dict[str, Timing]:
    """Return a duration of one second for each letter of what a job is like, and none for its own name."""
    assert job.metadata.name != like
    return {"": Timing(Fixed(len(like)))}


def test_jobs_arrive_at_the_rate_of_the_history() -> None:
    """Five jobs in 400 s are one every 100 s: ten in 1,000 s on average, each like one of them."""
    found, about = further(jobs(400, 300, 200, 100, 5), NOW, 1000.0, no_timing)
    assert found is not None
    assert about.text == "a job arrives every 1m40s on average, like one of the 5 that did"
    runs = [[*found.arrivals(seed)] for seed in range(200)]
    assert fmean(map(len, runs)) == pytest.approx(10, abs=0.7)
    assert found.expected(1000.0) == pytest.approx(10)
    assert runs[0] == [*found.arrivals(0)]
    arrived = [each for run in runs for each in run]
    assert {each.timing[""].duration for each in arrived} == {Fixed(5)}
    seen = [each.job for each in arrived if isinstance(each.job, k8s.VolcanoJob)]
    assert {job.metadata.name.partition("-")[0] for job in seen} == {"j0", "j1", "j2", "j3", "j4"}
    assert len({job.metadata.name for job in seen[: len(runs[0])]}) == len(runs[0])
    assert {job.metadata.uid for job in seen} == {""}
    first = seen[0].metadata.creation_timestamp
    assert first is not None
    assert first > NOW


def test_too_few_jobs_say_nothing() -> None:
    """Three jobs, or jobs that all were created now."""
    for ages in ((30, 20, 10), (0, 0, 0, 0)):
        found, about = further(jobs(*ages), NOW, 1000.0, no_timing)
        assert found is None
        assert "too few to say how often they do" in about.text


def test_jobs_that_have_stopped_coming_come_no_more() -> None:
    """Where the last of them came longer ago than three mean times between them."""
    assert further(jobs(1000, 900, 800, 700), NOW, 1000.0, no_timing)[0] is not None
    found, about = further(jobs(1000, 1000, 1000, 1000, 1000, 995, 990), NOW, 1000.0, no_timing)
    assert found is None
    assert about.text == "no job arrives: the last was created 16m30s ago, and one every 2m47s before"


def test_there_are_at_most_a_thousand() -> None:
    """A rate of hundreds a second does not make a replay that never ends."""
    found, _ = further(jobs(0.04, 0.03, 0.02, 0.01), NOW, 1000.0, no_timing)
    assert found is not None
    assert len([*found.arrivals(1)]) == MOST
    assert found.expected(1000.0) == MOST


def asked(*, arrivals: bool, earlier: bool = False) -> When:
    """Ask when a job starts that waits for another to end, in a queue that jobs of a high priority come to.

    These have ended, and are in the snapshot or only in an earlier one.
    """
    stamps = [(NOW - timedelta(seconds=each)).isoformat() for each in (200, 150, 100, 50)]
    task = {"cpu": "4"}
    made: list[object] = [
        {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": f"gone-{number}", "namespace": "ns", "creationTimestamp": stamp},
            "spec": {
                "minAvailable": 1,
                "queue": "default",
                "schedulerName": "volcano",
                "priorityClassName": "high",
                "tasks": [
                    {
                        "name": "w",
                        "replicas": 1,
                        "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": task}}]}},
                    }
                ],
            },
            "status": {"state": {"phase": "Completed"}},
        }
        for number, stamp in enumerate(stamps)
    ]
    made.append(
        {
            "apiVersion": "vqs/v1",
            "kind": "Scenario",
            "now": NOW.isoformat(),
            "nodes": [{"name": "n", "cpu": 4}],
            "priorityClasses": {"high": 100},
            "jobs": [
                {"name": "runs", "cpu": 4, "duration": "40s", "running": 1},
                {"name": "waits", "cpu": 4, "duration": "1m"},
            ],
        }
    )
    parts = (made[:4], made[4:]) if earlier else (made,)
    *history, snapshot = (read_manifests(["-"], stdin=io.BytesIO(yaml.safe_dump_all(each).encode())) for each in parts)
    options = WhenOptions(
        SimulateOptions(),
        ReplayOptions(),
        Durations({"ns/gone-*": Fixed(45.0)}),
        history,
        within=600.0,
        arrivals=arrivals,
    )
    return when(snapshot, options, lambda run: Runner([run], jobs=1).runs(range(1, 6)))


def test_arrivals_make_others_wait() -> None:
    """Without them, a job starts as soon as another ends; with them, jobs that come later may go first."""
    [alone] = asked(arrivals=False).jobs
    found = asked(arrivals=True)
    [among] = found.jobs
    assert alone.latest is not None
    assert alone.latest < 60
    assert among.latest is None or among.latest > alone.latest + 40
    assert among.earliest == pytest.approx(alone.earliest, abs=5)
    assert found.assumptions[-1].text == "a job arrives every 1m7s on average, like one of the 4 that did"


def test_jobs_of_earlier_dumps_count() -> None:
    """Jobs that have been deleted since tell as much of those that come as jobs that have ended."""
    assert asked(arrivals=True, earlier=True).jobs == asked(arrivals=True).jobs
