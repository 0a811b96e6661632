"""priority lets go what is of lower priority."""

from __future__ import annotations

import pytest

from tests.build import pod
from tests.engine.crowds import running
from tests.engine.plugins.votes import WANT, ask, outcome


@pytest.mark.parametrize(("of", "names"), [("low", 2), ("mid", 0), ("high", 0)])
def test_priority_lets_go_tasks_of_jobs_of_lower_priority(of: str, names: int) -> None:
    """What counts is the priority of the jobs, not of the tasks."""
    votes = ask("priority", WANT, running("held", "n1", "n1", priorityClassName=of))
    assert (len(votes.tasks), len(votes.spared)) == (names, 2 - names)
    assert {refusal.code for refusal in votes.spared.values()} <= {"priority-not-lower"}


def test_priority_compares_tasks_within_a_job() -> None:
    """There, what counts is the priority of the tasks."""
    members = [pod(f"held-{n}", "held", node="n1", annotations={"volcano.sh/task-priority": str(n)}) for n in range(4)]
    want = pod("want-0", "held", annotations={"volcano.sh/task-priority": "2"})
    assert outcome(ask("priority", running("held"), members, want))[0] == ["held-0", "held-1"]
