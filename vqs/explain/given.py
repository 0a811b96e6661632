"""What a session gave to the claims of pods that it binds: volumes and devices, as the next session finds them.

References: BindPodVolumes in pkg/scheduler/capabilities/volumebinding/binder.go; PreBind of Kubernetes' plugin
dynamicresources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from msgspec import structs

from vqs.engine.plugins.predicates.binding import SELECTED_NODE
from vqs.engine.session import Session
from vqs.model import kubernetes as k8s
from vqs.model.task import TaskStatus
from vqs.snapshot.manifests import Manifests

_BOUND = "Bound"


def with_given(manifests: Manifests, session: Session) -> Manifests:
    """Return manifests in which claims have what the session gave them for pods that it binds."""
    cluster = session.cluster
    bound = [task.uid for job in session.jobs.values() for task in job.having(TaskStatus.Binding).values()]
    volumes = {claim: name for uid in bound for claim, name in cluster.given_volumes.get(uid, {}).items()}
    nodes = {claim: name for uid in bound for claim, name in cluster.nodes_for_volumes.get(uid, {}).items()}
    devices = {claim: held for uid in bound for claim, held in cluster.given_devices.get(uid, {}).items()}
    if not volumes and not nodes and not devices:
        return manifests
    owners = {volumes[claim.metadata.key]: claim for claim in manifests.claims if claim.metadata.key in volumes}
    return replace(
        manifests,
        claims=list(_claims(manifests, volumes, nodes)),
        volumes=[
            _owned(volume, owners[volume.metadata.name]) if volume.metadata.name in owners else volume
            for volume in manifests.volumes
        ],
        resource_claims=[
            structs.replace(claim, status=structs.replace(claim.status, allocation=devices[claim.metadata.key]))
            if claim.metadata.key in devices
            else claim
            for claim in manifests.resource_claims
        ],
    )


def _claims(
    manifests: Manifests, volumes: Mapping[str, str], nodes: Mapping[str, str]
) -> Iterator[k8s.PersistentVolumeClaim]:
    """Yield the claims: bound where they were given a volume, with the node where one is made for them."""
    for claim in manifests.claims:
        key = claim.metadata.key
        if key in volumes:
            spec = structs.replace(claim.spec, volume_name=volumes[key])
            yield structs.replace(claim, spec=spec, status=structs.replace(claim.status, phase=_BOUND))
        elif key in nodes:
            annotations = {**claim.metadata.annotations, SELECTED_NODE: nodes[key]}
            yield structs.replace(claim, metadata=structs.replace(claim.metadata, annotations=annotations))
        else:
            yield claim


def _owned(volume: k8s.PersistentVolume, claim: k8s.PersistentVolumeClaim) -> k8s.PersistentVolume:
    """Return a volume that a claim has."""
    metadata = claim.metadata
    reference = k8s.ObjectReference("PersistentVolumeClaim", metadata.namespace, metadata.name, metadata.uid)
    spec = structs.replace(volume.spec, claim_ref=reference)
    return structs.replace(volume, spec=spec, status=structs.replace(volume.status, phase=_BOUND))
