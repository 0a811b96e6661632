"""JSON text is split and decoded, and what fills dumps and is read nowhere is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.snapshot.reading import json_text
from vqs.snapshot.reading.documents import JsonDocument
from vqs.snapshot.reading.json_text import JsonProblem
from vqs.snapshot.reading.sources import Source

MANAGED = [{"manager": "kubectl", "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}}]
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


def document_of(text: str) -> JsonDocument:
    """Return a document that is all of its source."""
    return JsonDocument(Source("input.json", text), 0, len(text))


def read(text: str) -> tuple[list[Any], list[JsonProblem]]:
    """Return the values of a text, and what is wrong with it."""
    problems: list[JsonProblem] = []
    spans, problem, members = json_text.document_spans(text)
    assert problem is None
    assert len(spans) == 1
    return [
        value for _, value in json_text.objects(document_of(text), problems.append, lambda _: None, members)
    ], problems


def as_list(*items: Any) -> str:
    """Write a List of some items."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2)


@given(PLAIN, st.dictionaries(st.sampled_from(["name", "labels", "annotations", "uid"]), PLAIN), PLAIN)
def test_managed_fields_are_empty_and_all_else_is_as_written(managed: Any, metadata: Any, spec: Any) -> None:
    """Whatever they hold; a value that is no list of them stays as it is."""
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "managedFields": managed}, "spec": spec}
    expected = {**item, "metadata": {**metadata, "managedFields": [] if isinstance(managed, list) else managed}}
    assert read(as_list(item)) == ([expected], [])


def test_the_word_in_another_place_changes_nothing() -> None:
    """An annotation may hold the whole object as text, and a label may be called so."""
    text = json.dumps({"metadata": {"managedFields": MANAGED}})
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": text, "managedFields": "[]"}
    item = {"kind": "Pod", "metadata": {"annotations": annotations, "managedFields": MANAGED}}
    expected = {"kind": "Pod", "metadata": {"annotations": annotations, "managedFields": []}}
    [value], problems = read(as_list(item))
    assert problems == []
    assert value["metadata"]["annotations"] == annotations
    assert value in (item, expected)


def test_keys_that_are_given_twice_are_found_beside_managed_fields() -> None:
    """The position is that in the text as it is written."""
    item = '{"kind": "Pod", "metadata": {"managedFields": [{"fieldsV1": {}}], "name": "a", "name": "b"}}'
    text = f'{{"apiVersion": "v1", "kind": "List", "items": [{item}]}}'
    _, [problem] = read(text)
    assert (problem.code, problem.offset) == ("duplicate-key", text.rindex('"name"'))


def test_items_behind_large_ones_are_where_they_stand() -> None:
    """An item after managedFields that is nested too deeply is located in the text."""
    good = json.dumps({"metadata": {"managedFields": MANAGED}})
    bad = json.dumps({"metadata": {"managedFields": MANAGED}, "spec": 0}).replace("0}", f"{'[' * 300}{']' * 300}}}")
    text = f'{{"apiVersion": "v1", "kind": "List", "items": [{good}, {bad}]}}'
    values, [problem] = read(text)
    assert values == [{"metadata": {"managedFields": []}}]
    assert (problem.code, problem.offset) == ("too-deep", text.index(bad))


@pytest.mark.parametrize("text", ["[1, 2]", '"text"', '{"a": 1}', '{"kind": "List", "items": 3}'])
def test_what_is_no_list_is_read_as_a_whole(text: str) -> None:
    """An object, an array or a text."""
    assert read(text) == ([json.loads(text)], [])
