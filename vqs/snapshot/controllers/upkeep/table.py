"""What the API server and controllers make of each kind of object in a change: worked out, a finding, or nothing.

Every kind that is read has a row, so that none passes in silence. What is worked out is what the simulation runs on;
what is a finding is a warning of the comparison, which the condition `findings` counts. Kinds that are not read are
findings where they may matter (`vqs.snapshot.reading.kinds.change_may_matter`): admission policies and
webhooks, autoscalers and all that is unknown.

References: pkg/controllers/job/job_controller_actions.go (shouldUpdateExistingPodGroup) in volcano-sh/volcano;
pkg/controller/deployment/sync.go (scale), pkg/controller/garbagecollector, pkg/controller/resourcequota
(syncResourceQuota), pkg/quota/v1/evaluator/core/pods.go and
plugin/pkg/admission/{priority,runtimeclass,podnodeselector,podtolerationrestriction,resourcequota} in
kubernetes/kubernetes; k8s.io/pod-security-admission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

from msgspec import structs

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.quantity import parse
from vqs.snapshot.controllers.job import brought_up_to_date
from vqs.snapshot.controllers.quotas import EACH_HAS_TO_SAY, LimitRanges, counted_usage, in_scope
from vqs.snapshot.controllers.upkeep.applied import Applied, Change, Changed
from vqs.snapshot.controllers.upkeep.budgets import settle_budgets
from vqs.snapshot.controllers.upkeep.pods import templates
from vqs.snapshot.controllers.usage import total, usage_of_pod
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.editor import ManifestEditor

NEW_PODS_DIFFER: Final = "new-pods-differ"
_WITH_TEMPLATES: Final = ("pods", "volcano_jobs", "deployments", "workloads", "jobs")
_OF_POLICIES: Final = ("pod-security.kubernetes.io/", "scheduler.alpha.kubernetes.io/", "scheduling.volcano.sh/")
"""What labels and annotations of a namespace begin with that decide which pods it takes, and what is added to them."""


def changed_priority_classes(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each PriorityClass that gives pods of the base another priority when they are made again."""
    for each in change.of(k8s.PriorityClass):
        old, new, origin = each
        was, now = (k8s.PriorityClass() if side is None else side for side in (old, new))
        if was.global_default != now.global_default or (was.global_default and was.value != now.value):
            how, priority = ("is", now.value) if now.global_default else ("is no longer", 0)
            message = (
                f"PriorityClass {(new or old).metadata.name} {how} the default: pods that are made again without a "
                f"class get priority {priority}"
            )
            yield origin.diagnostic(NEW_PODS_DIFFER, message, ("globalDefault",), severity="warning")
        else:
            yield from _named("PriorityClass", each, change, lambda spec: spec.priority_class_name)


