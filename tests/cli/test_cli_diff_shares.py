"""`vqs diff-configs --fail-on` on shares, on a dump in kubectl's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubectl_dumps import two_queues, write_dump
from vqs.cli.main import main


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump into the working directory."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())


def test_a_change_of_share_gives_both_values(capsys: pytest.CaptureFixture[str]) -> None:
    """A queue that loses its jobs is named, with its share before and after."""
    arguments = ["diff-configs", "--on", "dump.json", "--remove", "job/ml/train", "--fail-on"]
    assert main([*arguments, "share>20%"]) == 1
    assert "change of share is 100% (queue batch: 100% → 0%), and must not be > 20%" in capsys.readouterr().out
    assert main([*arguments, "share-loss>20%"]) == 1
    said = "loss of share is 100% (queue batch: allocated 100% → 0% of its deserved cpu in the base)"
    assert f"{said}, and must not be > 20%" in capsys.readouterr().out
