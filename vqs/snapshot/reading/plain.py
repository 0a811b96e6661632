"""Typed objects as plain values again, each with its kind, as a file would hold them or has them written.

Fields that have their Go zero value are left out. Those with a default of their own are not, such as the queue of a
PodGroup: the API server writes them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import Any

import msgspec

from vqs.model import kubernetes as k8s
from vqs.model.keys import DEVICE_CONFIG
from vqs.model.quantity import QuantityError, parse
from vqs.model.sharding import Sharding
from vqs.releases.profile import DEFAULT_PROFILE
from vqs.snapshot.reading.configuration.text import configurations_of
from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Document
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, SCENARIO_KIND, SCENARIO_VERSION, key_of
from vqs.snapshot.reading.manifests import Manifests

Plain = dict[str, Any]

_NO_ZERO = object()
_AMOUNTS = frozenset({"requests", "limits", "overhead", "sizeLimit"})
"""The fields with amounts, of which each can be written in several ways."""


def plain_objects(manifests: Manifests) -> Iterator[Plain]:
    """Yield what no object says, as a Scenario, and all objects that are used: kind by kind, pods last.

    Where none is used, there is a Scenario nevertheless: what has no document at all is no input.
    """
    said = settings(manifests)
    objects = _plain_objects(manifests)
    first = next(objects, None)
    if said or first is None:
        yield scenario(said)
    if first is not None:
        yield first
        yield from objects


def scenario(said: Plain) -> Plain:
    """A Scenario that says this."""
    return {"apiVersion": SCENARIO_VERSION, "kind": SCENARIO_KIND, **said}


def _plain_objects(manifests: Manifests) -> Iterator[Plain]:
    for list_name in sorted(LISTS, key=lambda name: name == "pods"):
        for index, typed in enumerate(getattr(manifests, list_name)):
            if isinstance(typed, k8s.ConfigMap) and not (
                configurations_of(typed, manifests.origins[list_name][index]) or DEVICE_CONFIG in typed.data
            ):
                continue
            kind = KIND_OF[type(typed)]
            yield {"apiVersion": kind.api_version, "kind": kind.name, **plain_value(typed)}


def settings(manifests: Manifests) -> Plain:
    """What no object says, as a Scenario has it: the session's time, the scheduler's flags, and the release."""
    said: Plain = {}
    if any(each.now is not None for each in manifests.scenarios) and manifests.now is not None:
        said["now"] = msgspec.to_builtins(manifests.now)
    flags: Plain = {}
    if manifests.sharding != Sharding():
        flags["scheduler-sharding-mode"] = str(manifests.sharding.mode)
        flags["scheduler-sharding-name"] = manifests.sharding.name
    if manifests.csi_storage:
        flags["csi-storage"] = True
    if flags:
        said["flags"] = flags
    profile = manifests.profile
    if profile.build != DEFAULT_PROFILE.build:
        said["volcano"] = profile.name
    if profile.switched:
        said["behaviours"] = dict(profile.switched)
    return said


def plain_value(value: Any) -> Any:
    """A typed object, or a part of one, as plain values; it shares nothing with them that can be changed."""
    if isinstance(value, msgspec.Struct):
        return {
            name: plain_value(each)
            for attribute, name, zero in written_fields(type(value))
            if (each := getattr(value, attribute)) != zero
        }
    if isinstance(value, dict):
        return {key: plain_value(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain_value(each) for each in value]
    return msgspec.to_builtins(value)


def first_difference(old: Any, new: Any) -> Path | None:
    """The path of the first thing in which plain values differ; None where they mean the same.

    >>> first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}), first_difference({"a": 1}, {})
    (('a', 1, 'b'), ('a',))
    >>> first_difference({"requests": {"cpu": 1}}, {"requests": {"cpu": "1000m"}})
    """
    return next(_differences(old, new, ()), None)


def _differences(old: Any, new: Any, path: Path) -> Iterator[Path]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from _differences(old.get(key, _NO_ZERO), new.get(key, _NO_ZERO), (*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        for index, (left, right) in enumerate(zip_longest(old, new, fillvalue=_NO_ZERO)):
            yield from _differences(left, right, (*path, index))
    elif old != new and not (_AMOUNTS & {*path} and _same_amount(old, new)):
        yield path


def _same_amount(old: Any, new: Any) -> bool:
    try:
        return parse(old) == parse(new)
    except (QuantityError, TypeError):
        return False


@cache
def written_fields(type_: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """The name, the written name and the zero value of each field; no value equals that of one without zero."""
    written = []
    for field in msgspec.structs.fields(type_):
        default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        zero = _NO_ZERO if default and not isinstance(default, msgspec.Struct) else default
        written.append((field.name, field.encode_name, zero))
    return written


# --- as they are written ----------------------------------------------------------------------------------------------


class WrittenObjects:
    """Reads documents again, each once. That takes time, so ask for hand-written objects only."""

    def __init__(self, manifests: Manifests, documents: dict[Document, dict[Path, Any]]) -> None:
        self._manifests = manifests
        self._origins = manifests.origins
        self._documents = documents

    def get(self, list_name: str, index: int) -> dict[str, Any]:
        """An object's plain value, empty where an object stands for something that is written differently."""
        created = self._manifests.created_from.get(list_name, {})
        if getattr(self._manifests, list_name)[index].metadata.key in created:
            return {}
        if list_name == "pod_groups" and self._is_made(list_name, index):
            return {}
        origin = self._origins[list_name][index]
        values = self._documents.get(origin.document)
        if values is None:
            values = dict(origin.document.values(Problems(), lambda _: None))
            self._documents[origin.document] = values
        for length in range(len(origin.path), -1, -1):
            if origin.path[:length] in values:
                found = followed(values[origin.path[:length]], origin.path[length:])
                part = "spec" if self._is_made(list_name, index) else "metadata"
                return found if isinstance(found, dict) and isinstance(found.get(part), dict) else {}
        return {}

    def _is_made(self, list_name: str, index: int) -> bool:
        """Whether an object is a part of another one, and may have no metadata of its own."""
        return key_of(getattr(self._manifests, list_name)[index]) in self._manifests.made_by


def followed(value: Any, path: Path) -> Any:
    """What a path leads to in a plain value; None where it leads nowhere."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
