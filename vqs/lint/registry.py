"""The rules there are: each module of `vqs.lint.rules` holds one, and is named after its code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Final

from vqs.lint import rules
from vqs.lint.rule import Rule


def discover(package: ModuleType) -> Mapping[str, Rule]:
    """Return the rules in the modules of a package by code, in the order of their codes.

    Raises:
        TypeError: a module holds no rule.
        ValueError: a module is not named after its rule.
    """
    names = sorted(module.name for module in iter_modules(package.__path__) if not module.name.startswith("_"))
    return _by_code((name, import_module(f"{package.__name__}.{name}")) for name in names)


def _by_code(modules: Iterable[tuple[str, ModuleType]]) -> Mapping[str, Rule]:
    found: dict[str, Rule] = {}
    for name, module in modules:
        rule = getattr(module, "RULE", None)
        if not isinstance(rule, Rule):
            raise TypeError(f"{module.__name__} has no RULE")
        if name != rule.code.replace("-", "_"):
            raise ValueError(f"{module.__name__} holds the rule {rule.code}, and has to be named after it")
        found[rule.code] = rule
    return MappingProxyType(dict(sorted(found.items())))


RULES: Final[Mapping[str, Rule]] = discover(rules)
