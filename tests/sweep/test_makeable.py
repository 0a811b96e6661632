"""Edits that can be made at no point are a mistake in the plan; those that can be made at some are not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sweep.conftest import PlanOf
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.diagnostics import InputErrors
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.makeable import check_edits

QUEUE = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "c"}, "spec": {}}


def check(plan_of: PlanOf, parameters: dict[str, Any], **more: Any) -> dict[str, str]:
    """Return what is wrong, by its place."""
    plan = plan_of(parameters=parameters, **more)
    try:
        check_edits(plan, Evaluator(plan, SimulateOptions()))
    except InputErrors as errors:
        return {each.path: each.message for each in errors.diagnostics}
    return {}


@pytest.mark.parametrize(
    ("parameter", "place"),
    [
        ({"edit": "queue/b.spec.weigth={}", "values": [1, 2]}, ".edit"),
        ({"edit": ["queue/b.spec.weight={}", "queue/d.spec.weight={}"], "from": 1, "to": 9, "step": 1}, ".edit[1]"),
        ({"edit": "queue/b.spec.weight={}", "values": ["light", "heavy"]}, ".edit"),
        ({"options": {"one": ["remove queue/d"], "other": "scale nothing=3"}}, ".options.one[0]"),
    ],
)
def test_what_no_value_can_make(plan_of: PlanOf, parameter: dict[str, Any], place: str) -> None:
    """It is one error, at the edit that cannot be made."""
    good = {"edit": "queue/a.spec.weight={}", "values": [1, 2]}
    assert [*check(plan_of, {"good": good, "weight": parameter})] == [f"$.parameters.weight{place}"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"weight": {"edit": "queue/b.spec.weight={}", "values": ["heavy", -1, 3]}},
        {"what": {"options": {"wrong": ["remove queue/d"], "none": []}}},
        {
            "what": {"options": {"none": [], "new": [QUEUE]}},
            "weight": {"edit": "queue/c.spec.weight={}", "values": [1, 2]},
        },
        {"weight": {"edit": "queue/b.spec.weight={}", "values": [*(-each for each in range(1, 200)), 5]}},
    ],
)
def test_what_some_point_can_make(plan_of: PlanOf, parameters: dict[str, Any]) -> None:
    """A value that can be made, alone or together with those of another parameter, is enough: errors are rows then."""
    assert check(plan_of, parameters) == {}


def test_one_of_several_snapshots(plan_of: PlanOf) -> None:
    """An edit of what only one of the snapshots has can be made there."""
    parameters = {"weight": {"edit": "queue/b.spec.weight={}", "values": [1]}}
    assert check(plan_of, parameters, base={"one": "snapshot.json", "other": "snapshot.json"}) == {}
