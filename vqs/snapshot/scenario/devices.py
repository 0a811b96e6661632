"""Devices of nodes, classes of devices, and the claims of pods on them: dynamic resource allocation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from vqs.model.devices import ALL_DEVICES, EXACT_COUNT
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.generated import Generated, Object, generated, manifest
from vqs.snapshot.scenario.lookup import Lookup, Named, numbered

_REQUEST: Final = "devices"
_MOST_IN_A_SLICE: Final = 128
"""How many devices the API server takes in a ResourceSlice."""

_ALL: Final = "all"
_TYPES: Final[Mapping[type, str]] = {bool: "bool", int: "int", str: "string"}
OWN_KEYS: Final = ("class", "count", "where")
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
        for name, entry in _named(entries)
    ]


def container_claims(entries: Sequence[Mapping[str, Any]]) -> list[Object]:
    """The claims that a container of such a pod uses: all of them."""
    return [{"name": name} for name, _ in _named(entries)]


def templates(entries: Sequence[Mapping[str, Any]], prefix: str, namespace: str, origin: Origin) -> Iterator[Generated]:
    """Yield the templates of the claims that each pod has for itself."""
    for index, (name, entry) in enumerate(_named(entries)):
        if "claim" not in entry:
            spec = {"spec": _claim(entry)}
            value = manifest("ResourceClaimTemplate", f"{prefix}-{name}", namespace, spec=spec)
            yield generated(value, origin.inside("devices", index), {("spec",): (), ("metadata",): ()})


def _named(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, entry in enumerate(entries):
        yield entry.get("name", f"device-{index}"), entry
