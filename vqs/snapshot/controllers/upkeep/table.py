"""What the API server and controllers make of each kind of object in a change: worked out, a finding, or nothing.

Every kind that is read has a row, so that none passes in silence. What is worked out is what the simulation runs on;
what is a finding is a warning of the comparison, which the condition `findings` counts. Kinds that are not read are
findings where they may matter (`vqs.snapshot.reading.kinds.change_may_matter`): limit ranges, admission policies and
webhooks, autoscalers and all that is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.upkeep.applied import Applied, Change
from vqs.snapshot.controllers.upkeep.budgets import settle_budgets
from vqs.snapshot.controllers.upkeep.classes import (
    changed_namespaces,
    changed_priority_classes,
    changed_runtime_classes,
)
from vqs.snapshot.controllers.upkeep.owners import other_owners, settle_pod_groups, tell_of_owned
from vqs.snapshot.controllers.upkeep.quotas import full_quotas, settle_quotas
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.editor import ManifestEditor


class Upkeep(NamedTuple):
    """What the API server or a controller makes of a kind of object.

    Attributes:
        does: who, and what.
        works_out: does the same to a change that is applied.
        finds: yields what is only told.
    """

    does: str
    works_out: Callable[[Applied], None] | None = None
    finds: Callable[[Change], Iterator[Diagnostic]] | None = None


_PODS: Final = "its controller makes pods (controllers/), unless the API server refuses them (upkeep/pods.py)"
_OWNED: Final = f"{_PODS}; what owns it may undo the change"
_AS_WRITTEN: Final = "only people write it, and the scheduler reads it as it is"
_UNUSED: Final = "its controller makes Jobs; the kind is not simulated, so a change of it is a finding"
_KUBELET: Final = "the node or its driver writes it, and the scheduler reads it as it is"

UPKEEP: Final[Mapping[type, Upkeep]] = {
    k8s.Node: Upkeep("the node says how large it is; one that no snapshot has is a finding (not-applied)"),
    k8s.Pod: Upkeep("the API server refuses it, or a controller takes it for its own: then it is not there"),
    k8s.PodGroup: Upkeep("the controller of a Volcano Job writes it back", settle_pod_groups),
    k8s.Queue: Upkeep("its controller writes the status only, and the webhook denies what cannot be (denials.py)"),
    k8s.PriorityClass: Upkeep("new pods get its value, or are refused", finds=changed_priority_classes),
    k8s.RuntimeClass: Upkeep("new pods get its overhead and nodes, or are refused", finds=changed_runtime_classes),
    k8s.ResourceQuota: Upkeep("the status follows; pods beyond it are refused", settle_quotas, full_quotas),
    k8s.ConfigMap: Upkeep("the scheduler reads its own again; others are counted"),
    k8s.Namespace: Upkeep("what is in it goes with it, and nothing is made without it", finds=changed_namespaces),
    k8s.Service: Upkeep(_AS_WRITTEN),
    k8s.ReplicaSet: Upkeep(_OWNED, tell_of_owned("workloads")),
    k8s.StatefulSet: Upkeep(_OWNED),
    k8s.ReplicationController: Upkeep(_OWNED),
    k8s.Deployment: Upkeep(_OWNED, tell_of_owned("deployments")),
    k8s.Job: Upkeep(_OWNED, tell_of_owned("jobs")),
    k8s.VolcanoJob: Upkeep(_OWNED, tell_of_owned("volcano_jobs")),
    k8s.CronJob: Upkeep(_UNUSED),
    k8s.JobFlow: Upkeep(_UNUSED),
    k8s.JobTemplate: Upkeep(_UNUSED),
    k8s.PodDisruptionBudget: Upkeep("the disruption controller counts what it allows", settle_budgets),
    k8s.PersistentVolumeClaim: Upkeep("a claim is bound when its pod is placed, which the session works out"),
    k8s.PersistentVolume: Upkeep(_AS_WRITTEN),
    k8s.StorageClass: Upkeep(_AS_WRITTEN),
    k8s.CSINode: Upkeep(_KUBELET),
    k8s.CSIDriver: Upkeep(_AS_WRITTEN),
    k8s.CSIStorageCapacity: Upkeep(_KUBELET),
    k8s.VolumeAttachment: Upkeep(_KUBELET),
    devices.ResourceClaim: Upkeep("a claim is allocated when its pod is placed, which the session works out"),
    devices.ResourceClaimTemplate: Upkeep("claims are made from it for new pods (controllers/resource_claims.py)"),
    devices.DeviceClass: Upkeep(_AS_WRITTEN),
    devices.ResourceSlice: Upkeep(_KUBELET),
    k8s.HyperNode: Upkeep(_AS_WRITTEN),
    k8s.Numatopology: Upkeep(_KUBELET),
    k8s.NodeShard: Upkeep(_AS_WRITTEN),
}
"""By kind. Whatever the kind, an object without its namespace or its owner is not there (upkeep/admission.py)."""


def settled(manifests: Manifests, under: Manifests, over: Manifests) -> Manifests:
    """Return manifests that were laid over others as controllers leave them."""
    editor = ManifestEditor(manifests)
    change = Applied(editor, under, over)
    for upkeep in UPKEEP.values():
        if upkeep.works_out is not None:
            upkeep.works_out(change)
    return editor.manifests


def found(before: Manifests, after: Manifests, proposed: frozenset[tuple[type, str]]) -> Iterator[Diagnostic]:
    """Yield what the API server and controllers would make of a change that is not worked out."""
    change = Change(before, after, proposed)
    yield from other_owners(change)
    for upkeep in UPKEEP.values():
        if upkeep.finds is not None:
            yield from upkeep.finds(change)
