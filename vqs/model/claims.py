"""What a pod's claims on volumes and devices are called, and of what class those on volumes are.

Used where volumes are counted and where nodes are filtered. Reference: k8s.io/component-helpers/storage
(ephemeral/ephemeral.go, volume/helpers.go).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vqs.model.keys import CLASS_ANNOTATION
from vqs.model.kubernetes import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass

_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
"""The annotations of a StorageClass that claims without a class get."""


class ClaimName(NamedTuple):
    """The name of a claim; an ephemeral one is made for the pod, and goes with it."""

    name: str
    ephemeral: bool


def claim_names(pod: Pod) -> list[ClaimName]:
    """The names of a pod's claims, in the order of its volumes."""
    names = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            names.append(ClaimName(volume.persistent_volume_claim.claim_name, False))
        elif volume.ephemeral is not None:
            names.append(ClaimName(f"{pod.metadata.name}-{volume.name}", True))
    return names


def class_name(claim: PersistentVolumeClaim | PersistentVolume) -> str:
    """The storage class of a claim or volume, empty where it has none; the old annotation comes first."""
    return claim.metadata.annotations.get(CLASS_ANNOTATION, claim.spec.storage_class_name or "")


def default_class(classes: Iterable[StorageClass]) -> str:
    """The class that a new claim gets which names none: the default, of several the newest; empty without any.

    Reference: plugin/pkg/admission/storage/storageclass/setdefault in kubernetes/kubernetes.
    """
    defaults = [each for each in classes if any(each.metadata.annotations.get(key) == "true" for key in _IS_DEFAULT)]
    born = {id(each): each.metadata.creation_timestamp for each in defaults}
    newest = max((time for time in born.values() if time is not None), default=None)
    return min((each.metadata.name for each in defaults if born[id(each)] == newest), default="")


def made_for(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """True if a claim is a pod's own ephemeral one."""
    return any(owner.controller and owner.uid == pod.metadata.uid for owner in claim.metadata.owner_references)


def device_claims(pod: Pod) -> Iterator[str]:
    """Yield the namespace/name of each claim on devices that a pod uses, as far as these were made."""
    made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses}
    for named in pod.spec.resource_claims:
        name = named.resource_claim_name or made.get(named.name)
        if name:
            yield f"{pod.metadata.namespace}/{name}"
