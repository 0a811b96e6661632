"""The objects while controllers work on them: those that were there, and those that are being made.

A controller sees what those before it made. The manifests that it all started from stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from msgspec import structs

from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.model.awaited import DEPENDENCIES, REFUSED, AwaitedPods, PodRefusal, PodsOfRole
from vqs.model.keys import CLASS_ANNOTATION
from vqs.model.quantity import canonical
from vqs.model.requests import default_class
from vqs.model.selectors import label_selector
from vqs.snapshot.apiserver.admission import RuntimeClasses, default_tolerations, with_default_tolerations
from vqs.snapshot.controllers.quotas import (
    LimitRanges,
    QuotaAdmission,
    new_pods,
    settled_quota,
    stored_limits,
    uncounted_pods,
)
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import in_force

_NAMED = 3
_WHAT = {
    "pod_groups": "PodGroup",
    "pods": "Pod",
    "workloads": "ReplicaSet",
    "claims": "PersistentVolumeClaim",
    "resource_claims": "ResourceClaim",
}

_OWN_GROUP = "podgroup-"
QUOTA_REFUSES_PODS = "quota-refuses-pods"


class Maker(NamedTuple):
    """What an object is made from, and where that stands."""

    kind: str
    key: str
    origin: Origin

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class World:
    """A cluster's objects, and ways to find them and to add to them."""

    def __init__(self, manifests: Manifests, known: Container[int] = ()) -> None:
        """Begin with what is given.

        Args:
            manifests: the objects.
            known: the identities of pods that controllers have left as they are before.
        """
        self.given = manifests
        self._known = known
        self._runtime_classes = RuntimeClasses(manifests.runtime_classes)
        self.pods = [*manifests.pods]
        if manifests.runtime_classes:
            self.pods = [self._runtime_classes.admitted_if_new(pod) for pod in self.pods]
        self._tolerates = tuple(default_tolerations(manifests.nodes))
        self.pod_groups = [*manifests.pod_groups]
        self.workloads = [*manifests.workloads]
        self._default_class = default_class(manifests.storage_classes)
        self._classes = {each.metadata.name: each for each in manifests.priority_classes}
        defaults = (each.value for each in reversed(manifests.priority_classes) if each.global_default)
        self._default_priority = next(defaults, 0)
        self.claims = [*map(self._with_class, manifests.claims)]
        self.resource_claims = [*manifests.resource_claims]
        self.origins = {name: [*origins] for name, origins in manifests.origins.items()}
        self._makers: dict[str, dict[str, Maker]] = {}
        # By name: whose pods were made together which really are made one after another, who asks for no pods at all,
        # and whose pods are there at once which their controller creates only once the PodGroup is admitted.
        self.at_once: list[str] = []
        self.without_pods: list[str] = []
        self.before_admission: list[str] = []
        self._awaited: dict[str, AwaitedPods] = {}
        self._max_pods = in_force().limits.max_pods
        self._asked_for = 0
        self.resource_quotas = [settled_quota(each, manifests.pods) for each in manifests.resource_quotas]
        new = new_pods(manifests)
        not_new = set(map(id, new))
        counted = [pod for pod in uncounted_pods(manifests) if id(pod) not in not_new]
        self._quotas = QuotaAdmission(self.resource_quotas, counted)
        self._limit_ranges = LimitRanges(manifests.limit_ranges)
        self._refused: list[Diagnostic] = []
        # Pods that are added by themselves are taken, but for those that quotas refuse.
        refused = {id(pod) for pod in new if self._refusal(pod) is not None}
        for pod, origin in self.given.with_origins("pods") if refused else ():
            if id(pod) in refused:
                pods = PodsOfRole(keys.role_of(pod.metadata), (pod.metadata.name,), pod.spec, REFUSED)
                maker = Maker("Pod", pod.metadata.key, origin)
                self.awaits(f"{pod.metadata.namespace}/{group_name_of(pod)}", AwaitedPods(str(maker), (pods,)))
        if refused:
            kept = [index for index, pod in enumerate(self.given.pods) if id(pod) not in refused]
            self.pods = [self.pods[index] for index in kept]
            self.origins["pods"] = [self.origins["pods"][index] for index in kept]

    # --- what there is -----------------------------------------------------------------------------------------------

    def unknown_pods(self) -> list[tuple[int, k8s.Pod]]:
        """The pods, with their places in the list, that controllers may not have been through before."""
        known = self._known
        if all(map(known.__contains__, map(id, self.pods))):  # as mostly, in many sessions on nearly the same objects
            return []
        return [(index, pod) for index, pod in enumerate(self.pods) if id(pod) not in known]

    @cached_property
    def pods_by_key(self) -> dict[str, k8s.Pod]:
        """All pods by namespace and name."""
        return {pod.metadata.key: pod for pod in self.pods}

    @cached_property
    def pod_groups_by_key(self) -> dict[str, k8s.PodGroup]:
        """All PodGroups by namespace and name."""
        return {group.metadata.key: group for group in self.pod_groups}

    @cached_property
    def _claim_keys(self) -> set[str]:
        return {claim.metadata.key for claim in self.claims}

    @cached_property
    def _pods_by_controller(self) -> dict[tuple[str, str, str], list[k8s.Pod]]:
        found: dict[tuple[str, str, str], list[k8s.Pod]] = {}
        for pod in self.pods:
            owner = controller_of(pod.metadata)
            if owner is not None:
                found.setdefault((owner.kind, pod.metadata.namespace, owner.name), []).append(pod)
        return found

    @cached_property
    def _given_by_label(self) -> dict[tuple[str, str, str], list[k8s.Pod]]:
        """The pods that were given, by namespace, and by the name and the value of each label."""
        found: dict[tuple[str, str, str], list[k8s.Pod]] = {}
        for pod in self.given.pods:
            for name, value in pod.metadata.labels.items():
                found.setdefault((pod.metadata.namespace, name, value), []).append(pod)
        return found

    def selects_given(self, selector: k8s.LabelSelector, namespace: str) -> bool:
        """True if a selector matches a pod that was given, looking at those with its rarest label."""
        matches = label_selector(selector).matches
        if not selector.match_labels:
            pods = self.given.pods
            return any(pod.metadata.namespace == namespace and matches(pod.metadata.labels) for pod in pods)
        labelled = (self._given_by_label.get((namespace, *label), []) for label in selector.match_labels.items())
        return any(matches(pod.metadata.labels) for pod in min(labelled, key=len))

    @cached_property
    def deployments_with_replica_sets(self) -> set[tuple[str, str]]:
        """The namespaces and names of the Deployments that have a ReplicaSet among the workloads that were given."""
        owners = ((each.metadata.namespace, controller_of(each.metadata)) for each in self.given.workloads)
        return {(namespace, owner.name) for namespace, owner in owners if owner and owner.kind == "Deployment"}

    def pods_of(self, kind: str, owner: k8s.ObjectMeta) -> list[k8s.Pod]:
        """The pods that an object controls."""
        return self._pods_by_controller.get((kind, owner.namespace, owner.name), [])

    def class_priority(self, class_name: str) -> int:
        """The priority of a class, zero if it is not known."""
        known = self._classes.get(class_name)
        return known.value if known else 0

    def maker(self, list_name: str, index: int, kind: str, metadata: k8s.ObjectMeta) -> Maker:
        """What an object was made from, itself if it was given."""
        made_by = self._makers.get(list_name, {}).get(metadata.key)
        return made_by or Maker(kind, metadata.key, self.origins[list_name][index])

    @cached_property
    def lacks_pods(self) -> bool:
        """Whether the snapshot was taken without pods: it has none, though PodGroups tell of pods that run."""
        return not self.given.pods and not self.given.sessions and any(each.status.running for each in self.pod_groups)

    def is_seen(self, metadata: k8s.ObjectMeta) -> bool:
        """True if an object is in a cluster already, so that what it stands for is made in its order."""
        return bool(metadata.uid) or self.given.sessions > 0

    def refuses(self, typed: Any, maker: Maker, resource: str) -> bool:
        """True if a quota has no room for an object that no cluster has seen; it is counted where there is room.

        Args:
            typed: the object.
            maker: what it is, or what it is made from.
            resource: what quotas call it, such as ``jobs.batch``.
        """
        metadata = typed.metadata
        given = self.given
        if metadata.uid or given.sessions or metadata.namespace not in self._with_stored_limits:
            return False
        if (type(typed), metadata.key) in given.stored_without_uid:
            return False
        refusal = self._quotas.admit_object(metadata.namespace, f"count/{resource}")
        if refusal is not None:
            text = f"the API server refuses {maker}: {refusal.by} allows {refusal.hard} {refusal.resource}"
            text += f", and {refusal.used} are in use"
            self._refused.append(Diagnostic(code=QUOTA_REFUSES_PODS, severity="warning", message=text))
        return refusal is not None

    @cached_property
    def _with_stored_limits(self) -> set[str]:
        return stored_limits(self.given)

    def refuses_pods(self, typed: Any, role: str = "") -> bool:
        """True if the API server refuses the pods of an object, or of one of its tasks."""
        return bool(self.given.refused_pods) and (*key_of(typed), role) in self.given.refused_pods

    def born(self, metadata: k8s.ObjectMeta) -> datetime | None:
        """When what is made from an object comes into being: with it, else at the end of what is known."""
        return metadata.creation_timestamp or self.given.newest_timestamp

    # --- what is made ------------------------------------------------------------------------------------------------

    def ask_for(self, pods: int, maker: Maker, *, claims: int = 0) -> None:
        """Count pods that will be created, in this session or a later one, and the claims of each.

        Raises:
            InputErrors: there are too many.
        """
        self._asked_for += max(pods, 0) * (1 + claims)
        if self._asked_for > self._max_pods:
            wanted = f"{pods:,} pods with {claims:,} claims each" if claims else f"{pods:,} pods"
            most = f"{self._max_pods:,} {'pods and claims' if claims else 'pods'}"
            message = f"{maker} asks for {wanted}: no more than {most} are created for all objects together"
            hint = "allow more with --max-pods"
            raise InputErrors([maker.origin.diagnostic("too-many-pods", message, hint=hint)])

    @property
    def has_quotas(self) -> bool:
        """True if there is any quota, or any other limit on new pods."""
        return bool(self._quotas) or bool(self._limit_ranges)

    def _refusal(self, pod: k8s.Pod, filled: k8s.Pod | None = None) -> PodRefusal | None:
        """Why the API server refuses a new pod; where it does not, it is counted, with the defaults it is given."""
        return self._limit_ranges.refusal(pod.metadata.namespace, pod.spec) or self._quotas.admit(filled or pod)

    def add_pod(self, pod: k8s.Pod, maker: Maker) -> None:
        """Add a pod that was asked for, unless a quota refuses it; then it is to be awaited."""
        if self.has_quotas:
            spec = self._limit_ranges.filled(pod.metadata.namespace, pod.spec)
            written, pod = pod, pod if spec is pod.spec else structs.replace(pod, spec=spec)
            if self._refusal(written, pod) is not None:
                return
        self.pods_by_key[pod.metadata.key] = pod
        owner = controller_of(pod.metadata)
        if owner is not None:
            place = owner.kind, pod.metadata.namespace, owner.name
            self._pods_by_controller.setdefault(place, []).append(pod)
        self.add("pods", pod, maker)

    def add_pod_group(self, group: k8s.PodGroup, maker: Maker) -> None:
        """Add a PodGroup."""
        self.pod_groups_by_key[group.metadata.key] = group
        self.add("pod_groups", group, maker)

    def add_claim(self, claim: k8s.PersistentVolumeClaim, maker: Maker) -> None:
        """Add a claim, unless there is one of that name."""
        if claim.metadata.key not in self._claim_keys:
            self._claim_keys.add(claim.metadata.key)
            self.add("claims", self._with_class(claim), maker)

    def _with_class(self, claim: k8s.PersistentVolumeClaim) -> k8s.PersistentVolumeClaim:
        """A claim with the default class, if it is new and names none; the class without name is one."""
        spec = claim.spec
        is_settled = spec.storage_class_name is not None or bool(spec.volume_name) or bool(claim.metadata.uid)
        if not self._default_class or is_settled or CLASS_ANNOTATION in claim.metadata.annotations:
            return claim
        return structs.replace(claim, spec=structs.replace(spec, storage_class_name=self._default_class))

    def ask_for_devices(self, claims: int, maker: Maker) -> None:
        """Count claims on devices that will be created.

        Raises:
            InputErrors: there are too many.
        """
        self._asked_for += claims
        if self._asked_for > self._max_pods:
            message = f"{maker} asks for {claims:,} claims: no more than {self._max_pods:,} pods and claims are created"
            raise InputErrors([maker.origin.diagnostic("too-many-pods", message, hint="allow more with --max-pods")])

    def add(self, list_name: str, made: Any, maker: Maker) -> None:
        """Add an object to one of the lists."""
        getattr(self, list_name).append(made)
        self.origins.setdefault(list_name, []).append(maker.origin)
        self._makers.setdefault(list_name, {})[made.metadata.key] = maker

    def awaits(self, pod_group: str, pods: AwaitedPods) -> None:
        """Note that pods of a PodGroup are created in a later session, as far as quotas do not refuse them."""
        known = self._awaited.get(pod_group)
        if self.has_quotas:
            namespace = pod_group.partition("/")[0]
            pods = replace(pods, roles=tuple(chain.from_iterable(self._split(namespace, role) for role in pods.roles)))
        self._awaited[pod_group] = pods if known is None else replace(known, roles=(*known.roles, *pods.roles))

    def _split(self, namespace: str, role: PodsOfRole) -> Iterator[PodsOfRole]:
        """Yield the pods of a role that quotas admit as far as can be seen today, and those that they refuse."""
        if role.refusal is not None:
            yield role
            return
        written, role = role.spec, replace(role, spec=self._limit_ranges.filled(namespace, role.spec))
        pod = k8s.Pod(metadata=k8s.ObjectMeta(namespace=namespace), spec=role.spec)
        if refusal := self._limit_ranges.refusal(namespace, written):
            yield replace(role, waits_for=REFUSED, refusal=refusal, written=written)
            return
        refusals = (self._quotas.refusal(pod, number=number) for number in range(len(role.names)))
        taken = next((number for number, each in enumerate(refusals) if each is not None), len(role.names))
        if taken:
            yield replace(role, names=role.names[:taken])
        if taken < len(role.names):
            refusal = self._quotas.refusal(pod, number=taken)
            yield replace(role, names=role.names[taken:], waits_for=REFUSED, refusal=refusal)

    def admitted(self, spec: k8s.PodSpec) -> k8s.PodSpec:
        """The spec of a new pod as the API server stores it, as far as scheduling looks at it.

        Reference: k8s.io/kubernetes plugin/pkg/admission/priority and pkg/apis/core/v1/defaults.go.
        """
        spec = self._runtime_classes.admitted(spec)
        if self._tolerates:
            spec = with_default_tolerations(spec, self._tolerates)
        known = self._classes.get(spec.priority_class_name)
        priority = known.value if known else None if spec.priority_class_name else self._default_priority
        return structs.replace(
            spec,
            priority=priority if spec.priority is None else spec.priority,
            preemption_policy=spec.preemption_policy or (known.preemption_policy if known else None),
            containers=[_stored(each, host_network=spec.host_network) for each in spec.containers],
            init_containers=[_stored(each, host_network=spec.host_network) for each in spec.init_containers],
        )

    # --- the result --------------------------------------------------------------------------------------------------

    def finish(self) -> Manifests:
        """Everything; what makes pods and matters for nothing else has done so, and is left out."""
        before = self.given.created_from
        # Where all this was completed before, the Jobs are no longer there to tell what is awaited.
        awaited_before = {} if self.given.volcano_jobs else self.given.awaited
        awaited_before = {group: pods for group, pods in awaited_before.items() if group in self.pod_groups_by_key}
        created = {
            list_name: {key: str(maker) for key, maker in makers.items()} for list_name, makers in self._makers.items()
        }
        return replace(
            self.given,
            pods=self.pods,
            pod_groups=self.pod_groups,
            workloads=self.workloads,
            claims=self.claims,
            resource_claims=self.resource_claims,
            resource_quotas=self.resource_quotas,
            deployments=[],
            jobs=[],
            volcano_jobs=[],
            notes=[*self.given.notes, *self._notes()],
            origins={
                name: origins
                for name, origins in self.origins.items()
                if name not in ("deployments", "jobs", "volcano_jobs")
            },
            created_from={name: before.get(name, {}) | created.get(name, {}) for name in before | created},
            awaited={**awaited_before, **self._awaited},
            known_jobs=self.given.known_jobs | {job.metadata.key: job for job in self.given.volcano_jobs},
            ended=self.given.ended | self._ended(),
        )

    def _ended(self) -> frozenset[str]:
        """Name the PodGroups of Volcano Jobs that have ended, with or without success."""
        ended = {
            each.metadata.key for each in self.given.volcano_jobs if each.status.state.phase in k8s.ENDED_JOB_PHASES
        }
        if not ended:
            return frozenset()
        return frozenset(
            group.metadata.key
            for group in self.pod_groups
            if (owner := controller_of(group.metadata)) is not None
            and owner.kind == "Job"
            and f"{group.metadata.namespace}/{owner.name}" in ended
        )

    def _notes(self) -> list[Diagnostic]:
        notes = []
        if self._makers:
            text = f"added what controllers would create: {self._summary()}"
            notes.append(Diagnostic(code="made-objects", severity="note", message=text))
        if self.before_admission:
            is_one = len(self.before_admission) == 1
            without, are, its = ("has no uid", "it is", "its") if is_one else ("have no uid", "they are", "their")
            text = (
                f"{_listed(self.before_admission)} {without}, so {are} in no cluster yet: {its} pods are "
                "simulated at once; in a cluster, the Job controller creates them a session later, once the PodGroup "
                "is admitted"
            )
            notes.append(Diagnostic(code="pods-before-admission", severity="note", message=text))
        if self.at_once:
            text = f"all pods were added at once, although they wait for one another: {_listed(self.at_once)}"
            notes.append(Diagnostic(code="made-at-once", severity="note", message=text))
        held_back = {group: each.maker for group, each in self._awaited.items() if each.waits_for == DEPENDENCIES}
        if held_back:
            text = f"pods that wait for other pods of their Job were not added: {_listed([*held_back.values()])}"
            notes.append(Diagnostic(code="held-back", severity="note", message=text, jobs=tuple(held_back)))
        notes += self._refused
        for group, pods in self._awaited.items():
            if pods.refusal is not None:
                number = _counted(pods.number_waiting_for(REFUSED), "pod")
                what = pods.maker if pods.maker.startswith("Pod ") else f"{number} of {pods.maker}"
                text = f"the API server refuses {what}: {pods.refusal.text}"
                notes.append(Diagnostic(code=QUOTA_REFUSES_PODS, severity="warning", message=text, jobs=(group,)))
        if self.without_pods:
            text = f"no pods are requested: {_listed(self.without_pods)}"
            notes.append(Diagnostic(code="no-pods", severity="warning", message=text))
        return notes

    def _summary(self) -> str:
        """Say how many objects were created for what: ``1 PodGroup and 3 Pods for 1 Job``."""
        makers: dict[str, set[str]] = {}
        counts: dict[str, Counter[str]] = {}
        for list_name, what in _WHAT.items():
            for maker in self._makers.get(list_name, {}).values():
                makers.setdefault(maker.kind, set()).add(maker.key)
                counts.setdefault(maker.kind, Counter())[what] += 1
        made = {kind: _and([_counted(n, what) for what, n in count.items()]) for kind, count in counts.items()}
        return "; ".join(f"{what} for {_counted(len(makers[kind]), kind)}" for kind, what in made.items())


