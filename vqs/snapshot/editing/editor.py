"""Manifests while edits are made to them: lists are copied when they change, objects are replaced, never changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from msgspec import structs

from vqs.snapshot.configuration.read import Configuration
from vqs.snapshot.diagnostics import Diagnostic
from vqs.snapshot.documents import Origin
from vqs.snapshot.manifests import Manifests


class ManifestEditor:
    """Edits manifests, and has them as they are so far; edits may assume that webhooks admit everything."""

    def __init__(self, manifests: Manifests, *, assume_admitted: bool = False) -> None:
        self.assume_admitted = assume_admitted
        self.manifests = replace(manifests, origins={**manifests.origins})
        self._own: set[str] = set()

    def objects(self, list_name: str) -> list[Any]:
        """Return the objects of a list; not to be changed."""
        return getattr(self.manifests, list_name)  # type: ignore[no-any-return]

    def indexes(self, list_name: str, wanted: Callable[[Any], bool]) -> Iterator[int]:
        """Yield the places in a list of the objects that are wanted."""
        return (index for index, each in enumerate(self.objects(list_name)) if wanted(each))

    def put(self, list_name: str, index: int, changed: Any) -> None:
        """Put an object in the place of another."""
        self._owned(list_name)[index] = changed

    def add(self, list_name: str, new: Any, origin: Origin) -> None:
        """Add an object; it stands where the one stands that it was made from."""
        self._owned(list_name).append(new)
        self.manifests.origins[list_name].append(origin)

    def remove(self, list_name: str, indexes: Collection[int]) -> None:
        """Remove the objects at some places."""
        gone = set(indexes)
        if gone:
            objects, origins = self._owned(list_name), self.manifests.origins[list_name]
            objects[:] = [each for index, each in enumerate(objects) if index not in gone]
            origins[:] = [each for index, each in enumerate(origins) if index not in gone]

    def configure(self, configuration: Configuration) -> None:
        """Take another configuration; a ConfigMap that the old one is in has the new one then."""
        old, index = self.manifests.conf, self.configured_by
        self.manifests.configuration = configuration
        if old is not None and index is not None:
            self._rewrite(index, old.key, configuration.text.text)

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

    def _rewrite(self, index: int, key: str, text: str) -> None:
        config_map = self.objects("config_maps")[index]
        self.put("config_maps", index, structs.replace(config_map, data={**config_map.data, key: text}))

    def _owned(self, list_name: str) -> list[Any]:
        if list_name not in self._own:
            self._own.add(list_name)
            setattr(self.manifests, list_name, [*self.objects(list_name)])
            self.manifests.origins[list_name] = [*self.manifests.origins.get(list_name, ())]
        return self.objects(list_name)
