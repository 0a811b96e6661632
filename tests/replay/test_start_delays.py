"""Bound pods start after a delay: their job's own, that of their images, or the one of the replay."""

from __future__ import annotations

import io
from typing import Final

import pytest

from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.scenario import workload_of
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

WORKLOAD: Final = """
apiVersion: vqs/v1
kind: Scenario
name: images
startDelays: {"registry/big:*": 90s, "registry/*": 5, "other:1": {uniform: [2s, 2s]}}
nodes:
- {name: n, cpu: 16, memory: 64Gi}
jobs:
- {name: big, duration: 10, spec: {containers: [{name: c, image: "registry/big:1"}]}}
- {name: small, duration: 10, spec: {containers: [{name: c, image: "registry/small:1"}]}}
- {name: own, duration: 10, startDelay: 7, spec: {containers: [{name: c, image: "registry/big:1"}]}}
- {name: both, duration: 10, spec: {containers: [{name: c, image: "other:1"}, {name: d, image: "registry/small:1"}]}}
- {name: none, cpu: 1, duration: 10, arrival: 1}
"""


def delays(text: str) -> dict[str, float]:
    """Return the seconds from being bound to running, by job."""
    read = read_manifests(["-"], stdin=io.BytesIO(text.encode()))
    result = replay(workload_of(read, "test"), ReplayOptions())
    starts = {result.jobs[pod.job].name: (pod.started or 0.0) - (pod.bound or 0.0) for pod in result.pods}
    return {job: round(seconds, 6) for job, seconds in starts.items()}


def test_images_say_how_long_pods_take_to_start() -> None:
    """The first pattern that matches counts, of several containers the longest; a job's own delay goes before."""
    assert delays(WORKLOAD) == {"big": 90.0, "small": 5.0, "own": 7.0, "both": 5.0, "none": 0.03}


def test_a_delay_that_is_none_is_refused() -> None:
    """With its place, as any other value of a scenario."""
    with pytest.raises(InputErrors) as refused:
        delays(WORKLOAD.replace('"registry/*": 5', '"registry/*": soon'))
    assert "$.startDelays[\"registry/*\"]: 'soon' is no duration" in str(refused.value)


def test_a_pattern_that_matches_no_image_is_noted() -> None:
    """A note with the place of the pattern; brackets are plain characters."""
    text = WORKLOAD.replace("startDelays: {", 'startDelays: {"regsitry/*": 9, "[o]ther:1": 9, ')
    read = read_manifests(["-"], stdin=io.BytesIO(text.encode()))
    notes = [each for each in workload_of(read, "test").start.notes if each.code == "unused-start-delay"]
    assert [each.message for each in notes] == [
        "no container of the workload has an image that matches 'regsitry/*'",
        "no container of the workload has an image that matches '[o]ther:1'",
    ]
    assert notes[0].line == 5
    assert delays(text)["both"] == 5.0


def test_there_are_at_most_a_thousand_patterns() -> None:
    """More would take minutes to match."""
    many = ", ".join(f'"image-{number}": 1' for number in range(1001))
    with pytest.raises(InputErrors) as refused:
        delays(WORKLOAD.replace("startDelays: {", f"startDelays: {{{many}, "))
    assert "expected at most 1,000 keys, got 1,004" in str(refused.value)
