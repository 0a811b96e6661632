"""What can be changed in what a job depends on: claims, LimitRanges, node groups, sub-groups, its rollout, parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec

from vqs.engine.plugins import nodegroup
from vqs.engine.plugins.nodegroup import affinity_of
from vqs.engine.plugins.predicates.volumes import waits
from vqs.explain.jobs.case import (
    BOUND,
    CAPABILITY,
    DESERVED,
    GUARANTEE,
    Case,
    Parameter,
    Promises,
    amount_of,
    choice,
    field_of,
    set_value,
)
from vqs.explain.jobs.manifest import exact, in_manifest
from vqs.explain.rollouts import stale_groups
from vqs.model import kubernetes as k8s
from vqs.model.cluster import ROOT
from vqs.model.codes import VerdictCode
from vqs.model.keys import NODE_GROUP
from vqs.model.quantity import parse
from vqs.model.requests import claim_names, class_name, default_class
from vqs.model.wording import first_names
from vqs.snapshot.controllers.quotas import LimitRanges
from vqs.snapshot.controllers.workloads import replicas_of
from vqs.snapshot.controllers.world import controller_of, is_active, is_controlled
from vqs.snapshot.reading.diagnostics import probably_meant
from vqs.snapshot.reading.kinds import KIND_OF
from vqs.snapshot.reading.plain import plain_value
from vqs.snapshot.whatif.edits import AddObject, Edit, Remove, Scale

NEW_QUEUE, PARENT, NEW_CLASS = "new queue", "parent", "new storage class"
CLASS: Final = "storageClassName"
CLAIM, NODE_GROUPS, SUB_GROUPS, SURGE = "claim", "nodeGroupAffinity", "minSubGroups", "maxSurge"
UNAVAILABLE: Final = "maxUnavailable"
STALE: Final = "PodGroups without pods"
LIMITS: Final = "limits"

_MOST_GROUPS: Final = 2
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_USUAL_SIZE: Final = "10Gi"
_NOTHING: Final = Fraction(0)


def node_groups(case: Case) -> Iterator[Parameter]:
    """Let the queue use one more node group: those first of which most nodes are large enough for a task."""
    if case.session.conf.plugin(nodegroup.NAME) is None:
        return
    queues, name = case.session.queues, case.job.queue
    ancestors = queues if case.session.hierarchy_enabled(nodegroup.NAME) else {}
    affinity = affinity_of(queues[name], ancestors)
    request = next(iter(case.wanted), None)
    large: dict[str, int] = {}
    for node in case.session.nodes.nodes:
        group = node.object.metadata.labels.get(NODE_GROUP)
        if (
            group is not None
            and request is not None
            and not affinity.allows(group)
            and request.less_equal(node.allocatable)
        ):
            large[group] = large.get(group, 0) + 1
    for group in sorted(large, key=lambda each: (-large[each], each))[:_MOST_GROUPS]:
        now = sorted(affinity.required)
        path = ("spec", "affinity")
        edits: list[Edit] = [set_value("queue", name, (*path, NODE_GROUPS, _REQUIRED), [*now, group])]
        if group in affinity.forbidden:
            left = sorted(affinity.forbidden - {group})
            edits.append(set_value("queue", name, (*path, "nodeGroupAntiAffinity", _REQUIRED), left))
        yield choice(NODE_GROUPS, f"queue/{name}", ", ".join(now) or "none", ", ".join([*now, group]), edits)


def limit_ranges(case: Case) -> Iterator[Parameter]:
    """Have the LimitRanges of the namespace allow what pods of the job ask for that they refuse."""
    awaited, ranges = case.session.cluster.awaited.get(case.job.uid), LimitRanges(case.given.limit_ranges)
    specs = [each.written for each in awaited.roles if each.written is not None] if awaited is not None else []
    found = [breach for spec in specs for breach in ranges.breaches(case.job.namespace, spec)]
    if not found or any(each.asked is None for each in found):  # what has to be said is to be said by the pods
        return
    values: dict[tuple[str, int, str], dict[str, k8s.Quantity]] = {}
    for each in found:
        at, farthest = (each.of.metadata.key, each.index, each.field), min if each.field == "min" else max
        amounts = values.setdefault(at, dict(getattr(each.of.spec.limits[each.index], each.field)))
        amounts[each.resource] = farthest(amounts[each.resource], each.asked or "0", key=parse)
    edits: list[Edit] = [
        set_value("limitrange", key, ("spec", LIMITS, index, field), amounts)
        for (key, index, field), amounts in values.items()
    ]

    def said(what: str) -> str:
        """Write how much is allowed, or asked for."""
        amounts: dict[str, dict[str, None]] = {}
        for each in found:
            amounts.setdefault(each.field, {})[f"{getattr(each, what)} {each.resource}"] = None
        return "; ".join(f"{field} {', '.join(of)}" for field, of in amounts.items())

    names = ", ".join(dict.fromkeys(key for key, *_ in values))
    yield choice(LIMITS, f"limitrange/{names}", said("bound"), said("asked"), edits)


def missing_queue(case: Case) -> Iterator[Parameter]:
    """Make the queue of the job, which does not exist."""
    yield choice(NEW_QUEUE, f"queue/{case.job.queue}", "missing", "of weight 1", [_new_queue(case.job.queue)])


def _new_queue(name: str, children: Sequence[k8s.Queue] = ()) -> AddObject:
    """Return the edit that makes a queue, which deserves, and is guaranteed, what the queues below it are together."""
    kind, spec = KIND_OF[k8s.Queue], dict[str, Any](weight=1, reclaimable=True)
    for what in (DESERVED, GUARANTEE):
        given = [field_of(each.spec, what)[1] for each in children]
        names = dict.fromkeys(resource for each in given for resource in each)
        sums = {
            name: in_manifest(name, sum((amount_of(each, name) for each in given), Fraction(0)), None) for name in names
        }
        if sums:
            spec[what] = sums if what == DESERVED else {"resource": sums}
    return AddObject({"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name}, "spec": spec})


def missing_parents(case: Case) -> Iterator[Parameter]:
    """Name the parents that are meant, where queues name some that do not exist, or make these; all of them at once."""
    parents = {each.metadata.name: each.spec.parent for each in case.given.queues if each.spec.parent}
    known = {ROOT, *(each.metadata.name for each in case.given.queues)}
    missing = {name: parent for name, parent in parents.items() if parent not in known}
    if not missing:
        return
    meant = {name: probably_meant(parent, known - {name}) for name, parent in missing.items()}
    names, before = ", ".join(missing), ", ".join(dict.fromkeys(missing.values()))
    if all(meant.values()):
        edits: list[Edit] = [set_value("queue", name, ("spec", "parent"), parent) for name, parent in meant.items()]
        yield choice(PARENT, f"queue/{names}", before, ", ".join(dict.fromkeys(meant.values())), edits)
    edits = [
        _new_queue(parent, [each for each in case.given.queues if each.spec.parent == parent])
        for parent in dict.fromkeys(missing.values())
    ]
    yield choice(NEW_QUEUE, f"queue/{before}", "missing", "of weight 1", edits)


def within_parents(case: Case) -> Iterator[Parameter]:
    """Lower what queues may have, deserve or are guaranteed to what the queue above them has; all of a kind at once."""
    for what in (CAPABILITY, DESERVED, GUARANTEE):
        amounts = {each.metadata.name: field_of(each.spec, what)[1] for each in case.given.queues}
        resources = sorted({resource for each in amounts.values() for resource in each})
        lowered = {resource: _lowered(case, what, Promises(case.given.queues, resource)) for resource in resources}
        edits, before, after = [], [], []
        for name in amounts:
            path, written = field_of(case.queue(name).spec, what)
            for resource in (each for each in resources if name in lowered[each]):
                value = in_manifest(resource, lowered[resource][name], written[resource])
                edits.append(set_value("queue", name, (*path, resource), value))
                before.append(f"{written[resource]} {resource}")
                after.append(f"{value} {resource}")
        if edits:
            queues = ", ".join(dict.fromkeys(each.name for each in edits))
            yield choice(what, f"queue/{queues}", ", ".join(before), ", ".join(after), edits)


def _lowered(case: Case, what: str, promises: Promises) -> Mapping[str, Fraction]:
    """Return how much of a resource queues are to have that have too much, from the root down."""
    total = exact(promises.resource, case.session.nodes.total.get(promises.resource)) or _NOTHING
    own = {CAPABILITY: promises.capable, DESERVED: promises.deserved, GUARANTEE: promises.guaranteed}[what]
    now = {name: amount for name, amount in own.items() if amount}
    found: dict[str, Fraction] = {}
    waiting = [(ROOT, now.get(ROOT, total))]
    while waiting:
        parent, limit = waiting.pop()
        children = {name: now.get(name, _NOTHING) for name in promises.tree.child_names(parent) if name != ROOT}
        if what == CAPABILITY:
            less = {name: limit for name, amount in children.items() if amount > limit}
        else:
            less = _cut(children, limit) if limit else {}
        found |= less
        has = children | less
        waiting += [(name, has[name] or (limit if what == CAPABILITY else _NOTHING)) for name in has]
    return found


def _cut(amounts: Mapping[str, Fraction], limit: Fraction) -> dict[str, Fraction]:
    """Return what is left of some amounts, of the largest first, for them to be no more than a limit together."""
    excess, left = sum(amounts.values(), _NOTHING) - limit, {}
    for name in sorted(amounts, key=lambda name: (-amounts[name], name)):
        if excess > 0:
            left[name] = max(amounts[name] - excess, _NOTHING)
            excess -= amounts[name]
    return left


def without_pods(case: Case) -> Iterator[Parameter]:
    """Delete PodGroups that keep resources from the job and have no pods, those first that keep most."""
    if case.refusal is None or not case.refusal.resource or case.job.uid not in case.session.not_enqueued:
        return
    groups = [job.pod_group.metadata for job in stale_groups(case.session, case.refusal.resource)]

    def edits(step: int) -> list[Edit]:
        return [Remove("podgroup", each.namespace, each.name) for each in groups[:step]]

    if groups:
        of = f"podgroup/{groups[0].key}"
        yield Parameter(STALE, of, most=len(groups), guess=1, value=lambda step: len(groups) - step, edits=edits)


def claims(case: Case) -> Iterator[Parameter]:
    """Make a claim that does not exist, or have claims without a volume get it.

    They get it from their storage class, which may have to be made; or from another that makes it for the pod, or the
    one that is meant, where theirs does not exist.
    """
    if case.refusal is None or case.refusal.code != VerdictCode.PRE_PREDICATE_FAILED:
        return
    classes = case.given.storage_classes
    wanted = _usual(classes)
    known = {each.metadata.key: each for each in case.completed.claims}
    given = {each.metadata.key for each in case.given.claims}
    unbound: dict[str, dict[str, _UnboundClaim]] = {}
    for task in case.pending:
        for name, is_ephemeral in claim_names(task.pod):
            key = f"{task.namespace}/{name}"
            claim = known.get(key)
            if is_ephemeral:
                continue
            if claim is not None and is_unbound(case, claim):
                found = _UnboundClaim(claim, key in given, _stateful_set(task.pod, name))
                unbound.setdefault(class_name(claim), {})[key] = found
            elif claim is None and wanted is not None:
                yield _created(case, key, wanted)
    for now, same in unbound.items():
        yield from _of_class(case, now, [*same.values()])


class _UnboundClaim(NamedTuple):
    """A claim without a volume, whether it is in the snapshot, and what makes it where it is missing, if anything."""

    claim: k8s.PersistentVolumeClaim
    is_given: bool
    made_by: str


def _usual(classes: Sequence[k8s.StorageClass]) -> k8s.StorageClass | None:
    """Return the class that a claim would be made of: one that waits for pods, and of these the default one."""
    default = default_class(classes)
    return min(
        classes, key=lambda each: (not waits(each), each.metadata.name != default, each.metadata.name), default=None
    )


def _stateful_set(pod: k8s.Pod, claim: str) -> str:
    """Return the StatefulSet that makes a claim of a pod by its template wherever it is missing; empty for none.

    Reference: ``createPersistentVolumeClaims`` in pkg/controller/statefulset/stateful_pod_control.go of Kubernetes.
    """
    owner = controller_of(pod.metadata)
    is_made = owner is not None and owner.kind == "StatefulSet" and claim.endswith(f"-{pod.metadata.name}")
    return f"{pod.metadata.namespace}/{owner.name}" if owner is not None and is_made else ""


def _of_class(case: Case, now: str, found: Sequence[_UnboundClaim]) -> Iterator[Parameter]:
    """Have the claims of a job that are of one class get their volumes."""
    classes = {each.metadata.name: each for each in case.given.storage_classes}
    usual = _usual([each for each in classes.values() if each.provisioner])  # the API server takes no other
    meant = probably_meant(now, [*classes]) if now and now not in classes else ""
    if now in classes:
        for each in found:
            if each.is_given:
                of = f"persistentvolumeclaim/{each.claim.metadata.key}"
                yield choice(BOUND, of, "Pending", "Bound", [], states=bound(case, each.claim))
    elif now and usual is not None and not meant:
        kind = KIND_OF[k8s.StorageClass]
        value = {"apiVersion": kind.api_version, "kind": kind.name, **plain_value(usual), "metadata": {"name": now}}
        states = [] if waits(usual) else _all_bound(case, found)
        like = f"like {usual.metadata.name}"
        yield choice(NEW_CLASS, f"storageclass/{now}", "missing", like, [AddObject(value)], states=states)
    others = [meant, *([usual.metadata.name] if usual is not None and waits(usual) else [])]
    for other in dict.fromkeys(filter(None, others)):
        yield _of_another_class(case, now, other, found, is_bound=not waits(classes[other]))


def _of_another_class(case: Case, now: str, other: str, found: Sequence[_UnboundClaim], *, is_bound: bool) -> Parameter:
    keys = [each.claim.metadata.key for each in found]
    edits: list[Edit] = [
        set_value("persistentvolumeclaim", each.claim.metadata.key, ("spec", CLASS), other)
        for each in found
        if each.is_given
    ]
    makers = dict.fromkeys(each.made_by for each in found if each.made_by)
    for workload in case.given.workloads:
        if isinstance(workload, k8s.StatefulSet) and workload.metadata.key in makers:
            for index, template in enumerate(workload.spec.volume_claim_templates):
                if (template.spec.storage_class_name or "") == now:
                    path = ("spec", "volumeClaimTemplates", index, "spec", CLASS)
                    edits.append(set_value("statefulset", workload.metadata.key, path, other))
    stored = [each for each in found if each.claim.metadata.uid]
    above = dict.fromkeys(f"StatefulSet {each.made_by}" for each in stored if each.made_by)
    below = [f"PersistentVolumeClaim {each.claim.metadata.key}" for each in stored]
    return choice(
        CLASS,
        f"persistentvolumeclaim/{first_names(keys)}",
        now or "none",
        other,
        edits,
        recreate=", ".join([*above, *below]),
        states=_all_bound(case, found) if is_bound else [],
    )


def _all_bound(case: Case, found: Sequence[_UnboundClaim]) -> list[Edit]:
    return [edit for each in found if each.is_given for edit in bound(case, each.claim)]


def is_unbound(case: Case, claim: k8s.PersistentVolumeClaim) -> bool:
    """Tell whether a claim should have a volume before its pod is scheduled, and has none."""
    waiting = [each.metadata.name for each in case.given.storage_classes if waits(each)]
    return not claim.spec.volume_name and class_name(claim) not in waiting


def bound(case: Case, claim: k8s.PersistentVolumeClaim) -> list[Edit]:
    """Return the edits by which a claim has a volume, as its provisioner makes one."""
    key, name = claim.metadata.key, f"pvc-of-{claim.metadata.name}"
    kind, reference = KIND_OF[k8s.PersistentVolume], KIND_OF[k8s.PersistentVolumeClaim].name
    spec = {
        "accessModes": claim.spec.access_modes,
        "capacity": msgspec.to_builtins(claim.spec.resources.requests),
        "storageClassName": class_name(claim),
        "claimRef": {"kind": reference, "namespace": claim.metadata.namespace, "name": claim.metadata.name},
    }
    value = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name}, "spec": spec}
    return [
        # Of a snapshot without volumes, none is missed.
        *([AddObject(value)] if case.given.volumes else []),
        set_value("persistentvolumeclaim", key, ("spec", "volumeName"), name),
        set_value("persistentvolumeclaim", key, ("status", "phase"), "Bound"),
    ]


def _created(case: Case, key: str, storage_class: k8s.StorageClass) -> Parameter:
    """Make a claim; of a class that does not wait for pods, its provisioner makes a volume for it at once."""
    namespace, _, name = key.rpartition("/")
    of_class = storage_class.metadata.name
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": of_class,
        "resources": {"requests": {"storage": _USUAL_SIZE}},
    }
    kind = KIND_OF[k8s.PersistentVolumeClaim]
    value = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name, "namespace": namespace}}
    claim = msgspec.convert({**value, "spec": spec}, k8s.PersistentVolumeClaim)
    states = [] if waits(storage_class) else bound(case, claim)
    edits = [AddObject({**value, "spec": spec})]
    return choice(CLAIM, f"persistentvolumeclaim/{key}", "missing", f"of class {of_class}", edits, states=states)


def sub_groups(case: Case) -> Iterator[Parameter]:
    """Have the job start with fewer of its sub-groups, and with as many pods as these have."""
    written, minimum = case.manifest, case.job.min_available
    if written.volcano_job is not None or not written.minimum:
        return
    for index, policy in enumerate(case.job.pod_group.spec.sub_group_policy):
        yield _fewer_sub_groups(case, index, policy, minimum)


def _fewer_sub_groups(case: Case, index: int, policy: k8s.SubGroupPolicy, minimum: int) -> Parameter:
    now, size = policy.min_sub_groups or 0, policy.sub_group_size or 1
    of, path = f"podgroup/{case.job.uid}", ("spec", "subGroupPolicy", index, SUB_GROUPS)

    def edits(step: int) -> list[Edit]:
        fewer = set_value("podgroup", case.job.uid, path, now - step)
        return [*case.manifest.with_minimum(max(minimum - step * size, 1), minimum), fewer]

    owner = case.manifest.owner
    return Parameter(SUB_GROUPS, of, most=now - 1, guess=1, value=lambda step: now - step, edits=edits, owner=owner)


def unavailable(case: Case) -> Iterator[Parameter]:
    """Have the rollout of a Deployment take away pods of older ReplicaSets before the job's, which replace them, run.

    What the Deployment's controller does then is to take as many pods, of the oldest ReplicaSet first, as are ready
    beyond those that have to be.
    Reference: ``reconcileOldReplicaSets`` in pkg/controller/deployment/rolling.go of Kubernetes.
    """
    if case.refusal is None or case.refusal.code == VerdictCode.GANG_TOO_SMALL:
        return
    rollout = case.rollout
    if rollout is None or rollout.unavailable >= rollout.replicas:
        return
    now, replicas, key = rollout.unavailable, rollout.replicas, rollout.deployment.metadata.key
    of_it, of_pods = (rollout.new, *rollout.older), [pod for pod in case.given.pods if _is_ready(pod)]
    ready = sum(any(is_controlled(pod.metadata, "ReplicaSet", each.metadata) for each in of_it) for pod in of_pods)

    def edits(step: int) -> list[Edit]:
        found: list[Edit] = [
            set_value("deployment", key, ("spec", "strategy", "rollingUpdate", UNAVAILABLE), now + step)
        ]
        left = ready - (replicas - now - step)
        for each in rollout.older:
            there = replicas_of(each)
            fewer = max(min(left, there), 0)
            if fewer:
                found.append(Scale("replicaset", case.job.namespace, each.metadata.name, there - fewer))
            left -= fewer
        return found

    most = replicas - now
    yield Parameter(UNAVAILABLE, f"deployment/{key}", most, guess=1, value=lambda step: now + step, edits=edits)


def _is_ready(pod: k8s.Pod) -> bool:
    """Tell whether a pod is ready, as far as its conditions say so: a short form of a pod may have none."""
    conditions = [each for each in pod.status.conditions if each.type == "Ready"]
    return pod.status.phase == "Running" and is_active(pod) and all(each.status == "True" for each in conditions)


def surge(case: Case) -> Iterator[Parameter]:
    """Have the rollout of a Deployment make as many new pods at a time as their gang needs.

    What the Deployment's controller does then is that the new ReplicaSet gets these pods.
    """
    rollout = case.rollout
    if case.refusal is None or case.refusal.code != VerdictCode.GANG_TOO_SMALL or rollout is None:
        return
    now, new = len(case.job.tasks), rollout.new.metadata.name
    if case.job.min_available > rollout.replicas:  # the new ReplicaSet gets no more than these
        return
    yield Parameter(
        SURGE,
        f"deployment/{rollout.deployment.metadata.key}",
        most=case.missing,
        guess=case.missing,
        value=lambda step: now + step,
        edits=lambda step: [Scale("replicaset", case.job.namespace, new, now + step)],
    )
