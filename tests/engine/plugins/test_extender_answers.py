"""The answers of an extender are read as Go reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.engine.plugins.extender.wire import Answer, ExtenderError, ValueEnd


def answer(body: bytes) -> Answer:
    """Return the answer of a body."""
    return Answer(body, "PredicateResponse")


def test_fields_are_found_whatever_their_case() -> None:
    """Go looks for the exact name, and then for one that differs in case."""
    assert answer(b'{"STATUS": "no", "Code": 2, "more": [1]}').text("status") == "no"
    assert answer(b'{"STATUS": "no", "Code": 2, "more": [1]}').number("code") == 2


@pytest.mark.parametrize("body", [b"{}", b"null", b'{"a": null}', b" \n{} "])
def test_what_is_not_given_is_zero(body: bytes) -> None:
    """Null is nothing, as in Go, also in place of the whole answer."""
    read = answer(body)
    zeros = (read.text("a"), read.number("a"), read.flag("a"), read.numbers("a"), read.uids("a"))
    assert zeros == ("", 0, False, None, [])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "EOF"),
        (b"  ", "EOF"),
        (b"<html>", "invalid character '<' looking for beginning of value"),
        (b'{"code": ', "unexpected EOF"),
        (b'{"code": 1,}', "invalid JSON: "),
        (b"[]", "json: cannot unmarshal array into Go value of type extender.PredicateResponse"),
        (b"7", "json: cannot unmarshal number into Go value of type extender.PredicateResponse"),
        (b'"no"', "json: cannot unmarshal string into Go value of type extender.PredicateResponse"),
        (b'{"a": NaN}', "invalid JSON: "),
        (b"[" * 100_000, "invalid JSON: "),
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes, error: str) -> None:
    """The words are Go's where it is clear what is wrong."""
    with pytest.raises(ExtenderError) as raised:
        answer(body)
    assert str(raised.value).startswith(error)


@pytest.mark.parametrize(
    ("value", "method", "error"),
    [
        (1, "text", "number into Go struct field PredicateResponse.a of type string"),
        ("1", "number", "string into Go struct field PredicateResponse.a of type int"),
        (1.0, "number", "number 1.0 into Go struct field PredicateResponse.a of type int"),
        (True, "number", "bool into Go struct field PredicateResponse.a of type int"),
        (2**63, "number", "number into Go struct field PredicateResponse.a of type int"),
        ("true", "flag", "string into Go struct field PredicateResponse.a of type bool"),
        ([1], "numbers", "array into Go struct field PredicateResponse.a of type map[string]float64"),
        ({"n1": "5"}, "numbers", "string into Go struct field PredicateResponse.a of type float64"),
        ({"n1": 10**400}, "numbers", "number into Go struct field PredicateResponse.a of type float64"),
        ({}, "uids", "object into Go struct field PredicateResponse.a of type []*api.TaskInfo"),
        ([{"uid": 1}], "uids", "number into Go struct field PredicateResponse.a.UID of type api.TaskID"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(value: object, method: str, error: str) -> None:
    """Go refuses the whole answer then."""
    with pytest.raises(ExtenderError) as raised:
        getattr(answer(json.dumps({"a": value}).encode()), method)("a")
    assert str(raised.value) == f"json: cannot unmarshal {error}"


def test_scores_and_victims() -> None:
    """Null is a score of 0, and no victim."""
    assert answer(b'{"nodeScore": {"n1": 1, "n2": 0.5, "n3": null}}').numbers("nodeScore") == {
        "n1": 1.0,
        "n2": 0.5,
        "n3": 0.0,
    }
    assert answer(b'{"victims": [{"UID": "a"}, null, {"uid": "b"}, {}]}').uids("victims") == ["a", "b", ""]


def test_bytes_that_are_no_text_are_replaced() -> None:
    """Go replaces them too."""
    assert answer(b'{"status": "\xff"}').text("status") == "�"


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.lists(_values) | st.dictionaries(st.text(), _values), rest=st.binary(), size=st.integers(1, 9))
def test_the_end_of_a_value_is_found_however_it_is_cut(value: Any, rest: bytes, size: int) -> None:
    """What follows the first value is never taken for a part of it."""
    written = json.dumps(value).encode()
    body, end = written + rest, ValueEnd()
    found = (end.after(body[at : at + size]) for at in range(0, len(body), size))
    assert next(each for each in found if each is not None) == len(written)
