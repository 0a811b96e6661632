"""`vqs fit` on small dumps in the shape that kubectl writes: what it says where the answer is not plainly yes or no."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.kubectl_dumps import Item, cluster, node, queue, running, volcano_job, write_dump
from vqs.cli.main import main

PREEMPTING = """\
actions: "enqueue, allocate, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
"""


def submitted(name: str, **more: Any) -> Item:
    """Return a Volcano Job as it is submitted."""
    job, *_ = volcano_job(name, namespace="ml", **more)
    job["metadata"] = {"name": name, "namespace": "ml"}
    del job["status"]
    return job


@pytest.fixture
def fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Return a function that looks whether a job fits, and returns the exit status and what is printed."""
    monkeypatch.chdir(tmp_path)

    def run(items: Sequence[Item], job: Item, *options: str) -> tuple[int, str]:
        write_dump(tmp_path / "dump.json", items)
        (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
        status = main(["fit", "job.json", "--on", "dump.json", *options])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


# --- queues that take no jobs -----------------------------------------------------------------------------------------


def tree() -> list[Item]:
    """Return a cluster whose queue team has the child dev."""
    team, dev = queue("team"), queue("dev")
    team["spec"]["parent"], dev["spec"]["parent"] = "root", "team"
    return cluster(team, dev)


@pytest.mark.parametrize(
    ("name", "why"), [("root", "it is the root of all queues"), ("team", "it has child queues (dev)")]
)
def test_a_queue_that_takes_no_jobs(fit: Callable[..., tuple[int, str]], name: str, why: str) -> None:
    """Where Volcano's webhook denies the job for its queue, that is the answer, with queues that it can go to."""
    status, said = fit(tree(), submitted("train", cpu=1, queue=name))
    assert status == 1
    assert f"Volcano's webhook denies it, as a Job cannot be submitted to queue {name}: {why}" in said
    assert "open queues without children: default and dev" in said
    assert "replicas" not in said


def test_a_denied_job_that_is_assumed_to_be_admitted(fit: Callable[..., tuple[int, str]]) -> None:
    """It is simulated, with a warning."""
    status, said = fit(tree(), submitted("train", cpu=1, queue="team"), "--assume-admitted")
    assert status == 0
    assert "Warning: Volcano's webhook would deny this Job; it is simulated nevertheless" in said


def test_a_queue_that_does_not_exist(fit: Callable[..., tuple[int, str]]) -> None:
    """The webhook denies the Job; only queues that take jobs are offered in its place."""
    status, said = fit(tree(), submitted("train", cpu=1, queue="roott"))
    assert status == 1
    assert "ml/train does not fit: Volcano's webhook denies it, as a Job cannot be submitted to queue roott: " in said
    assert "it does not exist; open queues without children: default and dev." in said


# --- the next session -------------------------------------------------------------------------------------------------


def starting() -> list[Item]:
    """Return a cluster of 16 cores with a gang of 6 that starts: enqueue counts it twice for a session."""
    starts = running(volcano_job("starts", namespace="ml", cpu=1, pods=6), "node-1")
    starts[1]["spec"]["minResources"] = {"cpu": "6"}
    return cluster(starts)


def test_the_next_session(fit: Callable[..., tuple[int, str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Fit and explain-job agree that a job fits in the next session: its 8 cores are idle, but not yet admitted."""
    status, said = fit(starting(), submitted("train", cpu=1, pods=8))
    assert status == 1
    assert "ml/train does not fit now; it starts in session 2. Now it does not: not-enqueued-overcommit" in said
    train = volcano_job("train", namespace="ml", cpu=1, pods=8)
    train[1]["spec"]["minResources"], train[1]["status"]["phase"] = {"cpu": "8"}, "Pending"
    write_dump(Path("both.json"), [*starting(), *train])
    assert main(["explain-job", "both.json", "--job", "train"]) == 0
    assert "ml/train starts in session 2" in capsys.readouterr().out


def test_the_next_session_does_not_help(fit: Callable[..., tuple[int, str]]) -> None:
    """A job that no session has room for does not fit, and the reason is given once."""
    status, said = fit(starting(), submitted("train", cpu=9))
    assert status == 1
    assert "ml/train does not fit, and can never start: larger-than-any-node" in said
    assert "No replica of worker would run now, for the same reason." in said


# --- others -----------------------------------------------------------------------------------------------------------


def test_who_is_worse_off(fit: Callable[..., tuple[int, str]]) -> None:
    """Jobs that are worse off are named with their tasks before and after."""
    old = running(volcano_job("old", namespace="ml", cpu=1, pods=4, minimum=1), "n1")
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 1000,
    }
    job = submitted("train", cpu=1, pods=2)
    job["spec"]["priorityClassName"] = "urgent"
    Path("scheduler.conf").write_text(PREEMPTING, encoding="utf-8")
    _, said = fit([node("n1", 4), queue("default"), urgent, *old], job, "--conf", "scheduler.conf")
    assert "It would evict 2 tasks of other jobs." in said
    assert "1 job is worse off: ml/old: 4 → 2 of 4 tasks placed, 0 → 2 evicted." in said
    assert "Jobs worse off: ml/old: 4 → 2 of 4 tasks placed, 0 → 2 evicted\n" in said
