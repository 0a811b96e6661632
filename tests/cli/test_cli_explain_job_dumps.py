"""`vqs explain-job` on small dumps in the shape that kubectl writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.kubectl_dumps import Item, cluster, running, volcano_job, write_dump
from vqs.cli.main import main

PREEMPTING = """\
actions: "enqueue, allocate, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
"""


@pytest.fixture
def explain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that explains a job of a dump, and returns the report."""
    monkeypatch.chdir(tmp_path)

    def run(items: Sequence[Item], job: str, *options: str) -> str:
        write_dump(tmp_path / "dump.json", items)
        assert main(["explain-job", "dump.json", "--job", job, *options]) == 0
        return capsys.readouterr().out

    return run


def leaving(items: list[Item]) -> list[Item]:
    """Have the pods among some objects be deleted."""
    for each in items:
        if each["kind"] == "Pod":
            each["metadata"] |= {"deletionTimestamp": "2026-03-02T08:00:30Z", "deletionGracePeriodSeconds": 30}
    return items


def test_a_reserved_minimum_only_waits(explain: Callable[..., str]) -> None:
    """A job whose minimum is reserved starts only when a job ends, where the pod that leaves comes back before it."""
    old = leaving(running(volcano_job("old", namespace="ml", cpu=8), "node-1"))
    long = running(volcano_job("long", namespace="ml", cpu=8), "node-2")
    said = explain(cluster(old, long, volcano_job("train", namespace="ml", cpu=8, pods=2, minimum=1)), "train")
    assert said.startswith(
        "ml/train does not start, however many sessions follow: in session 4, the cluster is full: jobs of queue "
        "default hold all 16 cpu that all nodes have together, so a task that requests 8 has to wait."
    )
    assert "It starts once ml/long ends." in said


def test_a_reserved_gang_only_waits(explain: Callable[..., str]) -> None:
    """A gang of which one task has a node does not start where the pod that leaves the other node comes back."""
    old = leaving(running(volcano_job("old", namespace="ml", cpu=8), "node-1"))
    said = explain(cluster(old, volcano_job("train", namespace="ml", cpu=8, pods=2)), "train")
    assert said.startswith(
        "ml/train does not start, however many sessions follow: in session 4, 1 of the 2 tasks that its gang needs "
        "found a node; "
    )


def test_a_nominated_node(explain: Callable[..., str]) -> None:
    """Why preempt evicts nothing is said in terms of the pod: who wrote its nominatedNodeName is not known."""
    Path("scheduler.conf").write_text(PREEMPTING, encoding="utf-8")
    train = volcano_job("train", namespace="ml", cpu=6, pods=2)
    train[2]["status"]["nominatedNodeName"] = "node-1"
    other = running(volcano_job("other", namespace="ml", cpu=8), "node-2")
    said = explain(cluster(other, train), "train", "--conf", "scheduler.conf")
    assert "its nominatedNodeName is node-1, and it fits there" in " ".join(said.split())
    assert "earlier eviction" not in said
