"""Volumes, claims and storage classes."""

from collections.abc import Iterator

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks.pods import requirements
from vqs.snapshot.apiserver.checks.selectors import label_selector, node_selector
from vqs.snapshot.apiserver.checks.values import choice, quantities
from vqs.snapshot.reading.diagnostics import Defect, Path


def of_claim(claim: k8s.PersistentVolumeClaim) -> Iterator[Defect]:
    """Yield what is wrong with a PersistentVolumeClaim."""
    yield from claim_spec(("spec",), claim.spec)
    yield from quantities(("status", "capacity"), claim.status.capacity)


def claim_spec(path: Path, spec: k8s.PersistentVolumeClaimSpec) -> Iterator[Defect]:
    """Yield what is wrong with what a claim asks for."""
    yield from requirements((*path, "resources"), spec.resources)
    yield from label_selector((*path, "selector"), spec.selector)


def of_volume(volume: k8s.PersistentVolume) -> Iterator[Defect]:
    """Yield what is wrong with a PersistentVolume."""
    yield from quantities(("spec", "capacity"), volume.spec.capacity)
    if volume.spec.node_affinity is not None:
        yield from node_selector(("spec", "nodeAffinity", "required"), volume.spec.node_affinity.required)


def of_storage_capacity(capacity: k8s.CSIStorageCapacity) -> Iterator[Defect]:
    """Yield what is wrong with a CSIStorageCapacity."""
    yield from quantities((), sizes_of(capacity))
    yield from label_selector(("nodeTopology",), capacity.node_topology)


def sizes_of(capacity: k8s.CSIStorageCapacity) -> k8s.ResourceList:
    """Return the sizes that a CSIStorageCapacity gives, by field."""
    sizes = {"capacity": capacity.capacity, "maximumVolumeSize": capacity.maximum_volume_size}
    return {name: size for name, size in sizes.items() if size is not None}


def of_storage_class(storage_class: k8s.StorageClass) -> Iterator[Defect]:
    """Yield what is wrong with a StorageClass."""
    modes = ("Immediate", "WaitForFirstConsumer")
    return choice(("volumeBindingMode",), storage_class.volume_binding_mode, modes)
