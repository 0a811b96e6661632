"""Jobs that arrive later are known by their names, and in edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.snapshot.reading.reader import read_manifests
from vqs.sweep.plan import Base
from vqs.sweep.workload_jobs import LateJobs

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"


@pytest.fixture(scope="module")
def late() -> LateJobs:
    """Return the late jobs of two workloads: a-0 to a-11 and b-0 to b-7; those of train and score, again and again."""
    names = ("teams.yaml", "workload.yaml")
    return LateJobs(Base(name, read_manifests([str(EXAMPLE / name)]), (name,)) for name in names)


@pytest.mark.parametrize(
    ("name", "is_late"),
    [
        ("a-0", True),
        ("default/a-11", True),
        ("a-12", False),
        ("a", False),
        ("team/a-0", False),
        ("train", True),
        ("default/score-7", True),
        ("train-x", False),
    ],
)
def test_names(late: LateJobs, name: str, *, is_late: bool) -> None:
    """A namespace may be left out; jobs that arrive again and again are numbered, or named by their template."""
    assert late.has(name) is is_late


@pytest.mark.parametrize(
    ("edit", "job"),
    [
        ("scale a-0=3", "a-0"),
        ("scale default/train-2:worker=3", "default/train-2"),
        ("remove vcjob/default/b-1", "default/b-1"),
        ("job/a-0.spec.minAvailable=2", "a-0"),
        ("podgroup/b-2.spec.minMember=2", "b-2"),
        ("queue/a-0.spec.weight=2", ""),
        ("remove node/a-0", ""),
        ("scale other=3", ""),
        ("conf.actions=allocate", ""),
    ],
)
def test_edits(late: LateJobs, edit: str, job: str) -> None:
    """An edit is about a job only where its kind is one of jobs."""
    assert late.in_edit(edit) == job
