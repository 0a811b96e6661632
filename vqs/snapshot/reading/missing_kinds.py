"""What keeps an input from being whole: kinds of which an object is needed and not there, and objects with mistakes.

What is named is there, as a rule, and the kind was left out when the snapshot was taken; where a capture says that it
asked for a kind, the cluster has none. Pods that controllers have yet to create hang on what their templates name. The
volumes of other pods are not looked at here; the plugin that asks for them says what it misses.

What is wrong with objects is told where it stands, and the rest is read nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, GROUP_NAME, SCHEDULER_NAME, pod_group_of
from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, WantedKind, wanted
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import Source

_OWN_QUEUES: Final = ("", DEFAULT_QUEUE, "root")
"""The queues that the scheduler makes itself."""
_NOT_STARTED: Final = ("", "Pending", "Inqueue")
_NOT_ADMITTED: Final = ("", "Pending")
_JOBS: Final = "batch.volcano.sh/"
_EVERYTHING: Final = k8s.LabelSelector()
_OF_ONE_JOB: Final = (k8s.Namespace, k8s.RuntimeClass, k8s.PersistentVolumeClaim, k8s.ResourceQuota)
"""Without these, it is only unknown what becomes of the jobs that hang on one."""


class Missing(NamedTuple):
    """A kind that misses, and what hangs on an object of it: ``PodGroup ns/train``.

    Where what is decided about others is the same without it, `jobs` names the PodGroups of these.
    """

    kind: WantedKind
    hanging: list[str]
    jobs: tuple[str, ...]


class WaitingPods:
    """Those of some pods that wait, as far as they may hang on something. Each question is answered once."""

    def __init__(self, pods: Sequence[k8s.Pod]) -> None:
        self._pods = pods

    @cached_property
    def _waiting(self) -> list[k8s.Pod]:
        return [pod for pod in self._pods if not pod.spec.node_name and _waits(pod)]

    @cached_property
    def pod_groups(self) -> frozenset[str]:
        """The namespaces and names of their PodGroups."""
        return frozenset(pod_group_of(pod.metadata) for pod in self._waiting)

    @cached_property
    def pod_groups_with_pods(self) -> frozenset[str]:
        """The namespaces and names of the PodGroups of all pods."""
        return frozenset(pod_group_of(pod.metadata) for pod in self._pods)

    @cached_property
    def in_groups(self) -> list[k8s.Pod]:
        """Those that name a PodGroup and have not ended, also where they wait for nothing."""
        return [
            each for each in self._pods if each.status.phase not in k8s.ENDED_PHASES and pod_group_of(each.metadata)
        ]

    @cached_property
    def with_volumes(self) -> list[k8s.Pod]:
        """Those with volumes."""
        return [pod for pod in self._waiting if pod.spec.volumes]

    @cached_property
    def that_select_namespaces(self) -> list[k8s.Pod]:
        """Those with an affinity that looks into namespaces with some labels."""
        return [*filter(_selects_namespaces, self._waiting)]

    @cached_property
    def left_to_runtime_class(self) -> list[k8s.Pod]:
        """Those that have yet to be given what their class adds."""
        return [*filter(_is_left_to_runtime_class, self._waiting)]


def missing_kinds(given: Manifests, completed: Manifests, waiting: WaitingPods) -> list[Missing]:
    """The kinds that miss.

    Args:
        given: what was read.
        completed: what the controllers make of it.
        waiting: the pods of the latter.
    """
    groups = [
        group
        for group in completed.pod_groups
        if group.metadata.key in waiting.pod_groups or group.status.phase in _NOT_STARTED
    ]
    made = {claim.metadata.key for claim in completed.claims}

    def claims(pod: k8s.Pod) -> bool:
        """True if a pod uses a claim that no controller has made; those of ephemeral volumes are made for the pod."""
        used = (each.persistent_volume_claim for each in pod.spec.volumes if each.persistent_volume_claim)
        return any(f"{pod.metadata.namespace}/{each.claim_name}" not in made for each in used)

    # Pods whose PodGroups the cluster has; where controllers make these anew, those pods that it has.
    in_groups = [] if given.pod_groups else waiting.in_groups
    if completed.pod_groups:
        in_groups = [pod for pod in in_groups if pod.metadata.uid]
    of_jobs = [group for group in groups if _is_of_job(group)]
    hanging: dict[type, Sequence[k8s.Pod | k8s.PodGroup]] = {
        k8s.Pod: [group for group in given.pod_groups if group.status.running or _has_own_pods(group)],
        k8s.PodGroup: in_groups,
        k8s.ConfigMap: [group for group in groups if group.metadata.uid] if completed.configuration is None else [],
        k8s.ResourceQuota: [group for group in groups if group.metadata.uid and group.status.phase in _NOT_ADMITTED],
        k8s.Queue: [group for group in groups if group.spec.queue not in _OWN_QUEUES],
        k8s.PriorityClass: [
            *(group for group in groups if group.spec.priority_class_name),
            *_to_come(completed, lambda pod: bool(pod.spec.priority_class_name) and pod.spec.priority is None),
        ],
        k8s.VolcanoJob: [each for each in of_jobs if each.metadata.key not in waiting.pod_groups_with_pods],
        k8s.Namespace: [*waiting.that_select_namespaces, *_to_come(completed, _selects_namespaces)],
        k8s.RuntimeClass: [*waiting.left_to_runtime_class, *_to_come(completed, _is_left_to_runtime_class)],
        k8s.PersistentVolumeClaim: [] if any(map(claims, waiting.with_volumes)) else [*_to_come(completed, claims)],
    }
    asked_for = {name for captured in given.captures for name in captured.resources}
    return [
        Missing(
            wanted(kind),
            [f"{KIND_OF[type(each)].name} {each.metadata.key}" for each in objects],
            tuple(dict.fromkeys(map(_group_of, objects))) if kind in _OF_ONE_JOB else (),
        )
        for kind, objects in hanging.items()
        if objects
        and wanted(kind).kubectl_name not in asked_for
        and (kind is k8s.ConfigMap or not getattr(given, KIND_OF[kind].list_name))
    ]


def _group_of(each: k8s.Pod | k8s.PodGroup) -> str:
    return each.metadata.key if isinstance(each, k8s.PodGroup) else pod_group_of(each.metadata)


def _is_of_job(group: k8s.PodGroup) -> bool:
    """True if a PodGroup is that of a Volcano Job, whose controller makes pods once the group is admitted."""
    return any(each.kind == "Job" and each.api_version.startswith(_JOBS) for each in group.metadata.owner_references)


def _has_own_pods(group: k8s.PodGroup) -> bool:
    """True if a PodGroup of a cluster has pods before it is admitted, as those of an operator do."""
    return bool(group.metadata.uid) and group.status.phase in _NOT_STARTED and not _is_of_job(group)


def _waits(pod: k8s.Pod) -> bool:
    """True if a pod is for this scheduler, which has not placed it yet."""
    spec, metadata = pod.spec, pod.metadata
    return (
        not spec.node_name
        and spec.scheduler_name == SCHEDULER_NAME
        and metadata.deletion_timestamp is None
        and pod.status.phase not in k8s.ENDED_PHASES
    )


def _to_come(completed: Manifests, hangs: Callable[[k8s.Pod], bool]) -> Iterator[k8s.Pod]:
    """Yield the pods that do not exist yet and of which something is true; those of a role are alike."""
    for group, awaited in completed.awaited.items():
        namespace, _, its_group = group.partition("/")
        for role in awaited.roles:
            alike = k8s.Pod(metadata=k8s.ObjectMeta(namespace=namespace), spec=role.spec)
            if _waits(alike) and hangs(alike):
                for name in role.names:
                    metadata = k8s.ObjectMeta(name=name, namespace=namespace, annotations={GROUP_NAME: its_group})
                    yield k8s.Pod(metadata=metadata, spec=role.spec)


def _is_left_to_runtime_class(pod: k8s.Pod) -> bool:
    """True if a pod has yet to be given what its class adds; one that a cluster has admitted was."""
    return bool(pod.spec.runtime_class_name) and not pod.metadata.uid


def _selects_namespaces(pod: k8s.Pod) -> bool:
    """True if an affinity of a pod looks into namespaces with some labels."""
    affinity = pod.spec.affinity
    if affinity is None:
        return False
    terms: list[k8s.PodAffinityTerm] = []
    for each in (affinity.pod_affinity, affinity.pod_anti_affinity):
        if each is not None:
            terms += each.required
            terms += (preferred.pod_affinity_term for preferred in each.preferred)
    # An empty selector is for all namespaces, whatever their labels are.
    return any(term.namespace_selector is not None and term.namespace_selector != _EVERYTHING for term in terms)


class Findings:
    """Takes what is found in objects; of each finding it keeps the object and the path to the value it is about."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.places: dict[Diagnostic, tuple[Origin, Path]] = {}

    def refuse(self, origin: Origin, code: str, message: str, path: Path = (), *, hint: str = "") -> None:
        """Add an error."""
        self.add(origin, path, origin.diagnostic(code, message, path, hint=hint))

    def warn(self, origin: Origin, code: str, message: str) -> None:
        """Add something that may not be what was meant."""
        self.add(origin, (), origin.diagnostic(code, message, severity="warning"))

    def note(self, origin: Origin, code: str, message: str) -> None:
        """Add something that is worth knowing about an object."""
        self.add(origin, (), origin.diagnostic(code, message, severity="note"))

    def report(self, origin: Origin, defect: Defect) -> None:
        """Add a defect of an object."""
        code, path, message, hint, severity = defect
        self.add(origin, path, origin.diagnostic(code, message, path, severity=severity, hint=hint))

    def add(self, origin: Origin, path: Path, diagnostic: Diagnostic) -> None:
        """Add a diagnostic about a value in an object."""
        self.places.setdefault(diagnostic, (origin, path))
        self.problems.add(diagnostic)


AMOUNTS: Final = frozenset({"invalid-quantity", "negative-quantity"})
"""The codes of values that are no amounts to calculate with."""


class Fault(NamedTuple):
    """Something wrong with an input: the object and the value in it that it was found in, if it was in one."""

    diagnostic: Diagnostic
    origin: Origin | None = None
    path: Path = ()

    @property
    def hides(self) -> bool:
        """Whether the value is not in the object, because it could not be read as what it should be."""
        return self.diagnostic.code == "wrong-type" or self.diagnostic.code in AMOUNTS


@dataclass(frozen=True, slots=True)
class LenientRead:
    """What can be read of an input, and all that is wrong with it.

    Attributes:
        manifests: the objects. Of those with faults there is what remains without the values that cannot be read. A
            second object of the same name is not there, nor is one without a name; one with generateName has a name.
        faults: what is wrong, and what is worth knowing.
        sources: the files.
        whole: whether all objects are there; those of a scenario with faults are not.
        has_usable_configuration: whether it is known which configuration is meant, if there is one.
    """

    manifests: Manifests
    faults: list[Fault]
    sources: list[Source]
    whole: bool
    has_usable_configuration: bool
