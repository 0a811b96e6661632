"""Annotations of a comparison stand on the line that was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.kubectl_dump import QUEUE, write_dump
from vqs.cli.main import main


@pytest.fixture
def _dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump into the working directory."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("weight: 4", "weight: 12", 6),
        ("reclaimable: true", "reclaimable: false", 7),
        ("reclaimable: true", "reclaimable: true\n  capability: {cpu: 2}", 8),
        ("weight: 4\n", "", 6),
    ],
    ids=["weight", "reclaimable", "new field", "removed field"],
)
@pytest.mark.usefixtures("_dump")
def test_the_line_that_was_changed(old: str, new: str, line: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A queue is annotated where the file differs from the dump; what is removed, in the part that it is missing in."""
    Path("batch.yaml").write_text(QUEUE.replace(old, new), encoding="utf-8")
    assert main(["diff-configs", "batch.yaml", "--on", "dump.json", "--format", "github"]) == 1
    of_batch = [each for each in capsys.readouterr().out.splitlines() if "::queue batch" in each]
    assert [each.partition(",title")[0].rpartition("::")[2].partition(" ")[2] for each in of_batch] == [
        f"file=batch.yaml,line={line}"
    ]
