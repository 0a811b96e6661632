"""Environment variables of containers, and references to what pods know of themselves."""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.rules import choice, named, one_given, required
from vqs.snapshot.apiserver.validation.values import Faults, Object, below, child, children, is_given, text

_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")
_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_VOLUME_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "metadata.labels",
    "metadata.annotations",
)
_AMOUNTS: Final = tuple(
    f"{side}.{resource}" for side in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_WITH_KEYS: Final = ("metadata.annotations", "metadata.labels")


def environment(container: Object, options: Options) -> Faults:
    """Judge the variables of a container."""
    for index, variable in enumerate(children(container, "env")):
        yield from below(("env", index), _variable(variable, options))
    for index, source in enumerate(children(container, "envFrom")):
        yield from below(("envFrom", index), _source(source, options))


def _variable(variable: Object, options: Options) -> Faults:
    yield from required(variable, "name")
    yield from named(variable, "name", lambda name: names.environment_name(name, relaxed=options.relaxed))
    if not is_given(variable, "valueFrom"):
        return
    value_from = child(variable, "valueFrom")
    yield from below(("valueFrom",), one_given(value_from, _SOURCES, "valueFrom"))
    if text(variable, "value"):
        yield ("valueFrom",), "value and valueFrom are both given"
    if is_given(value_from, "fieldRef"):
        yield from below(("valueFrom", "fieldRef"), field_reference(child(value_from, "fieldRef"), in_volume=False))
    if is_given(value_from, "resourceFieldRef"):
        reference = child(value_from, "resourceFieldRef")
        yield from below(("valueFrom", "resourceFieldRef"), resource_reference(reference, in_volume=False))
    for key in ("configMapKeyRef", "secretKeyRef"):
        if is_given(value_from, key):
            yield from below(("valueFrom", key), _key_reference(child(value_from, key)))


def _source(source: Object, options: Options) -> Faults:
    yield from named(source, "prefix", lambda name: names.environment_name(name, relaxed=options.relaxed))
    yield from one_given(source, ("configMapRef", "secretRef"), "envFrom")
    for key in ("configMapRef", "secretRef"):
        if is_given(source, key):
            reference = child(source, key)
            yield from below((key,), required(reference, "name"))
            yield from below((key,), named(reference, "name", names.prefix))


def _key_reference(reference: Object) -> Faults:
    yield from required(reference, "name", "key")
    yield from named(reference, "name", names.subdomain)
    yield from named(reference, "key", names.config_key)


def field_reference(reference: Object, *, in_volume: bool) -> Faults:
    """Judge a reference to a field of the pod."""
    version, path = text(reference, "apiVersion"), text(reference, "fieldPath")
    if not path:
        yield ("fieldPath",), "fieldPath is missing"
        return
    if version not in ("", "v1"):
        yield ("apiVersion",), f"the apiVersion {version} does not exist (there is v1)"
        return
    field, bracket, rest = path.partition("['")
    if bracket and rest.endswith("']"):
        key = rest.removesuffix("']")
        if field not in _WITH_KEYS:
            yield ("fieldPath",), f"{field} takes no key in brackets"
        elif wrong := names.qualified_name(key.lower() if field == _WITH_KEYS[0] else key):
            yield ("fieldPath",), wrong
    else:
        yield from choice(reference, "fieldPath", _VOLUME_FIELDS if in_volume else _FIELDS)


def resource_reference(reference: Object, *, in_volume: bool) -> Faults:
    """Judge a reference to a request or limit of a container."""
    if in_volume:
        yield from required(reference, "containerName")
    yield from required(reference, "resource")
    if not text(reference, "resource").startswith(_PAGES):
        yield from choice(reference, "resource", _AMOUNTS)
