"""How busy nodes are, and how they are sampled: the same options in all commands that run a session."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from vqs.cli.main import main

CLUSTER = """apiVersion: vqs/v1
kind: Scenario
scheduler:
  actions: "enqueue, allocate"
  tiers:
    - plugins: [{name: gang}, {name: predicates}, {name: proportion}, {name: usage}]
nodes: [{count: 120, cpu: 4}]
jobs: [{name: j, cpu: 1}]
"""
BUSY = "{node-0: {cpu: 95, memory: 10}, node-1: {cpu: 95, memory: 10}}"
METRICS = """
---
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetricsList
items:
  - metadata: {name: node-0}
    timestamp: "2025-12-31T23:59:00Z"
    usage: {cpu: 3900m, memory: 1Gi}
"""

COMMANDS = {
    "simulate": ["simulate", "cluster.yaml"],
    "explain-job": ["explain-job", "cluster.yaml", "--job", "j"],
    "explain-queue": ["explain-queue", "cluster.yaml"],
    "fit": ["fit", "job.yaml", "--on", "cluster.yaml"],
    "diff-configs": ["diff-configs", "--on", "cluster.yaml", "--set", "queue/default.spec.weight=2"],
    "plugins": ["plugins", "--on", "cluster.yaml"],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a cluster, a job and the usage of nodes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    Path("cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    Path("job.yaml").write_text("apiVersion: vqs/v1\nkind: Scenario\njobs: [{name: new, cpu: 1}]\n", encoding="utf-8")
    Path("usage.yaml").write_text(BUSY, encoding="utf-8")


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_every_command_takes_the_usage_of_nodes(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without it, each says that it is unknown."""
    main(arguments)
    assert "usage of nodes is unknown" in capsys.readouterr().out
    main([*arguments, "--usage", "usage.yaml"])
    out = capsys.readouterr().out
    assert out
    assert "usage of nodes is unknown" not in out


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_every_command_samples_nodes(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each says what was not examined."""
    main([*arguments, "--node-sample", "minimum-feasible-nodes=1"])
    assert "--node-sample ended " in capsys.readouterr().out


def test_both_sides_of_a_comparison_are_as_busy(capsys: pytest.CaptureFixture[str]) -> None:
    """Each side has the usage, so neither says that it is unknown."""
    main(["diff-configs", "cluster.yaml", "cluster.yaml", "--usage", "usage.yaml", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    for side in (found["before"], found["after"]):
        assert "usage-unknown" not in [each["code"] for each in side.get("diagnostics", [])]


def test_the_usage_of_two_sides_is_not_piped_in(capsys: pytest.CaptureFixture[str]) -> None:
    """It is read for each of them."""
    assert main([*COMMANDS["diff-configs"], "--usage", "-"]) == 2
    assert "--usage is read for each side, and standard input only once" in capsys.readouterr().err


def test_metrics_in_a_dump(capsys: pytest.CaptureFixture[str]) -> None:
    """NodeMetrics beside the nodes say how busy they are; a file of --usage comes before them."""
    Path("cluster.yaml").write_text(CLUSTER + METRICS, encoding="utf-8")
    assert main(["simulate", "cluster.yaml", "--format", "json"]) == 0
    assert [each["node"] for each in json.loads(capsys.readouterr().out)["tasks"]] == ["node-1"]
    others = {f"node-{number}": {"cpu": 50} for number in range(1, 120)}
    Path("usage.yaml").write_text(json.dumps({"node-0": {"cpu": 5, "memory": 0}, **others}), encoding="utf-8")
    assert main(["simulate", "cluster.yaml", "--usage", "usage.yaml", "--format", "json"]) == 0
    assert [each["node"] for each in json.loads(capsys.readouterr().out)["tasks"]] == ["node-0"]


def test_bad_metrics_in_a_dump(capsys: pytest.CaptureFixture[str]) -> None:
    """They are refused with their place."""
    text = CLUSTER + METRICS.replace("3900m", "[]")
    Path("cluster.yaml").write_text(text, encoding="utf-8")
    assert main(["simulate", "cluster.yaml"]) == 2
    err = capsys.readouterr().err
    assert "cluster.yaml:14:5" in err
    assert "$.items[0]: expected NodeMetrics: metadata.name, timestamp, usage" in err
