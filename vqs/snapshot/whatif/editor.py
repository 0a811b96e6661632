"""Manifests while edits are made to them: lists are copied when they change, objects are replaced, never changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.world import controller_of, is_controlled
from vqs.snapshot.reading.configuration.read import Configuration
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests

_Controller = tuple[str, str, str]
"""The kind of a controller, its namespace and its name."""


class ManifestEditor:
    """Edits manifests, and has them as they are so far; edits may assume that webhooks admit everything."""

    def __init__(self, manifests: Manifests, *, assume_admitted: bool = False) -> None:
        self.assume_admitted = assume_admitted
        self.manifests = replace(manifests, origins={**manifests.origins})
        self._own: set[str] = set()
        self._controlled: dict[str, dict[_Controller, list[int]]] = {}
        self._to_go: dict[str, set[int]] | None = None

    @contextmanager
    def removing_at_the_end(self) -> Iterator[None]:
        """Put off what is removed, so that places stay as they are and many removals cost as much as one.

        Until then `indexes` and `controlled` pass over what is to go, and `objects` has it still.
        """
        if self._to_go is not None:
            yield
            return
        to_go = self._to_go = {}
        try:
            yield
        finally:
            self._to_go = None
        for list_name, indexes in to_go.items():
            self.remove(list_name, indexes)

    def objects(self, list_name: str) -> list[Any]:
        """The objects of a list; not to be changed."""
        return getattr(self.manifests, list_name)  # type: ignore[no-any-return]

    def indexes(self, list_name: str, wanted: Callable[[Any], bool]) -> Iterator[int]:
        """Yield the places in a list of the objects that are wanted."""
        gone = (self._to_go or {}).get(list_name, ())
        return (index for index, each in enumerate(self.objects(list_name)) if index not in gone and wanted(each))

    def controlled(self, list_name: str, kind: str, owner: k8s.ObjectMeta) -> list[int]:
        """The places in a list of the objects that another one controls."""
        if list_name not in self._controlled:
            found: dict[_Controller, list[int]] = {}
            for index, each in enumerate(self.objects(list_name)):
                reference = controller_of(each.metadata)
                if reference is not None:
                    found.setdefault((reference.kind, each.metadata.namespace, reference.name), []).append(index)
            self._controlled[list_name] = found
        gone, objects = (self._to_go or {}).get(list_name, ()), self.objects(list_name)
        near = self._controlled[list_name].get((kind, owner.namespace, owner.name), ())
        return [index for index in near if index not in gone and is_controlled(objects[index].metadata, kind, owner)]

    def put(self, list_name: str, index: int, changed: Any) -> None:
        """Put an object in the place of another."""
        objects = self._owned(list_name)
        if objects[index].metadata.owner_references != changed.metadata.owner_references:
            self._controlled.pop(list_name, None)
        objects[index] = changed

    def add(self, list_name: str, new: Any, origin: Origin) -> None:
        """Add an object; it stands where the one stands that it was made from."""
        self._controlled.pop(list_name, None)
        self._owned(list_name).append(new)
        self.manifests.origins[list_name].append(origin)

    def remove(self, list_name: str, indexes: Collection[int]) -> None:
        """Remove the objects at some places."""
        gone = set(indexes)
        if gone and self._to_go is not None:
            self._to_go.setdefault(list_name, set()).update(gone)
        elif gone:
            self._controlled.pop(list_name, None)
            objects, origins = self._owned(list_name), self.manifests.origins[list_name]
            objects[:] = [each for index, each in enumerate(objects) if index not in gone]
            origins[:] = [each for index, each in enumerate(origins) if index not in gone]

    def configure(self, configuration: Configuration) -> None:
        """Take another configuration; a ConfigMap that the old one is in has the new one then."""
        old, index = self.manifests.conf, self.configured_by
        self.manifests.configuration = configuration
        if old is not None and index is not None:
            config_map = self.objects("config_maps")[index]
            self.put(
                "config_maps",
                index,
                structs.replace(config_map, data={**config_map.data, old.key: configuration.text.text}),
            )

    @property
    def configured_by(self) -> int | None:
        """The place of the ConfigMap with the scheduler's configuration; None where it stands in none."""
        conf = self.manifests.conf
        if conf is None or not conf.owner:
            return None
        origins = enumerate(self.manifests.origins.get("config_maps", ()))
        return next((index for index, each in origins if each == conf.origin), None)

    def drop_configuration(self) -> None:
        """Leave the scheduler without a configuration, and say so."""
        self.manifests.configuration = None
        message = "the scheduler has no configuration any more; it uses Volcano's default"
        gone = Diagnostic(code="configuration-gone", severity="warning", message=message)
        self.note(gone)

    def note(self, diagnostic: Diagnostic) -> None:
        """Say something about the manifests."""
        self.manifests.notes = [*self.manifests.notes, diagnostic]

    def _owned(self, list_name: str) -> list[Any]:
        if list_name not in self._own:
            self._own.add(list_name)
            setattr(self.manifests, list_name, [*self.objects(list_name)])
            self.manifests.origins[list_name] = [*self.manifests.origins.get(list_name, ())]
        return self.objects(list_name)
