"""Verdicts that do not go with what the scheduler says are found."""

from __future__ import annotations

import pytest

from tests.conformance.verdicts import contradiction
from vqs.explain.outcome import TaskResult, Verdict

POSSIBLE = "Pod ns/a can possibly be assigned to n1, once "
REFUSED = "0/2 nodes are unavailable: 2 Insufficient cpu."
SKIPPED = "Task a with role spec w has already predicated failed, skip"


@pytest.mark.parametrize(
    ("status", "message", "code", "text"),
    [
        ("Pending", "", "no-node-fits", REFUSED),
        ("Pending", REFUSED, "queue-limit", "queue q deserves 1 cpu and would hold 2 with the task"),
        ("Pending", REFUSED, "no-node-fits", "0/2 nodes are unavailable: 2 Insufficient memory."),
        ("Pending", SKIPPED, "never-considered", "was not tried"),
        ("Pending", f"{POSSIBLE}minAvailable is satisfied", "gang-discarded", "was placed on node n2 and rolled back"),
        ("Pending", f"{POSSIBLE}resource is released and minAvailable is satisfied", "gang-discarded", "on node n1"),
        ("Pipelined", f"{POSSIBLE}resource is released and minAvailable is satisfied", "waits-for-gang", "on node n1"),
        ("Pending", "something new", "never-considered", "was not tried"),
    ],
)
def test_a_contradiction_is_found(status: str, message: str, code: str, text: str) -> None:
    """What these tests compare tells apart what does not go together."""
    task = TaskResult(namespace="ns", name="a", job="j", queue="q", status_before="Pending", status=status)
    assert contradiction(task, message, Verdict(code=code, text=text)) != ""
