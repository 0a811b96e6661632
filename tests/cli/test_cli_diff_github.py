"""`vqs diff-configs`, `vqs lint` and `vqs simulate` in GitHub Actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubectl_dumps import QUEUE, two_queues, write_dump
from vqs.cli.main import main

CHANGE = ["diff-configs", "new.yaml", "--on", "dump.json"]


@pytest.fixture(autouse=True)
def _workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump and a changed queue into the working directory of a step."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())
    Path("new.yaml").write_text(QUEUE.replace("weight: 4", "weight: 12"), encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")


def test_the_summary_and_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    """The report goes to the job's summary, and the table is a group with what matters most below it."""
    assert main(CHANGE) == 1
    first, *_, end, line, _, caveat = capsys.readouterr().out.splitlines()
    assert (first, end) == ("::group::vqs diff-configs", "::endgroup::")
    assert line.startswith("2 jobs affected")
    assert caveat.startswith("note: the snapshot has no ConfigMap with volcano-scheduler.conf: ")
    assert Path("summary.md").read_text(encoding="utf-8").startswith("**2 jobs affected")


def test_it_can_be_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    """With --no-ci, nothing is written but the table."""
    assert main([*CHANGE, "--no-ci"]) == 1
    assert "::group::" not in capsys.readouterr().out
    assert not Path("summary.md").exists()


def test_a_summary_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The comparison decides on the exit status, and a note says that there is no summary."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "missing/summary.md")
    assert main([*CHANGE, "--exit-zero"]) == 0
    assert "note: no summary of the job: cannot write to missing/summary.md" in capsys.readouterr().err


def test_lint(capsys: pytest.CaptureFixture[str]) -> None:
    """The findings are a group, and the report goes to the summary of the job; --no-ci switches both off."""
    assert main(["lint", "new.yaml", "--no-ci"]) == 0
    plain = capsys.readouterr().out.splitlines()
    assert not Path("summary.md").exists()
    assert main(["lint", "new.yaml"]) == 0
    first, *findings, end, last = capsys.readouterr().out.splitlines()
    assert (first, findings, end) == ("::group::vqs lint", plain, "::endgroup::")
    assert last in plain[-1]
    assert last in Path("summary.md").read_text(encoding="utf-8")


def test_simulate(capsys: pytest.CaptureFixture[str]) -> None:
    """The session's table is a group, with the summary below it and in the summary of the job; or neither is."""
    assert main(["simulate", "dump.json", "--no-ci"]) == 0
    plain = capsys.readouterr().out.splitlines()
    assert not Path("summary.md").exists()
    assert main(["simulate", "dump.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    end = lines.index("::endgroup::")
    assert (lines[0], lines[1:end]) == ("::group::vqs simulate", plain)
    assert lines[end + 1] == plain[0]
    assert plain[0] in Path("summary.md").read_text(encoding="utf-8")


def test_only_the_summary_of_a_session(capsys: pytest.CaptureFixture[str]) -> None:
    """What is short or for machines is not folded."""
    assert main(["simulate", "dump.json", "--quiet"]) == 0
    assert main(["simulate", "dump.json", "--format", "json"]) == 0
    assert "::group::" not in capsys.readouterr().out
