"""Workloads of `vqs replay` that are no scenarios, as a user meets them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from vqs.cli.main import main

LOG = """\
; MaxNodes: 2
; MaxProcs: 8
; Queue: 1 batch
1 0 10 60 6 -1 -1 6 -1 -1 1 5 2 -1 1 1 -1 -1
2 5 10 30 8 -1 -1 8 -1 -1 1 6 2 -1 2 1 -1 -1
3 9 -1 -1 -1 -1 -1 4 -1 -1 5 6 2 -1 2 1 -1 -1
"""


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Return a file with a log."""
    path = tmp_path / "log.swf"
    path.write_text(LOG)
    return str(path)


def test_a_log_is_replayed(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A log becomes jobs in queues that wait for one another; a note says what is left out."""
    assert main(["replay", log, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    jobs = {job["name"]: job for job in json.loads(out)["jobs"]}
    assert {name: job["queue"] for name, job in jobs.items()} == {"job-1": "batch", "job-2": "queue-2"}
    assert jobs["job-1"]["started"] < 5
    assert jobs["job-2"]["started"] > jobs["job-1"]["completed"] > 60
    assert "1 line is left out: without a run time" in err


def test_a_log_has_the_scheduler_of_a_scenario_beside_it(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scenario beside a log has its nodes, on which jobs need not wait."""
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("apiVersion: vqs/v1\nkind: Scenario\nnodes: [{count: 9, cpu: 8, memory: 8Gi}]\n")
    assert main(["replay", log, str(cluster), "--queue-by", "user", "--quiet", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    jobs = {job["name"]: job for job in json.loads(out)["jobs"]}
    assert jobs["job-2"]["started"] < 10
    assert jobs["job-2"]["queue"] == "user-6"
    assert "left out" not in err


def test_a_log_is_piped_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard input, --workload-format says what is read."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert main(["replay", "-", "--workload-format", "swf", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["jobs"]) == 2


def test_what_is_wrong_with_a_log_is_shown(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An error shows the line and what is wrong in it, and nothing is replayed."""
    Path(log).write_text(LOG.replace("60 6", "6o 6"))
    assert main(["replay", log]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{log}:4:8: expected a number for the run time, got '6o'\n" in err
    assert "\n  1 0 10 6o 6 -1" in err


def test_recordings_of_two_formats_are_refused(log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log and metrics are not one workload."""
    metrics = tmp_path / "metrics.txt"
    metrics.write_text('kube_pod_created{namespace="a",pod="b"} 1\n')
    assert main(["replay", log, str(metrics)]) == 2
    assert "the recordings are of different formats, metrics and swf; give those of one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "hint"), [("--workload-format", "swff", "swf"), ("--queue-by", "users", "user")]
)
def test_options_are_guessed(option: str, value: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A format or field that is spelt wrong is answered with the one that was probably meant."""
    assert main(["replay", "log.swf", option, value]) == 2
    assert hint in capsys.readouterr().err
