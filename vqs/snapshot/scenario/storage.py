"""Volumes: storage classes, the volumes that there are, and the claims of pods on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.generated import Generated, Object, generated, manifest
from vqs.snapshot.scenario.lookup import Lookup, Named, numbered

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_BINDING: Final = "WaitForFirstConsumer"
_ACCESS: Final = ("ReadWriteOnce",)
_SYSTEM: Final = "kube-system"
_HOSTNAME: Final = "kubernetes.io/hostname"
_CLAIM_PLACES: Final[Mapping[Path, Path]] = {
    ("spec",): (),
    ("metadata",): (),
    ("spec", "storageClassName"): ("class",),
    ("spec", "resources", "requests", "storage"): ("size",),
}
_VOLUME_PLACES: Final[Mapping[Path, Path]] = {
    ("spec",): (),
    ("metadata",): (),
    ("spec", "storageClassName"): ("class",),
    ("spec", "capacity", "storage"): ("size",),
}
_KEYS: Final = ("storageClasses", "volumes", "volumeClaims")
"""The keys of a scenario that are about storage."""

OWN_KEYS: Final = ("class", "size", "accessModes")
"""What an entry of a pod's volumes says of a claim that is the pod's own."""


def csi_drivers(scenarios: Iterable[Mapping[str, Any]]) -> set[str] | None:
    """The CSI drivers that scenarios name; None where they are not about storage."""
    parts = [value for value in scenarios if any(key in value for key in _KEYS)]
    if not parts:
        return None
    classes = (entry for value in parts for entry in value.get("storageClasses", ()))
    volumes = (entry for value in parts for entry in value.get("volumes", ()))
    drivers = {entry.get("provisioner", _NO_PROVISIONER) for entry in classes} - {_NO_PROVISIONER}
    return drivers | {entry["driver"] for entry in volumes if "driver" in entry}


def csi_node(name: str, drivers: Iterable[str], limits: Mapping[str, int], origin: Origin) -> Generated:
    """The CSINode of a node: its drivers, and how many volumes of some of them it takes."""
    registered = [
        {"name": driver, "nodeID": name, **({"allocatable": {"count": limits[driver]}} if driver in limits else {})}
        for driver in sorted({*drivers, *limits})
    ]
    value = manifest("CSINode", name, spec={"drivers": registered})
    return generated(value, origin, {("metadata",): (), ("spec",): ("volumeLimits",)})


def storage_classes(entries: Sequence[Mapping[str, Any]], scenario: Origin) -> Iterator[Generated]:
    """Yield the storage classes."""
    for index, entry in enumerate(entries):
        provisioner, binding = entry.get("provisioner", _NO_PROVISIONER), entry.get("binding", _BINDING)
        value = manifest("StorageClass", entry["name"], provisioner=provisioner, volumeBindingMode=binding)
        if "topology" in entry:
            labels = [{"key": key, "values": values} for key, values in entry["topology"].items()]
            value["allowedTopologies"] = [{"matchLabelExpressions": labels}]
        places: dict[Path, Path] = {("metadata",): (), ("volumeBindingMode",): ("binding",)}
        yield generated(value, scenario.inside("storageClasses", index), places)


def free_storage(entries: Sequence[Mapping[str, Any]], scenario: Origin, lookup: Lookup) -> Iterator[Generated]:
    """Yield the room for new volumes that the storage classes have."""
    for index, entry in enumerate(entries):
        for number, room in enumerate(entry.get("freeStorage", ())):
            origin = scenario.inside("storageClasses", index).inside("freeStorage", number)
            nodes = lookup.nodes(room["nodes"], origin, ("nodes",)) if "nodes" in room else None
            value = manifest(
                "CSIStorageCapacity",
                f"{entry['name']}-{number}",
                _SYSTEM,
                storageClassName=entry["name"],
                nodeTopology={} if nodes is None else {"matchExpressions": [_named_one_of(nodes)]},
                capacity=room["size"],
            )
            if "largest" in room:
                value["maximumVolumeSize"] = room["largest"]
            places: dict[Path, Path] = {
                ("metadata",): (),
                ("capacity",): ("size",),
                ("maximumVolumeSize",): ("largest",),
            }
            yield generated(value, origin, places)


def capacity_drivers(scenarios: Iterable[tuple[Mapping[str, Any], Origin]]) -> Iterator[Generated]:
    """Yield the drivers that say how much room for new volumes they have, each once."""
    seen: set[str] = set()
    for value, scenario in scenarios:
        for index, entry in enumerate(value.get("storageClasses", ())):
            driver = entry.get("provisioner", _NO_PROVISIONER)
            if "freeStorage" in entry and driver not in {*seen, _NO_PROVISIONER}:
                seen.add(driver)
                made = manifest("CSIDriver", driver, spec={"storageCapacity": True})
                places: dict[Path, Path] = {("metadata",): (), ("spec",): ("freeStorage",)}
                yield generated(made, scenario.inside("storageClasses", index), places)


def volumes(
    entries: Sequence[Mapping[str, Any]], scenario: Origin, lookup: Lookup, claimed: Mapping[str, Object]
) -> Iterator[Generated]:
    """Yield the volumes.

    Args:
        entries: the volumes of the scenario.
        scenario: where it is written.
        lookup: finds nodes.
        claimed: by the name of a volume, the reference to the claim that has it.
    """
    for index, entry in enumerate(entries):
        origin = scenario.inside("volumes", index)
        spec: Object = {
            "capacity": {"storage": entry["size"]},
            "accessModes": list(entry.get("accessModes", _ACCESS)),
            "storageClassName": entry.get("class", ""),
        }
        if "driver" in entry:
            spec["csi"] = {"driver": entry["driver"]}
        if "nodes" in entry:
            named = _named_one_of(lookup.nodes(entry["nodes"], origin, ("nodes",)))
            term = {"matchExpressions": [named]} if named["values"] else {}  # one that requires nothing matches nothing
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
        for name in numbered(entry["name"], entry.get("count")):
            own: Object = {"claimRef": claimed[name]} if name in claimed else {}
            handle: Object = {"csi": {**spec["csi"], "volumeHandle": name}} if "csi" in spec else {}
            value = manifest(
                "PersistentVolume",
                name,
                metadata={"labels": entry.get("labels", {})},
                spec={**spec, **own, **handle},
                status={"phase": "Bound" if own else "Available"},
            )
            yield generated(value, origin, _VOLUME_PLACES)


def _named_one_of(nodes: Iterable[k8s.Node]) -> Object:
    """A requirement of the hostname that some nodes meet."""
    names = [node.metadata.labels.get(_HOSTNAME, node.metadata.name) for node in nodes]
    return {"key": _HOSTNAME, "operator": "In", "values": names}


def volume_claims(entries: Sequence[Mapping[str, Any]], scenario: Origin, lookup: Lookup) -> Iterator[Generated]:
    """Yield the claims that have names of their own."""
    for index, entry in enumerate(entries):
        origin = scenario.inside("volumeClaims", index)
        for key, kind in (("class", Named.STORAGE_CLASS), ("volume", Named.VOLUME)):
            if entry.get(key):
                lookup.require(kind, entry[key], origin, (key,))
        yield generated(claim(entry["name"], entry.get("namespace", "default"), entry), origin, _CLAIM_PLACES)


def references(entries: Iterable[Mapping[str, Any]]) -> dict[str, Object]:
    """Return, by the name of a volume, the reference to the claim that has it."""
    return {
        entry["volume"]: {
            "kind": "PersistentVolumeClaim",
            "namespace": entry.get("namespace", "default"),
            "name": entry["name"],
        }
        for entry in entries
        if "volume" in entry
    }


def claim(name: str, namespace: str, entry: Mapping[str, Any]) -> Object:
    """A claim on a volume, which is bound if its volume is named."""
    spec: Object = {"accessModes": list(entry.get("accessModes", _ACCESS))}
    if "class" in entry:
        spec["storageClassName"] = entry["class"]
    if "size" in entry:
        spec["resources"] = {"requests": {"storage": entry["size"]}}
    if "volume" in entry:
        spec["volumeName"] = entry["volume"]
    phase = "Bound" if "volume" in entry else "Pending"
    return manifest("PersistentVolumeClaim", name, namespace, spec=spec, status={"phase": phase})


def pod_volumes(entries: Sequence[Mapping[str, Any]], pod: str) -> list[Object]:
    """The volumes in the spec of a pod."""
    return [
        {"name": name, "persistentVolumeClaim": {"claimName": entry.get("claim", f"{name}-{pod}")}}
        for name, entry in _named(entries)
    ]


def claims_of_pod(
    entries: Sequence[Mapping[str, Any]], pod: str, namespace: str, origin: Origin
) -> Iterator[Generated]:
    """Yield the claims of a pod's own, named as those of a StatefulSet are."""
    for index, (name, entry) in enumerate(_named(entries)):
        if "claim" not in entry:
            value = claim(f"{name}-{pod}", namespace, entry)
            yield generated(value, origin.inside("volumes", index), _CLAIM_PLACES)


def _named(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, entry in enumerate(entries):
        yield entry.get("name", f"volume-{index}"), entry
