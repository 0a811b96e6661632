"""What a ResourceQuota becomes, and which pods the API server refuses because of it.

References: pkg/controller/resourcequota (syncResourceQuota), plugin/pkg/admission/resourcequota and
pkg/quota/v1/evaluator/core/pods.go in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.quantity import parse
from vqs.snapshot.controllers.upkeep.applied import Applied, Change
from vqs.snapshot.controllers.usage import total, usage_of_pod
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Manifests

QUOTA_REFUSES_PODS: Final = "quota-refuses-pods"
_HARD: Final = ("spec", "hard")
_NOT_OF_PODS: Final = ("services", "secrets", "configmaps", "persistentvolumeclaims", "requests.storage")
"""What quotas count besides pods; names of it may go on after a dot."""
_COUNT: Final = "count/"
_ASKED_FOR: Final = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
"""What a pod has to say how much it wants of, where a quota limits it."""


def settle_quotas(change: Applied) -> None:
    """Have the status of quotas follow what is applied, unless the files say it: what is in use has been counted."""
    for index, written, old, _ in change.places("resource_quotas"):
        if written.status != k8s.ResourceQuotaStatus() or (old is not None and old.spec == written.spec):
            continue
        quota: k8s.ResourceQuota = change.editor.objects("resource_quotas")[index]
        counted = _usage(_pods(change.under, quota.metadata.namespace))
        known = {} if old is None else old.status.used
        used = {name: known.get(name, counted.get(name, "0")) for name in quota.spec.hard}
        status = structs.replace(quota.status, hard=quota.spec.hard, used=used)
        change.editor.put("resource_quotas", index, structs.replace(quota, status=status))


class _Full(NamedTuple):
    """Why a quota refuses pods: the resource, what the namespace wants of it, and how much it may have."""

    resource: str
    wanted: Fraction
    hard: Fraction


def full_quotas(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each quota that a change touches, or fills, and that refuses pods of its namespace."""
    quotas = (change.before.resource_quotas, change.after.resource_quotas)
    if not any(quotas):
        return
    changed = {key_of(each.new or each.old): each for each in change.of(k8s.ResourceQuota)}
    filled = {name.partition("/")[0] for kind, name in change.proposed if kind in _MAKES_PODS}
    olds = {key_of(each): each for each in quotas[0]}
    for key, (_, new, origin) in changed.items():
        old = olds.get(key)
        now, was = (_full(new, change.completed[1]), _full(old, change.completed[0]))
        if now is not None:
            yield origin.diagnostic(QUOTA_REFUSES_PODS, _said(new, now), _HARD, severity="warning")
        elif was is not None:
            message = f"ResourceQuota {key[1]} refused pods of its namespace and no longer does"
            yield origin.diagnostic(QUOTA_REFUSES_PODS, message, _HARD, severity="warning")
    for new, origin in change.after.with_origins("resource_quotas"):
        if key_of(new) in changed or new.metadata.namespace not in filled:
            continue
        now, was = (_full(new, side) for side in reversed(change.completed))
        if now is not None and (was is None or now.wanted > was.wanted):
            yield origin.diagnostic(QUOTA_REFUSES_PODS, _said(new, now), _HARD, severity="warning")


_MAKES_PODS: Final = frozenset({k8s.Pod, k8s.Deployment, k8s.ReplicaSet, k8s.StatefulSet, k8s.Job, k8s.VolcanoJob})


def _said(quota: k8s.ResourceQuota, full: _Full) -> str:
    wanted, hard = (f"{float(amount):,.12g}" for amount in (full.wanted, full.hard))
    return (
        f"ResourceQuota {quota.metadata.key} allows {hard} of {full.resource}, and the pods of its namespace want "
        f"{wanted}: the API server refuses pods that are new or made again, though they have places here"
    )


def _full(quota: k8s.ResourceQuota | None, completed: Manifests) -> _Full | None:
    """Return what a namespace wants more of than its quota allows, with the pods that are yet to be made."""
    if quota is None:
        return None
    pods = _pods(completed, quota.metadata.namespace)
    usage = _usage(pods)
    for name, amount in sorted(quota.spec.hard.items()):
        hard = parse(amount)
        if name.startswith(_COUNT) and name != "count/pods":
            if hard == 0:
                return _Full(name, Fraction(1), hard)
            continue
        if name.split(".")[0] in _NOT_OF_PODS or name in _NOT_OF_PODS:
            continue
        wanted = max(parse(usage.get(name, 0)), parse(quota.status.used.get(name, 0)))
        if wanted > hard:
            return _Full(name, wanted, hard)
        silent = sum(name in _ASKED_FOR and name not in usage_of_pod(pod) for pod in pods)
        if silent:
            return _Full(f"{name}, of which {silent:,} pods say nothing", Fraction(silent), hard)
    return None


def _pods(manifests: Manifests, namespace: str) -> Sequence[k8s.Pod]:
    """Return the pods of a namespace that have not ended, and those that are still to come."""
    pods = [
        pod
        for pod in manifests.pods
        if pod.metadata.namespace == namespace and pod.status.phase not in k8s.ENDED_PHASES
    ]
    for group, awaited in manifests.awaited.items():
        if group.partition("/")[0] == namespace:
            names = {pod.metadata.name for pod in pods}
            pods += [
                k8s.Pod(metadata=k8s.ObjectMeta(name=name, namespace=namespace), spec=role.spec)
                for role in awaited.roles
                for name in role.names
                if name not in names
            ]
    return pods


def _usage(pods: Sequence[k8s.Pod]) -> Mapping[str, k8s.Quantity]:
    return total((usage_of_pod(pod), 1) for pod in pods)
