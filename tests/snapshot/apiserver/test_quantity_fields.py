"""Each field that is a quantity is checked, whatever kind of object it is in."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from vqs.model.kubernetes import NotGiven, Quantity
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import JUDGED_ONLY, KIND_OF

WRONG = "12Gx"


def quantity_paths(kind: Any, path: Path = (), above: tuple[Any, ...] = ()) -> Iterator[Path]:
    """Yield the paths to all quantities in a type."""
    choices = set(typing.get_args(Quantity))
    arguments = typing.get_args(kind)
    if kind is NotGiven or choices <= set(arguments):
        yield (*path, "x") if kind is NotGiven else path
    elif typing.get_origin(kind) in (list, dict):
        step = 0 if typing.get_origin(kind) is list else "x"
        yield from quantity_paths(arguments[-1], (*path, step), above)
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind not in above:
            hints = typing.get_type_hints(kind)
            for field in msgspec.structs.fields(kind):
                yield from quantity_paths(hints[field.name], (*path, field.encode_name), (*above, kind))
    else:
        for each in arguments:
            yield from quantity_paths(each, path, above)


def with_value(path: Path, value: Any) -> Any:
    """Make what holds a value at a path."""
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


FIELDS = [
    (kind, path)
    for type_, kind in KIND_OF.items()
    if type_ not in JUDGED_ONLY
    for path in dict.fromkeys(quantity_paths(type_))
    if path[0] != "status" or kind.name in ("Node", "Queue", "ResourceQuota")
]


@pytest.mark.parametrize(("kind", "path"), FIELDS, ids=[f"{k.name}-{'.'.join(map(str, p))}" for k, p in FIELDS])
def test_a_wrong_quantity_is_a_defect(kind: Any, path: Path) -> None:
    """A text that is no quantity is found, where it stands."""
    value = {**with_value(path, WRONG), "metadata": {"name": "x"}}
    typed, wrong = decode(value, kind.type)
    assert not wrong
    assert path in [each.path for each in defects(typed) if each.code == "invalid-quantity"]
