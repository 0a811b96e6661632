"""A small part of what `tests.fuzz.run` tries for an hour: the same cases on every run."""

from __future__ import annotations

import copy
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.cases import Cases
from tests.fuzz.judge import judged
from tests.fuzz.values import PLAIN, wrong

CASES = 12
"""How many cases a test runs."""


@pytest.fixture(scope="module")
def cases() -> Cases:
    """Return what makes the cases."""
    return Cases(seed=13)


@pytest.mark.parametrize("first", range(0, 96, CASES))
def test_odd_input_is_told_of(cases: Cases, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is in a file, a command ends with a result that keeps to its schema, or says what is wrong and where."""
    monkeypatch.chdir(tmp_path)
    found = {number: judged(cases.case(number), tmp_path).finding for number in range(first, first + CASES)}

    assert {number: finding for number, finding in found.items() if finding} == {}


def test_a_value_may_be_changed() -> None:
    """A case depends on its number alone: what is drawn is changed in it, and not in the cases that follow."""
    random = Random(1)
    before = copy.deepcopy(PLAIN)
    for drawn in (wrong(random) for _ in range(300)):
        if isinstance(drawn, dict):
            drawn["changed"] = True
        elif isinstance(drawn, list):
            drawn.append("changed")
    assert before == PLAIN
