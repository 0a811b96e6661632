"""From the place that a rule names to the place in a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from vqs.lint.rule import ConfPlace, LintContext, Place
from vqs.model.kubernetes import PodGroup
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.text import go_tag
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position, Severity
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF
from vqs.snapshot.reading.kinds import key_of as typed_key

_NAME: Path = ("metadata", "name")


def key_of(origin: Origin) -> tuple[int, object]:
    """The identity of an object that was read: its document, and its path there."""
    return id(origin.document), origin.path


class Places:
    """Finds the places of values in the files that a context was read from."""

    def __init__(self, context: LintContext) -> None:
        self.context = context
        self.conf = context.manifests.conf

    def origin(self, at: Place | ConfPlace | None) -> tuple[Origin | None, Path]:
        """The origin of the object that a place is in, and the path in it.

        What a controller made has the place of what it was made from.
        """
        if at is None:
            return None, ()
        if isinstance(at, ConfPlace):
            return self.conf.origin if self.conf is not None else None, at.path
        given = self.context.manifests.origins.get(at.list_name, [])
        if at.index < len(given):
            return given[at.index], at.path
        return self.context.completed.origins[at.list_name][at.index], _NAME

    def diagnostic(
        self, at: Place | ConfPlace | None, code: str, message: str, *, severity: Severity, hint: str = ""
    ) -> Diagnostic:
        """Make a diagnostic about a place."""
        if isinstance(at, ConfPlace) and self.conf is not None:
            places = self._conf_places
            node = places and (places.find_key(at.path) if at.key else places.find(at.path))
            position = yaml_text.position_of(node) if node else Position(1, 1)
            return self.conf.diagnostic(code, message, position, at.path, severity=severity, hint=hint)
        origin, path = self.origin(at)
        if origin is not None and not isinstance(at, ConfPlace):
            return origin.diagnostic(code, message, path, severity=severity, hint=hint)
        return Diagnostic(code=code, severity=severity, message=message, help=hint)

    def object_at(self, origin: Origin | None) -> Any:
        """The object that comes from somewhere, if it was given."""
        return self._objects.get(key_of(origin)) if origin is not None else None

    def label(self, origin: Origin | None) -> str:
        """Name the object that comes from somewhere: its kind and name."""
        typed = self.object_at(origin)
        if typed is None:
            return ""
        made_by = self.context.manifests.made_by.get(typed_key(typed))
        if made_by is not None:
            return made_by
        kind, metadata = KIND_OF[type(typed)], typed.metadata
        return (
            f"{kind.name} {metadata.namespace}/{metadata.name}" if kind.namespaced else f"{kind.name} {metadata.name}"
        )

    def called(self, origin: Origin | None) -> str:
        """The name that people know the job of a PodGroup by, given its origin; empty where it is the PodGroup's."""
        typed = self.object_at(origin)
        name = self.context.job_names.get(typed.metadata.key) if isinstance(typed, PodGroup) else None
        return name.display if name is not None and name.display != name.uid else ""

    @cached_property
    def _conf_places(self) -> yaml_text.Places | None:
        """The configuration's YAML; None where there is none. It was read before, so that it is sound."""
        root = next(iter(yaml_text.compose(self.conf.text, go_tag)), None) if self.conf else None
        return yaml_text.Places(root) if root is not None else None

    @cached_property
    def _objects(self) -> dict[tuple[int, object], Any]:
        made_by = self.context.manifests.made_by
        pairs = sorted(self.objects(), key=lambda pair: typed_key(pair[1]) in made_by) if made_by else self.objects()
        found: dict[tuple[int, object], Any] = {}
        for origin, typed in pairs:  # what is written stands before what it stands for, and a node before its copies
            found.setdefault(key_of(origin), typed)
        return found

    def objects(self) -> Iterator[tuple[Origin, Any]]:
        """Yield all objects that were given, each with its origin."""
        manifests = self.context.manifests
        for list_name, origins in manifests.origins.items():
            yield from zip(origins, getattr(manifests, list_name), strict=True)
