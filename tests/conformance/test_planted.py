"""A defect in a plugin makes a recording fail."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conformance.cases import Case, cases
from tests.conformance.mutants import code_of, is_killed
from tests.conformance.parts import ROOT, functions

PLANTED: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("planted.toml").read_text(encoding="utf-8")
)


@cache
def every_case() -> list[Case]:
    """All cases, which take long to find."""
    return [*cases()]


@pytest.mark.thorough
@pytest.mark.parametrize("defect", PLANTED.values(), ids=PLANTED)
def test_a_defect_does_not_go_unnoticed(defect: dict[str, Any]) -> None:
    """With it, one of the recordings that are about the plugin is decided in another way."""
    file = ROOT / defect["file"]
    text = file.read_text(encoding="utf-8")
    assert text.count(defect["right"]) == 1
    line = text[: text.index(defect["right"])].count("\n") + 1
    function = next(each for each in functions(file).values() if each.lineno <= line <= (each.end_lineno or 0))
    code = code_of(ast.parse(text.replace(defect["right"], defect["wrong"])), file, function)
    about = [each for each in every_case() if each.input.stem.rpartition("-")[0] in defect["families"]]
    assert code is not None
    assert about
    unchanged = code_of(ast.parse(text), file, function)
    assert unchanged is not None
    assert not is_killed(unchanged, about[:1])
    assert is_killed(code, about)
