"""The volumes of a pod, and their mounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.values import Part

_ACCESS_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_PROJECTIONS: Final = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle")
_FIELDS: Final = (*("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"),)
_AMOUNTS: Final = tuple(
    f"{side}.{resource}" for side in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_WITH_KEYS: Final = ("metadata.annotations", "metadata.labels")


def judge_volumes(spec: Part, pod_name: str) -> None:
    """Judge the volumes of a pod; one without a source is an empty folder."""
    seen: set[str] = set()
    volumes = spec.children("volumes")
    made = {f"{pod_name}-{each.text('name')}" for each in volumes if each.given("ephemeral")}
    for volume in volumes:
        name = volume.text("name")
        given = [key for key, value in volume.value.items() if key != "name" and value is not None]
        for key in given[1:]:
            volume.refuse(f"the volume has both {given[0]} and {key}", key)
        if given:
            source = volume.child(given[0])
            source.judge()
            if given[0] in _SOURCES:
                _SOURCES[given[0]](source)
        if name and name in seen:
            volume.refuse(f"two volumes are called {name}", "name")
        if pod_name and volume.child("persistentVolumeClaim").text("claimName") in made:
            message = "the claim is the one that is made for an ephemeral volume of the pod"
            volume.refuse(message, "persistentVolumeClaim", "claimName")
        seen.add(name)


def _empty_dir(source: Part) -> None:
    try:
        if parse(source.value.get("sizeLimit") or 0) < 0:
            source.refuse("the sizeLimit is less than zero", "sizeLimit")
    except (QuantityError, TypeError):
        return


def _downward(source: Part) -> None:
    for item in source.children("items"):
        given = item.given("fieldRef", "resourceFieldRef")
        if len(given) > 1:
            item.refuse("fieldRef and resourceFieldRef are both given")
        elif not given:
            item.refuse("neither fieldRef nor resourceFieldRef is given")
        elif given == ["fieldRef"]:
            judge_field_reference(item.child("fieldRef"), _FIELDS)
        else:
            item.child("resourceFieldRef").require("containerName")
            judge_resource_reference(item.child("resourceFieldRef"))


def judge_field_reference(reference: Part, fields: Sequence[str]) -> None:
    """Judge a reference to one of some fields of the pod."""
    version, path = reference.text("apiVersion"), reference.text("fieldPath")
    field, bracket, rest = path.partition("['")
    if not path:
        reference.refuse("fieldPath is missing", "fieldPath")
    elif version not in ("", "v1"):
        reference.refuse(f"the apiVersion {version} does not exist (there is v1)", "apiVersion")
    elif not (bracket and rest.endswith("']")):
        reference.choose("fieldPath", fields)
    elif field not in _WITH_KEYS:
        reference.refuse(f"{field} takes no key in brackets", "fieldPath")
    else:
        key = rest.removesuffix("']")
        reference.refuse(names.qualified_name(key.lower() if field == _WITH_KEYS[0] else key), "fieldPath")


def judge_resource_reference(reference: Part) -> None:
    """Judge a reference to a request or limit of a container."""
    reference.require("resource")
    if not reference.text("resource").startswith(_PAGES):
        reference.choose("resource", _AMOUNTS)


def _ephemeral(source: Part) -> None:
    if source.given("volumeClaimTemplate"):
        claim = source.child("volumeClaimTemplate").child("spec")
        claim.require("accessModes")
        if "storage" not in claim.child("resources").child("requests").value:
            claim.refuse("the claim requests no storage", "resources")
        claim.names(
            "accessModes", lambda mode: "" if mode in _ACCESS_MODES else f"the access mode {mode} does not exist"
        )
        claim.choose("volumeMode", ("Block", "Filesystem"))


def _projected(source: Part) -> None:
    for each in source.children("sources"):
        given = each.given(*_PROJECTIONS)
        for key in given[1:]:
            each.refuse(f"the source has both {given[0]} and {key}", key)
        if given:
            inner = each.child(given[0])
            inner.judge()
            if given[0] == "downwardAPI":
                _downward(inner)


_SOURCES: Final[Mapping[str, Callable[[Part], None]]] = {
    "emptyDir": _empty_dir,
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "projected": _projected,
}


# --- mounts -----------------------------------------------------------------------------------------------------------


def judge_mounts(container: Part, spec: Part) -> None:
    """Judge where a container mounts volumes, as folders or as devices."""
    known = {volume.text("name"): volume for volume in spec.children("volumes")}
    devices = container.children("volumeDevices")
    device_names = {each.text("name") for each in devices}
    paths: set[str] = set()
    for mount in container.children("volumeMounts"):
        _mount(mount, container, known)
        path, name = mount.text("mountPath"), mount.text("name")
        if path and path in paths:
            mount.refuse(f"two volumes are mounted at {path}", "mountPath")
        paths.add(path)
        if name in device_names:
            mount.refuse(f"{name} is among the volumeDevices too", "name")
    taken: set[str] = set()
    for device in devices:
        name, path = device.text("name"), device.text("devicePath")
        if name and name not in known:
            device.refuse(f"there is no volume {name!r} in the pod", "name")
        elif name and not known[name].given("persistentVolumeClaim", "ephemeral"):
            device.refuse(f"the volume {name} is not a claim, so it cannot be a device", "name")
        if path and path in paths:
            device.refuse(f"a volume is mounted at {path} too", "devicePath")
        for key in ("name", "devicePath"):
            if device.text(key) in taken:
                device.refuse(f"{device.text(key)} is given twice", key)
        taken |= {device.text("name"), device.text("devicePath")} - {""}


def _mount(mount: Part, container: Part, known: Mapping[str, Part]) -> None:
    name, propagation = mount.text("name"), mount.text("mountPropagation")
    if name and name not in known:
        mount.refuse(f"there is no volume {name!r} in the pod", "name")
    if mount.text("subPath") and mount.text("subPathExpr"):
        mount.refuse("subPath and subPathExpr are both given", "subPathExpr")
    if propagation == "Bidirectional" and not container.child("securityContext").is_true("privileged"):
        mount.refuse("Bidirectional is for privileged containers only", "mountPropagation")
    if mount.text("recursiveReadOnly") in ("IfPossible", "Enabled"):
        if not mount.is_true("readOnly"):
            mount.refuse("recursiveReadOnly is for mounts with readOnly only", "recursiveReadOnly")
        if propagation not in ("", "None"):
            mount.refuse("recursiveReadOnly is for mounts without mountPropagation only", "recursiveReadOnly")
