"""What comes of a point."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Object, manifests
from tests.clusters import clusters
from tests.properties import examples
from tests.sweep.conftest import RECLAIM, PlanOf
from tests.sweep.plans import plan_with
from vqs.explain.simulate import SimulateOptions
from vqs.sweep.domains import Domain, Values
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.figures import PLANS, Subject, conditions_of, figure_of
from vqs.sweep.outcome import PointError, Row
from vqs.sweep.plan import Base, Parameter, Plan
from vqs.sweep.space import Space


def rows(plan: Plan) -> list[Row]:
    """Evaluate all points of a plan, one after another."""
    evaluator = Evaluator(plan, SimulateOptions())
    return [evaluator.evaluate(point) for point in Space(plan)]


def test_rows(plan_of: PlanOf) -> None:
    """A row has what was run, the figures, and the conditions that hold."""
    first, second = rows(plan_of(failOn=["queue:a.evicted>2", "placed<base"], seeds=[7]))
    assert first == Row(
        number=1,
        base=first.base,
        release="1.14",
        seed=7,
        parameters={"weight": 1},
        edits=["queue/b.spec.weight=1"],
        figures={"placed": 0.0, "evictions": 0.0},
        failures=[],
        error=None,
    )
    assert first.base.endswith("snapshot.json")
    assert second.figures == {"placed": 0.0, "evictions": 1.0}
    assert [each.text for each in second.failures] == ["queue:a.evicted is 3, and must not be > 2"]


def test_a_point_does_not_depend_on_those_before_it(plan_of: PlanOf) -> None:
    """Points are the same in any order: what is kept from one to the next is the same for all."""
    plan = plan_of(releases=["1.13", "1.14"], seeds=2)
    evaluator = Evaluator(plan, SimulateOptions())
    backwards = [evaluator.evaluate(point) for point in reversed([*Space(plan)])]
    assert backwards[::-1] == rows(plan)
    assert [(each.release, each.seed) for each in rows(plan)[:5]] == [
        ("1.13", 0),
        ("1.13", 1),
        ("1.13", 0),
        ("1.13", 1),
        ("1.14", 0),
    ]


@settings(max_examples=examples(8))
@given(clusters(), st.lists(st.integers(1, 12), min_size=2, max_size=4))
def test_what_is_kept_changes_nothing(objects: list[Object], order: list[int]) -> None:
    """In any cluster and any order, points are as if each were the first one."""
    domains: dict[str, Domain] = {"weight": Values((1, 2, 9)), "nodes": Values((1, 2)), "gone": Values(("a", "b"))}
    usual = plan_with(domains)
    edits = ("queue/q0.spec.weight={}",), ("clone-node n0={}",)
    options = {"a": (), "b": ("remove node/n0",)}
    plan = replace(
        usual,
        bases=(Base("", manifests(objects, RECLAIM)),),
        parameters=(
            *(replace(each, edits=edit) for each, edit in zip(usual.parameters, edits, strict=False)),
            Parameter("gone", domains["gone"], options=options),
        ),
        figures=tuple(
            map(figure_of, ("placed", "pending", "evictions", "spread", "utilisation.cpu", "queue:q0.share"))
        ),
        fail_on=tuple(conditions_of("placed<base,queue:q0.allocated.cpu<base")),
    )
    space, evaluator = Space(plan), Evaluator(plan, SimulateOptions())
    assert [evaluator.evaluate(space.point(number)) for number in order] == [
        Evaluator(plan, SimulateOptions()).evaluate(space.point(number)) for number in order
    ]


@pytest.mark.parametrize(
    ("parameter", "code", "message"),
    [
        ({"edit": "queue/b.spec.weight={}", "values": ["heavy"]}, "wrong-type", "expected a whole number"),
        ({"edit": "queue/nobody.spec.weight={}", "values": [1]}, "unknown-name", "nobody"),
        ({"edit": "conf.actions={}", "values": ["alocate"]}, "", "alocate"),
        ({"edit": "remove queue/{}", "values": ["default"]}, "queue-deletion-denied", "default"),
        ({"edit": "scale ns/waits-0={}", "values": [10**9]}, "invalid-edit", "expected NAME=NUMBER"),
        ({"edit": "{}", "values": ["no edit"]}, "", ""),
    ],
)
def test_a_point_that_cannot_be_run_is_a_row(
    plan_of: PlanOf, parameter: dict[str, object], code: str, message: str
) -> None:
    """An edit that cannot be made, is denied, or makes a configuration that Volcano refuses, is the row's error."""
    [row] = rows(plan_of(parameters={"weight": parameter}, failOn="placed>99"))
    assert row.error is not None
    assert message in row.error.message
    assert row.error.code == code or not code
    assert row.figures == {"placed": None, "evictions": None}
    assert [each.text for each in row.failures] == ["placed is unknown: the point could not be run"]


def test_a_failure_of_vqs_is_a_row(plan_of: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong at one point does not end the others."""

    def fail(_subject: Subject, _parts: tuple[str, ...]) -> float:
        raise RuntimeError("broken\n::error::")

    monkeypatch.setitem(PLANS, "placed", replace(PLANS["placed"], read_point=fail))
    [row, _] = rows(plan_of())
    assert row.error == PointError(code="internal-error", message="RuntimeError: broken ::error::")


def test_edits_that_admission_denies(plan_of: PlanOf) -> None:
    """What the webhook denies is an error, unless it is assumed to be admitted."""
    denied = {"weight": {"edit": "queue/a.spec.guarantee.resource.cpu={}", "values": [8]}}
    [row] = rows(plan_of(parameters=denied))
    assert row.error is not None
    assert "webhook denies this change" in row.error.message
    [row] = rows(plan_of(parameters=denied, assumeAdmitted=True))
    assert row.error is None


def test_an_evaluator_travels(plan_of: PlanOf) -> None:
    """A copy of an evaluator that another process gets has the same rows."""
    plan = plan_of(constraints="weight > 0")
    copy: Evaluator = pickle.loads(pickle.dumps(Evaluator(plan, SimulateOptions())))  # noqa: S301 - our own
    assert [copy.evaluate(point) for point in Space(plan)] == rows(plan)


def test_figures_that_are_no_numbers_are_null(plan_of: PlanOf) -> None:
    """A document knows no infinite numbers, and none that are not known."""
    [row, _] = rows(plan_of(figures=["queue:a.capability.cpu", "job:ns/waits-3.startCycle"], cycles=1))
    assert row.figures == {"queue:a.capability.cpu": None, "job:ns/waits-3.startCycle": None}
