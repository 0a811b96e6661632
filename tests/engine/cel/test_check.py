"""The check of types before an expression is evaluated, and how mistakes are shown."""

from __future__ import annotations

import pytest

from vqs.engine.cel.check import CompileError, check
from vqs.engine.cel.syntax import parse

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
        ("1 + 'a' == 2", [(3, "found no matching overload for '_+_' applied to '(int, string)'")]),
        (
            "1 && true && 's'",
            [(1, "expected type 'bool' but found 'int'"), (14, "expected type 'bool' but found 'string'")],
        ),
        ("true ? 1 : 'a'", [(6, "found no matching overload for '_?_:_' applied to '(bool, int, string)'")]),
        ("null == device.driver", [(6, "found no matching overload for '_==_' applied to '(null, string)'")]),
        ("'a' in [1]", [(5, "found no matching overload for '@in' applied to '(string, list(int))'")]),
        ("size() == 1", [(5, "found no matching overload for 'size' applied to '()'")]),
        (
            'device.capacity["gpu.io"].memory > quantity("5")',
            [(34, "found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'")],
        ),
        ("-'a' == 0", [(1, "found no matching overload for '-_' applied to '(string)'")]),
        ("'a'.semver() == 1", [(11, "found no matching overload for 'semver' applied to 'string.()'")]),
        (f"{A}[1] == 1", [(28, "found no matching overload for '_[_]' applied to '(map(string, any), int)'")]),
        ("[[1], ['a']] == []", [(7, "expected type 'list(int)' but found 'list(string)'")]),
        ("[1].exists(x, x)", [(15, "expected type 'bool' but found 'int'")]),
        (
            "device.all(x, true)",
            [(1, f"expression of type 'kubernetes.DRADevice' {NO_RANGE}")],
        ),
        (
            f"{A}.model.all(x, true)",
            [(28, f"expression of type 'any' {NO_RANGE}")],
        ),
        ("[1, 'a', 'b'] == []", [(5, "expected type 'int' but found 'string'")]),
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
        ("[]", "list(dyn)"),
        (A, "map(string, google.protobuf.Any)"),
        ("null", "null_type"),
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
        "[[], [1]].size() == 2 && ([] + [1]) == [2] && dyn([1]) + [2] == [3]",
        "cel.bind(matches, [1], 'a'.matches('a')) && [1].exists(device, device == 1)",
        "null == device.capacity['a'].b && (true ? [] : ['a'])[0] == 'a'",
        "device.allowMultipleAllocations || 'a' in dyn([1])",
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
