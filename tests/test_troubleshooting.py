"""Questions of troubleshooting that operators of Volcano ask, and what vqs answers.

Each row has the question with its usual answer, the command an operator would run on a scenario that has the problem,
and what of the answer has to be found in what vqs prints.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from vqs.cli.main import main

ROOT = Path(__file__).parents[1]
FIXTURES = "tests/lint/fixtures"


class Row(NamedTuple):
    """A question, the command that answers it, its exit status, and what the answer has to say."""

    question: str
    command: str
    says: tuple[str, ...]
    status: int = 0


ROWS = [
    Row(
        "a queue never gets anything: what it deserves is next to nothing, look at weight, capability, guarantee",
        "explain-queue scenarios/deserved-next-to-nothing.yaml --queue poor",
        ("0 of the 0.4 cpu that it deserves", "WEIGHT", "rich", "99"),
    ),
    Row(
        "a task is not allocatable though the queue is not overused: one resource would be above what is deserved",
        "explain-queue scenarios/queue-limit.yaml --queue research",
        ("queue research holds all 10 cpu that it deserves, so a task that requests 4 has to wait",),
    ),
    Row(
        "a job does not get in: minResources + allocated + inqueue - elastic is above the real capability",
        "explain-queue scenarios/not-enqueued-capability.yaml --queue research",
        ("not admitted: not-enqueued-capability", "8 + 12 + 0 = 20", "16  4 too much"),
    ),
    Row(
        "some level of the tree says no: the real capability of a parent is too small",
        "explain-queue scenarios/hierarchy-queue-above-is-full.yaml --queue research",
        (
            "queue department holds all 15 cpu that it may hold, so a task that requests 2 has to wait",
            "bottleneck: cpu",
        ),
    ),
    Row(
        "reclaim finds no victim: the candidates' queues hold no more than they deserve",
        "explain-job scenarios/reclaim-no-victim.yaml --job frontend",
        (
            "reclaim found no task to evict for it: none of 4 candidates may be evicted",
            "spared by proportion: its queue batch holds 4 cpu, no more than the 4 that it deserves",
        ),
    ),
    Row(
        "what to check when reclaim finds no victim: what the candidates' queue holds, and what it deserves",
        "explain-queue scenarios/reclaim-no-victim.yaml --queue batch",
        (
            "Queue batch holds 4 of the 4 cpu that it deserves",
            "Nothing can be reclaimed from it: it holds no more than",
        ),
    ),
    Row(
        "all nodes are filtered out: resources, labels, taints, affinity",
        "simulate scenarios/no-node-fits.yaml",
        ("nodes can take the task", "too little cpu left", "taint", "cordoned"),
    ),
    Row(
        "a queue is overused: its weight, others' jobs, its capability",
        "explain-queue scenarios/queue-overused.yaml --queue batch",
        ("holds 12 of the 10 cpu that it deserves", "WEIGHT"),
    ),
    Row(
        "the gang is discarded: minMember, and how many tasks there was room for",
        "simulate scenarios/gang-discarded.yaml",
        ("gang-discarded", "3 of the 4 tasks that it needs found a node", "nodes has room for gang-worker-"),
    ),
    Row(
        "the memory of fit errors skips a task that would fit",
        "simulate scenarios/fit-error-cache.yaml",
        ("little-1",),
    ),
    Row(
        "the scheduler stands still: a job in a queue that is no leaf",
        "simulate scenarios/hierarchy-job-above-the-leaves.yaml",
        ("Scheduling is blocked in all queues: job default/lost is in queue team-a, which has queues below it",),
    ),
    Row(
        "the scheduler stands still: a queue whose parent is not there",
        "simulate scenarios/hierarchy-parent-missing.yaml",
        ("Scheduling is blocked in all queues: queue staging has the parent teama, which does not exist",),
    ),
    Row(
        "quotas that do not add up: the children are guaranteed more than the parent, or may have more",
        "lint scenarios/hierarchy-quotas-that-do-not-add-up.yaml",
        ("children-guarantee-above-parent", "capability-above-ancestor"),
        status=1,
    ),
    Row(
        "a queue has too little: others' guarantees take the cluster",
        "explain-queue scenarios/guarantees-of-others.yaml --queue web",
        ("36 are guaranteed to queues, which leaves 4 for all queues", "limit 4"),
    ),
    Row(
        "a queue has too little: its capability is used up",
        "explain-queue scenarios/capacity-beyond-deserved.yaml --queue research",
        ("that it may hold, so a task", "limited by its capability"),
    ),
    Row(
        "a child queue is refused, as its parent is not known yet",
        f"lint {FIXTURES}/queues/parent-missing/bad.yaml",
        ("parent-missing",),
        status=1,
    ),
    Row(
        "a pod's queue is named by an annotation of the wrong key",
        f"lint {FIXTURES}/workloads/queue-annotation-misplaced/bad.yaml",
        ("scheduling.volcano.sh/queue-name",),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.question.partition(":")[0])
def test_answer(row: Row, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What vqs prints has the answer."""
    monkeypatch.chdir(ROOT)
    assert main(row.command.split()) == row.status
    printed = capsys.readouterr().out
    assert [text for text in row.says if text not in printed] == []
