"""What was recorded of controllers and webhooks, and in the course of time, as cases; see cases.py.

They are what controllers made of Volcano Jobs, what webhooks said of objects, and workloads that real clusters served.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from tempfile import NamedTemporaryFile
from typing import Any

from tests.conformance.cases import DEFAULT, SEED, Case
from tests.conformance.reading import RECORDINGS, Recording
from tests.conformance.test_jobs import (
    DENIED,
    JOBS,
    test_a_job_is_expanded,
    test_a_job_that_the_webhook_denies_is_refused,
)
from tests.conformance.test_webhooks import SENT, test_an_object_gets_the_answer_of_the_cluster
from tests.conformance.test_workloads import WORKLOADS, recorded, replayed, scenario, with_durations
from vqs.explain.simulate import SimulateOptions
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.snapshot.reading.reader import read_manifests


def controller_cases() -> list[Case]:
    """The cases of this repository."""
    found = [
        Case(f"workload/{name}", file, DEFAULT, len(runs), partial(_of_workload, name))
        for name, (file, runs) in WORKLOADS.items()
    ]
    for kind, recordings, check in (
        ("job", JOBS, test_a_job_is_expanded),
        ("denied", DENIED, test_a_job_that_the_webhook_denies_is_refused),
        ("sent", SENT, test_an_object_gets_the_answer_of_the_cluster),
    ):
        found += [
            Case(f"{kind}/{each[0].stem}", each[0], DEFAULT, 1, partial(_passes, check, each)) for each in recordings
        ]
    return [each for each in found if RECORDINGS in each.input.parents]


def _passes(check: Callable[[Recording], None], recording: Recording) -> bool:
    try:
        check(recording)
    except AssertionError:
        return False
    return True


def _of_workload(name: str) -> bool:
    """Replay a workload once, and see that as many jobs start; how long all takes, a test decides by several seeds."""
    file, runs = WORKLOADS[name]
    plain: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    with NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as written:
        json.dump(scenario(plain), written)
        written.flush()
        read = read_workload([written.name], name, read_manifests, ReadingOptions())
    options = ReplayOptions(period=1, seed=SEED, session=SimulateOptions(seed=SEED))
    started = replayed(replay(with_durations(read, plain), options))["started"]
    return started in {recorded(each)["started"] for each in runs}
