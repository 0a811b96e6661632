"""Objects as the files that Kubernetes' own tools read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from vqs import inert
from vqs.report import as_json
from vqs.report.formats import ManifestFormat
from vqs.snapshot.plain import plain_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vqs.snapshot.manifests import Manifests

_WIDE = 2**31 - 1


def manifests(objects: Manifests, chosen: ManifestFormat) -> str:
    """Write all objects of a snapshot."""
    plain = list(plain_objects(objects))
    return _yaml(plain) if chosen is ManifestFormat.YAML else _json(plain)


def encoded(objects: Sequence[bytes], chosen: ManifestFormat) -> str:
    """Write objects that are in JSON already; in a List, each has a line of its own."""
    if chosen is ManifestFormat.YAML:
        return _yaml([msgspec.json.decode(each) for each in objects])
    items = b",\n".join(objects)
    return f'{{"apiVersion":"v1","kind":"List","items":[\n{inert.json(items.decode())}\n]}}\n'


def _yaml(objects: list[dict[str, Any]]) -> str:
    # Without aliases, each document stands for itself: what is cut out of the text is still complete.
    text: str = yaml.dump_all(objects, Dumper=_Dumper, sort_keys=False, width=_WIDE, allow_unicode=True)
    return inert.yaml(text)


class _Dumper(yaml.CSafeDumper):
    """Writes shared values out each time, and in quotes what has to be written out character by character."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        style = '"' if inert.needs_quotes(text) else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _Dumper.represent_text)


def _json(objects: list[dict[str, Any]]) -> str:
    return as_json.document({"apiVersion": "v1", "kind": "List", "items": objects})
