"""How long pods run by a file of durations, in a replay of manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replay.reading.files import Files, errors_in, notes_of
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.when.durations import read_durations

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: "4", pods: "10"}, capacity: {cpu: "4", pods: "10"}}
"""
OF_KUBERNETES = """---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ns}
spec:
  parallelism: 1
  completions: 2
  template:
    spec:
      schedulerName: volcano
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
"""
OF_VOLCANO = """---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ns}
spec:
  minAvailable: 1
  tasks: [{name: w, replicas: 1, template: {spec: {containers: [{name: c, image: x}]}}}]
"""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Files of a folder."""
    return Files(tmp_path)


def by_file(folder: Path, text: str) -> ReadingOptions:
    """Read workloads with a file of durations."""
    path = folder / "durations.txt"
    path.write_text(text, encoding="utf-8")
    return ReadingOptions(durations=read_durations(str(path)))


@pytest.mark.parametrize(("job", "least"), [(OF_KUBERNETES, 120), (OF_VOLCANO, 60)])
def test_jobs_in_manifests_end(files: Files, job: str, least: int) -> None:
    """A Job of either kind runs as long as the first pattern that matches its name says, each pod of it."""
    workload = files.read({"a.yaml": NODE + job}, by_file(files.folder, "ns/tr*: 60s\n"))
    [record] = replay(workload, ReplayOptions()).jobs

    assert record.completed is not None
    assert least < record.completed < least + 30
    assert notes_of(workload) == []


@pytest.mark.parametrize("job", [OF_KUBERNETES, OF_VOLCANO])
def test_others_run_without_end(files: Files, job: str) -> None:
    """A note names patterns that match no job, and another says that nothing is known of the pods."""
    workload = files.read({"a.yaml": NODE + job}, by_file(files.folder, "ns/trian: 60s\n"))

    assert [record.completed for record in replay(workload, ReplayOptions()).jobs] == [None]
    assert notes_of(workload) == [
        "no job of the snapshot matches 'ns/trian'",
        "nothing says how long 1 pod will run: without end",
    ]


def test_recordings_say_it_themselves(files: Files) -> None:
    """A file of durations beside a recording is refused."""
    log = "; MaxNodes: 2\n; MaxProcs: 8\n1 0 10 60 6 -1 -1 6 -1 -1 1 5 2 -1 1 1 -1 -1\n"
    [error] = errors_in(files, {"a.swf": log}, by_file(files.folder, "'*': 60s\n"))

    assert error.message == "--durations is for workloads in scenario, and this one is in swf"
