"""Selectors of devices: what expressions say of a device, and that none takes long."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.engine.cel.selector import Selectors
from vqs.engine.cel.syntax import LONGEST, NotModelled
from vqs.engine.cel.values import EvaluationError, version
from vqs.model.devices import Device, DeviceAttribute, DeviceCapacity

DEVICE = Device(
    "gpu-0",
    {
        "model": DeviceAttribute(string_value="A100"),
        "index": DeviceAttribute(int_value=4),
        "shared": DeviceAttribute(bool_value=False),
        "std.io/driver": DeviceAttribute(version_value="1.10.0"),
    },
    {"memory": DeviceCapacity("40Gi")},
)


def matches(expression: str) -> bool:
    """Tell whether an expression is true of the device."""
    return Selectors().matches(expression, "gpu.io", DEVICE)


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "gpu.io"',
        'device.attributes["gpu.io"].model == "A100"',
        "device.attributes['gpu.io'].index % 3 == 1 && -7 / 2 == -3 && -7 % 2 == -1",
        '"model" in device.attributes["gpu.io"] && !("model" in device.attributes["other.io"])',
        'has(device.attributes["gpu.io"].model) && !has(device.attributes["other.io"].model)',
        '!("other.io" in device.attributes)',
        'device.capacity["gpu.io"].memory.compareTo(quantity("40960Mi")) == 0',
        'device.capacity["gpu.io"].memory.isGreaterThan(quantity("39Gi"))',
        'device.attributes["std.io"].driver.isGreaterThan(semver("1.9.3"))',
        'cel.bind(a, device.attributes["gpu.io"], a.model == "A100" && a.index > 3)',
        'device.attributes["gpu.io"].model.lowerAscii().startsWith("a1")',
        'device.attributes["gpu.io"].model.matches("^(A|H)100$")',
        'device.attributes["gpu.io"].model in ["H100", "A100"]',
        "[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]",
        '["a", "b"].exists_one(x, x == "b") && {"a": 1}.all(k, k == "a")',
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        '!(false && device.attributes["gpu.io"].nothing)',
        "1 == 1.0 && true != false && null == null",
        'device.attributes["gpu.io"].index == 4 ? true : 1 / 0 == 1',
        r'"\x41\u0041\101" == "AAA" && r"\d" == "\\d" && """a"b""".size() == 3',
    ],
)
def test_what_is_true(expression: str) -> None:
    """Operators, macros and functions of the language and of Kubernetes have the values that cel-go gives them."""
    assert matches(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('device.attributes["gpu.io"].nothing == 1', "CEL runtime error: no such key: nothing"),
        ('device.attributes["other.io"].model == "A100"', "CEL runtime error: no such key: model"),
        ("device.driver", "CEL runtime error: CEL result of type string could not be converted to bool"),
        ("1 + 'a' == 2", "CEL runtime error: no such overload"),
        ("1 && true", "CEL runtime error: no such overload"),
        ("9223372036854775807 + 1 > 0", "CEL runtime error: integer overflow"),
        ("1 / 0 == 1", "CEL runtime error: division by zero"),
        ("[1][1] == 1", "CEL runtime error: index out of bounds: 1"),
        ("'a'.matches('(') ", "CEL runtime error: error parsing regexp: ("),
        ("1 +", "CEL compile error: compilation failed: character 4: the expression ends too early"),
        ("1 ~ 2", "CEL compile error: compilation failed: character 3: '~' is not expected"),
        ("(" * 101 + "1" + ")" * 101, "CEL compile error: compilation failed: it is nested more than 100 deep"),
        ("1" + "+1" * 101, "CEL compile error: compilation failed: it is nested more than 100 deep"),
    ],
)
def test_what_fails(expression: str, text: str) -> None:
    """An expression that cannot be read, or that has no value, is an error in the words of the scheduler."""
    with pytest.raises(EvaluationError) as caught:
        matches(expression)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "expression",
    [
        'device.attributes["gpu.io"].?model.hasValue()',
        "1u == 1u",
        "timestamp('2026-01-01T00:00:00Z') == null",
        "math.abs(1) == 1",
    ],
)
def test_what_is_not_modelled(expression: str) -> None:
    """A part of the language that is not modelled is told from an error."""
    with pytest.raises(NotModelled):
        matches(expression)


def test_an_expression_that_takes_long_is_cut_off() -> None:
    """Nested macros multiply: their steps are counted."""
    digits = "[0,1,2,3,4,5,6,7,8,9]"
    nested = "true"
    for name in "abcdefgh":
        nested = f"{digits}.all({name}, {nested})"
    started = time.monotonic()
    with pytest.raises(EvaluationError, match="actual cost limit exceeded"):
        matches(nested)
    assert time.monotonic() - started < 5  # seconds; uncut it takes minutes


def test_a_text_that_grows_is_cut_off() -> None:
    """A text that is doubled again and again does not fill the memory."""
    grown = "'aaaaaaaa'"
    for _ in range(40):
        grown = f"cel.bind(x, {grown}, x + x)"
    with pytest.raises(EvaluationError, match="actual cost limit exceeded"):
        matches(f"{grown} == ''")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "a*a*a*a*a*a*b"])
def test_a_pattern_that_may_take_long_is_not_tried(pattern: str) -> None:
    """Python would try all ways to match it, one after another."""
    with pytest.raises(NotModelled):
        matches(f"'{'a' * 60}'.matches('{pattern}')")


def test_a_long_expression_is_refused() -> None:
    """As the API server does."""
    with pytest.raises(EvaluationError, match="more than 10,240"):
        matches(" " * LONGEST + "true")


@given(st.text(max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    """Whatever is written, it is true or false, an error or not modelled."""
    with suppress(EvaluationError, NotModelled):
        assert matches(text) in (True, False)


VERSIONS = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.9.0",
    "1.10.0",
]


def test_versions_are_ordered() -> None:
    """As the specification of semantic versions orders its own examples."""
    assert sorted(reversed(VERSIONS), key=version) == VERSIONS  # noqa: C414 - it is the order that is tested