# --- objects ----------------------------------------------------------------------------------------------------------


def controller_of(metadata: k8s.ObjectMeta) -> k8s.OwnerReference | None:
    """The owner that controls an object."""
    if not metadata.owner_references:  # as most pods of a scenario
        return None
    return next((owner for owner in metadata.owner_references if owner.controller), None)


def goes_with_its_node(pod: k8s.Pod) -> bool:
    """True if a node like that of an active pod runs one, too: a DaemonSet controls it, or as a static pod its node."""
    if pod.status.phase in k8s.ENDED_PHASES or pod.metadata.deletion_timestamp is not None:
        return False
    owner = controller_of(pod.metadata)
    return owner is not None and owner.kind in ("DaemonSet", "Node")


def batch_job_of(metadata: k8s.ObjectMeta) -> str | None:
    """The namespace/name of the Job of Kubernetes that controls an object; None where none does."""
    owner = controller_of(metadata)
    is_job = owner is not None and owner.kind == "Job" and owner.api_version.startswith("batch/")
    return f"{metadata.namespace}/{owner.name}" if is_job and owner is not None else None


def is_controlled(metadata: k8s.ObjectMeta, kind: str, owner: k8s.ObjectMeta) -> bool:
    """True if an object is controlled by another; one that is not from a cluster has no uid."""
    reference = controller_of(metadata)
    if reference is None or (reference.kind, reference.name) != (kind, owner.name):
        return False
    return metadata.namespace == owner.namespace and (not owner.uid or reference.uid in ("", owner.uid))


