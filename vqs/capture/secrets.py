"""What is left out of captured objects: secrets are often in it, and scheduling never looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from vqs.model.keys import QUOTED_CONDITIONS, is_read

Plain = dict[str, Any]

_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_RUN: Final = ("env", "envFrom", "command", "args", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
"""The environment, commands and probes of a container, which may contain secrets."""
_MOUNTED: Final = (("csi", "volumeAttributes"), ("flexVolume", "options"), ("gitRepo", "repository"))
"""The fields with parameters of volume drivers, which may contain secrets."""


def without_secrets(value: Plain) -> Plain:
    """Remove from an object, in place, what may be secret or only takes space.

    Removed are variables, commands, arguments and probes of containers, parameters of volume drivers, status messages
    that no scheduler wrote, annotations that vqs does not read, as tools keep copies of the former there, and
    managedFields.
    """
    for metadata in _metadata(value):
        metadata.pop("managedFields", None)
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict):
            metadata["annotations"] = {key: each for key, each in annotations.items() if is_read(key)}
    for spec in _specs(value):
        for container in _maps(spec, _CONTAINERS):
            for field in _RUN:
                container.pop(field, None)
        spec.pop("mountOptions", None)
        for volume in (spec, *_maps(spec, ("volumes",))):
            for source, field in _MOUNTED:
                if isinstance(volume.get(source), dict):
                    volume[source].pop(field, None)
    value.pop("mountOptions", None)
    _drop_messages(value.get("status"))
    return value


def _drop_messages(value: Any) -> None:
    """Take the messages out of a status, but those of conditions that are quoted."""
    if isinstance(value, list):
        for each in value:
            _drop_messages(each)
    elif isinstance(value, dict):
        if value.get("type") not in QUOTED_CONDITIONS:
            value.pop("message", None)
        for each in value.values():
            _drop_messages(each)


def _metadata(value: Plain) -> Iterator[Plain]:
    """Yield the metadata of an object and of the templates in it, those of claims too."""
    claims: list[Plain] = []  # what claims of volumes are made by
    for spec in _specs(value):
        claims += _maps(spec, ("volumeClaimTemplates",))
        for volume in _maps(spec, ("volumes",)):
            ephemeral = volume.get("ephemeral")
            template = ephemeral.get("volumeClaimTemplate") if isinstance(ephemeral, dict) else None
            claims += [template] if isinstance(template, dict) else []
    for each in (value, *_templates(value), *claims):
        metadata = each.get("metadata")
        if isinstance(metadata, dict):
            yield metadata


def _specs(value: Plain) -> Iterator[Plain]:
    """Yield the spec of an object, and of the templates in it."""
    for each in (value, *_templates(value)):
        spec = each.get("spec")
        if isinstance(spec, dict):
            yield spec


def _templates(value: Plain) -> Iterator[Plain]:
    """Yield what an object makes others by, also within each other: a CronJob's Job has a template of its own."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return
    tasks = spec.get("tasks")
    for holder in (spec, *(tasks if isinstance(tasks, list) else ())):
        for key in ("template", "jobTemplate"):
            template = holder.get(key) if isinstance(holder, dict) else None
            if isinstance(template, dict):
                yield template
                yield from _templates(template)


def _maps(value: Any, fields: tuple[str, ...]) -> Iterator[Plain]:
    """Yield the maps in some lists of a map."""
    lists = [value.get(field) for field in fields] if isinstance(value, dict) else []
    for each in (each for values in lists if isinstance(values, list) for each in values):
        if isinstance(each, dict):
            yield each
