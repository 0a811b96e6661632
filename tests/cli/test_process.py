"""What is left to the end of a command's process."""

from __future__ import annotations

import weakref
from unittest.mock import Mock

import pytest

from vqs.cli import process
from vqs.cli.process import IS_OWN, left_to_its_end


class Thing:
    """Something that takes room."""


def test_a_command_that_is_called_as_a_function_leaves_nothing() -> None:
    """What such a command made is freed when nobody needs it."""
    thing = left_to_its_end(Thing())
    alive = weakref.ref(thing)
    del thing
    assert alive() is None


def test_a_command_leaves_what_it_made_to_the_end_of_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is freed, and the collector does not look at it, where the process ends with the command."""
    collector, left = Mock(), list[object]()
    monkeypatch.setattr(process, "gc", collector)
    monkeypatch.setattr(process, "_left", left)
    token = IS_OWN.set(True)
    try:
        thing = left_to_its_end(Thing())
    finally:
        IS_OWN.reset(token)
    assert left == [thing]
    collector.freeze.assert_called_once_with()
