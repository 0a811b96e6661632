"""The rules there are: a module each in the folders of `vqs.lint.rules`, and the table of what reading finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Final

from vqs.lint import rules
from vqs.lint.rule import Rule
from vqs.lint.rules.reading import READING


def discover(package: ModuleType) -> Iterator[Rule]:
    """Yield the rules in the folders of a package: each module holds one, and is named after its code.

    Raises:
        TypeError: a module holds no rule.
        ValueError: a module is not named after its rule.
    """
    for folder in iter_modules(package.__path__):
        if folder.ispkg:
            for _, name, _ in iter_modules(import_module(f"{package.__name__}.{folder.name}").__path__):
                module = import_module(f"{package.__name__}.{folder.name}.{name}")
                rule = getattr(module, "RULE", None)
                if not isinstance(rule, Rule):
                    raise TypeError(f"{module.__name__} has no RULE")
                if name != rule.code.replace("-", "_"):
                    raise ValueError(f"{module.__name__} holds the rule {rule.code}, and has to be named after it")
                yield rule


def by_code(found: Iterable[Rule]) -> Mapping[str, Rule]:
    """Rules by code, in the order of their codes.

    Raises:
        ValueError: two rules have the same code.
    """
    codes: dict[str, Rule] = {}
    for rule in found:
        if rule.code in codes:
            raise ValueError(f"there are two rules {rule.code}")
        codes[rule.code] = rule
    return MappingProxyType(dict(sorted(codes.items())))


RULES: Final[Mapping[str, Rule]] = by_code([*READING, *discover(rules)])
