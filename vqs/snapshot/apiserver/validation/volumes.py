"""The volumes of a pod, and their mounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.environment import field_reference, resource_reference
from vqs.snapshot.apiserver.validation.rules import at_least, choice, named, required
from vqs.snapshot.apiserver.validation.values import (
    Faults,
    Object,
    below,
    child,
    children,
    is_given,
    is_true,
    text,
    texts,
)

_MOST_MODE: Final = 0o777
_HOST_PATHS: Final = (
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
)
_ACCESS_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_PROPAGATIONS: Final = ("None", "HostToContainer", "Bidirectional")
_RECURSIONS: Final = ("Disabled", "IfPossible", "Enabled")
_PROJECTIONS: Final = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle")
_LEAST_EXPIRY: Final = 600
_MOST_EXPIRY: Final = 2**32


def volumes(spec: Object, pod_name: str) -> Faults:
    """Judge the volumes of a pod; one without a source is an empty folder."""
    seen: set[str] = set()
    made = {f"{pod_name}-{text(each, 'name')}" for each in children(spec, "volumes") if is_given(each, "ephemeral")}
    for index, volume in enumerate(children(spec, "volumes")):
        name = text(volume, "name")
        yield from below(("volumes", index), _volume(volume))
        if name and name in seen:
            yield ("volumes", index, "name"), f"two volumes are called {name}"
        if pod_name and text(child(volume, "persistentVolumeClaim"), "claimName") in made:
            at = ("volumes", index, "persistentVolumeClaim", "claimName")
            yield at, "the claim is the one that is made for an ephemeral volume of the pod"
        seen.add(name)


def _volume(volume: Object) -> Faults:
    yield from required(volume, "name")
    yield from named(volume, "name", names.label)
    given = [key for key, value in volume.items() if key != "name" and value is not None]
    for key in given[1:]:
        yield (key,), f"the volume has both {given[0]} and {key}"
    for key in given[:1]:
        judge = _SOURCES.get(key)
        if judge is not None:
            yield from below((key,), judge(child(volume, key)))


def _empty_dir(source: Object) -> Faults:
    try:
        is_negative = parse(source.get("sizeLimit") or 0) < 0
    except (QuantityError, TypeError):
        return
    if is_negative:
        yield ("sizeLimit",), "the sizeLimit is less than zero"


def _host_path(source: Object) -> Faults:
    yield from required(source, "path")
    if wrong := names.backsteps(text(source, "path")):
        yield ("path",), wrong
    yield from choice(source, "type", _HOST_PATHS)


def _config_map(source: Object) -> Faults:
    yield from required(source, "name")
    yield from _files(source)


def _secret(source: Object) -> Faults:
    yield from required(source, "secretName")
    yield from _files(source)


def _files(source: Object) -> Faults:
    yield from at_least(source, "defaultMode", 0, _MOST_MODE)
    yield from _items(source)


def _items(source: Object) -> Faults:
    for index, item in enumerate(children(source, "items")):
        yield from below(("items", index), required(item, "key", "path"))
        yield from below(("items", index), _file(item))


def _file(item: Object) -> Faults:
    if wrong := names.file_path(text(item, "path")):
        yield ("path",), wrong
    yield from at_least(item, "mode", 0, _MOST_MODE)


def _downward(source: Object) -> Faults:
    yield from at_least(source, "defaultMode", 0, _MOST_MODE)
    for index, item in enumerate(children(source, "items")):
        yield from below(("items", index), _downward_file(item))


def _downward_file(item: Object) -> Faults:
    yield from required(item, "path")
    yield from _file(item)
    field, resource = is_given(item, "fieldRef"), is_given(item, "resourceFieldRef")
    if field and resource:
        yield (), "fieldRef and resourceFieldRef are both given"
    elif field:
        yield from below(("fieldRef",), field_reference(child(item, "fieldRef"), in_volume=True))
    elif resource:
        yield from below(("resourceFieldRef",), resource_reference(child(item, "resourceFieldRef"), in_volume=True))
    else:
        yield (), "neither fieldRef nor resourceFieldRef is given"


def _claim(source: Object) -> Faults:
    return required(source, "claimName")


def _nfs(source: Object) -> Faults:
    yield from required(source, "server", "path")
    path = text(source, "path")
    if path and not path.startswith("/"):
        yield ("path",), f"the path {path} is not absolute"


def _ephemeral(source: Object) -> Faults:
    yield from required(source, "volumeClaimTemplate")
    if is_given(source, "volumeClaimTemplate"):
        claim = child(child(source, "volumeClaimTemplate"), "spec")
        yield from below(("volumeClaimTemplate", "spec"), required(claim, "accessModes"))
        if "storage" not in child(child(claim, "resources"), "requests"):
            yield ("volumeClaimTemplate", "spec", "resources"), "the claim requests no storage"
        modes = texts(claim, "accessModes")
        for index, mode in enumerate(modes):
            if mode not in _ACCESS_MODES:
                yield ("volumeClaimTemplate", "spec", "accessModes", index), f"the access mode {mode} does not exist"
        yield from below(("volumeClaimTemplate", "spec"), choice(claim, "volumeMode", ("Block", "Filesystem")))


def _projected(source: Object) -> Faults:
    yield from at_least(source, "defaultMode", 0, _MOST_MODE)
    for index, each in enumerate(children(source, "sources")):
        yield from below(("sources", index), _projection(each))


def _projection(source: Object) -> Faults:
    given = [key for key in _PROJECTIONS if is_given(source, key)]
    for key in given[1:]:
        yield (key,), f"the source has both {given[0]} and {key}"
    for key in given[:1]:
        inner = child(source, key)
        if key in ("secret", "configMap"):
            yield from below((key,), required(inner, "name"))
            yield from below((key,), _items(inner))
        elif key == "downwardAPI":
            yield from below((key,), _downward(inner))
        elif key == "serviceAccountToken":
            yield from below((key,), required(inner, "path"))
            yield from below((key,), _file(inner))
            yield from below((key,), at_least(inner, "expirationSeconds", _LEAST_EXPIRY, _MOST_EXPIRY))


_SOURCES: Final[Mapping[str, Callable[[Object], Faults]]] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "configMap": _config_map,
    "secret": _secret,
    "downwardAPI": _downward,
    "persistentVolumeClaim": _claim,
    "nfs": _nfs,
    "ephemeral": _ephemeral,
    "projected": _projected,
}


# --- mounts -----------------------------------------------------------------------------------------------------------


def mounts(container: Object, spec: Object) -> Faults:
    """Judge where a container mounts volumes, as folders or as devices."""
    known = {text(volume, "name"): volume for volume in children(spec, "volumes")}
    folders, devices = children(container, "volumeMounts"), children(container, "volumeDevices")
    device_names = {text(each, "name") for each in devices}
    paths: set[str] = set()
    for index, mount in enumerate(folders):
        yield from below(("volumeMounts", index), _mount(mount, container, known))
        path = text(mount, "mountPath")
        if path and path in paths:
            yield ("volumeMounts", index, "mountPath"), f"two volumes are mounted at {path}"
        paths.add(path)
        if text(mount, "name") in device_names:
            yield ("volumeMounts", index, "name"), f"{text(mount, 'name')} is among the volumeDevices too"
    taken: set[str] = set()
    for index, device in enumerate(devices):
        yield from below(("volumeDevices", index), _device(device, known, paths))
        for key in ("name", "devicePath"):
            if text(device, key) in taken:
                yield ("volumeDevices", index, key), f"{text(device, key)} is given twice"
        taken |= {text(device, "name"), text(device, "devicePath")} - {""}


def _mount(mount: Object, container: Object, known: Mapping[str, Object]) -> Faults:
    yield from required(mount, "name", "mountPath")
    name = text(mount, "name")
    if name and name not in known:
        yield ("name",), f"there is no volume {name!r} in the pod"
    for key in ("subPath", "subPathExpr"):
        if wrong := names.local_path(text(mount, key)):
            yield (key,), wrong
    if text(mount, "subPath") and text(mount, "subPathExpr"):
        yield ("subPathExpr",), "subPath and subPathExpr are both given"
    yield from choice(mount, "mountPropagation", _PROPAGATIONS)
    if text(mount, "mountPropagation") == "Bidirectional" and not is_true(
        child(container, "securityContext"), "privileged"
    ):
        yield ("mountPropagation",), "Bidirectional is for privileged containers only"
    yield from choice(mount, "recursiveReadOnly", _RECURSIONS)
    if text(mount, "recursiveReadOnly") in _RECURSIONS[1:]:
        if not is_true(mount, "readOnly"):
            yield ("recursiveReadOnly",), "recursiveReadOnly is for mounts with readOnly only"
        if text(mount, "mountPropagation") not in ("", "None"):
            yield ("recursiveReadOnly",), "recursiveReadOnly is for mounts without mountPropagation only"


def _device(device: Object, known: Mapping[str, Object], paths: set[str]) -> Faults:
    yield from required(device, "name", "devicePath")
    name, path = text(device, "name"), text(device, "devicePath")
    if name and name not in known:
        yield ("name",), f"there is no volume {name!r} in the pod"
    elif name and not any(is_given(known[name], key) for key in ("persistentVolumeClaim", "ephemeral")):
        yield ("name",), f"the volume {name} is not a claim, so it cannot be a device"
    if wrong := names.backsteps(path):
        yield ("devicePath",), wrong
    if path and path in paths:
        yield ("devicePath",), f"a volume is mounted at {path} too"
