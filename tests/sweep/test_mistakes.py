"""A mistake in an edit is one of the plan; a value that is refused is one of its points."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sweep.conftest import PlanOf
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.paths import EditError
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.mistakes import check_edits
from vqs.sweep.space import Point

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
        ({"edit": "qeue/b.spec.weight={}", "values": ["light", "heavy"]}, ".edit"),
        ({"edit": "raise queue/b.spec.weight={}", "values": [1]}, ".edit"),
        ({"options": {"none": [], "other": ["remove queue/b", "scale nothing=3"]}}, ".options.other[1]"),
    ],
)
def test_what_no_value_can_make(plan_of: PlanOf, parameter: dict[str, Any], place: str) -> None:
    """It is one error, at the edit that cannot be made."""
    good = {"edit": "queue/a.spec.weight={}", "values": [1, 2]}
    assert [*check(plan_of, {"good": good, "weight": parameter})] == [f"$.parameters.weight{place}"]


def test_all_mistakes_at_once(plan_of: PlanOf) -> None:
    """Each parameter, and each option, has its own error."""
    parameters = {
        "weight": {"edit": "queue/b.spec.weigth={}", "values": [1]},
        "what": {"options": {"one": "remove queue/d", "two": "remove queue/e"}},
    }
    places = ["weight.edit", "what.options.one", "what.options.two"]
    assert [*check(plan_of, parameters)] == [f"$.parameters.{each}" for each in places]


def test_values_that_few_points_can_have(plan_of: PlanOf) -> None:
    """Of a range in which few values are admitted, all may be tried: its points say which are not."""
    guaranteed = {**QUEUE, "spec": {"guarantee": {"resource": {"cpu": "100"}}, "capability": {"cpu": "110"}}}
    given = {"edit": "queue/c.spec.deserved.cpu={}", "from": 1, "to": 1000, "step": 1}
    parameters = {"new": {"options": {"c": [guaranteed]}}, "deserved": given}
    assert check(plan_of, parameters) == {}


def test_number_of_edits(plan_of: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many parameters there are, and whatever is wrong with them, about 200 edits are made."""
    made = 0

    def edited(_: Evaluator, point: Point) -> Manifests:
        nonlocal made
        made += len(point.edits)
        raise InputErrors([EditError("unknown-name", "there is none").diagnostic(str(each)) for each in point.edits])

    monkeypatch.setattr(Evaluator, "edited", edited)
    parameters = {
        f"p{number}": {"edit": "queue/d.spec.weight={}", "from": 1, "to": 99, "step": 1} for number in range(32)
    }
    assert check(plan_of, parameters)
    assert 32 <= made <= 200


@pytest.mark.parametrize(
    "parameters",
    [
        {"weight": {"edit": "queue/b.spec.weight={}", "values": ["heavy", -1, 3]}},
        {"weight": {"edit": "queue/b.spec.weight={}", "values": ["light", "heavy"]}},
        {"name": {"edit": "queue/{}.spec.weight=2", "values": ["d", "b", "e"]}},
        {"nodes": {"edit": "clone-node n1={}", "values": [0, 5, 1000000]}},
        {"nodes": {"edit": ["clone-node n1={}", "remove node/n1-copy-2"], "from": 1, "to": 3, "step": 1}},
        {
            "what": {"options": {"none": [], "new": [QUEUE]}},
            "weight": {"edit": "queue/c.spec.weight={}", "values": [1, 2]},
        },
        {"weight": {"edit": "queue/b.spec.weight={}", "values": [*(-each for each in range(1, 200)), 5]}},
    ],
)
def test_what_some_point_can_make(plan_of: PlanOf, parameters: dict[str, Any]) -> None:
    """What only other values, or those of another parameter, make right is no mistake: errors are rows then."""
    assert check(plan_of, parameters) == {}


def test_one_of_several_snapshots(plan_of: PlanOf) -> None:
    """An edit of what only one of the snapshots has can be made there."""
    parameters = {"weight": {"edit": "queue/b.spec.weight={}", "values": [1]}}
    assert check(plan_of, parameters, base={"one": "snapshot.json", "other": "snapshot.json"}) == {}
