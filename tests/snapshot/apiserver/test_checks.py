"""What is wrong with new objects by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import convert

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks import defects

LIMITS = [
    ({"minAvailable": -1}, "error", "-1 is out of range; expected 0 to 2147483647", ""),
    ({"minAvailable": "abc"}, "error", "'abc' is neither a number nor a percentage such as 25%", ""),
    ({"minAvailable": "2"}, "error", "'2' is neither a number nor a percentage such as 25%", "did you mean 2 or '2%'?"),
    ({"minAvailable": ""}, "error", "'' is neither a number nor a percentage such as 25%", ""),
    ({"maxUnavailable": 2**31}, "error", "2147483648 is out of range; expected 0 to 2147483647", ""),
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
    ("strategy", "wrong"),
    [
        ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}, ("rollingUpdate", "maxUnavailable")),
        ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "101%"}}, ("rollingUpdate", "maxUnavailable")),
        ({"rollingUpdate": {"maxSurge": ""}}, ("rollingUpdate", "maxSurge")),
        ({"rollingUpdate": {"maxSurge": 2**31}}, ("rollingUpdate", "maxSurge")),
        ({"type": "Recreate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, ("rollingUpdate",)),
        ({"type": "Recreate", "rollingUpdate": {}}, ("rollingUpdate",)),
        ({"type": "Recreate", "rollingUpdate": {"maxSurge": -1, "maxUnavailable": "x"}}, ("rollingUpdate",)),
        ({"type": "recreate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, ("type",)),
        ({"type": "Recreate"}, None),
        ({"rollingUpdate": {"maxSurge": 0}}, None),
        ({"rollingUpdate": {"maxSurge": "250%", "maxUnavailable": 0}}, None),
    ],
)
def test_the_strategy_of_a_deployment(strategy: dict[str, Any], wrong: tuple[str, ...] | None) -> None:
    """One that replaces no pod, or limits a rollout that is none, is refused once; a surge may be above 100%."""
    deployment = convert({"metadata": {"name": "a"}, "spec": {"strategy": strategy}}, k8s.Deployment)

    assert [each.path for each in defects(deployment)] == ([("spec", "strategy", *wrong)] if wrong else [])
