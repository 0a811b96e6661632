"""What the values of arguments come to: two that are spelled differently may mean the same to the scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import yaml

from vqs.config.known_arguments import Argument, Kind, Outcome, find_argument
from vqs.model.durations import parse_duration

_LISTED: Final = "resources"
"""What the name of a text ends with that lists names, separated by commas; the arguments below it are theirs."""

_DEPENDS: Final[Mapping[str, tuple[str, bool]]] = {
    "volumebinding.": ("predicate.VolumeBindingEnable", True),
    "dynamicresources.": ("predicate.DynamicResourceAllocationEnable", False),
}
"""Arguments of predicates that are looked at only where another one is true, with what that is by default."""


def default_of(argument: Argument) -> Any:
    """Return the default of an argument as the value that it stands for."""
    return _parsed(argument.default) if argument.default else None


@cache
def _parsed(default: str) -> Any:
    return yaml.safe_load(default)


def taken(argument: Argument, value: object) -> Any:
    """Return the value that the scheduler takes where one is given.

    >>> [taken(Argument("weight", Kind.INT, "1"), each) for each in (5, "5")]
    [5, 1]
    """
    if not argument.accepts(value):
        return {Outcome.IGNORED: default_of(argument), Outcome.ZERO: 0}.get(argument.wrong, value)
    if value is None or (not argument.allows(value) and _takes_default(argument)):
        return default_of(argument)
    return int(value) if argument.kind is Kind.INT and isinstance(value, float) else value


def meaning(argument: Argument, value: object) -> Any:
    """Return what a value comes to, so that values with the same effect are equal; None is none at all.

    >>> meaning(Argument("period", Kind.DURATION), "60s") == meaning(Argument("period", Kind.DURATION), "1m")
    True
    """
    value = taken(argument, value) if value is not None else default_of(argument)
    match argument.kind:
        case Kind.OBJECT if argument.fields:
            return _object(argument, value if isinstance(value, dict) else {})
        case Kind.LIST if argument.fields and isinstance(value, list):
            return [_object(argument, item) if isinstance(item, dict) else item for item in value]
        case Kind.DURATION if isinstance(value, str):
            seconds = parse_duration(value)
            return value if seconds is None else seconds
        case Kind.HOURS if isinstance(value, str):
            return value.strip()
        case Kind.TEXT if argument.name.endswith(_LISTED) and isinstance(value, str):
            return sorted(_listed(value))
    return value


def read(known: Sequence[Argument], given: Mapping[str, object]) -> Iterator[tuple[str, Argument]]:
    """Yield the names of those of the given arguments that are read, with what is known of them."""
    for name in given:
        argument = find_argument(known, name)
        if argument is not None and _counts(name, argument, given):
            yield name, argument


def _counts(name: str, argument: Argument, given: Mapping[str, object]) -> bool:
    """Tell whether an argument does not depend on another one, by which it does not count."""
    head, star, _ = argument.name.partition("*")
    listing = head.removesuffix(".")
    if star and listing.endswith(_LISTED):
        listed = given.get(listing)
        return isinstance(listed, str) and name.removeprefix(head) in _listed(listed)
    for prefix, (switch, default) in _DEPENDS.items():
        if name.startswith(prefix):
            value = given.get(switch)
            return value if isinstance(value, bool) else default
    return True


def _listed(text: str) -> set[str]:
    return {name.strip() for name in text.split(",")} - {""}


def _takes_default(argument: Argument) -> bool:
    return argument.outside == f"Volcano takes {argument.default} in its place"


def _object(argument: Argument, given: Mapping[str, object]) -> dict[str, Any]:
    """Return what the fields of an object come to, those that are not given with their defaults."""
    found = {field.name: meaning(field, None) for field in argument.fields if "*" not in field.name}
    for name, value in given.items():
        field = find_argument(argument.fields, name, fold=argument.folds)
        if field is not None:
            found[name if "*" in field.name else field.name] = meaning(field, value)
    return found
