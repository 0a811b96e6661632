"""Values that nobody expects: of every type, at every edge, and some that only a text can say."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from random import Random
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Raw:
    """A value, or a key, that is written as it is: in YAML, and in JSON."""

    yaml: str
    json: str

    @classmethod
    def same(cls, text: str) -> Raw:
        """Write it alike in both."""
        return cls(text, text)


_DIGITS: Final = "1" + "0" * 400
_MANY_DIGITS: Final = "9" * 5000

RAW: Final = (
    *map(
        Raw.same,
        (
            *(
                "1.0",
                "-0",
                "-0.0",
                "1e3",
                "1e400",
                "-1e400",
                "1.0e+400",
                "1.5e300",
                "5e-324",
                "1e-400",
                "0.1",
                "2.0e+0",
            ),
            *(_DIGITS, f"-{_DIGITS}", f"{_DIGITS}.0", _MANY_DIGITS, f"{_MANY_DIGITS}.5", "18446744073709551616"),
            *('"\\u0000"', '"\\u001b[31m"', '"\\ufeff"', '"\\u202e"', '"\\u2028"', '"\\u0085"', '"\\ud800"'),
            *('"\\udc00x"', '"\\ud83d\\ude00"', '"1\\u0000"', '"\\ud800": 1, "a"', '{"a": 1, "a": 2}'),
        ),
    ),
    Raw(".nan", "NaN"),
    Raw(".inf", "Infinity"),
    Raw("-.Inf", "-Infinity"),
    Raw("0x" + "f" * 300, "0xff"),
    Raw("0x" + "f" * 5000, "1e5000"),
    Raw("0b" + "1" * 5000, "01"),
    Raw("0" + "7" * 5000, "1."),
    Raw("0x", "+1"),
    Raw("0x_", ".5"),
    Raw("0b_", "1e"),
    Raw("0_", "truE"),
    Raw("1__0", "nul"),
    Raw("089", "'a'"),
    Raw("0o7", "{}{}"),
    Raw("+1", "[1,]"),
    Raw("1_000.5_", "{,}"),
    Raw("._5", "/* */ 1"),
    Raw("12:30:45", '"\\x"'),
    Raw("2026-01-01", '"\t"'),
    Raw("2026-01-01T00:00:00Z", '"2026-01-01"'),
    Raw("!!binary aGk=", '"aGk="'),
    Raw("!!set {a, b}", '{"a": null, "b": null}'),
    Raw("!!omap [{a: b}]", "[[[[[[]]]]]]"),
    Raw("!!str 5", '"5"'),
    Raw("!!str {a: b}", "{}"),
    Raw("!!int 5", "5"),
    Raw("!!int '5'", '"5"'),
    Raw("!!int [5]", "[5]"),
    Raw("!!float 5", "5.0"),
    Raw("!!float x", '"x"'),
    Raw("!!bool 1", "true"),
    Raw("!!null x", "null"),
    Raw("!!timestamp 2026-01-01", '"2026-01-01"'),
    Raw("!!merge x", '"<<"'),
    Raw("!foo bar", '"bar"'),
    Raw("!<tag:yaml.org,2002:int> 5", "5"),
    Raw("! 5", "5"),
    Raw("{<<: {a: b}, a: c}", '{"<<": {"a": "b"}}'),
    Raw("{<<: [{a: b}, {c: d}]}", '{"<<": [{"a": "b"}]}'),
    Raw("{<<: a}", '{"<<": 1}'),
    Raw("{? [a] : b}", '{"": ""}'),
    Raw("{1: a, 1.5: b, true: c, null: d}", '{"1": "a", "1.5": "b"}'),
    Raw("{? !!int x : b}", '{"\\u0000": 1}'),
    Raw("{0x" + "f" * 5000 + ": b}", '{"0x": 1}'),
    Raw("{1.0: a, .nan: b, .inf: c, 1e400: d}", '{"1.0": "a"}'),
    Raw("[&a x, *a, *a]", '["x", "x"]'),
    Raw("&b {a: *b}", "{}"),
    Raw("*none", '"*"'),
    Raw("=", '"="'),
    Raw("'<<'", '"<<"'),
    Raw("~", "null"),
    Raw("yes", "true"),
    Raw("OFF", "false"),
    Raw("y", '"y"'),
    Raw("|-\n", '"\\n"'),
    Raw("[" * 150 + "]" * 150, "[" * 900 + "]" * 900),
    Raw("{a: " * 150 + "1" + "}" * 150, '{"a": ' * 900 + "1" + "}" * 900),
)
"""What is no value of Python's."""

