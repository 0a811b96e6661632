"""Selectors of devices: what expressions say of a device, and that none takes long."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.engine.cel.evaluate import Evaluator
from vqs.engine.cel.selector import Selectors
from vqs.engine.cel.syntax import LONGEST, NotModelled, parse
from vqs.engine.cel.values import DefaultMap, EvaluationError, version
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
        "dyn(1) == 1.0 && true != false && null == null && 1 < 1.5",
        'device.attributes["gpu.io"].index == 4 ? true : 1 / 0 == 1',
        "1u <= 1 && 1u + 2u == 3u && uint('18446744073709551615') > 1 && int(7u) / 2 == 3 && 0xFFu == 255u",
        "[1u, 2u][dyn(1u)] == 2u && {1: 'a'}[dyn(1u)] == 'a' && dyn(1u) in [1]",
        "duration('1h30m').getMinutes() == 90 && duration('-1.5s') == duration('0s') - duration('1500ms')",
        "duration('1m') + duration('1s') > duration('60s') && string(duration('1.5s')) == '1.5s'",
        "timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-28T23:59:59.5Z') == duration('0.5s')",
        "timestamp('2026-03-01T01:30:00+02:00') == timestamp('2026-02-28T23:30:00Z')",
        "timestamp(0) + duration('1h') == timestamp('1970-01-01T01:00:00Z') && int(timestamp(5)) == 5",
        (
            "cel.bind(t, timestamp('2026-03-01T12:34:56.789Z'), t.getFullYear() == 2026 && t.getMonth() == 2"
            " && t.getDate() == 1"
            " && t.getDayOfMonth() == 0 && t.getDayOfWeek() == 0 && t.getDayOfYear() == 59"
            " && t.getMilliseconds() == 789"
            " && t.getHours('-02:00') == 10 && string(t) == '2026-03-01T12:34:56.789Z')"
        ),
        'device.attributes["gpu.io"].?model.orValue("") == "A100"',
        'device.attributes["gpu.io"].?nothing.orValue("none") == "none" && !device.attributes[?"x"].?y.z.hasValue()',
        'device.attributes["gpu.io"].?model.optMap(m, m.size()).value() == 4',
        'device.attributes["gpu.io"].?nothing.or(device.attributes["gpu.io"].?index) == optional.of(4)',
        (
            "[1, ?optional.none(), ?optional.of(2)] == [1, 2] && {?'a': optional.none()} == {}"
            " && [7][?1] == optional.none()"
        ),
        ("optional.of(1).optFlatMap(x, optional.none()) == optional.ofNonZeroValue(0) && [5].last().value() == 5"),
        "[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && [1, 2].reverse() == [2, 1]",
        (
            "[[1], [2, 3]].flatten() == [1, 2, 3] && [[[1]], [[2]]].flatten(2) == [1, 2]"
            " && [1, 2, 3].slice(1, 3) == [2, 3]"
        ),
        "lists.range(3) == [0, 1, 2] && [1, 2].isSorted() && [1.5, 2.5].sum() == 4.0 && [].sum() == 0",
        "[2, 9, 4].max() == 9 && [2, 9, 4].min() == 2 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && [1].indexOf(3) == -1",
        "['bb', 'a'].sortBy(x, x.size()) == ['a', 'bb']",
        "sets.contains([1, 2, 3], [2, 1]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])",
        "[4, 5].all(i, v, v == i + 4) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [9].existsOne(i, v, i == 0)",
        "[1, 2].transformList(i, v, i > 0, v * 2) == [4] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
        "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
        "'a-b-c'.split('-', 2) == ['a', 'b-c'] && ['a', 'b'].join('+') == 'a+b' && 'abc'.replace('b', 'x') == 'axc'",
        (
            "'abcb'.indexOf('b', 2) == 3 && 'abcb'.lastIndexOf('b', 2) == 1 && 'abc'.substring(1) == 'bc'"
            " && 'abc'.charAt(3) == ''"
        ),
        "'A100-80GB'.find('[0-9]+') == '100' && 'A100-80GB'.findAll('[0-9]+', 1) == ['100'] && 'a'.find('b') == ''",
        (
            "semver('v01.2', true) == semver('1.2.0') && isSemver('1.2', true) && !isSemver('1.2')"
            " && sign(quantity('-1')) == -1"
        ),
        "bool('true') && string(1u) == '1' && double('1.5') == 1.5",
        " || ".join(["false"] * 150 + ["true"]),
        'device.attributes["std.io"].driver != "1.10.0" && "1.10.0" != device.attributes["std.io"].driver',
        'device.attributes["gpu.io"].?index.orValue(1 / 0) == 4 && dyn(4).orValue(1 / 0) == 4 && !has(dyn(1).x)',
        "cel.bind(unused, 1 / 0, true) && [optional.of(1), optional.none()].unwrapOpt() == [1] ",
        "type(1) == int && type(type(1)) == type && type([]) == list && type(ip('::1')) == net.IP",
        "type(duration('1s')) == google.protobuf.Duration && type(optional.none()) == optional_type",
        (
            r"b'\xc3\251' == bytes('é') && b'a' < b'b'"
            r" && b'a' + br'\b' == b'a\\b' && size(b'é') == 2 && string(b'é') == 'é'"
        ),
        (
            "string(1.5) == '1.5' && string(1e6) == '1e+06'"
            " && string(0.0001) == '0.0001' && string(double('-Infinity')) == '-Inf'"
        ),
        "'%.2f %d %x %X %b %o %s%%'.format([1234.5, 3, 'ab', 255, true, 8, [1]]) == '1,234.50 3 6162 FF 1 10 [1]%'",
        (
            "'%s'.format([{'b': timestamp(0), 'a': [1.5, 'x', b'y', true, null, int]}])"
            """ == '{"a":[1.500000, "x", b"y", true, null, int], "b":timestamp("1970-01-01T00:00:00Z")}'"""
        ),
        r"""strings.quote('a"b\n') == '"a\\"b\\n"'""",
        "ip('10.0.0.1').family() == 4 && ip('ff02::1').isLinkLocalMulticast() && ip('127.0.0.1').isLoopback()",
        "ip('fc00::1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && ip('::').isUnspecified()",
        "isIP('::1') && !isIP('01.2.3.4') && ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
        "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.1.2.3/8').ip() == ip('10.1.2.3')",
        "cidr('10.0.0.0/8').containsIP('10.9.9.9') && !cidr('10.0.0.0/8').containsIP(ip('::1'))",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
        (
            "cidr('::/0').prefixLength() == 0 && string(cidr('::1/64')) == '::1/64'"
            " && !isCIDR('1.2.3.4/08') && !isCIDR('1.2.3.4')"
        ),
        (
            "cel.bind(u, url('HTTPS://u:p@[::1]:80/a b?x=1&x=+&y#f'), u.getScheme() == 'https'"
            " && u.getHost() == '[::1]:80' && u.getHostname() == '::1' && u.getPort() == '80'"
            " && u.getEscapedPath() == '/a%20b' && u.getQuery() == {'x': ['1', ' '], 'y': ['']})"
        ),
        "isURL('/a') && isURL('mailto:a@b') && !isURL('a') && !isURL('http://a:b/') && !isURL('http://a b/')",
        "!format.dns1123Label().validate('a-b').hasValue() && format.dns1035Label().validate('1a').hasValue()",
        (
            "!format.uuid().validate('550e8400-e29b-41d4-a716-446655440000').hasValue()"
            " && format.byte().validate('').hasValue()"
        ),
        (
            "!format.date().validate('2026-02-28').hasValue()"
            " && format.datetime().validate('2026-02-30T00:00:00Z').hasValue()"
        ),
        "!format.dns1123SubdomainPrefix().validate('a.b-').hasValue() && !format.named('x').hasValue()",
        "format.named('labelValue').value() == format.labelValue() && !format.uri().validate('/a').hasValue()",
        r'"\x41\u0041\101" == "AAA" && r"\d" == "\\d" && """a"b""".size() == 3',
    ],
)
def test_what_is_true(expression: str) -> None:
    """Operators, macros and functions of the language and of Kubernetes have the values that cel-go gives them."""
    assert matches(expression)


