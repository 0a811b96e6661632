"""The rules there are: each module in a folder of `vqs.lint.rules` holds one, and is named after its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Final

from vqs.lint import rules
from vqs.lint.rule import Rule


def discover(package: ModuleType) -> Mapping[str, Rule]:
    """Return the rules in the folders of a package by code, in the order of their codes.

    Raises:
        TypeError: a module holds no rule.
        ValueError: a module is not named after its rule, or two rules have the same code.
    """
    folders = [module.name for module in iter_modules(package.__path__) if module.ispkg]
    return _by_code(rule for name in folders for rule in _rules_in(import_module(f"{package.__name__}.{name}")))


def _rules_in(folder: ModuleType) -> Iterator[Rule]:
    for name in (module.name for module in iter_modules(folder.__path__)):
        module = import_module(f"{folder.__name__}.{name}")
        rule = getattr(module, "RULE", None)
        if not isinstance(rule, Rule):
            raise TypeError(f"{module.__name__} has no RULE")
        if name != rule.code.replace("-", "_"):
            raise ValueError(f"{module.__name__} holds the rule {rule.code}, and has to be named after it")
        yield rule


def _by_code(found: Iterator[Rule]) -> Mapping[str, Rule]:
    by_code: dict[str, Rule] = {}
    for rule in found:
        if rule.code in by_code:
            raise ValueError(f"there are two rules {rule.code}")
        by_code[rule.code] = rule
    return MappingProxyType(dict(sorted(by_code.items())))


RULES: Final[Mapping[str, Rule]] = discover(rules)
