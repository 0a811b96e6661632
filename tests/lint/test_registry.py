"""Which rules there are."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from vqs.lint.registry import RULES, by_code, discover
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_leniently

MODULE = """
from vqs.lint.rule import Severity, Rule
RULE = Rule("{code}", Severity.NOTE, "title", "meaning", "why", "fix", "source")
"""


def package(folder: Path, modules: dict[str, str]) -> ModuleType:
    """Return a package with some modules in folders."""
    found = ModuleType(folder.name)
    found.__path__ = [str(folder)]
    sys.modules[folder.name] = found
    for name, text in modules.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        if path.parent != folder:
            path.with_name("__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return found


def test_rules_are_found_by_their_modules(tmp_path: Path) -> None:
    """Each module in a folder holds a rule that it is named after; what is in no folder is passed over."""
    modules = {"queues/b_rule": MODULE.format(code="b-rule"), "nodes/a_rule": MODULE.format(code="a-rule")}
    rules = discover(package(tmp_path, {**modules, "table": ""}))
    assert list(by_code(rules)) == ["a-rule", "b-rule"]


def test_a_code_stands_for_one_rule() -> None:
    """Two rules cannot have the same code."""
    rule = RULES["wrong-type"]
    with pytest.raises(ValueError, match="two rules wrong-type"):
        by_code([rule, rule])


@pytest.mark.parametrize(
    ("text", "error"),
    [(MODULE.format(code="other"), "has to be named after it"), ("", "has no RULE")],
)
def test_a_module_without_its_rule_is_refused(tmp_path: Path, text: str, error: str) -> None:
    """A rule can only be in the module of its name, where people look for it."""
    with pytest.raises((TypeError, ValueError), match=error):
        list(discover(package(tmp_path, {"queues/some_rule": text})))


def test_rules_are_there() -> None:
    """The rules of the package are known by their codes."""
    assert {"wrong-type", "silence-unused"} <= RULES.keys()


@pytest.mark.parametrize("text", ["a: [", "- 1\n", "apiVersion: v1\n", "", "apiVersion: vqs/v2\nkind: Scenario\n"])
def test_every_reason_not_to_read_a_file_is_explained(tmp_path: Path, text: str) -> None:
    """What keeps a file from being read has a code that can be looked up, too."""
    file = tmp_path / "broken.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_leniently([str(file), str(tmp_path / "missing.yaml")])
    assert {each.code for each in caught.value.diagnostics} <= RULES.keys()
