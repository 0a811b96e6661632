"""Values of arguments that Volcano decodes strictly, as the structures that they are decoded into.

What is not given, and null, comes to nothing: 0, false, an empty text, an object of such. A value of the wrong type
makes the scheduler exit; here it counts as not given, with a warning. A fraction is cut off where a whole number is
wanted.
Reference: ``Get`` in ``pkg/scheduler/framework/arguments.go`` and github.com/mitchellh/mapstructure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vqs.config.known_arguments import Argument, Kind

SCHEDULER_EXITS: Final = "the scheduler exits"
_NOTHING: Final[Mapping[Kind, Any]] = {Kind.INT: 0, Kind.NUMBER: 0.0, Kind.BOOL: False}


def decode(argument: Argument, value: object, name: str, warnings: list[str]) -> Any:
    """What a value is decoded into; `name` is what a warning calls it.

    >>> from vqs.config.known_arguments import PLUGIN_ARGUMENTS, find_argument
    >>> sra = find_argument(PLUGIN_ARGUMENTS["resource-strategy-fit"], "sra")
    >>> warnings = []
    >>> decode(sra, {"Enable": True, "weight": 2.5, "resources": 3}, "sra", warnings)
    {'enable': True, 'resources': '', 'weight': 2, 'resourceWeight': {}}
    >>> warnings
    ['sra.resources: 3 is not text, and the scheduler exits; here it counts as not given']
    """
    if not argument.accepts(value):
        warnings.append(
            f"{name}: {value!r} is not {argument.kind.value}, and {SCHEDULER_EXITS}; here it counts as not given"
        )
        value = None
    match argument.kind:
        case Kind.OBJECT:
            return _decode_object(argument, value if isinstance(value, dict) else {}, name, warnings)
        case Kind.INT if isinstance(value, float):
            return int(value)
        case Kind.NUMBER if isinstance(value, int):
            return float(value)
    return _NOTHING.get(argument.kind, "") if value is None else value


def _decode_object(argument: Argument, given: Mapping[Any, object], name: str, warnings: list[str]) -> dict[str, Any]:
    """Decode an object: one with names of its own, or one of fields, all of which are there then."""
    [free, *_] = argument.fields
    if "*" in free.name:
        return {str(key): decode(free, value, f"{name}.{key}", warnings) for key, value in given.items()}
    values = {field.name: value for field in argument.fields for value in _values(field, given, folds=argument.folds)}
    return {
        field.name: decode(field, values.get(field.name), f"{name}.{field.name}", warnings) for field in argument.fields
    }


def _values(field: Argument, given: Mapping[Any, object], *, folds: bool) -> list[object]:
    """What is given for a field, under any spelling of its name where that does not count."""
    return [value for key, value in given.items() if field.matches(str(key), fold=folds)]
