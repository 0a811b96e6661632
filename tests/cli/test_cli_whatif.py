"""The what-if edits, the same for every command."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from vqs.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {count: 2, cpu: 4, memory: 16Gi}
queues:
  - {name: a}
jobs:
  - {name: train, queue: a, replicas: 8, minAvailable: 1, cpu: 2, memory: 1Gi}
"""


@pytest.fixture(autouse=True)
def _cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a cluster into the working directory, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (tmp_path / "edits.yaml").write_text(
        "- clone-node node-0=2\n"
        "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: new}, spec: {weight: 1}}\n",
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "4 placed, 0 pipelined, 4 still pending"),
        (["--clone-node", "node-0=2"], "8 placed, 0 pipelined, 0 still pending"),
        (["--edits", "edits.yaml"], "8 placed"),
        (["--edits", "edits.yaml", "--remove", "node/node-1"], "6 placed"),
        (["--scale", "job/default/train=3"], "3 placed, 0 pipelined, 0 still pending"),
        (["--scale", "job/default/train=3", "--set", "queue/a.spec.capability.cpu=4"], "2 placed"),
        (["--set", 'conf.actions="enqueue, backfill"'], "0 placed"),
    ],
)
def test_simulate(edits: Sequence[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The session is run on the edited snapshot."""
    assert main(["simulate", "cluster.yaml", "-q", *edits]) == 0
    assert expected in capsys.readouterr().out


def test_the_edits_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The report says what was changed; of many edits, how many."""
    assert main(["simulate", "cluster.yaml", "--set", "queue/a.spec.weight=3"]) == 0
    assert "on cluster.yaml with queue/a.spec.weight=3, now" in " ".join(capsys.readouterr().out.split())
    assert main(["simulate", "cluster.yaml", *["--set", "queue/a.spec.weight=3"] * 4]) == 0
    assert "on cluster.yaml with 4 edits" in " ".join(capsys.readouterr().out.split())


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """Queues and jobs are explained as they are after the edits."""
    assert main(["explain-queue", "cluster.yaml", "--queue", "a", "-q", "--clone-node", "node-0=2"]) == 0
    assert "deserves 16 cpu" in capsys.readouterr().out
    job = ["explain-job", "cluster.yaml", "--job", "default/train", "-q"]
    assert main([*job, "--clone-node", "node-0=2"]) == 0
    assert "this session places 8 tasks of it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (["--set", "queue/b.spec.weight=3"], "there is no queue 'b'"),
        (["--set", "queue/a.spec.wieght=3"], "did you mean"),
        (["--remove", "job/default/trian"], "did you mean"),
        (["--clone-node", "node-0=x"], "expected NAME=NUMBER"),
        (["--set", 'conf.actions="alocate"'], "failed to find Action 'alocate'"),
        (["--edits", "none.yaml"], "cannot be read"),
        (["--edits", "bad.yaml"], "bad.yaml:2:1: not valid YAML"),
        (["--edits", "number.yaml"], "number 1 in number.yaml is neither a text nor an object"),
        (["--edits", "cluster.yaml"], "is not a YAML list of edits"),
        (["--add", ""], "the name of the file is empty"),
    ],
)
def test_what_cannot_be_edited(
    edits: Sequence[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit that cannot be made is an error, and nothing is simulated."""
    (tmp_path / "bad.yaml").write_text("- [\n", encoding="utf-8")
    (tmp_path / "number.yaml").write_text("- 5\n", encoding="utf-8")
    assert main(["simulate", "cluster.yaml", *edits]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_all_that_is_wrong_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Two mistakes on one command line are two messages."""
    assert main(["simulate", "cluster.yaml", "--set", "queue/b.spec.weight=3", "--remove", "node/x"]) == 2
    assert "2 errors in the input" in capsys.readouterr().err
