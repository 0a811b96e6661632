"""`vqs why`: from a cluster to the answer in one step."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.capture.api_server import ApiServer
from tests.cli.conftest import Terminal
from tests.kubectl_dumps import two_queues
from vqs.capture.kubectl import Kubectl
from vqs.cli.main import kubectl_plugin, main


class Keyboard(io.TextIOWrapper):
    """A standard input that somebody types at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture(autouse=True)
def _cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, with a cluster of which one job waits that kubectl has at hand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    cluster = ApiServer.of(two_queues())
    monkeypatch.setattr(Kubectl, "get", lambda _, path: cluster.get(path))


@pytest.mark.parametrize(
    "given",
    [["ml/train"], ["train", "-n", "ml"], ["train"], ["train-worker-5", "-n", "ml"], ["ml/train-worker-5"]],
    ids=" ".join,
)
def test_a_job_or_a_pod_of_it(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The answer is first and last; stderr says how the snapshot is kept, and nothing is left in the folder."""
    assert main(["why", *given]) == 0
    out, err = capsys.readouterr()
    answer = out.splitlines()[0]
    assert answer.startswith("ml/train ")
    assert out.count(answer) == 2
    assert err == "note: the snapshot is not kept; --keep snapshot.json.zst keeps it for the next commands\n"
    assert [*Path().iterdir()] == []


def test_the_snapshot_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """What is kept is what was explained, and the next commands read it."""
    assert main(["why", "train", "--keep", "kept.json.gz", "-q"]) == 0
    answer, err = capsys.readouterr()
    assert err == ""
    assert main(["explain-job", "kept.json.gz", "--job", "ml/train", "-q"]) == 0
    assert capsys.readouterr().out == answer
    assert main(["why", "train", "--keep", "kept.json.gz"]) == 0
    assert "explain-queue kept.json.gz" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("typed", "kept"), [(b"y\n", True), (b"\n", False)])
def test_a_terminal_is_asked(typed: bytes, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the answer, who sits at a terminal says whether the snapshot is kept; it is not by itself."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", Keyboard(io.BytesIO(typed)))
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["why", "train"]) == 0
    terminal.flush()
    assert b"Keep the snapshot for the next commands, in snapshot.json.zst?" in terminal.screen.getvalue()
    assert Path("snapshot.json.zst").exists() is kept
    if kept:
        assert main(["explain-job", "snapshot.json.zst", "--job", "ml/train", "-q"]) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nope"], "error: there is no job 'nope'"),
        (["train", "-n", "other"], "error: there is no job 'other/train'"),
        (["ml/train", "-n", "other"], "error: ml/train is not in namespace other"),
        (["train", "--keep", "-"], "error: --keep -: standard output is for the answer"),
        (["train", "--keep", "a.json", "-o", "a.json"], "error: --keep and --output are both a.json"),
        ([], "error: Missing argument 'POD|JOB'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What there is not, and what contradicts itself, is an error."""
    assert main(["why", *given]) == 2
    assert said in capsys.readouterr().err


def test_the_plugin_of_kubectl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a command of kubectl, too, and names the next commands so."""
    monkeypatch.setattr(sys, "argv", ["kubectl-vqs", "why", "train", "-n", "ml"])
    assert kubectl_plugin() == 0
    assert "Next: kubectl vqs " in capsys.readouterr().out