NO_IP = 'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP'
NO_NETWORK = "network address parse error during conversion from string"
NO_CIDR = f'{NO_NETWORK}: {NO_NETWORK}: netip.ParsePrefix("gpu.io")'
NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NO_BOOL_OF_INT = "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool"
NO_BOOL = (
    "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'"
)
NO_TIME = "type conversion error from 'string' to 'google.protobuf."
NO_INT = "program instantiation failed: type conversion error from 'string' to 'int'"
DECIMAL = "error during formatting: decimal clause can only be used on integers, was given string"
MAPPED = 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'
NO_URL = 'URL parse error during conversion from string: parse "x": invalid URI for request'


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('device.attributes["gpu.io"].nothing == 1', "CEL runtime error: no such key: nothing"),
        ('device.attributes["other.io"].model == "A100"', "CEL runtime error: no such key: model"),
        ("device.driver", "CEL compile error: must evaluate to bool or the unknown type, not string"),
        (
            'device.attributes["gpu.io"].model',
            f"CEL runtime error: {NO_BOOL}",
        ),
        ("dyn(1) + 'a' == 'a'", "CEL runtime error: no such overload"),
        ("dyn(1) && true", "CEL runtime error: no such overload"),
        ('device.attributes["std.io"].driver == "1.10.0"', "CEL runtime error: no such overload"),
        (
            'device.attributes["std.io"].driver in ["1.10.0"]',
            "CEL runtime error: internal error: runtime error: hash of unhashable type cel.Semver",
        ),
        ("9223372036854775807 + 1 > 0", "CEL runtime error: integer overflow"),
        ("1 / 0 == 1", "CEL runtime error: division by zero"),
        ("[1][1] == 1", "CEL runtime error: index out of bounds: 1"),
        ("'a'.matches(device.driver + '(') ", "CEL runtime error: error parsing regexp: gpu.io("),
        ("'a'.find('(') == ''", "CEL compile error: program instantiation failed: error parsing regexp: ("),
        ("1u - 2u == 0u", "CEL runtime error: unsigned integer overflow"),
        ("dyn(1u) + 1 == 2", "CEL runtime error: no such overload"),
        ("uint(-1) == 0u", "CEL compile error: program instantiation failed: unsigned integer overflow"),
        ("true || int('x') == 1", f"CEL compile error: {NO_INT}"),
        ("double(' 1_0 ') == 1.0", f"CEL compile error: {NO_INT[:-4]}double'"),
        ("int(device.driver) == 1", "CEL runtime error: type conversion error from 'string' to 'int'"),
        ("0u - 1u == 0u", "CEL runtime error: unsigned integer overflow"),
        ("duration(device.driver) == null", f"CEL runtime error: {NO_TIME}Duration'"),
        ("timestamp('2026-02-30' + 'T00:00:00Z') == null", f"CEL runtime error: {NO_TIME}Timestamp'"),
        ("timestamp(253402300799 + 1) == null", "CEL runtime error: timestamp overflow"),
        ("duration('9000000000s') + duration('9000000000s') == null", "CEL runtime error: integer overflow"),
        ('device.attributes["gpu.io"].?nothing.value() == 1', "CEL runtime error: optional.none() dereference"),
        ("[].max() == 1", "CEL runtime error: max called on empty list"),
        ("[dyn(1), dyn('a')].sort() == []", "CEL runtime error: list elements must have the same type"),
        ("[1].slice(0, 2) == []", "CEL runtime error: cannot slice(0, 2), list is length 1"),
        ("'abc'.substring(2, 1) == ''", "CEL runtime error: invalid substring range. start: 2, end: 1"),
        ("'abc'.charAt(4) == ''", "CEL runtime error: index out of range: 4"),
        (
            "semver('1.2', true) == semver('v1.2-a', true)",
            "CEL runtime error: short version cannot contain PreRelease/Build meta data",
        ),
        ("dyn('a').asApproximateFloat() > 0.0", "CEL runtime error: no such overload: asApproximateFloat(string)"),
        ('device.attributes["gpu.io"].index.startsWith("4")', "CEL runtime error: no such overload"),
        ('device.attributes["gpu.io"].index.size() == 1', "CEL runtime error: no such overload: size"),
        ("dyn(1).flatten() == []", "CEL runtime error: no such overload: int.flatten()"),
        ('device.attributes["std.io"].driver > "1.9"', "CEL runtime error: no such overload: _>_"),
        ('isIP(device.attributes["gpu.io"].index)', "CEL runtime error: no such overload: isIP(int)"),
        ("ip('x') == ip('::1')", f"CEL runtime error: {NO_IP}"),
        ("cidr(device.driver) == cidr('::/0')", f"CEL runtime error: {NO_CIDR}: no '/'"),
        ("quantity('x') == quantity('1')", f"CEL runtime error: {NO_QUANTITY}"),
        ("quantity('1KK') == quantity('1')", "CEL runtime error: unable to parse quantity's suffix"),
        ("semver('1.2') == semver('1.2.3')", "CEL runtime error: No Major.Minor.Patch elements found"),
        ('device.attributes["gpu.io"].index', f"CEL runtime error: {NO_BOOL_OF_INT}"),
        (
            "timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin') == 1",
            "CEL runtime error: unknown time zone Europe/Berlin",
        ),
        ("format.uri() == dyn(1)", "CEL runtime error: no such overload"),
        ("dyn('%d').format(['a']) == ''", f"CEL runtime error: {DECIMAL}"),
        ("dyn('%d %d').format([1]) == ''", "CEL runtime error: index 1 out of range"),
        ("dyn('%').format([1]) == ''", "CEL runtime error: unexpected end of string"),
        ("ip('::ffff:1.2.3.4') == ip('::1')", f"CEL runtime error: {MAPPED}"),
        (
            "ip('fe80::1%eth0') == ip('::1')",
            'CEL runtime error: IP address "fe80::1%eth0" with zone value is not allowed',
        ),
        ("url('x') == url('y')", f"CEL runtime error: {NO_URL}"),
        ("1 +", "CEL compile error: compilation failed: character 4: the expression ends too early"),
        ("1 ~ 2", "CEL compile error: compilation failed: character 3: '~' is not expected"),
        ("if == 1", "CEL compile error: compilation failed: character 1: if is a reserved word"),
        ("b'\\u00e9' == b''", "CEL compile error: compilation failed: \\u00e9 is a character, not a byte"),
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
        "'%e'.format([1.5]) == ''",
        "'%.101f'.format([1.5]) == ''",
        pytest.param("(" * 101 + "true" + ")" * 101, id="nested"),
        pytest.param("1" + "+1" * 101 + " > 0", id="chain"),
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


