"""The objects of a scenario as Kubernetes knows them: nodes, queues, devices, volumes, and the configuration.

Devices (dynamic resource allocation) have nodes, classes, and the claims of pods; volumes have storage classes, too.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from vqs.model import kubernetes as k8s
from vqs.model.devices import ALL_DEVICES, EXACT_COUNT
from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.generated import DumpedDocument, Generated, Object, generated, manifest
from vqs.snapshot.scenario.lookup import RESOURCE_KEYS, Lookup, Named, amounts, numbered, resource_list

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

VOLUME_KEYS: Final = ("class", "size", "accessModes")
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
        for name, entry in _named(entries, "volume")
    ]


def claims_of_pod(
    entries: Sequence[Mapping[str, Any]], pod: str, namespace: str, origin: Origin
) -> Iterator[Generated]:
    """Yield the claims of a pod's own, named as those of a StatefulSet are."""
    for index, (name, entry) in enumerate(_named(entries, "volume")):
        if "claim" not in entry:
            value = claim(f"{name}-{pod}", namespace, entry)
            yield generated(value, origin.inside("volumes", index), _CLAIM_PLACES)


def _named(entries: Sequence[Mapping[str, Any]], kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what a pod has of a kind, by its name, or else by its number."""
    for index, entry in enumerate(entries):
        yield entry.get("name", f"{kind}-{index}"), entry


_REQUEST: Final = "devices"
_MOST_IN_A_SLICE: Final = 128
"""How many devices the API server takes in a ResourceSlice."""

_ALL: Final = "all"
_TYPES: Final[Mapping[type, str]] = {bool: "bool", int: "int", str: "string"}
DEVICE_KEYS: Final = ("class", "count", "where")
"""What an entry of a pod's devices says of a claim that is the pod's own."""


def slices(node: str, entries: Sequence[Mapping[str, Any]], origin: Origin) -> Iterator[Generated]:
    """Yield the ResourceSlices of a node: what each driver offers there."""
    by_driver: dict[str, list[Object]] = {}
    nameless = 0
    for entry in entries:
        name, count = entry.get("name"), entry.get("count")
        if name is None:
            name, nameless = f"device-{nameless}", nameless + (1 if count is None else count)
        attributes = {key: {_TYPES[type(value)]: value} for key, value in entry.get("attributes", {}).items()}
        capacity = {key: {"value": amount} for key, amount in entry.get("capacity", {}).items()}
        by_driver.setdefault(entry["driver"], []).extend(
            {"name": each, "attributes": attributes, "capacity": capacity} for each in numbered(name, count)
        )
    for driver, devices in by_driver.items():
        starts = range(0, len(devices), _MOST_IN_A_SLICE)
        parts = [devices[start : start + _MOST_IN_A_SLICE] for start in starts]
        pool = {"name": node, "generation": 1, "resourceSliceCount": len(parts)}
        for number, part in enumerate(parts):
            spec = {"driver": driver, "nodeName": node, "pool": pool, "devices": part}
            value = manifest("ResourceSlice", f"{node}-{driver}-{number}", spec=spec)
            yield generated(value, origin, {("spec",): ("devices",), ("metadata",): ()})


def device_classes(entries: Sequence[Mapping[str, Any]], scenario: Origin) -> Iterator[Generated]:
    """Yield the classes of devices."""
    for index, entry in enumerate(entries):
        driver = [f'device.driver == "{entry["driver"]}"'] if "driver" in entry else []
        expressions = [*driver, *([entry["where"]] if "where" in entry else [])]
        value = manifest("DeviceClass", entry["name"], spec={"selectors": _selectors(expressions)})
        yield generated(value, scenario.inside("deviceClasses", index), {("spec",): ("where",), ("metadata",): ()})


def device_claims(entries: Sequence[Mapping[str, Any]], scenario: Origin, lookup: Lookup) -> Iterator[Generated]:
    """Yield the claims that have names of their own, with the devices that they hold."""
    offered = {
        (each.spec.node_name, device.name): {"driver": each.spec.driver, "pool": each.spec.pool.name}
        for each in lookup.known.resource_slices
        for device in each.spec.devices
    }
    for index, entry in enumerate(entries):
        origin = scenario.inside("deviceClaims", index)
        lookup.require(Named.DEVICE_CLASS, entry["class"], origin, ("class",))
        namespace = entry.get("namespace", "default")
        value = manifest("ResourceClaim", entry["name"], namespace, spec=_claim(entry))
        if "holds" in entry:
            # The devices that a claim holds, and the node that they are on.
            holds = entry["holds"]
            node = holds["node"]
            lookup.check("node", node, lookup.room.nodes, origin, ("holds", "node"))
            there = [device for place, device in offered if place == node]
            results = []
            for number, device in enumerate(holds["devices"]):
                found = offered.get((node, device))
                if found is not None:
                    results.append({"request": _REQUEST, **found, "device": device})
                elif node in lookup.room.nodes:
                    lookup.check(f"device of node {node}", device, there, origin, ("holds", "devices", number))
            selector = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
            value["status"] = {
                "allocation": {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [selector]}}
            }
        places: dict[Path, Path] = {("spec",): (), ("metadata",): (), ("status",): ("holds",)}
        yield generated(value, origin, places)


def _claim(entry: Mapping[str, Any]) -> Object:
    count = entry.get("count", len(entry.get("holds", {}).get("devices", ())) or 1)
    exactly: Object = {"deviceClassName": entry["class"], "allocationMode": EXACT_COUNT, "count": count}
    if count == _ALL:
        exactly = {"deviceClassName": entry["class"], "allocationMode": ALL_DEVICES}
    if "where" in entry:
        exactly["selectors"] = _selectors([entry["where"]])
    return {"devices": {"requests": [{"name": _REQUEST, "exactly": exactly}]}}


def _selectors(expressions: Iterable[str]) -> list[Object]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def pod_claims(entries: Sequence[Mapping[str, Any]], prefix: str) -> list[Object]:
    """The claims in the spec of pods whose templates have a prefix."""
    return [
        {"name": name, "resourceClaimName": entry["claim"]}
        if "claim" in entry
        else {"name": name, "resourceClaimTemplateName": f"{prefix}-{name}"}
        for name, entry in _named(entries, "device")
    ]


def container_claims(entries: Sequence[Mapping[str, Any]]) -> list[Object]:
    """The claims that a container of such a pod uses: all of them."""
    return [{"name": name} for name, _ in _named(entries, "device")]


def templates(entries: Sequence[Mapping[str, Any]], prefix: str, namespace: str, origin: Origin) -> Iterator[Generated]:
    """Yield the templates of the claims that each pod has for itself."""
    for index, (name, entry) in enumerate(_named(entries, "device")):
        if "claim" not in entry:
            spec = {"spec": _claim(entry)}
            value = manifest("ResourceClaimTemplate", f"{prefix}-{name}", namespace, spec=spec)
            yield generated(value, origin.inside("devices", index), {("spec",): (), ("metadata",): ()})


_PODS: Final = 110
_QUEUE_RESOURCES: Final = ("capability", "deserved")
_QUEUE_KEYS: Final = ("weight", "parent", "priority", "reclaimable")
_CONF: Final = "volcano-scheduler.conf"
_NUMA_NODES: Final = 2
_CORES: Final = 4
_NUMA_PLACES: Final[dict[Path, Path]] = {
    ("metadata",): (),
    ("spec",): ("numa",),
    ("spec", "resReserved", "cpu"): ("numa", "reserved"),
    ("spec", "numares", "cpu", "allocatable"): ("numa", "free"),
}


def nodes(
    entries: Iterable[tuple[Mapping[str, Any], Origin]],
    now: str,
    problems: Problems,
    *,
    drivers: Collection[str] | None,
) -> Iterator[Generated]:
    """Yield the machines, their CPUs and devices; those without a name are numbered on from entry to entry.

    Where the CSI drivers of a scenario are given, each has a CSINode with them too.
    """
    nameless = 0
    for entry, origin in entries:
        name, count = entry.get("name"), entry.get("count")
        if name is None:
            name, nameless = f"node-{nameless}", nameless + (1 if count is None else count)
        given, written = amounts(entry, (*RESOURCE_KEYS, "pods"), origin, problems)
        allocatable = {**given, "pods": given.get("pods", _PODS)}
        places: dict[Path, Path] = {("spec",): (), ("metadata",): ()}
        for resource, path in written.items():
            places[("status", "allocatable", resource)] = places[("status", "capacity", resource)] = path
        numa = _numa(entry["numa"]) if "numa" in entry else None
        for each in numbered(name, count):
            metadata: dict[str, Any] = {"labels": {"kubernetes.io/hostname": each, **entry.get("labels", {})}}
            if "annotations" in entry:
                metadata["annotations"] = entry["annotations"]
            spec = {key: entry[key] for key in ("taints", "unschedulable") if key in entry}
            # A kubelet tells when it was ready, and so the plain manifests still know the scenario's time.
            ready = [{"type": "Ready", "status": "True", "lastTransitionTime": now}]
            status = {"allocatable": allocatable, "capacity": allocatable, "conditions": ready}
            yield generated(manifest("Node", each, metadata=metadata, spec=spec, status=status), origin, places)
            if numa is not None:
                yield generated(manifest("Numatopology", each, spec=numa), origin, _NUMA_PLACES)
            if drivers is not None or "volumeLimits" in entry:
                yield csi_node(each, drivers or (), entry.get("volumeLimits", {}), origin)
            yield from slices(each, entry.get("devices", ()), origin)


def _numa(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The spec of a Numatopology: a socket for each NUMA node, the cores of all in a row."""
    per_node = entry.get("cores", _CORES)
    cores = entry.get("nodes", _NUMA_NODES) * per_node
    cpus = cores * entry.get("threads", 1)
    return {
        "policies": {"CPUManagerPolicy": "static", "TopologyManagerPolicy": entry.get("policy", "restricted")},
        "resReserved": {"cpu": str(entry.get("reserved", 0))},
        "numares": {"cpu": {"allocatable": entry.get("free", f"0-{cpus - 1}"), "capacity": cpus}},
        "cpuDetail": {
            str(cpu): {"numa": cpu % cores // per_node, "socket": cpu % cores // per_node, "core": cpu % cores}
            for cpu in range(cpus)
        },
    }


def queues(entries: Sequence[Mapping[str, Any]], scenario: Origin, problems: Problems) -> Iterator[Generated]:
    """Yield the queues."""
    for index, entry in enumerate(entries):
        origin = scenario.inside("queues", index)
        spec = {key: entry[key] for key in _QUEUE_KEYS if key in entry}
        places: dict[Path, Path] = {("spec",): (), ("metadata",): (), ("status",): ()}
        for key in _QUEUE_RESOURCES:
            spec[key], written = resource_list(entry.get(key, {}), (key,), origin, problems)
            places |= {("spec", key, name): path for name, path in written.items()}
        resource, written = resource_list(entry.get("guarantee", {}), ("guarantee",), origin, problems)
        places |= {("spec", "guarantee", "resource", name): path for name, path in written.items()}
        if resource:
            spec["guarantee"] = {"resource": resource}
        given = {key: setting for key, setting in spec.items() if setting != {}}
        value = manifest("Queue", entry["name"], spec=given, status={"state": entry.get("state", "Open")})
        yield generated(value, origin, places)


def shards(entries: Sequence[Mapping[str, Any]], scenario: Origin, lookup: Lookup) -> Iterator[Generated]:
    """Yield the NodeShards, and what they have still to add and to leave."""
    for index, entry in enumerate(entries):
        origin = scenario.inside("shards", index)
        wanted = _names(lookup.nodes(entry.get("nodes", ()), origin, ("nodes",)))
        used = _names(lookup.nodes(entry["inUse"], origin, ("inUse",))) if "inUse" in entry else wanted
        status = {
            "nodesInUse": used,
            "nodesToAdd": [name for name in wanted if name not in set(used)],
            "nodesToRemove": [name for name in used if name not in set(wanted)],
        }
        value = manifest("NodeShard", entry["name"], spec={"nodesDesired": wanted}, status=status)
        yield generated(value, origin, {("metadata",): (), ("spec",): ("nodes",), ("status",): ("inUse",)})


def _names(nodes: Iterable[k8s.Node]) -> list[str]:
    return [node.metadata.name for node in nodes]


def priority_classes(values: Mapping[str, int], scenario: Origin) -> Iterator[Generated]:
    """Yield the priority classes."""
    for name, value in values.items():
        yield generated(manifest("PriorityClass", name, value=value), scenario.inside("priorityClasses", name))


def configuration(scheduler: str | Mapping[str, Any], scenario: Origin) -> Generated:
    """The scheduler's configuration in the ConfigMap that it is usually in."""
    places: dict[Path, Path] = {("data", _CONF): ("scheduler",)}
    is_text = isinstance(scheduler, str)
    text = str(scheduler) if is_text else yaml.safe_dump(scheduler, sort_keys=False, width=1 << 20)
    value = manifest("ConfigMap", "volcano-scheduler-configmap", "volcano-system", data={_CONF: text})
    if is_text:
        return generated(value, scenario, places)
    return Generated(value, Origin(DumpedDocument(scenario, places, text)), scenario)
