"""What is left out of captured objects: secrets are often in it, and scheduling never looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

Plain = dict[str, Any]

_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_STATES: Final = ("state", "lastState")
_RUN: Final = ("env", "envFrom", "command", "args", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
"""What a container is told, and what it is asked while it runs."""


def without_secrets(value: Plain) -> Plain:
    """Take out of an object what may be secret, and what would only take room; the object is changed.

    That is what containers are told (variables, commands, arguments, probes) and what they said when they ended, the
    copy of all this that ``kubectl apply`` keeps in an annotation, and who set which field.
    """
    for metadata in _metadata(value):
        metadata.pop("managedFields", None)
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict):
            annotations.pop(_APPLIED, None)
    for spec in _pod_specs(value):
        for container in _maps(spec, _CONTAINERS):
            for field in _RUN:
                container.pop(field, None)
    for status in _maps(value.get("status"), _STATUSES):
        for state in (status.get(each) for each in _STATES):
            for each in state.values() if isinstance(state, dict) else ():
                if isinstance(each, dict):
                    each.pop("message", None)
    return value


def _metadata(value: Plain) -> Iterator[Plain]:
    """Yield the metadata of an object and of the templates in it."""
    for each in (value, *_templates(value)):
        metadata = each.get("metadata")
        if isinstance(metadata, dict):
            yield metadata


def _pod_specs(value: Plain) -> Iterator[Plain]:
    """Yield the spec of a pod, or of the pods that an object makes."""
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
