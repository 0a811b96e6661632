"""Objects as the files that Kubernetes' own tools read and write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Final

import msgspec
import yaml

from vqs import inert
from vqs.report import as_json
from vqs.report.formats import Format
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import plain_objects

_WIDE = 2**31 - 1


class TooLongError(Exception):
    """What is to be written is longer than it may be."""


def manifests(objects: Manifests, chosen: Format, most: float = inf) -> str:
    """Write all objects of a snapshot, in no more characters than `most`.

    Raises:
        TooLongError: it takes more. It is noticed on the way: a few lines may stand for more than memory can hold.
    """
    if chosen is Format.YAML:
        return _yaml(plain_objects(objects), most)
    left = most
    plain = []
    for each in plain_objects(objects):
        left -= len(msgspec.json.encode(each))
        if left < 0:
            raise TooLongError
        plain.append(each)
    return as_json.document({"apiVersion": "v1", "kind": "List", "items": plain})


def encoded(objects: Sequence[bytes], chosen: Format) -> str:
    """Write objects that are in JSON already; in a List, each has a line of its own."""
    if chosen is Format.YAML:
        return _yaml([msgspec.json.decode(each) for each in objects])
    items = b",\n".join(objects)
    return f'{{"apiVersion":"v1","kind":"List","items":[\n{inert.json(items.decode())}\n]}}\n'


def _yaml(objects: Iterable[dict[str, Any]], most: float = inf) -> str:
    # Without aliases, each document stands for itself: what is cut out of the text is still complete.
    text = _BoundedText(most)
    yaml.dump_all(objects, text, Dumper=_Dumper, sort_keys=False, width=_WIDE, allow_unicode=True)
    return inert.yaml("".join(text.parts))


class _BoundedText:
    """Takes text, up to a length; as it has an encoding, the library writes no bytes."""

    encoding: Final = None

    def __init__(self, most: float) -> None:
        self.parts: list[str] = []
        self.left = most

    def write(self, text: str) -> None:
        """Take more."""
        self.left -= len(text)
        if self.left < 0:
            raise TooLongError
        self.parts.append(text)


class _Dumper(yaml.CSafeDumper):
    """Writes shared values out each time, and in quotes what has to be written out character by character."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        style = '"' if inert.needs_quotes(text) else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _Dumper.represent_text)
