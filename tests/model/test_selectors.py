"""Selectors of labels, and tolerations of taints."""

from __future__ import annotations

import pytest

from vqs.model.kubernetes import LabelSelector, LabelSelectorRequirement, Taint, Toleration
from vqs.model.selectors import (
    EVERYTHING,
    NOTHING,
    Requirement,
    Selector,
    equal_to,
    label_selector,
    tolerates,
    untolerated,
)


@pytest.mark.parametrize(
    ("operator", "values", "accepted"),
    [
        ("In", ("1", "2"), [False, True, False, False]),
        ("NotIn", ("1", "2"), [True, False, True, True]),
        ("Exists", (), [False, True, True, True]),
        ("DoesNotExist", (), [True, False, False, False]),
        ("Gt", ("4",), [False, False, True, False]),
        ("Lt", ("4",), [False, True, False, False]),
        ("Near", ("1",), [False, False, False, False]),
    ],
)
def test_operators(operator: str, values: tuple[str, ...], accepted: list[bool]) -> None:
    """Each operator accepts a missing label, a listed number, another number and a text as Kubernetes does."""
    requirement = Requirement("k", operator, values)
    assert [requirement.accepts(value) for value in (None, "1", "5", "text")] == accepted


@pytest.mark.parametrize("number", ["1_0", " 5", "5.0", "0x5", "", "9223372036854775808", "\u0665"])
def test_what_is_not_a_64_bit_integer_is_not_compared(number: str) -> None:
    """Gt and Lt accept nothing but plain decimal integers of 64 bits."""
    assert not Requirement("k", "Gt", ("-1",)).accepts(number)
    assert not Requirement("k", "Gt", (number,)).well_formed


def test_integers_may_have_a_sign() -> None:
    """A label may be a negative number."""
    assert Requirement("k", "Lt", ("+3",)).accepts("-4")


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    """The two are told apart, as Go tells nil from empty."""
    assert label_selector(None) is NOTHING
    assert label_selector(LabelSelector()) == EVERYTHING
    assert not NOTHING.matches({"a": "b"})
    assert EVERYTHING.matches({})
    assert EVERYTHING.empty
    assert not NOTHING.empty


def test_labels_and_expressions_must_all_hold() -> None:
    """A selector is a conjunction."""
    expression = LabelSelectorRequirement("tier", "In", ["front", "back"])
    selector = label_selector(LabelSelector({"app": "a"}, [expression]))
    assert selector.matches({"app": "a", "tier": "back"})
    assert not selector.matches({"app": "a"})
    assert not selector.matches({"app": "b", "tier": "back"})
    assert selector.keys == {"app", "tier"}


@pytest.mark.parametrize(
    "expression",
    [
        LabelSelectorRequirement("k", "In", []),
        LabelSelectorRequirement("k", "Exists", ["v"]),
        LabelSelectorRequirement("k", "Gt", ["1"]),
        LabelSelectorRequirement("k", "Like", ["v"]),
    ],
)
def test_malformed_label_selectors_select_nothing(expression: LabelSelectorRequirement) -> None:
    """An expression that Kubernetes would not accept makes the selector select nothing."""
    assert label_selector(LabelSelector(match_expressions=[expression])) is NOTHING


def test_further_requirements_narrow_a_selector() -> None:
    """A selector may be made stricter, but nothing stays nothing."""
    assert EVERYTHING.also(equal_to({"a": "b"})).matches({"a": "b"})
    assert NOTHING.also(equal_to({"a": "b"})) is NOTHING


def test_anchors_are_labels_of_everything_selected() -> None:
    """What is selected by value can be looked up by these values."""
    assert Selector((Requirement("a", "Exists"), Requirement("b", "In", ("x", "y")))).anchors == (
        ("b", "x"),
        ("b", "y"),
    )
    assert EVERYTHING.anchors is None
    assert NOTHING.anchors == ()


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration(), False),
        (Toleration(operator="Exists"), True),
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", operator="Equal", value="w"), False),
        (Toleration(key="k", operator="Exists", value="w"), True),
        (Toleration(key="other", operator="Exists"), False),
        (Toleration(key="k", value="v", effect="NoExecute"), False),
        (Toleration(key="k", value="v", operator="Like"), False),
        (Toleration(value="v"), True),
    ],
)
def test_tolerations(toleration: Toleration, expected: bool) -> None:
    """Key, value and effect must agree, where they are given."""
    assert tolerates([toleration], Taint("k", "v", "NoSchedule")) is expected


def test_untolerated_taints_keep_their_order() -> None:
    """The first one is what the scheduler names, and taints that only ask to stay away do not forbid."""
    taints = [Taint("a", "", "PreferNoSchedule"), Taint("b", "", "NoExecute"), Taint("c", "", "NoSchedule")]
    assert [taint.key for taint in untolerated(taints, [], ("NoSchedule", "NoExecute"))] == ["b", "c"]
