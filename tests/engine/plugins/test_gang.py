"""gang lets go what its jobs do not need."""

from __future__ import annotations

from tests.build import pod
from tests.engine.crowds import running
from tests.engine.plugins.votes import WANT, ask, outcome


def test_gang_lets_go_what_a_job_has_beyond_its_minimum() -> None:
    """The first ones it is asked about; of a job that has its minimum just so, none."""
    names, codes = outcome(ask("gang", WANT, running("held", "n1", "n1", "n1", min_member=2)))
    assert (names, codes) == (["held-worker-0"], ["needed-by-its-gang"] * 2)


def test_gang_counts_the_tasks_that_have_succeeded() -> None:
    """They are part of what makes the gang complete."""
    done = pod("held-done", "held", node="n1", phase="Succeeded")
    votes = ask("gang", WANT, running("held", "n1", "n1", min_member=2), done)
    assert [task.name for task in votes.tasks] == ["held-done"]
