"""Selectors of devices: what expressions say of a device, and that none takes long."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.engine.cel.functions import EvaluationError, version
from vqs.engine.cel.selector import Selectors, TooManySteps
from vqs.engine.cel.syntax import LONGEST, NotModelled
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
    """True if an expression is true of the device."""
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
        'device.capacity["gpu.io"].memory.sub(quantity("39Gi")).add(7).asInteger() == 1073741831',
        'isQuantity("4Gi") && !isQuantity("4G1") && quantity("1") == quantity("1000m")',
        'device.attributes["std.io"].driver.isGreaterThan(semver("1.9.3"))',
        'semver("1.2.3-rc.1+b").isLessThan(semver("1.2.3")) && semver("1.2.3").minor() == 2 && !isSemver("1.2")',
        'cel.bind(a, device.attributes["gpu.io"], a.model == "A100" && a.index > 3)',
        "cel.bind(unused, 1 / 0, true)",
        'device.attributes["gpu.io"].model.lowerAscii().startsWith("a1")',
        "' É a '.trim().upperAscii() == 'É A' && 'A100-80GB'.contains('-80') && 'abc'.endsWith('c')",
        'device.attributes["gpu.io"].model.matches("^(A|H)100$")',
        'device.attributes["gpu.io"].model in ["H100", "A100"]',
        '["a", "b"].exists(x, x == "b") && device.attributes["gpu.io"].all(name, name.size() > 4)',
        "[1] + [2] == [1, 2] && [[1], []] != [[1], [2]] && [1, 2][1] == 2 && size([]) == 0",
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        '!(false && device.attributes["gpu.io"].nothing)',
        "dyn(1) == 1 && true != false && null == null && dyn(true) != 1",
        "!(device.attributes['gpu.io'].nothing in [])",
        'device.attributes["gpu.io"].index == 4 ? true : 1 / 0 == 1',
        "0xFF == 255 && - -1 == 1 && !!true && !!!false",
        " || ".join(["false"] * 150 + ["true"]),
        'device.attributes["std.io"].driver != "1.10.0" && "1.10.0" != device.attributes["std.io"].driver',
        r'r"\d" == "\\d" && """a"b""".size() == 3 && "\n\"".size() == 2',
    ],
)
def test_what_is_true(expression: str) -> None:
    """Operators, macros and functions of the language and of Kubernetes have the values that cel-go gives them."""
    assert matches(expression)


NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NO_BOOL_OF_INT = "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool"
NO_BOOL = (
    "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'"
)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('device.attributes["gpu.io"].nothing == 1', "CEL runtime error: no such key: nothing"),
        ('device.attributes["other.io"].model == "A100"', "CEL runtime error: no such key: model"),
        ("device.driver", "CEL compile error: must evaluate to bool or the unknown type, not string"),
        ('device.attributes["gpu.io"].model', f"CEL runtime error: {NO_BOOL}"),
        ('device.attributes["gpu.io"].index', f"CEL runtime error: {NO_BOOL_OF_INT}"),
        ("dyn(1) + 'a' == 'a'", "CEL runtime error: no such overload"),
        ("dyn(1) && true", "CEL runtime error: no such overload"),
        ("dyn('a').asInteger() > 0", "CEL runtime error: no such overload: asInteger(string)"),
        ('device.attributes["std.io"].driver == "1.10.0"', "CEL runtime error: no such overload"),
        (
            'device.attributes["std.io"].driver in ["1.10.0"]',
            "CEL runtime error: internal error: runtime error: hash of unhashable type cel.Semver",
        ),
        ("9223372036854775807 + 1 > 0", "CEL runtime error: integer overflow"),
        ("1 / 0 == 1", "CEL runtime error: division by zero"),
        ("1 % 0 == 1", "CEL runtime error: modulus by zero"),
        ("[1][1] == 1", "CEL runtime error: index out of bounds: 1"),
        ("[1][dyn('a')] == 1", "CEL runtime error: unsupported index type 'string' in list"),
        ("'a'.matches(device.driver + '(') ", "CEL runtime error: error parsing regexp: gpu.io("),
        ('quantity("0.5").asInteger() == 0', "CEL runtime error: cannot convert value to integer"),
        ('device.attributes["gpu.io"].index.startsWith("4")', "CEL runtime error: no such overload"),
        ('device.attributes["gpu.io"].index.size() == 1', "CEL runtime error: no such overload: size"),
        ('device.attributes["std.io"].driver > "1.9"', "CEL runtime error: no such overload: _>_"),
        ("quantity('x') == quantity('1')", f"CEL runtime error: {NO_QUANTITY}"),
        ("quantity('1KK') == quantity('1')", "CEL runtime error: unable to parse quantity's suffix"),
        ("semver('1.2') == semver('1.2.3')", "CEL runtime error: No Major.Minor.Patch elements found"),
        (
            "semver('1.2.x') == semver('1.2.3')",
            'CEL runtime error: Invalid character(s) found in patch number "x"',
        ),
        ("1 +", "CEL compile error: compilation failed: character 4: the expression ends too early"),
        ("1 ~ 2", "CEL compile error: compilation failed: character 3: '~' is not expected"),
        ("if == 1", "CEL compile error: compilation failed: character 1: if is a reserved word"),
        (
            "99999999999999999999 > 1",
            "CEL compile error: compilation failed: 99999999999999999999 is no number of 64 bits",
        ),
        ("'\\z' == ''", "CEL compile error: compilation failed: \\z is no escape sequence"),
        ("has(device)", "CEL compile error: compilation failed: invalid argument to has() macro"),
        ("[1].all(1, true)", "CEL compile error: compilation failed: the first argument of all has to be a name"),
    ],
)
def test_what_fails(expression: str, text: str) -> None:
    """An expression that cannot be read, or that has no value, is an error in the words of the scheduler."""
    with pytest.raises(EvaluationError) as caught:
        matches(expression)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1u == 1u", "1u"),
        ("1.5 > 1.0", r"1\.5"),
        ("b'a' == b'a'", "bytes"),
        ("{'a': 1}['a'] == 1", "{"),
        (r"'\x41' == 'A'", r"\\x"),
        ('device.attributes["gpu.io"].?model.orValue("") == "A100"', "a value that may not be there"),
        ("[?optional.none()] == []", "a value that may not be there"),
        ("[1, 2].map(x, x * 2) == [2, 4]", "map"),
        ("[4, 5].all(i, v, v == i + 4)", "all"),
        ("int('4') == 4", "int"),
        ("type(1) == int", "type|int"),
        ("duration('1h') > duration('1m')", "duration"),
        ("sets.contains([1, 2], [2])", "sets"),
        ("lists.range(3) == [0, 1, 2]", "lists"),
        ("'abc'.substring(1) == 'bc'", "substring"),
        ("ip('10.0.0.1').family() == 4", "ip"),
        ("semver('1.2', true) == semver('1.2.0')", "semver"),
        pytest.param("(" * 101 + "true" + ")" * 101, "nested", id="nested"),
        pytest.param("1" + "+1" * 101 + " > 0", "nested", id="chain"),
    ],
)
def test_what_is_not_modelled(expression: str, why: str) -> None:
    """A part of the language that is not modelled is told from an error, and named."""
    with pytest.raises(NotModelled, match=why):
        matches(expression)


