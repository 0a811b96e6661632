"""Tables may be added to for a while, and for the running context only."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from vqs.extensible import Extensible


def test_what_is_added_counts_for_a_while() -> None:
    """It comes after what is built in, and is gone when the context ends."""
    table = Extensible({"a": 1})
    with table.extended({"b": 2}), table.extended({"c": 3}):
        assert dict(table) == {"a": 1, "b": 2, "c": 3}
        assert len(table) == 3
    assert dict(table) == {"a": 1}
    assert "b" not in table


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_name_is_given_once(name: str) -> None:
    """Neither what is built in nor what was added can be replaced, and nothing is added with it."""
    table = Extensible({"a": 1})
    with table.extended({"b": 2}), pytest.raises(ValueError, match=f"taken: {name}"), table.extended({name: 3, "c": 3}):
        pass
    assert dict(table) == {"a": 1}


def test_other_contexts_see_nothing() -> None:
    """A second command in the process has only what it adds itself."""
    table, elsewhere = Extensible({"a": 1}), copy_context()
    with table.extended({"b": 2}):
        assert elsewhere.run(lambda: dict(table)) == {"a": 1}
