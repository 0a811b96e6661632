"""The published JSON Schema of scenarios, whether a document follows it, and the scenario that beginners start from.

The schema is draft 7, which editors support best; what it says of each key is what they show. Whether a document
follows it is told sooner here than it takes to import what says why one does not.
"""

import json
import pathlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from vqs.model.moments import parse_moment


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema; callers leave it as it is."""
    decoded: dict[str, Any] = json.loads(pathlib.Path(__file__).with_name("schema.json").read_bytes())
    return decoded


def starter() -> str:
    """A commented scenario to start from."""
    return pathlib.Path(__file__).with_name("starter.yaml").read_text(encoding="utf-8")


_REMARKS: Final = frozenset(
    {
        "$id",
        "$schema",
        "additionalProperties",
        "default",
        "definitions",
        "description",
        "examples",
        "patternErrorMessage",
        "properties",
        "title",
    }
)
"""Keywords that say nothing of a value, or of its keys only."""


def conforms(value: object, rules: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """True if a value surely follows a schema of draft 7; where a keyword is not known here, it may all the same.

    Args:
        value: a document, or a part of one.
        rules: the schema, or the part of it that is about the value.
        whole: the schema that the definitions stand in.
    """
    if "$ref" in rules:
        referred = whole
        for step in rules["$ref"].removeprefix("#/").split("/"):
            referred = referred[step]
        return conforms(value, referred, whole)
    known, others = rules.get("properties", {}), rules.get("additionalProperties", {})
    for key, each in value.items() if isinstance(value, dict) else ():
        if key not in known and others is False:
            return False
        if not conforms(each, known.get(key, others), whole):
            return False
    return all(
        keyword in _CHECKS and _CHECKS[keyword](value, limit, whole)
        for keyword, limit in rules.items()
        if keyword not in _REMARKS
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == value // 1,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


_CHECKS: Final[Mapping[str, Callable[[Any, Any, Mapping[str, Any]], bool]]] = {
    "anyOf": lambda value, branches, whole: any(conforms(value, each, whole) for each in branches),
    "const": lambda value, wanted, _: isinstance(value, str) and value == wanted,
    "enum": lambda value, choices, _: isinstance(value, str) and value in choices,
    "format": lambda value, _, __: not isinstance(value, str) or parse_moment(value) is not None,
    "items": lambda value, rules, whole: (
        not isinstance(value, list) or all(conforms(each, rules, whole) for each in value)
    ),
    "maxItems": lambda value, most, _: not isinstance(value, list) or len(value) <= most,
    "maxLength": lambda value, most, _: not isinstance(value, str) or len(value) <= most,
    "maxProperties": lambda value, most, _: not isinstance(value, dict) or len(value) <= most,
    "maximum": lambda value, most, _: not _is_number(value) or value <= most,
    "minItems": lambda value, least, _: not isinstance(value, list) or len(value) >= least,
    "minLength": lambda value, least, _: not isinstance(value, str) or len(value) >= least,
    "minimum": lambda value, least, _: not _is_number(value) or value >= least,
    "pattern": lambda value, pattern, _: not isinstance(value, str) or re.search(pattern, value) is not None,
    "required": lambda value, keys, _: not isinstance(value, dict) or all(key in value for key in keys),
    "type": lambda value, names, _: any(_TYPES[name](value) for name in ([names] if isinstance(names, str) else names)),
}
"""What each keyword asks of a value, of the schemas that there are; `format` is that of a time."""