def reference(api_version: str, kind: str, owner: k8s.ObjectMeta) -> k8s.OwnerReference:
    """A reference to an object, as the controller of what is made from it."""
    return k8s.OwnerReference(api_version, kind, owner.name, owner.uid, controller=True)


def group_name_of(pod: k8s.Pod) -> str:
    """The name of the PodGroup that a pod names, or gets.

    That is named after the uid of the pod's controller, or of the pod; without one, after the kind and name.
    """
    if pod.metadata.annotations.get(keys.GROUP_NAME):
        return pod.metadata.annotations[keys.GROUP_NAME]
    owner = controller_of(pod.metadata)
    if owner is not None:
        return _OWN_GROUP + (owner.uid or f"{owner.kind.lower()}-{owner.name}")
    return _OWN_GROUP + (pod.metadata.uid or f"pod-{pod.metadata.name}")


def is_active(pod: k8s.Pod) -> bool:
    """True if a pod is neither ended nor being deleted."""
    return pod.status.phase not in k8s.ENDED_PHASES and pod.metadata.deletion_timestamp is None


def _stored(container: k8s.Container, *, host_network: bool) -> k8s.Container:
    resources = k8s.ResourceRequirements(
        requests={name: canonical(amount) for name, amount in container.resources.requests.items()},
        limits={name: canonical(amount) for name, amount in container.resources.limits.items()},
    )
    ports = container.ports
    if host_network:
        ports = [structs.replace(port, host_port=port.host_port or port.container_port) for port in ports]
    return structs.replace(container, resources=resources, ports=ports)


# --- words ------------------------------------------------------------------------------------------------------------


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _and(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return _and([*names[:_NAMED], *more])
