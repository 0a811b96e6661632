"""The check of types before an expression is evaluated, and how mistakes are shown."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from vqs.engine.cel.check import CompileError, check
from vqs.engine.cel.signatures import signatures
from vqs.engine.cel.syntax import NotModelled, parse
from vqs.engine.cel.types import BOOL, DYN, INT, NULL, STRING, Assignment, Type, list_of, map_of, optional_of

A = 'device.attributes["gpu.io"]'


NO_RANGE = "cannot be range of a comprehension (must be list, map, or dynamic)"


def checked(expression: str) -> None:
    """Check an expression."""
    check(parse(expression), expression)


@pytest.mark.parametrize(
    ("expression", "mistakes"),
    [
        ("device.driver == 1", [(15, "found no matching overload for '_==_' applied to '(string, int)'")]),
        ("device.nope", [(7, "undefined field 'nope'")]),
        ("device.driver.foo == 1", [(14, "type 'string' does not support field selection")]),
        ("[].foo", [(3, "type 'list(_var0)' does not support field selection")]),
        ('quantity("1").x', [(14, "unexpected failed resolution of 'kubernetes.Quantity'")]),
        ("foo.bar", [(1, "undeclared reference to 'foo' (in container '')")]),
        ("foo(1)", [(4, "undeclared reference to 'foo' (in container '')")]),
        ("1.foo()", [(6, "undeclared reference to 'foo' (in container '')")]),
        ("-1u == 0u", [(1, "found no matching overload for '-_' applied to '(uint)'")]),
        ("1 + 'a' == 2", [(3, "found no matching overload for '_+_' applied to '(int, string)'")]),
        (
            "1 && true && 's'",
            [(1, "expected type 'bool' but found 'int'"), (14, "expected type 'bool' but found 'string'")],
        ),
        ("true ? 1 : 'a'", [(6, "found no matching overload for '_?_:_' applied to '(bool, int, string)'")]),
        ("null == device.driver", [(6, "found no matching overload for '_==_' applied to '(null, string)'")]),
        ("'a' in [1]", [(5, "found no matching overload for '@in' applied to '(string, list(int))'")]),
        ("{'a': 1}[1] == 1", [(9, "found no matching overload for '_[_]' applied to '(map(string, int), int)'")]),
        ("[1].flatten() == [1]", [(12, "found no matching overload for 'flatten' applied to 'list(int).()'")]),
        ("size() == 1", [(5, "found no matching overload for 'size' applied to '()'")]),
        ("sets.contains(1)", [(14, "found no matching overload for 'sets.contains' applied to '(int)'")]),
        (
            'device.capacity["gpu.io"].memory > quantity("5")',
            [(34, "found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'")],
        ),
        ("[1].exists(x, x)", [(15, "expected type 'bool' but found 'int'")]),
        ("[1].exists_one(x, x)", [(15, "found no matching overload for '_?_:_' applied to '(int, int, int)'")]),
        (
            "[1].filter(x, 's')",
            [(11, "found no matching overload for '_?_:_' applied to '(string, list(int), list(int))'")],
        ),
        ("[1].map(x, x + 'a')", [(14, "found no matching overload for '_+_' applied to '(int, string)'")]),
        ("{1: 2}.all(k, v, v)", [(18, "expected type 'bool' but found 'int'")]),
        (
            "[1].transformMapEntry(i, v, v) == {}",
            [(22, "found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), int)'")],
        ),
        (
            "device.all(x, true)",
            [(1, f"expression of type 'kubernetes.DRADevice' {NO_RANGE}")],
        ),
        (
            f"{A}.model.all(x, true)",
            [(28, f"expression of type 'any' {NO_RANGE}")],
        ),
        (
            "[1].sortBy(x, [x]) == []",
            [(11, "found no matching overload for '@sortByAssociatedKeys' applied to 'list(int).(list(list(int)))'")],
        ),
        (
            "1.optMap(x, x) == optional.of(1)",
            [
                (9, "found no matching overload for 'hasValue' applied to 'int.()'"),
                (9, "found no matching overload for 'value' applied to 'int.()'"),
            ],
        ),
        ("[1, 'a', 'b'] == []", [(5, "expected type 'int' but found 'string'")]),
        (
            "{'a': 1, 2: 'b'} == {}",
            [(10, "expected type 'string' but found 'int'"), (13, "expected type 'int' but found 'string'")],
        ),
        ("[?1] == [1]", [(3, "expected type 'optional_type(int)' but found 'int'")]),
        ("duration('x') == duration('1s')", [(10, "invalid duration argument")]),
        ("timestamp('2026-02-30T00:00:00Z') == null", [(11, "invalid timestamp argument")]),
        ("'%z'.format([1]) == ''", [(12, 'could not parse formatting clause: unrecognized formatting clause "z"')]),
        ("'%d %d'.format([1]) == ''", [(15, "index 1 out of range")]),
        (
            "'%d'.format([1, 2]) == ''",
            [(12, "too many arguments supplied to string.format (expected 1, got 2)")],
        ),
        ("'a'.matches('(')", [(13, "invalid matches argument")]),
        ("matches('(', 'a')", [(9, "invalid matches argument")]),
    ],
)
def test_types_that_do_not_fit(expression: str, mistakes: list[tuple[int, str]]) -> None:
    """What is wrong is shown with its place, in the words of the reference."""
    with pytest.raises(CompileError) as caught:
        checked(expression)
    shown = [
        f"ERROR: <input>:1:{column}: {message}\n | {expression}\n | {'.' * (column - 1)}^"
        for column, message in mistakes
    ]
    assert str(caught.value) == "compilation failed: " + "\n".join(shown)


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("device.driver", "string"),
        ("dyn(true)", "dyn"),
        ("duration('1s')", "google.protobuf.Duration"),
        (f"{A}.?model", "optional_type(google.protobuf.Any)"),
        ("[].map(x, x)", "list(dyn)"),
    ],
)
def test_an_expression_has_to_be_true_or_false(expression: str, kind: str) -> None:
    """Or of a type that only a device has, such as that of an attribute."""
    checked(f"{A}.model")
    with pytest.raises(CompileError) as caught:
        checked(expression)
    assert str(caught.value) == f"must evaluate to bool or the unknown type, not {kind}"


@pytest.mark.parametrize(
    "expression",
    [
        f'{A}.model == 1 && {A}.model == "a" && {A}.model',
        f'{A}.model.startsWith("a") && {A}.model > 1 && {A}.model.lowerAscii() == "a"',
        "dyn([1]).all(x, x == 'a')",
        "'%s %d'.format(['a', 1]) == 'a 1'",
        "[[], [1]].size() == 2 && [{}, {'a': 1}].size() == 2",
        "cel.bind(sets, [1], sets.contains([1], [1])) && [1].exists(device, device == 1)",
        "optional.none().orValue(1) == 1 && [?optional.of(1)] == [1] && {?'a': optional.of(1)} == {'a': 1}",
        "null == device.capacity['a'].b && null == duration('1s')",
        "device.allowMultipleAllocations || type(1) == int",
    ],
)
def test_types_that_fit(expression: str) -> None:
    """Attributes may be of any type; null may stand for what has fields, and empty lists for lists of anything."""
    checked(expression)


def test_mistakes_are_shown_line_by_line() -> None:
    """In the order of their places; a tab counts as a blank, and wide characters have wide marks."""
    with pytest.raises(CompileError) as caught:
        checked("'é' == 1 &&\n\tfoo")
    assert str(caught.value) == (
        "compilation failed: ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(string, int)'\n"
        " | 'é' == 1 &&\n"
        " | .\N{FULLWIDTH FULL STOP}..^\n"
        "ERROR: <input>:2:2: undeclared reference to 'foo' (in container '')\n"
        " |  foo\n"
        " | .^"
    )


@pytest.mark.parametrize(("between", "shown"), [("||\n", 100), ("|| ", 19)])
def test_many_mistakes_are_not_all_shown(between: str, shown: int) -> None:
    """No more than a hundred, and fewer where their lines are long; the rest is counted."""
    with pytest.raises(CompileError) as caught:
        checked(between.join(["a"] * 105))
    assert str(caught.value).count("ERROR") == shown
    assert str(caught.value).endswith(f"\n{105 - shown} more errors were truncated")


def test_a_long_line_is_not_shown() -> None:
    """The text is part of the message of each pod."""
    with pytest.raises(CompileError) as caught:
        checked(f"a{' ' * 1100}")
    assert str(caught.value) == (
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')"
    )


def test_types_that_grow_are_cut_off() -> None:
    """A map from a type to itself, of that to itself, and so on is as large as it is deep to the power of two."""
    nested = "x == x"
    for _ in range(40):
        nested = f"cel.bind(x, {{1: x, 2: x}}.transformMapEntry(k, v, {{[v]: v}}), {nested})"
    started = time.monotonic()
    with pytest.raises(NotModelled):
        checked(f"cel.bind(x, 1, {nested})")
    assert time.monotonic() - started < 5  # seconds; uncut it takes hours


T, U = Type("T", is_parameter=True), Type("U", is_parameter=True)


@pytest.mark.parametrize(
    ("left", "right", "fits"),
    [
        (INT, INT, True),
        (INT, STRING, False),
        (DYN, STRING, True),
        (list_of(INT), list_of(DYN), True),
        (list_of(INT), list_of(STRING), False),
        (map_of(STRING, INT), map_of(STRING, BOOL), False),
        (NULL, Type("duration"), True),
        (optional_of(INT), NULL, True),
        (NULL, INT, False),
        (Type("type", (INT,)), Type("type", (STRING,)), True),
        (list_of(T), list_of(INT), True),
        (T, list_of(T), False),
        (map_of(T, T), map_of(INT, STRING), False),
        (map_of(T, U), map_of(INT, STRING), True),
    ],
)
def test_which_types_fit(left: Type, right: Type, *, fits: bool) -> None:
    """A parameter stands for one type only, and for none that it is a part of."""
    assert Assignment().fits(left, right) is fits


def test_what_does_not_fit_leaves_no_trace() -> None:
    """A parameter that was given a meaning on the way stands for nothing again."""
    types = Assignment()
    assert not types.fits(map_of(T, INT), map_of(STRING, STRING))
    assert types.resolved(T) is T
    assert types.fits(T, STRING)
    assert types.written(types.resolved(T)) == "string"


def test_signatures_name_each_parameter_alike() -> None:
    """The types of a signature are read with their parameters."""
    (first, *_) = signatures("sort")
    assert (first.is_method, first.result.name) == (True, "list")
    assert all(a.result.parameters[0].name != b.result.parameters[0].name for a, b in pairwise(signatures("sort")))
    assert signatures("nothing") == ()
