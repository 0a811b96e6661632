"""Whether a value conforms to the JSON Schema of scenarios: a quick yes, or a no that has to be looked into.

A yes is certain. A no may only mean that the question is not a simple one, as of a null or of 2.0 for an integer: the
library that knows all of JSON Schema decides then, and says what is wrong.
"""

import re
from collections.abc import Callable
from functools import reduce
from operator import getitem
from typing import Any, Final

from vqs.snapshot.scenario.moment import moment

Rules = dict[str, Any]
Check = Callable[[Any, Any, Rules, Rules], bool]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_REMARKS: Final = frozenset(
    {"$schema", "$id", "title", "description", "default", "examples", "definitions", "patternErrorMessage"}
)
"""What says nothing about values."""


def conforms(value: Any, rules: Rules, root: Rules | None = None) -> bool:
    """Tell whether a value certainly conforms to a schema.

    Args:
        value: the value.
        rules: the schema, or a part of one.
        root: the schema that the part is of.
    """
    root = rules if root is None else root
    if "$ref" in rules:  # what stands beside a reference does not count in draft 7
        return conforms(value, reduce(getitem, rules["$ref"].split("/")[1:], root), root)
    return all(
        name in _CHECKS and _CHECKS[name](value, wanted, rules, root)
        for name, wanted in rules.items()
        if name not in _REMARKS
    )


def _is_of_type(value: Any, wanted: str | list[str], _rules: Rules, _root: Rules) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    return any(type(value) in _TYPES[name] for name in names)


def _is_one_of(value: Any, wanted: list[Any], _rules: Rules, _root: Rules) -> bool:
    return isinstance(value, str) and value in wanted


def _is(value: Any, wanted: Any, _rules: Rules, _root: Rules) -> bool:
    return isinstance(value, str) and value == wanted


def _has_required(value: Any, wanted: list[str], _rules: Rules, _root: Rules) -> bool:
    return not isinstance(value, dict) or all(key in value for key in wanted)


def _have_properties(value: Any, wanted: dict[str, Rules], _rules: Rules, root: Rules) -> bool:
    if not isinstance(value, dict):
        return True
    return all(conforms(each, wanted[key], root) for key, each in value.items() if key in wanted)


def _have_others(value: Any, wanted: bool | Rules, rules: Rules, root: Rules) -> bool:
    if not isinstance(value, dict):
        return True
    others = [each for key, each in value.items() if key not in rules.get("properties", ())]
    return all(conforms(each, wanted, root) for each in others) if isinstance(wanted, dict) else not others


def _have_items(value: Any, wanted: Rules, _rules: Rules, root: Rules) -> bool:
    return not isinstance(value, list) or all(conforms(each, wanted, root) for each in value)


def _is_any_of(value: Any, wanted: list[Rules], _rules: Rules, root: Rules) -> bool:
    return any(conforms(value, each, root) for each in wanted)


def _is_at_least(value: Any, wanted: float, _rules: Rules, _root: Rules) -> bool:
    return not isinstance(value, int | float) or value >= wanted


def _is_at_most(value: Any, wanted: float, _rules: Rules, _root: Rules) -> bool:
    return not isinstance(value, int | float) or value <= wanted


def _is_as_long(value: Any, wanted: int, _rules: Rules, _root: Rules) -> bool:
    return not isinstance(value, str) or len(value) >= wanted


def _matches(value: Any, wanted: str, _rules: Rules, _root: Rules) -> bool:
    return not isinstance(value, str) or re.search(wanted, value) is not None


def _has_format(value: Any, wanted: str, _rules: Rules, _root: Rules) -> bool:
    return wanted == "date-time" and (not isinstance(value, str) or moment(value) is not None)


_CHECKS: Final[dict[str, Check]] = {
    "additionalProperties": _have_others,
    "anyOf": _is_any_of,
    "const": _is,
    "enum": _is_one_of,
    "format": _has_format,
    "items": _have_items,
    "maximum": _is_at_most,
    "minLength": _is_as_long,
    "minimum": _is_at_least,
    "pattern": _matches,
    "properties": _have_properties,
    "required": _has_required,
    "type": _is_of_type,
}