def grown(start: str, times: int = 40) -> str:
    """An expression that adds a value to itself again and again."""
    for _ in range(times):
        start = f"cel.bind(x, {start}, x + x)"
    return start


DIGITS = "[0,1,2,3,4,5,6,7,8,9]"
NESTED = "true"
SAME = "x == y"
for _name in "abcdefgh":
    NESTED = f"{DIGITS}.all({_name}, {NESTED})"
for _ in range(20):
    SAME = f"cel.bind(x, [x, x], cel.bind(y, [y, y], {SAME}))"


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param(NESTED, id="loops"),
        pytest.param(f"{grown(repr('aaaaaaaa'))} == ''", id="text"),
        pytest.param(f"{grown('[1]')} == []", id="list"),
        pytest.param(f"cel.bind(x, [1], cel.bind(y, [1], {SAME}))", id="comparison"),
        pytest.param(f"cel.bind(x, {grown('[1]', 12)}, x.all(a, x.all(b, a in x)))", id="search"),
        pytest.param(
            f"{DIGITS}.exists(a, {DIGITS}.exists(b, {DIGITS}.exists(c, 'a'.matches(device.driver))))", id="patterns"
        ),
    ],
)
def test_an_expression_that_takes_long_is_cut_off(expression: str) -> None:
    """Loops multiply, and what is doubled again and again would fill the memory: steps are counted."""
    started = time.monotonic()
    with pytest.raises(NotModelled, match="takes so long"):
        matches(expression)
    assert time.monotonic() - started < 10  # seconds; uncut it takes minutes, or all memory


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a|aa){60}x", "a*a*a*a*a*a*b"])
def test_a_pattern_with_many_ways_to_match_is_answered(pattern: str) -> None:
    """RE2 does not try them one after another, as Python would."""
    assert not matches(f"'{'a' * 2000}'.matches('{pattern}')")


def test_a_pattern_that_is_not_decided_is_not_modelled() -> None:
    """What RE2 cannot hold, although Go can, is neither found nor not found."""
    with pytest.raises(NotModelled, match="too large"):
        matches(r"'a'.matches('(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}')")


def test_selectors_of_a_session_are_cut_off_together() -> None:
    """Many expressions that each end in time do not add up to hours."""
    selectors = Selectors()
    for number in (1, 2):
        with pytest.raises(NotModelled):
            selectors.matches(f"{number} == {number} && {NESTED}", "gpu.io", DEVICE)
    with pytest.raises(TooManySteps):
        selectors.matches("true", "gpu.io", DEVICE)


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
