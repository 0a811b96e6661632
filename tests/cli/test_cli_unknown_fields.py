"""Fields and versions that Volcano's kinds do not have, in what is submitted to a cluster of which there is a dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubectl_dumps import QUEUE, two_queues, write_dump
from vqs.cli.main import main

JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: new, namespace: ml}
spec:
  minAvailabel: 2
  queue: serving
  tasks:
  - name: worker
    replicas: 3
    template: {spec: {containers: [{name: c, image: i}]}}
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump and a Job with a misspelt field into the working directory."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())
    Path("job.yaml").write_text(JOB, encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [["simulate", "dump.json", "job.yaml"], ["fit", "job.yaml", "--on", "dump.json"], ["lint", "job.yaml"]],
    ids=["simulate", "fit", "lint"],
)
def test_an_unknown_field_is_warned_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The field is named with the one that was probably meant; the objects of the dump are not checked."""
    main(arguments)
    told = " ".join(capsys.readouterr().out.split())
    assert "has a field minAvailabel, which does not exist (did you mean 'minAvailable'?)" in told
    assert told.count("the API server prunes it (no effect), or refuses it if kubectl validates strictly") == 1


def test_an_unknown_field_in_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison warns of it, and lists the finding of lint once."""
    Path("new.yaml").write_text(QUEUE.replace("weight: 4", "weigth: 12"), encoding="utf-8")
    assert main(["diff-configs", "new.yaml", "--on", "dump.json"]) == 1
    told = capsys.readouterr().out
    assert "Warning: Queue batch has a field weigth, which does not exist (did you mean 'weight'?)" in told
    assert "1 new lint finding" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "dump.json", "job.yaml"],
        ["fit", "job.yaml", "--on", "dump.json"],
        ["lint", "dump.json", "job.yaml"],
    ],
    ids=["simulate", "fit", "lint"],
)
def test_an_unknown_version_is_an_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No API server takes the object, so no session is run with it."""
    Path("job.yaml").write_text(JOB.replace("v1alpha1", "v1beta9"), encoding="utf-8")
    assert main(arguments) == (1 if arguments[0] == "lint" else 2)
    told = "".join(capsys.readouterr())
    assert "batch.volcano.sh/v1beta9, which is not served" in told
    assert "write batch.volcano.sh/v1alpha1" in told
