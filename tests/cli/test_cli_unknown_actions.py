"""Actions that a fork of Volcano brings are left out where the caller asks for it, and nothing hides that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vqs.cli.main import main

TIERS = """
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: proportion}]
"""
FORK = f'actions: "enqueue, allocate, preemptall, backfill"{TIERS}'
OWN = f'actions: "enqueue, allocate, backfill"{TIERS}'
SCENARIO = """
apiVersion: vqs/v1
kind: Scenario
nodes: [{name: n, cpu: 4, memory: 8Gi}]
jobs: [{name: train, replicas: 2, cpu: 1}]
"""
WARNING = "failed to find Action 'preemptall': vqs leaves it out, as the option --unknown-actions asks"
SKIP = ("--unknown-actions", "skip")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the cluster, the configuration of the fork, and the one without its action."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"cluster.yaml": SCENARIO, "fork.conf": FORK, "own.conf": OWN}.items():
        Path(name).write_text(text, encoding="utf-8")


def test_it_is_refused_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """The release refuses the configuration, and so does vqs."""
    assert main(["simulate", "cluster.yaml", "--conf", "fork.conf"]) == 2
    told = capsys.readouterr().err
    assert "fork.conf:1:30: $.actions: failed to find Action 'preemptall'" in told
    assert "with the option --unknown-actions skip, vqs leaves it out" in told


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (command, written)
        for command, formats in {
            "simulate cluster.yaml --conf fork.conf": "table markdown json html",
            "explain-job cluster.yaml --conf fork.conf --job default/train": "table markdown json",
            "diff-configs fork.conf --on cluster.yaml --scale default/train=1": "table markdown json html",
            "replay cluster.yaml --conf fork.conf --seed 1": "table markdown json html",
        }.items()
        for written in formats.split()
    ],
)
def test_every_format_says_so(command: str, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The session runs without the action; what it would do is not known, and a warning says that."""
    assert main([*command.split(), *SKIP, "--format", written]) in {0, 1}
    streams = capsys.readouterr()
    assert WARNING in (streams.out + streams.err).replace("&#x27;", "'").replace("&#39;", "'")


def test_the_summary_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing else than the summary is wanted."""
    assert main(["simulate", "cluster.yaml", "--conf", "fork.conf", *SKIP, "-q"]) == 0
    assert WARNING in capsys.readouterr().out


def test_the_other_actions_run(capsys: pytest.CaptureFixture[str]) -> None:
    """In their order, and with the same outcome as without the action."""
    assert main(["simulate", "cluster.yaml", "--conf", "fork.conf", *SKIP, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["session"]["actions"] == ["enqueue", "allocate", "backfill"]
    assert [task["node"] for task in result["tasks"]] == ["n", "n"]


def test_an_empty_name_is_none_of_a_fork(capsys: pytest.CaptureFixture[str]) -> None:
    """A comma too many is refused as before."""
    Path("fork.conf").write_text(FORK.replace("preemptall,", "preemptall,,"), encoding="utf-8")
    assert main(["simulate", "cluster.yaml", "--conf", "fork.conf", *SKIP]) == 2
    assert "failed to find Action ''" in capsys.readouterr().err


def test_an_edit_may_name_it(capsys: pytest.CaptureFixture[str]) -> None:
    """An edited configuration is read as the others are."""
    edit = 'conf.actions="allocate, preemptall"'
    assert main(["simulate", "cluster.yaml", "--set", edit]) == 2
    assert main(["simulate", "cluster.yaml", "--set", edit, *SKIP]) == 0
    assert WARNING in capsys.readouterr().out


def test_lint_is_as_strict_as_the_release(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It has no such option, and the environment does not give it one."""
    monkeypatch.setenv("VQS_UNKNOWN_ACTIONS", "skip")
    assert main(["lint", "cluster.yaml", "--conf", "fork.conf"]) == 1
    assert "error: unknown-action" in capsys.readouterr().out
    assert main(["lint", "cluster.yaml", "--conf", "fork.conf", *SKIP]) == 2


def test_a_change_cannot_pass_a_gate_by_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A change that brings such an action is a new error of lint, and figures that hang on it count as not known."""
    changed = ["diff-configs", "own.conf", "fork.conf", "--on", "cluster.yaml", *SKIP]
    assert main([*changed, "--fail-on", "errors"]) == 1
    assert main([*changed, "--fail-on", "pods-lost > 0"]) == 1
    assert "pods-lost is unknown: it hangs on action preemptall" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["unknown-actions: skip", "flags: {unknown-actions: skip}"])
def test_no_file_asks_for_it(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the caller's to say: a scenario has no such key."""
    Path("cluster.yaml").write_text(f"{SCENARIO}{key}\n", encoding="utf-8")
    assert main(["simulate", "cluster.yaml"]) == 2
    assert "unknown-actions" in capsys.readouterr().err
