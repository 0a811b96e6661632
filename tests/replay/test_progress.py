"""How far a replay is."""

from __future__ import annotations

import io
from typing import Final

from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.scenario import workload_of
from vqs.snapshot.reading.reader import read_manifests

LATE: Final = """
apiVersion: vqs/v1
kind: Scenario
nodes:
- {name: n, cpu: 16}
jobs:
- {name: there, running: 1, cpu: 1, duration: 100}
- {name: early, cpu: 1, arrival: 10, duration: 30}
- {name: late, count: 2, cpu: 1, arrival: 1000, duration: 30}
- {name: many, cpu: 1, duration: 30, arrivals: {every: 1, from: 1000, until: 1007}}
"""


def told(until: float | None = None) -> list[tuple[float, int, int]]:
    """Return what is told while a workload is replayed in which most jobs arrive late."""
    found: list[tuple[float, int, int]] = []
    options = ReplayOptions(progress=lambda *each: found.append(each), until=until)
    replay(workload_of(read_manifests(["-"], stdin=io.BytesIO(LATE.encode())), "test"), options)
    return found


def test_arrivals_and_ends_say_how_far_a_replay_is() -> None:
    """When nearly all of its time is over, little is done; at the end, all is."""
    found = told()
    assert {total for _, _, total in found} == {21}
    assert [done for time, done, _ in found if time < 1000][-1] == 3
    assert found[-1][1] == 21


def test_jobs_after_the_end_are_not_awaited() -> None:
    """With an end, the jobs that arrive later are not to come."""
    assert told(until=500.0)[-1][1:] == (3, 3)
