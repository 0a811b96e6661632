"""`vqs explain-queue` on small dumps in the shape that kubectl writes: why tasks of a queue wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubectl_dumps import cluster, running, volcano_job, write_dump
from vqs.cli.main import main


def test_jobs_that_wait_for_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job without the pods that its gang needs does not count among those that the queue has no room for."""
    old = running(volcano_job("old", namespace="ml", cpu=7), "node-1")
    wide = [volcano_job(name, namespace="ml", cpu=4, pods=3) for name in ("a", "b")]
    broken = volcano_job("broken", namespace="ml", cpu=6, pods=2, minimum=3)
    dump = write_dump(tmp_path / "dump.json", cluster(old, *wide, broken))
    assert main(["explain-queue", dump, "--queue", "default", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "3 tasks of ml/a wait: 2 of the 3 tasks that its gang needs found a node; for the third, " in said
    assert "1 more job waits for the same." in said
    assert "2 tasks of ml/broken wait: its gang needs 3 tasks, and the job has 2." in said


def test_room_at_the_end_of_the_session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of room come with the time that they are those of."""
    dump = write_dump(tmp_path / "dump.json", cluster(volcano_job("wide", namespace="ml", cpu=9)))
    assert main(["explain-queue", dump, "--queue", "default"]) == 0
    said = capsys.readouterr().out
    assert "TASKS and ROOM are counted at the end of the session, after what it placed and reserved." in said
