"""What is wrong with new objects by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import convert

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks import defects

LIMITS = [
    ({"minAvailable": -1}, "error", "-1 is out of range; expected at least 0", ""),
    ({"minAvailable": "abc"}, "error", "'abc' is neither a number nor a percentage such as 25%", ""),
    ({"minAvailable": "2"}, "error", "'2' is neither a number nor a percentage such as 25%", "did you mean 2 or '2%'?"),
    ({"maxUnavailable": "250%"}, "error", "250% is more than 100%", ""),
    ({"minAvailable": 1, "maxUnavailable": 1}, "error", "minAvailable and maxUnavailable cannot both be given", ""),
    (
        {},
        "warning",
        "neither minAvailable nor maxUnavailable is given: the budget allows no disruption",
        "",
    ),
]


@pytest.mark.parametrize(("spec", "severity", "message", "hint"), LIMITS)
def test_limits_of_a_budget(spec: dict[str, Any], severity: str, message: str, hint: str) -> None:
    """A new budget is judged as the API server judges it; one that is stored is not judged again."""
    budget = convert({"metadata": {"name": "a"}, "spec": spec}, k8s.PodDisruptionBudget)

    [found] = defects(budget)
    assert (found.severity, found.message, found.hint) == (severity, message, hint)
    assert not defects(budget, stored=True)


@pytest.mark.parametrize(
    ("rolling", "sound"),
    [
        ({"maxSurge": 0, "maxUnavailable": "0%"}, False),
        ({"maxSurge": 0, "maxUnavailable": "101%"}, False),
        ({"maxSurge": 0}, True),
        ({"maxSurge": "250%", "maxUnavailable": 0}, True),
    ],
)
def test_a_rollout_that_could_replace_nothing(rolling: dict[str, Any], sound: bool) -> None:
    """The strategy of a Deployment is refused where both limits are 0, but may have a surge above 100%."""
    spec = {"strategy": {"rollingUpdate": rolling}}

    assert (not defects(convert({"metadata": {"name": "a"}, "spec": spec}, k8s.Deployment))) == sound
