"""What is named by text is imported once it is asked for."""

import doctest
import sys
from collections.abc import Callable

import pytest

from vqs import extensible
from vqs.extensible import Late

TABLE = Late[Callable[[str], str]]({"quoted": "shlex:quote", "none": "shlex:no_such_thing"})


def test_values_are_imported_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are known without an import, and a value is what they name."""
    monkeypatch.delitem(sys.modules, "shlex", raising=False)
    assert [*TABLE] == ["quoted", "none"]
    assert "quoted" in TABLE
    assert "unknown" not in TABLE
    assert len(TABLE) == 2
    assert "shlex" not in sys.modules
    assert TABLE["quoted"]("a b") == "'a b'"
    assert TABLE.get("unknown") is None


def test_a_name_of_nothing_is_an_error() -> None:
    """A table that is wrong is a bug, not a name that is unknown."""
    with pytest.raises(AttributeError):
        TABLE.get("none")


def test_examples_in_docstrings_hold() -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(extensible)
    assert outcome.attempted
    assert not outcome.failed
