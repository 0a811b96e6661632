"""What is said of queues counts the pods that do not exist yet, which hold nothing and are held against no limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.build import job_task, manifests, node, stored_job
from tests.report.writers import as_html, as_markdown, as_table
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View
from vqs.report.queues.page import answer_lines, next_step

SAID = (
    "1 job in it has 2 pods that are not created yet; "
    "all of these will be there in the next session (vqs simulate FILES --cycles 2)"
)


def told(*objects: Any, queue: str = "") -> QueueReport:
    """Explain the queues of a snapshot."""
    return explain_queues(manifests(objects), SimulateOptions(), queue)


def new_job(name: str = "new", *, replicas: int = 2, cpu: int = 1) -> list[Any]:
    """Make a job that no session has admitted, and so has no pods."""
    return [*stored_job(name, job_task(replicas=replicas, cpu=cpu), minimum=replicas)]


@pytest.mark.parametrize("write", [as_html, as_markdown, as_table])
def test_pods_of_the_next_session(write: Callable[[QueueReport, View], str]) -> None:
    """Every format tells how many pods the jobs of a queue will have, and lists the jobs."""
    written = write(told(node("n"), *new_job(), queue="default"), View()).replace("\\", "")
    assert SAID in written
    assert "None of its tasks is pending" not in written
    assert "Pods that are not created yet" in written
    assert "in the next session" in written


def test_every_job_with_what_its_pods_ask_for() -> None:
    """A job has the number of its pods, what they ask for together, and whether this session admits it."""
    report = told(node("n", cpu=3), *new_job("a", cpu=2), *new_job("b", cpu=2), queue="default")
    assert report.explained is not None
    assert [
        (each.job, each.queue, each.pods, each.request["cpu"], each.created_next) for each in report.explained.awaited
    ] == [("ns/a-uid-a", "default", 2, 4, 2), ("ns/b-uid-b", "default", 2, 4, 0)]
    assert report.awaited == report.explained.awaited
    assert answer_lines(report)[-1].startswith(
        "2 jobs in it have 4 pods that are not created yet; 2 of these will be there in the next"
    )


def test_pods_that_do_not_come_next() -> None:
    """Where the session admits nothing, no option is named."""
    report = told(node("n", cpu=1), *new_job(), queue="default")
    said = "1 job in it has 2 pods that are not created yet; none of these will be there in the next session."
    assert answer_lines(report)[-1] == said


def test_a_single_pod_comes() -> None:
    """One pod is spoken of as one."""
    report = told(node("n"), *new_job(replicas=1), queue="default")
    assert "has 1 pod that is not created yet; it will be there in the next session" in answer_lines(report)[-1]


def test_the_overview_counts_them_and_names_their_queue() -> None:
    """Without a queue, the pods of all queues are counted, and a queue that has such pods is worth a look."""
    report = told(node("n"), *new_job())
    assert answer_lines(report)[-1].startswith(
        "1 job has 2 pods that are not created yet; all of these will be there in the next session"
    )
    assert (
        next_step(report).text()
        == "Next: vqs explain-queue FILES --queue default says what the queue gets, and why its jobs wait"
    )


def test_documents_without_the_list_are_read() -> None:
    """What was saved before there was such a list has no such pods."""
    saved = msgspec.json.decode(msgspec.json.encode(told(node("n"), *new_job(), queue="default")))
    del saved["awaited"], saved["explained"]["awaited"]
    read = msgspec.convert(saved, QueueReport)
    assert read.explained is not None
    assert (read.awaited, read.explained.awaited) == ([], [])
