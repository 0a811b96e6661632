"""What a session leaves to the next one beside tasks: the volumes and devices of claims, and what quotas count.

Pods that controllers have made since are in use, those that are gone are not.
References: BindPodVolumes in pkg/scheduler/capabilities/volumebinding/binder.go; PreBind of Kubernetes' plugin
dynamicresources; k8s.io/kubernetes pkg/controller/resourcequota.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec
from msgspec import structs

from vqs.engine.framework.session import Session
from vqs.engine.plugins.predicates.volumes import SELECTED_NODE
from vqs.explain.outcome import Result
from vqs.model import kubernetes as k8s
from vqs.model.devices import AllocationResult, ResourceClaim
from vqs.model.job import TaskStatus
from vqs.model.quantity import add, times
from vqs.snapshot.controllers.quotas import counted_usage, in_scope, uncounted_pods
from vqs.snapshot.reading.manifests import Manifests

_BOUND = "Bound"


class Given(Result, kw_only=True):
    """What the claims of a pod were given, by their namespace/name.

    Attributes:
        volumes: the volume that a claim is bound to.
        nodes: the node on which a volume is made for a claim.
        devices: what a claim on devices holds.
    """

    volumes: dict[str, str] = msgspec.field(default_factory=dict)
    nodes: dict[str, str] = msgspec.field(default_factory=dict)
    devices: dict[str, AllocationResult] = msgspec.field(default_factory=dict)


def given_to(session: Session, uid: str) -> Given | None:
    """Return what a session gave to the claims of a pod that it binds, by the pod's uid; None where it gave nothing."""
    cluster = session.cluster
    given = Given(
        volumes=cluster.given_volumes.get(uid, {}),
        nodes=cluster.nodes_for_volumes.get(uid, {}),
        devices=cluster.given_devices.get(uid, {}),
    )
    return given if given.volumes or given.nodes or given.devices else None


def given_by(session: Session) -> list[Given]:
    """Return what a session gave to the claims of all pods that it binds."""
    bound = (uid for job in session.jobs.values() for uid in job.having(TaskStatus.Binding))
    return [given for uid in bound if (given := given_to(session, uid)) is not None]


def with_given(manifests: Manifests, given: Iterable[Given]) -> Manifests:
    """Return manifests in which claims have what they were given."""
    every = list(given)
    if not every:
        return manifests
    volumes = {claim: name for each in every for claim, name in each.volumes.items()}
    nodes = {claim: name for each in every for claim, name in each.nodes.items()}
    devices = {claim: held for each in every for claim, held in each.devices.items()}
    owners = {volumes[claim.metadata.key]: claim for claim in manifests.claims if claim.metadata.key in volumes}
    return replace(
        manifests,
        claims=[
            settled_claim(claim, volumes.get(claim.metadata.key), nodes.get(claim.metadata.key))
            for claim in manifests.claims
        ],
        volumes=[
            owned_volume(volume, owners[volume.metadata.name]) if volume.metadata.name in owners else volume
            for volume in manifests.volumes
        ],
        resource_claims=[
            holding_claim(claim, devices[claim.metadata.key]) if claim.metadata.key in devices else claim
            for claim in manifests.resource_claims
        ],
    )


# --- objects as they change -------------------------------------------------------------------------------------------


def settled_claim(claim: k8s.PersistentVolumeClaim, volume: str | None, node: str | None) -> k8s.PersistentVolumeClaim:
    """Return a claim that is bound to a volume, or has one made on a node; the same where it has neither."""
    if volume is not None:
        spec = structs.replace(claim.spec, volume_name=volume)
        return structs.replace(claim, spec=spec, status=structs.replace(claim.status, phase=_BOUND))
    if node is not None:
        annotations = {**claim.metadata.annotations, SELECTED_NODE: node}
        return structs.replace(claim, metadata=structs.replace(claim.metadata, annotations=annotations))
    return claim


def owned_volume(volume: k8s.PersistentVolume, claim: k8s.PersistentVolumeClaim) -> k8s.PersistentVolume:
    """Return a volume that a claim has."""
    metadata = claim.metadata
    reference = k8s.ObjectReference("PersistentVolumeClaim", metadata.namespace, metadata.name, metadata.uid)
    spec = structs.replace(volume.spec, claim_ref=reference)
    return structs.replace(volume, spec=spec, status=structs.replace(volume.status, phase=_BOUND))


def holding_claim(claim: ResourceClaim, held: AllocationResult | None) -> ResourceClaim:
    """Return a claim that holds devices, or none."""
    return structs.replace(claim, status=structs.replace(claim.status, allocation=held))


def with_quota_usage(after: Manifests, before: Manifests) -> Manifests:
    """Return manifests whose quotas have counted which pods came and went since an earlier moment.

    What was in use then is as the quotas say, whatever pods there were; before the first session they have not counted
    the pods that controllers have only just made.
    """
    if not after.resource_quotas:
        return after
    old, new = ({pod.metadata.key: pod for pod in each.pods} for each in (before, after))
    for pod in uncounted_pods(before):
        old.pop(pod.metadata.key, None)
    came = [pod for key, pod in new.items() if key not in old]
    went = [pod for key, pod in old.items() if key not in new]
    return replace(after, resource_quotas=[counted(quota, came, went) for quota in after.resource_quotas])


def counted(quota: k8s.ResourceQuota, came: Iterable[k8s.Pod], went: Iterable[k8s.Pod]) -> k8s.ResourceQuota:
    """Return a quota that has counted pods that came and pods that went; those of other namespaces do not count."""
    used = dict(quota.status.used)
    for pods, sign in ((came, 1), (went, -1)):
        for pod in pods:
            is_counted = pod.metadata.namespace == quota.metadata.namespace and in_scope(quota, pod)
            usage = counted_usage(pod) if is_counted else {}
            for name in usage.keys() & quota.status.hard.keys():
                used[name] = add(used.get(name, "0"), times(usage[name], sign))
    return structs.replace(quota, status=structs.replace(quota.status, used=used))
