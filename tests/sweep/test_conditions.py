"""Conditions on the figures of a point."""

from __future__ import annotations

import math

import pytest

from vqs.diff.conditions import ConditionError
from vqs.sweep.figures import conditions_of

NO_SHARES = "no plugin divides resources by queue, or scheduling is blocked"
NO_CONTEST = "no two queues were entitled to resources at the same time, or no plugin divides them by queue"
NO_DEBTS = "no queue was entitled to resources, as none asked for any or no plugin divides them by queue"


def failed(text: str, value: float | str | None, base: float | None = None) -> str | None:
    """Return what is said of a condition that holds for a value of its figure; None where it does not."""
    [condition] = conditions_of(text)
    name = condition.figure.text
    found = condition.failure({name: value}, {name: base})
    assert found is None or found.unknown is any(isinstance(each, float) and math.isnan(each) for each in (value, base))
    return found.text if found else None


@pytest.mark.parametrize(
    ("text", "value", "base", "said"),
    [
        ("evictions", 0.0, None, None),
        ("evictions", 2.0, None, "evictions is 2"),
        ("placed<5", 5.0, None, None),
        ("placed<5", 4.0, None, "placed is 4, and must not be < 5"),
        ("placed<base", 4.0, 6.0, "placed is 4, and must not be < 6"),
        ("placed<base", 6.0, 6.0, None),
        ("queue:a.share>50%", 0.625, None, "queue:a.share is 62.5%, and must not be > 50%"),
        ("queue:a.share>50%", 0.500000001, None, None),
        ("queue:a.allocated.memory>=2Gi", 3 * 2.0**30, None, "queue:a.allocated.memory is 3Gi, and must not be >= 2Gi"),
        ("queue:a.capability.cpu>9", math.inf, None, "queue:a.capability.cpu is unlimited, and must not be > 9"),
        ("job:n/a.startCycle>3", math.inf, None, "job:n/a.startCycle is never, and must not be > 3"),
        ("job:n/a.startCycle>3", 3.0, None, None),
        ("replay.makespan!=base", 60.0, math.inf, "replay.makespan is 1m, and must not be != never"),
        ("queue:a.capability.cpu<base", 9.0, math.inf, "queue:a.capability.cpu is 9, and must not be < unlimited"),
        ("replay.fairness>1", math.nan, None, f"replay.fairness is unknown: {NO_CONTEST}"),
        ("queue:a.missed>5%", math.nan, None, f"queue:a.missed is unknown: {NO_DEBTS}"),
        ("spread>20%", math.nan, None, f"spread is unknown: {NO_SHARES}"),
        ("spread>base", 0.2, math.nan, f"spread was unknown: {NO_SHARES}"),
        ("queue:a.realCapability.cpu>9", None, None, None),
    ],
)
def test_conditions(text: str, value: float | None, base: float | None, said: str | None) -> None:
    """Values are compared as they are printed; one that is not known is one that must not be."""
    assert failed(text, value, base) == said


@pytest.mark.parametrize("text", ["job:n/a.verdict>1", "job:n/a.decision=2", "evictions,job:n/a.verdict<1"])
def test_texts_are_not_compared(text: str) -> None:
    """A verdict is no number."""
    with pytest.raises(ConditionError, match="is a text, and conditions compare numbers"):
        conditions_of(text)