NUMBERS: Final = (
    *(0, 1, -1, 2, 3, 7, 100, 101, 100_001, 10**9, 10**9 + 1),
    *(2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**30),
    *(0.5, 1.5, -1.5, 0.1, 1e-9, 1e-300, 1e18, 1e19, 1e300),
)
AMOUNTS: Final = (
    *("0", "1", "-1", "+1", "-0", "0.5", ".5", "5.", "1e3", "1E3", "1E", "1e400", "1e-400", "1e401", "-1e30", "1e30"),
    *("1Ki", "1ki", "1K", "1M", "1Gi", "1.5Gi", "9Ei", "100Ei", "9e400", "1n", "1u", "0.1n", "-1n", "1m", "500m"),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "9" * 399,
        "9" * 401,
        "0." + "0" * 390 + "1",
    ),
    *(
        "\u0663",
        "1\u00b2",
        "\u00bd",
        "0x1",
        "NaN",
        "Inf",
        "--1",
        "1,5",
        "1 Gi",
        " 1",
        "1\n",
        "1i",
        "Gi",
        "1e",
        "e5",
        "1e5Gi",
    ),
)
TIMES: Final = (
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"),
    *("2026-01-01T00:00:00+23:59", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z"),
    *("2026-W01-1T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-01-01t00:00:00z"),
    *("1969-12-31T23:59:59.999999999Z", "20260101T000000Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00,5Z"),
)
TEXTS: Final = (
    *(
        "",
        " ",
        "\n",
        "a",
        "A",
        "-",
        ".",
        "..",
        "/",
        "a/b",
        "a/b/c",
        "/a",
        "a/",
        "a.b",
        "a:b",
        "a=b",
        "a,b",
        "*",
        "?",
        "[",
        "[a",
    ),
    *(
        "x" * 64,
        "x" * 254,
        "x" * 3000,
        "Z\u00fcrich",
        "\u65e5\u672c",
        "e\u0301",
        "\U0001f600",
        "\u0130",
        "\u00df",
        "\x7f",
        "\t",
    ),
    *("true", "false", "null", "0", "1", "-1", "1.0", "5%", "-5%", "101%", "%", "1e5%", "25.5%", "NaN%", "inf"),
    *(
        "root",
        "default",
        "none",
        "auto",
        "unlimited",
        "kube-system",
        "volcano",
        "metadata.name",
        "kubernetes.io/hostname",
    ),
    *(
        "In",
        "NotIn",
        "Exists",
        "DoesNotExist",
        "Gt",
        "Lt",
        "Equal",
        "NoSchedule",
        "Always",
        "Never",
        "Parallel",
        "Open",
    ),
    *(
        "Pending",
        "Running",
        "Succeeded",
        "Closed",
        "hard",
        "soft",
        "True",
        "Unknown",
        "Indexed",
        "WaitForFirstConsumer",
    ),
    *(
        "(",
        ")",
        "[a-",
        "(a+)+$",
        "\\",
        "(?P<a>x)",
        "(?<a>x)",
        "\\p{L}",
        "(?i)x",
        "a{2,1}",
        "a{1001}",
        "*",
        "x**",
        "\\1",
        "\\C",
    ),
    *(
        "1h",
        "-1h",
        "1.5h",
        "9999999999h",
        "1ns",
        "P1D",
        "1h1h",
        "h",
        "0",
        "+1m",
        ".5s",
        "1\u00b5s",
        "10:00-21:00",
        "25:00-1:00",
    ),
    *(
        "0-3",
        "0-",
        "3-0",
        "0,2",
        "0-2,5",
        "*/5 * * * *",
        "60 * * * *",
        "@daily",
        "@every 1h",
        "Europe/Berlin",
        "../etc",
    ),
    *(
        "--x",
        "--master",
        "--master=",
        "-",
        "--",
        "---",
        "--port=0x",
        "=",
        "::error::x",
        "##[error]x",
        "<b>",
        "{{a}}",
        "%s",
        "${x}",
    ),
    *(
        "root/a/b",
        "root//b",
        "1/2",
        "1/x",
        "a b",
        "CODE: reason",
        "*: x",
        "{}",
        "[]",
        '{"a": 1}',
        "- a",
        "a: b",
        "actions: allocate",
    ),
    *("9" * 30, "9" * 5000, "0" * 5000 + "1", "gpu-" + "9" * 5000, "x-y-" + "9" * 30, "\u0663", "1\u00b2", "+5"),
    *("-0", "1_0", "1e400"),
    *("\\x{ffffffff}", "\\x{110000}", "\\x{d800}", "\\777", "nan", "-inf", "9" * 400, "1e999h", "9" * 400 + "h"),
    *("9" * 400 + "%",),
    *("queue/q", "job/default/train", "Pod", "Job", "List", "Scenario", "v1", "vqs/v1", "PodList", "apps/v1"),
)


def deep(levels: int) -> Any:
    """Return an object within objects."""
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


PLAIN: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [{}],
    [None],
    {"a": None},
    {"": ""},
    {"a": 1},
    ["a"],
    [1],
    deep(5),
    deep(120),
)