@pytest.mark.parametrize(
    "expression",
    [
        "lists.range(1000000000).size() == 1",
        "cel.bind(x, lists.range(2000), sets.contains(x, x))",
        "lists.range(2000).distinct().size() == 1",
        "cel.bind(a, 'aaaaaaaaaaaaaaaaaaaa', cel.bind(b, a.replace('', a), b.replace('', b).replace('', b))) == ''",
        "cel.bind(x, lists.range(100000), x.map(y, '0123456789').join(x.map(y, 'a').join())) == ''",
        "lists.range(1000).all(x, lists.range(1000).all(y, true))",
    ],
)
def test_functions_that_grow_are_cut_off(expression: str) -> None:
    """What they make, or compare, is counted before it is done."""
    started = time.monotonic()
    with pytest.raises(EvaluationError, match="actual cost limit exceeded"):
        matches(expression)
    assert time.monotonic() - started < 10  # seconds; uncut it takes minutes, or all memory


def test_values_that_hold_the_same_many_times_are_compared_in_bounded_time() -> None:
    """A list of a list twice, of that twice, and so on has more parts than can be compared."""
    nested = "x == y"
    for _ in range(20):
        nested = f"cel.bind(x, [x, x], cel.bind(y, [y, y], {nested}))"
    with pytest.raises(EvaluationError, match="actual cost limit exceeded"):
        matches(f"cel.bind(x, [1], cel.bind(y, [1], {nested}))")


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ('device.driver == "gpu.io"', 3),
        ('device.attributes["gpu.io"].index > 3', 5),
        ("[1, 2].all(x, x > 0)", 10),
        ("1 in [1, 2, 3]", 3),
        ("'0123456789abc'.contains('0123456789abc')", 4),
        ("'0123456789abc'.matches('^[0-9]+$')", 4),
    ],
)
def test_what_an_evaluation_costs(expression: str, cost: int) -> None:
    """In the units in which the API server limits it: names, fields and calls are one each, traversals a tenth."""
    evaluator = Evaluator()
    device = {"driver": "gpu.io", "attributes": DefaultMap({"gpu.io": {"index": 4}})}
    evaluator.evaluate(parse(expression), {"device": device})  # type: ignore[dict-item]
    assert evaluator.cost == cost


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a|aa){60}x", "a*a*a*a*a*a*b"])
def test_a_pattern_with_many_ways_to_match_is_answered(pattern: str) -> None:
    """RE2 does not try them one after another, as Python would."""
    assert not matches(f"'{'a' * 2000}'.matches('{pattern}')")


def test_a_pattern_that_is_not_decided_is_not_modelled() -> None:
    """What RE2 cannot hold, although Go can, is neither found nor not found."""
    with pytest.raises(NotModelled, match="too large"):
        matches(r"'a'.matches('(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}(\\pL{1000}){1}')")


def test_empty_matches_behind_a_match_are_left_out() -> None:
    """The function findAll gives the parts that Go gives."""
    assert matches("'baac'.findAll('a*') == ['', 'aa', '']")


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
