"""A change as it is applied, and what of it is new or changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.editor import ManifestEditor


@dataclass(frozen=True, slots=True)
class Applied:
    """Manifests that are laid over others, and the editor of what that comes to."""

    editor: ManifestEditor
    under: Manifests
    over: Manifests

    def places(self, list_name: str) -> Iterator[tuple[int, Any, Any, Origin]]:
        """Yield the place of each object that is applied, the object as it is written, what was there, and its origin.

        What has a uid is from a cluster itself, and is left out.
        """
        given = {key_of(each): (each, origin) for each, origin in self.over.with_origins(list_name)}
        if not given:
            return
        old = {key_of(each): each for each in getattr(self.under, list_name)}
        for index, each in enumerate(self.editor.objects(list_name)):
            key = key_of(each)
            if key in given and not given[key][0].metadata.uid:
                yield index, given[key][0], old.get(key), given[key][1]


class Changed(NamedTuple):
    """An object that is not the same before and after a change; None where it is not there."""

    old: Any
    new: Any
    origin: Origin


@dataclass
class Change:
    """What is there before a change and after it, and the types and names of what the files of both sides say."""

    before: Manifests
    after: Manifests
    proposed: frozenset[tuple[type, str]]

    @cached_property
    def completed(self) -> tuple[Manifests, Manifests]:
        """Both with what controllers make."""
        return complete(self.before), complete(self.after)

    def of(self, kind: type) -> Iterator[Changed]:
        """Yield the objects of a kind that the change adds, changes or deletes, whatever their status is."""
        list_name = KIND_OF[kind].list_name
        old, new = (
            {key_of(each): (each, origin) for each, origin in side.with_origins(list_name) if type(each) is kind}
            for side in (self.before, self.after)
        )
        for key in [*new, *(key for key in old if key not in new)]:
            one, other = old.get(key), new.get(key)
            if one is None and other is not None:
                yield Changed(None, *other)
            elif one is not None and other is None:
                yield Changed(one[0], None, one[1])
            elif one is not None and other is not None and one[0] is not other[0] and _said(one[0]) != _said(other[0]):
                yield Changed(one[0], *other)


def _said(typed: Any) -> tuple[object, ...]:
    """What people write of an object."""
    metadata = typed.metadata
    fields = [getattr(typed, name) for name in typed.__struct_fields__ if name not in ("metadata", "status")]
    return metadata.labels, metadata.annotations, metadata.owner_references, *fields
