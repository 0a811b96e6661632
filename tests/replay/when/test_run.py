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
from vqs.replay.outcome import Replay
from vqs.replay.runs import Run, Runner
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


AGES = (1000, 800, 700, 600, 500, 400, 350, 300, 200, 100, 5)
LONG_AGO = NOW - timedelta(days=100)


def test_jobs_arrive_at_the_rate_of_the_history() -> None:
    """Eleven jobs in 1,000 s are one every 100 s: ten in 1,000 s on average, each like one of them."""
    found, about = further(jobs(*AGES), NOW, 1000.0, no_timing, since=LONG_AGO)
    assert found is not None
    assert about.text == (
        "a job arrives every 1m40s on average, like one of the 11 that did, for another 100d in half of the runs: "
        "--arrivals none has none"
    )
    runs = [[*found.arrivals(seed)] for seed in range(200)]
    assert fmean(map(len, runs)) == pytest.approx(10, abs=0.7)
    assert found.expected(1000.0) == pytest.approx(10)
    assert runs[0] == [*found.arrivals(0)]
    arrived = [each for run in runs for each in run]
    assert {each.timing[""].duration for each in arrived} == {Fixed(5), Fixed(6)}
    seen = [each.job for each in arrived if isinstance(each.job, k8s.VolcanoJob)]
    assert {job.metadata.name.partition("-")[0] for job in seen} == {f"j{number}" for number in range(11)}
    assert len({job.metadata.name for job in seen[: len(runs[0])]}) == len(runs[0])
    assert {job.metadata.uid for job in seen} == {""}
    first = seen[0].metadata.creation_timestamp
    assert first is not None
    assert first > NOW


def test_how_long_jobs_go_on_arriving() -> None:
    """They do so for as long again as they have in half of the runs, and for three times as long in a fourth."""
    found, _ = further(jobs(*AGES), NOW, 10_000.0, no_timing, since=NOW)
    assert found is not None
    last = [max((each.time for each in found.arrivals(seed)), default=0.0) for seed in range(400)]
    assert fmean(each > 1000 for each in last) == pytest.approx(1 / 2, abs=0.07)
    assert fmean(each > 3000 for each in last) == pytest.approx(1 / 4, abs=0.07)


def test_too_few_jobs_say_nothing() -> None:
    """Nine jobs, or jobs that all were created now."""
    for ages in (range(9), [0] * 12):
        found, about = further(jobs(*ages), NOW, 1000.0, no_timing, since=LONG_AGO)
        assert found is None
        assert about.text == f"no job arrives: too few Volcano Jobs are known ({len(ages)}) to tell how often they do"


def test_jobs_that_have_stopped_coming_come_no_more() -> None:
    """Where the last of them came longer ago than three mean times between them."""
    early = [1000] * 7
    assert further(jobs(*early, 900, 800, 330), NOW, 1000.0, no_timing, since=LONG_AGO)[0] is not None
    found, about = further(jobs(*early, 900, 800, 340), NOW, 1000.0, no_timing, since=LONG_AGO)
    assert found is None
    assert about.text == "the last job was created 5m40s ago, and one every 1m51s before"


def test_there_is_a_limit_to_them() -> None:
    """A rate of hundreds a second does not make a replay that never ends."""
    found, _ = further(jobs(*(0.01 * each for each in range(1, 12))), NOW, 1000.0, no_timing, since=LONG_AGO)
    assert found is not None
    assert len([*found.arrivals(1)]) == MOST
    assert found.expected(1000.0) == MOST


def asked(*, arrivals: bool, earlier: bool = False, cpu: int = 0, events: list[int] | None = None) -> When:
    """Ask when a job starts that waits for another to end, in a queue that jobs of a high priority come to.

    Args:
        arrivals: whether others come as these did, which have ended.
        earlier: whether these are in an earlier snapshot only.
        cpu: what a further job requests that waits.
        events: takes how many events each replay has.
    """
    stamps = [(NOW - timedelta(seconds=each)).isoformat() for each in range(50, 600, 50)]
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
                *([{"name": "waits-too", "cpu": cpu, "duration": "1m"}] if cpu else []),
            ],
        }
    )
    parts = (made[:11], made[11:]) if earlier else (made,)
    *history, snapshot = (read_manifests(["-"], stdin=io.BytesIO(yaml.safe_dump_all(each).encode())) for each in parts)
    options = WhenOptions(
        SimulateOptions(),
        ReplayOptions(),
        Durations({"ns/gone-*": Fixed(45.0)}),
        history,
        within=600.0,
        arrivals=arrivals,
    )

    def replays(run: Run) -> list[Replay]:
        found = Runner([run], jobs=1).runs(range(1, 6))
        if events is not None:
            events.extend(each.events for each in found)
        return found

    return when(snapshot, options, replays)


def test_arrivals_make_others_wait() -> None:
    """Without them, a job starts as soon as another ends; with them, jobs that come later may go first."""
    [alone] = asked(arrivals=False).jobs
    found = asked(arrivals=True)
    [among] = found.jobs
    assert alone.latest is not None
    assert alone.latest < 60
    assert among.latest is None or among.latest > alone.latest + 40
    assert among.earliest == pytest.approx(alone.earliest, abs=5)
    assert [each.text for each in found.assumptions[-2:]] == [
        (
            "a job arrives every 55s on average, like one of the 11 that did, for another 9m10s in half of the runs: "
            "--arrivals none has none"
        ),
        "no node comes or goes, and no object is changed",
    ]


def test_what_never_starts_is_not_waited_for() -> None:
    """The replays end once all others have started, as jobs would arrive for days."""
    events = list[int]()
    asked(arrivals=True, events=events)
    found = asked(arrivals=True, cpu=5, events=events)
    assert [each.fate for each in found.jobs] == ["starts", "never"]
    assert max(abs(one - other) for one, other in zip(events[:5], events[5:], strict=True)) < 5
    assert 2 * min(events) < max(events)


def test_jobs_of_earlier_dumps_count() -> None:
    """Jobs that have been deleted since tell as much of those that come as jobs that have ended."""
    assert asked(arrivals=True, earlier=True).jobs == asked(arrivals=True).jobs
