"""Small judgements that come up everywhere: choices, bounds, and what is missing or given twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vqs.snapshot.apiserver.validation.values import Faults, Object, is_given, number, text
from vqs.snapshot.reading.diagnostics import Path, did_you_mean, one_of


def required(value: Object, *keys: str) -> Faults:
    """Yield the fields that have to be given, and are not, or are empty."""
    for key in keys:
        if value.get(key) in (None, "", [], {}):
            yield (key,), f"{key} is missing"


def choice(value: Object, key: str, choices: Sequence[str], *, empty: bool = True) -> Faults:
    """Yield a text that is not among some; an empty one may stand for a default."""
    found = text(value, key)
    if found and found not in choices:
        hint = did_you_mean(found, choices) or f"there are {one_of(choices)}"
        yield (key,), f"the {key} {found} does not exist ({hint})"
    elif value.get(key) == "" and not empty:
        yield (key,), f"{key} is empty"


def named(value: Object, key: str, judge: Callable[[str], str]) -> Faults:
    """Yield a text that is no proper name, if it is given."""
    found = text(value, key)
    wrong = judge(found) if found else ""
    if wrong:
        yield (key,), wrong


def at_least(value: Object, key: str, least: int, most: int | None = None) -> Faults:
    """Yield a number out of bounds."""
    found = number(value, key)
    if found is not None and found < least:
        yield (key,), f"{key} {found} is below {least}"
    elif found is not None and most is not None and found > most:
        yield (key,), f"{key} {found} is above {most}"


def one_given(value: Object, kinds: Sequence[str], what: str, *, path: Path = ()) -> Faults:
    """Yield what is wrong where exactly one of some fields has to be given."""
    given = [key for key in kinds if is_given(value, key)]
    if not given:
        yield path, f"{what} has none of {', '.join(kinds)}"
    for key in given[1:]:
        yield (*path, key), f"{what} has both {given[0]} and {key}"


def once(names: Sequence[str], key: str, what: str) -> Faults:
    """Yield names that are given again; `key` is the field that they stand in."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name and name in seen:
            yield (index, key), f"two {what} are called {name}"
        seen.add(name)
