"""Nodes, queues, shards, priority classes and the scheduler's configuration, as Kubernetes knows them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.devices import slices
from vqs.snapshot.scenario.generated import DumpedDocument, Generated, generated, manifest
from vqs.snapshot.scenario.lookup import RESOURCE_KEYS, Lookup, amounts, numbered, resource_list
from vqs.snapshot.scenario.storage import csi_node

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