def changed_limit_ranges(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each LimitRange that refuses pods, or gives them other amounts, when they are made again."""
    for old, new, origin in change.of(k8s.LimitRange):
        name = (new or old).metadata.key
        before, after = (LimitRanges([] if side is None else [side]) for side in (old, new))
        for what, namespace, spec in _specs_by_namespace(change.after):
            was, now = (each.filled(namespace, spec) for each in (before, after))
            refusal = after.refusal(namespace, spec)
            if refusal is not None and before.refusal(namespace, spec) is None:
                message = f"{what}: {refusal.text}: the API server refuses its pods when they are made again"
            elif was != now:
                message = f"LimitRange {name} gives pods of {what} other amounts when they are made again"
            else:
                continue
            yield origin.diagnostic(NEW_PODS_DIFFER, message, ("spec", "limits"), severity="warning")
            break


def changed_runtime_classes(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each RuntimeClass that gives pods of the base something else when they are made again."""
    for each in change.of(k8s.RuntimeClass):
        yield from _named("RuntimeClass", each, change, lambda spec: spec.runtime_class_name)


def changed_namespaces(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each namespace whose labels or annotations decide on its pods, and are changed."""
    for old, new, origin in change.of(k8s.Namespace):
        if new is None:
            continue
        was, now = (_policies(each) for each in (old, new))
        keys = sorted({key for key, _ in was ^ now})
        if keys and (old is not None or now):
            message = (
                f"Namespace {new.metadata.name} has another {keys[0]}: which pods the API server takes in it, and what "
                "it adds to them, is not in this comparison"
            )
            yield origin.diagnostic(NEW_PODS_DIFFER, message, ("metadata",), severity="warning")


def _policies(namespace: k8s.Namespace | None) -> frozenset[tuple[str, str]]:
    if namespace is None:
        return frozenset()
    given = (*namespace.metadata.labels.items(), *namespace.metadata.annotations.items())
    return frozenset(each for each in given if each[0].startswith(_OF_POLICIES))


def _named(kind: str, changed: Changed, change: Change, name_in: Callable[[k8s.PodSpec], str]) -> Iterator[Diagnostic]:
    """Yield a warning for a class that is new, other or gone, where pods name it that are there all the same.

    What the change itself adds gets what its class says now.
    """
    old, new, origin = changed
    name = (new or old).metadata.name
    side = change.before if new is not None else change.after
    namers = [what for what, _, spec in _specs_by_namespace(side) if name_in(spec) == name]
    if namers:
        how = "is new" if old is None else "is changed" if new is not None else "is gone"
        message = (
            f"{kind} {name} {how}, and {namers[0]} names it"
            f"{f', as do {len(namers) - 1:,} more' if len(namers) > 1 else ''}: their pods, made again, are not like "
            "those that are there"
        )
        yield origin.diagnostic(NEW_PODS_DIFFER, message, severity="warning")


def _specs_by_namespace(manifests: Manifests) -> Iterator[tuple[str, str, k8s.PodSpec]]:
    for list_name in _WITH_TEMPLATES:
        for each in getattr(manifests, list_name):
            for _, spec, _ in templates(each):
                yield f"{type(each).__name__} {each.metadata.key}", each.metadata.namespace, spec


WRITTEN_BACK: Final = "written-back"
OWNER_CHANGED: Final = "owner-changed"
_OF_VOLCANO: Final = "batch.volcano.sh/"
_SPEC: Final = ("spec",)
_OWNERS: Final = ("metadata", "ownerReferences")


def settle_pod_groups(change: Applied) -> None:
    """Undo what a change says of the PodGroup of a Volcano Job, as far as the Job's controller writes it."""
    jobs = {each.metadata.key: each for each in change.editor.manifests.volcano_jobs}
    priorities = {each.metadata.name: each.value for each in change.editor.manifests.priority_classes}
    for index, _, old, origin in change.places("pod_groups"):
        group: k8s.PodGroup = change.editor.objects("pod_groups")[index]
        owner = None if old is None else controller_of(old.metadata)
        if owner is None or owner.kind != "Job" or not owner.api_version.startswith(_OF_VOLCANO):
            continue
        job = jobs.get(f"{group.metadata.namespace}/{owner.name}")
        if job is None:
            if group.spec != old.spec:
                change.editor.note(_kept(group, owner, "may be undone: the Job is not in the snapshot", origin))
            continue
        kept = brought_up_to_date(group, job, lambda name: priorities.get(name, 0), change.editor.manifests.profile)
        kept = structs.replace(kept, metadata=structs.replace(kept.metadata, owner_references=[*_owners_of(old)]))
        if group.spec not in (kept.spec, old.spec):
            change.editor.note(_kept(group, owner, "is undone: its controller writes it", origin))
            change.editor.put("pod_groups", index, kept)


def tell_of_owned(list_name: str) -> Callable[[Applied], None]:
    """What tells of changed objects of a list that something else keeps, such as a Deployment its ReplicaSet."""

    def tell(change: Applied) -> None:
        for index, _, old, origin in change.places(list_name):
            each = change.editor.objects(list_name)[index]
            owner = None if old is None else controller_of(old.metadata)
            if owner is not None and each.spec != old.spec:
                change.editor.note(_kept(each, owner, "may be undone by its controller", origin))

    return tell


def _owners_of(typed: Any) -> list[k8s.OwnerReference]:
    owners: list[k8s.OwnerReference] = typed.metadata.owner_references
    return owners


def _kept(typed: Any, owner: k8s.OwnerReference, what: str, origin: Origin) -> Diagnostic:
    message = f"{KIND_OF[type(typed)].name} {name_of(typed)} belongs to {owner.kind} {owner.name}: the change {what}"
    return origin.diagnostic(WRITTEN_BACK, message, _SPEC, severity="warning", hint=f"change {owner.kind} {owner.name}")


QUOTA_REFUSES_PODS: Final = "quota-refuses-pods"
_HARD: Final = ("spec", "hard")
_NOT_OF_PODS: Final = ("services", "secrets", "configmaps", "persistentvolumeclaims", "requests.storage")
"""What quotas count besides pods; names of it may go on after a dot."""
_COUNT: Final = "count/"


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
        f"{wanted}: the API server refuses pods that are new or made again"
    )


def _full(quota: k8s.ResourceQuota | None, completed: Manifests) -> _Full | None:
    """What a namespace wants more of than its quota allows, with the pods that are yet to be made."""
    if quota is None:
        return None
    # The pods of a namespace that have not ended, and those that are still to come.
    namespace = quota.metadata.namespace
    pods = [
        pod
        for pod in completed.pods
        if pod.metadata.namespace == namespace and pod.status.phase not in k8s.ENDED_PHASES
    ]
    for group, awaited in completed.awaited.items():
        if group.partition("/")[0] == namespace:
            names = {pod.metadata.name for pod in pods}
            pods += [
                k8s.Pod(metadata=k8s.ObjectMeta(name=name, namespace=namespace), spec=role.spec)
                for role in awaited.roles
                for name in role.names
                if name not in names
            ]
    pods = [pod for pod in pods if in_scope(quota, pod)]
    usage = total((counted_usage(pod), 1) for pod in pods)
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
        silent = sum(name in EACH_HAS_TO_SAY and name not in usage_of_pod(pod) for pod in pods)
        if silent:
            return _Full(f"{name}, of which {silent:,} pods say nothing", Fraction(silent), hard)
    return None


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
    k8s.Queue: Upkeep("its controller writes the status only, and the webhook denies what cannot be"),
    k8s.PriorityClass: Upkeep("new pods get its value, or are refused", finds=changed_priority_classes),
    k8s.RuntimeClass: Upkeep("new pods get its overhead and nodes, or are refused", finds=changed_runtime_classes),
    k8s.ResourceQuota: Upkeep("the status follows; pods beyond it are refused (quotas.py)", finds=full_quotas),
    k8s.LimitRange: Upkeep("new pods get its defaults, or are refused (quotas.py)", finds=changed_limit_ranges),
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
    devices.ResourceClaimTemplate: Upkeep("claims are made from it for new pods (workloads.py)"),
    devices.DeviceClass: Upkeep(_AS_WRITTEN),
    devices.ResourceSlice: Upkeep(_KUBELET),
    k8s.HyperNode: Upkeep(_AS_WRITTEN),
    k8s.Numatopology: Upkeep(_KUBELET),
    k8s.NodeShard: Upkeep(_AS_WRITTEN),
}
"""By kind. Whatever the kind, an object without its namespace or its owner is not there (upkeep/admission.py)."""


def settled(manifests: Manifests, under: Manifests, over: Manifests) -> Manifests:
    """Manifests that were laid over others as controllers leave them."""
    editor = ManifestEditor(manifests)
    change = Applied(editor, under, over)
    for upkeep in UPKEEP.values():
        if upkeep.works_out is not None:
            upkeep.works_out(change)
    return editor.manifests


def found(before: Manifests, after: Manifests, proposed: frozenset[tuple[type, str]]) -> Iterator[Diagnostic]:
    """Yield what the API server and controllers would make of a change that is not worked out."""
    change = Change(before, after, proposed)
    for kind in KIND_OF:
        for old, new, origin in change.of(kind):
            if new is None or key_of(new) not in change.proposed:
                continue
            # An object goes with its owner, and is kept by it.
            owners = _owners_of(new)
            if owners and owners != ([] if old is None else _owners_of(old)):
                what = f"{KIND_OF[kind].name} {name_of(new)}"
                message = f"{what} is given to {owners[0].kind} {owners[0].name}, which may change or delete it"
                yield origin.diagnostic(OWNER_CHANGED, message, _OWNERS, severity="warning")
    for upkeep in UPKEEP.values():
        if upkeep.finds is not None:
            yield from upkeep.finds(change)