def wrong(random: Random) -> Any:
    """Return a value of any type, a copy: what it becomes part of may be changed again."""
    pool: Any = random.choice((PLAIN, RAW, NUMBERS, TEXTS, AMOUNTS, TIMES))
    return copy.deepcopy(random.choice(pool))


_AMOUNT: Final = re.compile(r"\d+(\.\d+)?(m|k|[KMGTPE]i?)?")
_SPAN: Final = re.compile(r"(\d+(ns|us|ms|s|m|h|d))+")
_OF_AMOUNTS: Final = (
    "0",
    "1",
    "1m",
    "999m",
    "1500m",
    "3",
    "100",
    "10k",
    "1Ki",
    "1Gi",
    "7Ti",
    "1Ei",
    "8Ei",
    "0.1",
    "1e3",
    "1n",
)
_OF_SPANS: Final = ("0s", "1ns", "100ms", "1s", "59s", "1h", "24h", "8760h", "1h30m")
_OF_NUMBERS: Final = (0, 1, 1, 2, 3, 5, 7, 10, 50, 100, 1000, 2**31 - 1)


def plausible(random: Random, value: Any, seen: list[Any]) -> Any:
    """Return another value that a field may have which has this one: one at an edge, or one of its like elsewhere."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((*_OF_NUMBERS, value + 1, max(value - 1, 0), *seen))
    if isinstance(value, float):
        return random.choice((0.0, 0.5, 1.0, 1.5, 100.0, value / 2, value * 10))
    if not isinstance(value, str):
        return value
    if _AMOUNT.fullmatch(value):
        return random.choice(_OF_AMOUNTS)
    if _SPAN.fullmatch(value):
        return random.choice(_OF_SPANS)
    return random.choice(seen or [value])


def edge(random: Random, value: Any, seen: list[str]) -> Any:
    """Return another value of the type of one, at an edge or as it was seen elsewhere."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return random.choice((*NUMBERS, *AMOUNTS)) if random.random() < 0.9 else Raw.same("1.0")
    if isinstance(value, str):
        return random.choice(random.choice((seen, TEXTS, AMOUNTS, TIMES)))
    return wrong(random)
