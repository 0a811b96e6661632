"""vqs decides as the real scheduler did, in every recorded scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.recorded import (
    OTHER_RELEASES,
    RECORDED,
    disagreements,
    drawn_by_none,
    has_few_drawn,
    outcomes,
    recorded_with,
    simulated,
)
from tests.conformance.verdicts import check_verdicts
from tests.explain.jobs.test_order import orders
from tests.explain.queues.test_order import check_order
from vqs.engine.framework.session import Session
from vqs.explain.outcome import QueueResult


@pytest.mark.thorough
@pytest.mark.parametrize(("scenario", "outcome"), [pytest.param(*pair, id=pair[0].stem) for pair in RECORDED])
def test_the_outcome_is_one_that_was_recorded(scenario: Path, outcome: Path) -> None:
    """Queue figures, tasks, jobs and their conditions are the real ones, and the verdicts agree with what was said.

    Of the session as it opens, the comparisons that are named are those that order jobs and queues. Where there are few
    outcomes, each that came up often is drawn by a seed, too.
    """
    recorded = outcomes(outcome)
    result = simulated(scenario, opened=check_orders)
    assert disagreements(recorded, result) == []
    check_verdicts(recorded, result)
    assert not (has_few_drawn(scenario, recorded) and drawn_by_none(scenario, recorded))
    assert all(queue.closed.share >= 1 - 1e-6 for queue in result.queues if is_overused(queue))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("release", "scenario", "outcome"),
    [pytest.param(each, *pair, id=f"{each}-{pair[0].stem}") for each in OTHER_RELEASES for pair in recorded_with(each)],
)
def test_the_outcome_is_one_that_was_recorded_with_the_release(release: str, scenario: Path, outcome: Path) -> None:
    """Other releases than v1.14.4 decide as they did, too."""
    assert disagreements(outcomes(outcome), simulated(scenario, release)) == []


def check_orders(session: Session) -> None:
    """Check what is said to order the jobs and the queues of a session."""
    orders(session)
    check_order(session)


def is_overused(queue: QueueResult) -> bool:
    """Tell whether a queue holds at least what it deserves, if that is anything.

    A queue above others is left out: its share stays as it was when the session opened.
    """
    is_parent = queue.closed.allocated != queue.opened.allocated and queue.closed.share == queue.opened.share
    return queue.closed.overused and any(queue.opened.deserved.values()) and not is_parent
