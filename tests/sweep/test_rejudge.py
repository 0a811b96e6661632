"""Rows of a journal under other conditions."""

from __future__ import annotations

import pytest

from tests.sweep.plans import plan_with
from vqs.sweep.domains import Values
from vqs.sweep.figures import conditions_of
from vqs.sweep.journal import rejudged
from vqs.sweep.outcome import INTERNAL, PointError, Row

EDIT = "queue/b.spec.weight=0"


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (PointError(code="invalid-value", message=f"{EDIT}: .spec.weight: expected at least 1"), True),
        (PointError(code=INTERNAL, message="ValueError: a figure that only a condition asked for"), False),
        (PointError(code="invalid-value", message="the configuration is refused"), False),
    ],
)
def test_rows_with_errors(error: PointError, *, is_kept: bool) -> None:
    """A point is run again unless its edits cannot be made: another condition may ask for nothing that fails."""
    failed = Row(
        number=1,
        base="b",
        release="1.14",
        seed=None,
        parameters={"weight": 0},
        edits=[EDIT],
        figures={"placed": None},
        failures=[],
        error=error,
    )
    plan = plan_with({"weight": Values([0])}, fail_on=tuple(conditions_of("placed<1")))
    found = list(rejudged(plan, {1: failed}, {}))
    assert [each.failures[0].condition for each in found] == ["placed<1"] * is_kept
