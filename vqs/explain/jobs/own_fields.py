"""What whoever submitted a job can change in it: its pods, its queue, its replicas and the job that it waits for.

Pods that exist are edited one by one, which is what a session needs; where they have a controller, the change belongs
into that, and the parameter names it. The pod templates of Jobs, and most of a pod, cannot be changed after creation:
the parameter then names what to delete and create again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import msgspec
from msgspec import structs

from vqs.engine.actions import preempt, reclaim
from vqs.engine.nodes.selectors import FORBIDDING
from vqs.engine.plugins import nodegroup, overcommit
from vqs.explain.jobs.case import OF_LIMITS, SCALE_DOWN, Case, Parameter, Value, amount_of, choice, counted, set_value
from vqs.explain.jobs.manifest import MIN_RESOURCES, exact, fixed_by, in_manifest, owner_of, unit
from vqs.explain.jobs.surroundings import bound, is_unbound
from vqs.explain.node_labels import MissingLabel, known_labels
from vqs.explain.verdicts import OF_NODES
from vqs.model import kubernetes as k8s
from vqs.model.cluster import OPEN, ROOT
from vqs.model.codes import VerdictCode
from vqs.model.job import Job, TaskStatus
from vqs.model.keys import DEFAULT_SCHEDULER, GROUP_QUEUE, SCHEDULER_NAME, pod_group_of, role_of
from vqs.model.quantity import parse
from vqs.model.requests import claim_names
from vqs.model.resource import EPSILON, PODS, Resource, is_scalar_resource
from vqs.model.selectors import untolerated
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job import as_submitted
from vqs.snapshot.controllers.quotas import Breach, LimitRanges
from vqs.snapshot.controllers.workloads import replicas_of
from vqs.snapshot.reading.diagnostics import Path, probably_meant
from vqs.snapshot.reading.kinds import KIND_OF
from vqs.snapshot.reading.plain import plain_value
from vqs.snapshot.whatif.edits import CONF, AddObject, Edit, Remove, Scale, SetValue
from vqs.snapshot.whatif.owners import OF_CONDITIONS
from vqs.snapshot.whatif.paths import EditError, set_field
from vqs.snapshot.whatif.targets import Target, find_job, word_of

TOLERATIONS, SELECTOR, AFFINITY, REQUESTS = "tolerations", "nodeSelector", "affinity", "requests"
RESOURCES: Final = "requests and limits"
SPREAD: Final = "topologySpreadConstraints"
GATES, SCHEDULER, PRIORITY_CLASS, CLAIM_NAME = "schedulingGates", "schedulerName", "priorityClassName", "claimName"
REPLICAS, QUEUE, FACTOR, END = "replicas", "queue", overcommit.FACTOR, "end"

OWN_CLASSES: Final = "system-"
"""How the classes of the system begin."""

_DEPLOYMENT: Final = "Deployment"
_Scaled = k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet
_SCALED: Final = frozenset({_DEPLOYMENT, "ReplicaSet", "StatefulSet"})
_STAYING: Final = frozenset({"DaemonSet", "ReplicationController"})
"""The kinds whose pods run until a user takes them away, those first that can be scaled down."""

_MOST_PODS: Final = 100
"""The pods of a larger job are not edited one by one."""

_MOST_CHOICES: Final = 2
_MOST_NAMED: Final = 3
_MOST_ENDS: Final = 3
_MISTAKEN: Final = 4
"""A request of as many times what the largest node has is a mistake."""
_LARGEST_FACTOR: Final = 10.0
"""Beyond this, overcommit no longer holds anything back."""

_OF_QUEUES: Final = (VerdictCode.QUEUE_CLOSED, VerdictCode.QUEUE_OVERUSED, *OF_LIMITS)

_OF_ADMISSION: Final = (VerdictCode.NOT_ENQUEUED_OVERCOMMIT, VerdictCode.NOT_ENQUEUED_QUOTA)
"""Which codes are of what the pods of a job ask for together, before any of them is created."""


@dataclass(frozen=True, slots=True)
class _PodPlace:
    """Where the spec of pods of a job is written: in a pod, or in the template of what makes them."""

    kind: str
    name: str
    path: Path
    spec: k8s.PodSpec
    owner: str = ""
    recreate: str = ""

    def set(self, path: Path, value: Any) -> SetValue:
        return set_value(self.kind, self.name, (*self.path, *path), value)


def _places(case: Case, pods: Sequence[k8s.Pod] | None = None) -> list[_PodPlace]:
    """Return where some pods are written; those without a place where none are given.

    Of a Volcano Job that has to be created again, and has pods that run or none of these, it is the Job.
    """
    written = {pod.metadata.key for pod in case.given.pods}
    manifest = case.manifest
    is_created_again = pods is None and manifest.volcano_job is not None and bool(manifest.fixed and case.running)
    pods = [task.pod for task in case.pending] if pods is None else pods
    if pods and not is_created_again and all(pod.metadata.key in written for pod in pods):
        places = [_of_pod(pod) for pod in pods]
        return places if len(places) <= _MOST_PODS else []
    kind, _, name = manifest.reference.partition("/")
    if manifest.volcano_job is not None:
        awaited = case.session.cluster.awaited.get(case.job.uid)
        waiting = {role_of(pod.metadata) for pod in pods} | {each.role for each in (awaited.roles if awaited else ())}
        return [
            _PodPlace(
                kind,
                name,
                ("spec", "tasks", index, "template", "spec"),
                task.template.spec,
                manifest.owner,
                manifest.fixed,
            )
            for index, task in enumerate(manifest.volcano_job.spec.tasks)
            if not is_created_again or task.name in waiting
        ]
    if pods and manifest.priority[:2] == ("spec", "template"):
        path = ("spec", "template", "spec")
        return [_PodPlace(kind, name, path, pods[0].spec, manifest.owner, manifest.fixed)]
    return []


def _of_pod(pod: k8s.Pod) -> _PodPlace:
    metadata = pod.metadata
    owner = owner_of(metadata)
    own = f"Pod {metadata.key}" if metadata.uid and not owner else ""
    return _PodPlace("pod", metadata.key, ("spec",), pod.spec, owner, fixed_by(metadata) or own)


def _of_pods(
    case: Case,
    places: Sequence[_PodPlace],
    what: str,
    *,
    before: str,
    after: str,
    edits: Sequence[Edit],
    states: Sequence[Edit] = (),
) -> Parameter:
    # Of a pod that exists, gates can be removed, and tolerations added.
    fixed = [each for each in places if each.kind != "pod" or what not in (GATES, TOLERATIONS)]
    made = choice(
        what,
        case.manifest.reference,
        before,
        after,
        edits,
        owner="" if what == GATES and places[0].kind == "pod" else places[0].owner,
        recreate=_recreated(fixed),
        states=states,
    )
    return _created_again(case, made, places[0])


def _created_again(case: Case, parameter: Parameter, place: _PodPlace) -> Parameter:
    """Have a Volcano Job deleted and created with a change of its templates: pods of it that run are created again."""
    manifest = case.manifest
    if (
        place.kind == "pod"
        or manifest.volcano_job is None
        or parameter.recreate != manifest.fixed
        or not manifest.fixed
    ):
        return parameter
    [job] = (each for each in case.given.volcano_jobs if manifest.fixed == f"Job {each.metadata.key}")
    new, kind = as_submitted(job), KIND_OF[k8s.VolcanoJob]
    new.metadata.creation_timestamp, metadata = None, new.metadata

    def edits(step: int) -> list[Edit]:
        value, rest = plain_value(new), []
        for edit in parameter.edits(step):
            if isinstance(edit, SetValue) and edit.kind == "job":
                set_field(value, k8s.VolcanoJob, edit.path, edit.value)
            else:
                rest.append(edit)
        again = AddObject({"apiVersion": kind.api_version, "kind": kind.name, **value})
        return [Remove("job", metadata.namespace, metadata.name), again, *rest]

    return replace(parameter, edits=edits, as_written=parameter.written)


def _recreated(places: Sequence[_PodPlace]) -> str:
    """Return what has to be deleted and created again: the Job, or pods without a controller."""
    return first_names([*dict.fromkeys(place.recreate for place in places if place.recreate)], _MOST_NAMED)


def is_refused_by_nodes(case: Case) -> bool:
    """Tell whether nodes keep the job from its place."""
    return case.refusal is not None and case.refusal.code in (*OF_NODES, VerdictCode.ROLE_FAILED)


# --- where pods may go ------------------------------------------------------------------------------------------------


def tolerations(case: Case) -> Iterator[Parameter]:
    """Tolerate the taints of nodes that are large enough, those first that most of the nodes have."""
    places = _places(case) if is_refused_by_nodes(case) else []
    if not places:
        return
    spec, request = places[0].spec, next(iter(case.wanted))
    found: dict[str, list[list[k8s.Taint]]] = {}
    for node in case.session.nodes.nodes:
        lasting = [taint for taint in node.object.spec.taints if not taint.key.startswith(OF_CONDITIONS)]
        taints = untolerated(lasting, spec.tolerations, FORBIDDING)
        if taints and is_large_enough(node.allocatable, request):
            text = ", ".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in taints)
            found.setdefault(text, []).append(taints)
    for text in sorted(found, key=lambda text: (-len(found[text]), text))[:_MOST_CHOICES]:
        more = [
            {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
            for taint in found[text][0]
        ]
        edits: list[Edit] = [
            place.set((TOLERATIONS,), [*msgspec.to_builtins(place.spec.tolerations), *more]) for place in places
        ]
        yield _of_pods(
            case, places, TOLERATIONS, before="as written" if spec.tolerations else "none", after=text, edits=edits
        )


def is_large_enough(allocatable: Resource, request: Resource) -> bool:
    """True if an empty node with so much could hold a task."""
    return all(request.get(name) - allocatable.get(name) < EPSILON for name in request.names())


def selector(case: Case) -> Iterator[Parameter]:
    """Correct the labels of the node selector that no node has, then do without the selector."""
    places = [each for each in _places(case) if each.spec.node_selector] if is_refused_by_nodes(case) else []
    if not places:
        return
    corrected: list[tuple[_PodPlace, dict[str, str]]] = []
    for place, labels in _mistaken(case, places, SELECTOR):
        meant = {each.key: (each.near_key or each.key, (each.near_values or each.values)[0]) for each in labels}
        after = dict(meant.get(key, (key, value)) for key, value in place.spec.node_selector.items())
        corrected.append((place, after))
    if corrected:
        edits: list[Edit] = [place.set((SELECTOR,), after) for place, after in corrected]
        before = _in_words(place.spec.node_selector for place, _ in corrected)
        to = _in_words(after for _, after in corrected)
        yield _of_pods(case, [place for place, _ in corrected], SELECTOR, before=before, after=to, edits=edits)
    edits = [place.set((SELECTOR,), {}) for place in places]
    before = _in_words(each.spec.node_selector for each in places)
    yield _of_pods(case, places, SELECTOR, before=before, after="none", edits=edits)


def _in_words(selectors: Iterable[Mapping[str, str]]) -> str:
    """Write the distinct ones of the node selectors of pods."""
    return "; ".join(dict.fromkeys(", ".join(f"{key}={value}" for key, value in each.items()) for each in selectors))


def affinity(case: Case) -> Iterator[Parameter]:
    """Correct the labels that the affinity to nodes requires and no node has; then do without any affinity.

    That is the one to nodes, and that to other pods or against them.
    """
    places = [each for each in _places(case) if each.spec.affinity] if is_refused_by_nodes(case) else []
    if not places:
        return
    corrected = [(place, label) for place, labels in _mistaken(case, places, AFFINITY) for label in labels]
    if corrected:
        edits: list[Edit] = [
            place.set((*label.path, "key"), label.near_key)
            if label.near_key
            else place.set((*label.path, "values"), [*label.near_values])
            for place, label in corrected
        ]
        after = ", ".join(dict.fromkeys(label.corrected for _, label in corrected))
        yield _of_pods(case, places, AFFINITY, before="as written", after=after, edits=edits)
    edits = [place.set((AFFINITY,), None) for place in places]
    yield _of_pods(case, places, AFFINITY, before="as written", after="none", edits=edits)


def spread(case: Case) -> Iterator[Parameter]:
    """Have the topology spread constraints of the pods keep them from no node."""
    places = [each for each in _places(case) if _hard(each.spec)] if is_refused_by_nodes(case) else []
    if places:
        edits: list[Edit] = [
            place.set((SPREAD, index, "whenUnsatisfiable"), _SOFT) for place in places for index in _hard(place.spec)
        ]
        yield _of_pods(case, places, SPREAD, before=_HARD, after=_SOFT, edits=edits)


_HARD, _SOFT = "DoNotSchedule", "ScheduleAnyway"


def _hard(spec: k8s.PodSpec) -> list[int]:
    """Return which of the topology spread constraints of a pod keep it from nodes."""
    constraints = enumerate(spec.topology_spread_constraints)
    return [index for index, each in constraints if each.when_unsatisfiable in ("", _HARD)]


def _mistaken(case: Case, places: Sequence[_PodPlace], field: str) -> list[tuple[_PodPlace, list[MissingLabel]]]:
    """Return the labels that a field of pods requires and no node has; none unless it is known what each should be."""
    known = known_labels(case.session.nodes)
    missing = [(place, [each for each in known.missing(place.spec) if each.path[0] == field]) for place in places]
    missing = [(place, labels) for place, labels in missing if labels]
    return missing if all(each.near_key or each.near_values for _, labels in missing for each in labels) else []


def claim_name(case: Case) -> Iterator[Parameter]:
    """Use the claim that is meant, where a pod names one that does not exist; it may have to be bound first.

    One that another pod uses is not meant, unless many nodes may use it at once.
    """
    known = {each.metadata.key: each for each in case.given.claims}
    places = [each for each in _places(case) if each.spec.volumes]
    used = (volume.persistent_volume_claim for each in places[:1] for volume in each.spec.volumes)
    for name in dict.fromkeys(each.claim_name for each in used if each is not None):
        namespace = case.job.namespace
        own = [each.metadata.name for each in known.values() if each.metadata.namespace == namespace]
        meant = probably_meant(name, own) if name not in own else ""
        claim = known.get(f"{namespace}/{meant}")
        if claim is None or _is_taken(case, claim):
            continue
        edits: list[Edit] = [
            place.set(("volumes", index, "persistentVolumeClaim", CLAIM_NAME), meant)
            for place in places
            for index, volume in enumerate(place.spec.volumes)
            if volume.persistent_volume_claim is not None and volume.persistent_volume_claim.claim_name == name
        ]
        states = bound(case, claim) if is_unbound(case, claim) else []
        yield _of_pods(case, places, CLAIM_NAME, before=name, after=meant, edits=edits, states=states)


def _is_taken(case: Case, claim: k8s.PersistentVolumeClaim) -> bool:
    """Tell whether a pod that has not ended names a claim that only one node may use at a time."""
    metadata = claim.metadata
    return not any(mode.endswith("Many") for mode in claim.spec.access_modes) and any(
        pod.metadata.namespace == metadata.namespace
        and pod.status.phase not in ("Succeeded", "Failed")
        and metadata.name in [each.name for each in claim_names(pod)]
        for pod in case.given.pods
    )


def gates(case: Case) -> Iterator[Parameter]:
    """Remove the scheduling gates, as whoever set them does once they are met."""
    places = [each for each in _places(case, [task.pod for task in case.pending]) if each.spec.scheduling_gates]
    if places:
        before = ", ".join(dict.fromkeys(gate.name for each in places for gate in each.spec.scheduling_gates))
        edits: list[Edit] = [place.set((GATES,), []) for place in places]
        yield _of_pods(case, places, GATES, before=before, after="none", edits=edits)


def scheduler(case: Case) -> Iterator[Parameter]:
    """Have the pods of the job that ask for another scheduler ask for this one."""
    left = case.session.cluster.left_of_groups.get(case.job.uid)
    if not left:  # before all pods are looked through, which takes long in a large cluster
        return
    of_group = (pod for pod in case.completed.pods if pod_group_of(pod.metadata) == case.job.uid)
    pods = [
        pod
        for pod in of_group
        if pod.spec.scheduler_name != SCHEDULER_NAME and not pod.spec.node_name and pod.status.phase in ("", "Pending")
    ]
    places = _places(case, pods) if pods else []
    if not places:
        return
    job = case.manifest.volcano_job if places[0].kind != "pod" else None
    # What the template of a Volcano Job does not say, the Job does.
    silent = (SCHEDULER_NAME,) if job is None else ("", SCHEDULER_NAME)
    others = [each for each in places if each.spec.scheduler_name not in silent]
    edits: list[Edit] = [place.set((SCHEDULER,), SCHEDULER_NAME) for place in others]
    if job is not None and job.spec.scheduler_name != SCHEDULER_NAME:
        edits.insert(0, case.manifest.set(("spec", SCHEDULER), SCHEDULER_NAME))
    if edits:
        before = ", ".join(dict.fromkeys(each or DEFAULT_SCHEDULER for each in left))
        yield _of_pods(case, places, SCHEDULER, before=before, after=SCHEDULER_NAME, edits=edits)


def preempting_class(case: Case) -> Iterator[Parameter]:
    """Give a job whose preemptionPolicy is Never a class of no lower priority whose pods may preempt others.

    Where there is none, one is made that is like its own but for that, as the policy of a class cannot be changed.
    """
    evicting = {preempt.NAME, reclaim.NAME} & {*case.session.conf.actions}
    if not evicting or not any(task.pod.spec.preemption_policy == "Never" for task in case.pending):
        return
    places, manifest = _places(case), case.manifest
    before = places[0].spec.priority_class_name if places else ""
    classes = sorted(
        (each.value, each.metadata.name)
        for each in case.given.priority_classes
        if each.preemption_policy != "Never" and each.value >= case.job.priority
        if not each.metadata.name.startswith(OWN_CLASSES)
    )[:_MOST_CHOICES]
    new: list[Edit] = []
    if not classes:
        classes = [(case.job.priority, f"{before or 'job'}-preempting")]
        new = [new_class(classes[0][1], classes[0][0], preemptionPolicy="PreemptLowerPriority")]
    for priority, name in classes if places else ():
        edits: list[Edit] = [*new, manifest.set(manifest.priority, name)]
        for place in places:
            if place.kind == "pod":
                values = {PRIORITY_CLASS: name, "priority": priority, "preemptionPolicy": "PreemptLowerPriority"}
                edits += [place.set((field,), value) for field, value in values.items()]
            elif place.spec.priority_class_name:
                edits.append(place.set((PRIORITY_CLASS,), name))
        yield _of_pods(case, places, PRIORITY_CLASS, before=before or "none", after=name, edits=edits)


def new_class(name: str, value: int, **fields: str) -> AddObject:
    """Make a priority class."""
    kind = KIND_OF[k8s.PriorityClass]
    made = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name}, "value": value}
    return AddObject({**made, **fields})


def scheduler_of_all(case: Case) -> Iterator[Parameter]:
    """Have all pods of what is no job yet ask for this scheduler."""
    keys = {task.pod.metadata.key for task in case.job.tasks.values()}
    pods = [each for each in case.given.pods if each.metadata.key in keys]
    places = _places(case, pods) if pods else []
    if places:
        before = ", ".join(dict.fromkeys(each.spec.scheduler_name or DEFAULT_SCHEDULER for each in places))
        edits: list[Edit] = [place.set((SCHEDULER,), SCHEDULER_NAME) for place in places]
        made = _of_pods(case, places, SCHEDULER, before=before, after=SCHEDULER_NAME, edits=edits)
        maker = case.job.called
        if maker.owner is not None:
            made = replace(made, of=f"{maker.owner.kind.lower()}/{maker.namespace}/{maker.owner.name}")
        yield made


# --- how much a job asks for ------------------------------------------------------------------------------------------


def requests(case: Case) -> Iterator[Parameter]:
    """Lower the request of what nodes are short of, or what a queue, a quota or overcommit does not allow, to one half.

    What is many times the largest node is lowered to half of that: a unit is mistaken, or there is a zero too many.
    """
    resource, lacking, largest = _too_much(case)
    if resource in ("", PODS):
        return
    asking = [
        (place, index, amount)
        for place in _places(case)
        for index, each in enumerate(place.spec.containers)
        if (amount := amount_of(each.resources.requests, resource))
    ]
    asking = [each for each in asking if largest and each[2] > largest] or asking
    places = {(each.kind, each.name, each.path) for each, *_ in asking}
    if len({amount for *_, amount in asking}) != 1 or len(places) != len(asking):
        return  # which container, or which pod, is to ask for less is not to be guessed
    place, container, amount = asking[0]
    step_size = unit(resource, (amount, lacking))
    written = place.spec.containers[container].resources.requests[resource]
    ceiling = math.ceil(amount / step_size) * step_size
    is_admitted = case.job.uid not in case.session.not_enqueued
    least = {} if is_admitted else case.manifest.resources or {}  # what enqueue looks at, where a PodGroup says it

    def value(step: int) -> int | str:
        return in_manifest(resource, ceiling - step * step_size if step else amount, written)

    def edits(step: int) -> list[Edit]:
        lowered = value(step)
        less = (amount - amount_of({resource: lowered}, resource)) * min(len(asking), case.job.min_available)
        made: list[Edit] = [
            each.set(("containers", index, "resources", field, resource), lowered)
            for each, index, _ in asking
            for field in _lowered(each.spec.containers[index].resources, resource)
        ]
        left = {name: amount_of(least, name) - less for name in (resource, f"requests.{resource}") if name in least}
        kept = {name: in_manifest(resource, each, least[name]) for name, each in left.items() if each > 0}
        return [*made, *(case.manifest.set((*MIN_RESOURCES, name), each) for name, each in kept.items())]

    changed = sum(_pods_of(case, each) for each, *_ in asking)
    total = sum((exact(resource, each.get(resource)) or Fraction(0) for each in _every_request(case)), Fraction(0))

    def in_all(step: int) -> Value:
        return in_manifest(resource, total - (amount - amount_of({resource: value(step)}, resource)) * changed, written)

    made = Parameter(
        REQUESTS,
        case.manifest.reference,
        most=math.floor((ceiling - min(amount, largest or amount) / 2) / step_size),
        guess=math.ceil((ceiling - amount + lacking) / step_size),
        value=value,
        edits=edits,
        resource=resource,
        owner=place.owner,
        recreate=_recreated([each for each, *_ in asking]),
        in_all=in_all if changed > 1 else None,
    )
    yield _created_again(case, made, place)


def _pods_of(case: Case, place: _PodPlace) -> int:
    """Return how many pods of the job there are, or will be, of what is written in a place."""
    if place.kind == "pod":
        return 1
    job = case.manifest.volcano_job
    return job.spec.tasks[int(place.path[2])].replicas if job is not None else len(_every_request(case))


def _every_request(case: Case) -> list[Resource]:
    """Return what each pod of the job asks for, whether it waits, runs or is yet to be created."""
    awaited = case.session.cluster.awaited.get(case.job.uid)
    there = [task.request for task in case.job.tasks.values()]
    return there + [role.request for role in (awaited.roles if awaited else ()) for _ in role.names]


def within_limit_ranges(case: Case) -> Iterator[Parameter]:
    """Have each container request as much as the LimitRanges of the namespace allow."""
    awaited = case.session.cluster.awaited.get(case.job.uid)
    if awaited is None or awaited.refusal is None:
        return
    ranges, namespace = LimitRanges(case.given.limit_ranges), case.job.namespace
    edits: list[Edit] = []
    places: list[_PodPlace] = []
    asked: list[_Amount] = []
    allowed: list[_Amount] = []
    for place in _places(case):
        fields = (("containers", place.spec.containers), ("initContainers", place.spec.init_containers))
        containers = [((field, at, "resources"), each) for field, some in fields for at, each in enumerate(some)]
        for path, container in containers:
            alone = structs.replace(place.spec, containers=[container], init_containers=[])
            found = [
                # What a pod asks for is what its containers ask for together.
                each
                for each in ranges.breaches(namespace, alone)
                if not each.is_of_pods or len(containers) == 1
            ]
            for resource in dict.fromkeys(each.resource for each in found):
                same = [each for each in found if each.resource == resource]
                values = dict(_within(same, ranges.filled(namespace, alone).containers[0].resources))
                edits += [place.set((*path, field, resource), value) for field, value in values.items()]
                places.append(place)
                asked += [(field, getattr(container.resources, field).get(resource), resource) for field in values]
                allowed += [(field, value, resource) for field, value in values.items()]
    if edits:
        before, after = (_as_written(each) for each in (asked, allowed))
        yield _of_pods(case, places, RESOURCES, before=before, after=after, edits=edits)


_Amount = tuple[str, k8s.Quantity | None, str]
"""How much a field of a container says of a resource; None where it says nothing."""


def _as_written(amounts: Iterable[_Amount]) -> str:
    """Write the distinct ones of some amounts, each with its field."""
    said = (f"{field} {amount} {resource}" for field, amount, resource in amounts if amount is not None)
    return ", ".join(dict.fromkeys(said)) or "none"


def _within(breaches: Sequence[Breach], asked: k8s.ResourceRequirements) -> Iterator[tuple[str, k8s.Quantity]]:
    """Yield what a container requests of a resource, and its limit, where it keeps to what it does not keep to now.

    A request above a default limit, and not above what is allowed, gets a limit of its own.
    """
    first = breaches[0]
    bound = first.bound if first.field != "default" else first.asked or first.bound
    request, limit = (each.get(first.resource, bound) for each in (asked.requests, asked.limits))
    if first.field != "min":
        yield REQUESTS, min(request, bound, key=parse)
        yield "limits", bound
        return
    yield REQUESTS, max(request, bound, key=parse)
    if first.resource in asked.limits:
        yield "limits", max(limit, bound, key=parse)


def _too_much(case: Case) -> tuple[str, Fraction, Fraction]:
    """Return what pods ask for too much of, by how much, and what the largest node has, where they mistook a unit."""
    refusal, awaited = case.refusal, case.session.cluster.awaited.get(case.job.uid)
    of_pods = awaited.refusal if awaited is not None else None
    nothing = Fraction(0)
    if of_pods is not None and of_pods.said:  # it is about each pod
        return "", nothing, nothing
    if of_pods is not None and of_pods.asked is not None:
        quantities = {"asked": of_pods.asked, "used": of_pods.used, "hard": of_pods.hard}
        asked, used, hard = (amount_of(quantities, each) for each in quantities)
        return counted(of_pods.resource), asked + used - hard, nothing
    if refusal is None or not (is_refused_by_nodes(case) or refusal.code in (*OF_LIMITS, *_OF_ADMISSION)):
        return "", nothing, nothing
    if case.too_large is not None:
        resource, asked, largest = case.too_large
        if largest and asked >= largest * _MISTAKEN:
            return resource, asked - largest, largest
    if refusal.need is None:
        return "", nothing, nothing
    resource = counted(refusal.resource)
    lacking = (exact(resource, refusal.need) or nothing) - (exact(resource, refusal.have) or nothing)
    return resource, lacking, nothing


def _lowered(resources: k8s.ResourceRequirements, resource: str) -> Iterator[str]:
    """Yield the fields to lower: of limits, those that have to equal the request, or were written equal to it."""
    if resource in resources.requests:
        yield REQUESTS
    limit = amount_of(resources.limits, resource)
    if resource in resources.limits and (
        is_scalar_resource(resource) or limit == amount_of(resources.requests, resource)
    ):
        yield "limits"


def replicas(case: Case) -> Iterator[Parameter]:
    """Have a Volcano Job, or a workload that makes all of its pods at once, make as many as its gang needs."""
    refusal, job, namespace = case.refusal, case.manifest.volcano_job, case.job.namespace
    if refusal is None or refusal.code != VerdictCode.GANG_TOO_SMALL:
        return
    kind, name, owner, now = "job", "", case.manifest.owner, 0
    if job is not None and len(job.spec.tasks) == 1:
        name, now = job.metadata.name, job.spec.tasks[0].replicas
    elif job is None and case.rollout is None:
        _, made = _target_of(case, case.job.uid)
        # The pods of a StatefulSet come one after another, unless it says otherwise.
        is_ordered = isinstance(made, k8s.StatefulSet) and made.spec.pod_management_policy != "Parallel"
        if made is not None and _is_topmost(made, case.job) and not is_ordered:
            kind, name, owner, now = type(made).__name__.lower(), made.metadata.name, "", replicas_of(made)
    if name:
        yield Parameter(
            REPLICAS,
            case.manifest.reference if job is not None else f"{kind}/{namespace}/{name}",
            most=max(case.missing, case.job.min_available - now),
            guess=max(case.missing, case.job.min_available - now),
            value=lambda step: now + step,
            edits=lambda step: [Scale(kind, namespace, name, now + step)],
            owner=owner,
        )


# --- where it waits ---------------------------------------------------------------------------------------------------


def queue(case: Case) -> Iterator[Parameter]:
    """Move the job to another queue that is open, those first that hold the smallest share.

    Where its queue does not exist, that first whose name is most like it, and alone where one is much like it.
    The PodGroup is what is moved, by itself where a Job controls it: the queue of a Job cannot be changed after
    creation, and the controller writes it to the PodGroup only when it creates that.
    """
    ledger = case.session.queue_ledger
    of_groups = case.session.conf.plugin(nodegroup.NAME) is not None and is_refused_by_nodes(case)
    refused = case.refusal is not None and (case.refusal.code in _OF_QUEUES or of_groups)
    if not (refused or case.is_ignored) or ledger is None:
        return
    own, figures = case.job.queue, case.session.closed_queues
    parents = {each.parent for each in case.session.queues.values()}
    others = [
        name for name, each in case.session.queues.items() if each.state == OPEN and name not in {own, ROOT} | parents
    ]
    others.sort(key=lambda name: (figures[name].share if name in figures else 0.0, name))
    meant = probably_meant(own, others) if case.is_ignored else ""
    for name in [meant] if meant else others[:_MOST_CHOICES]:
        metadata = case.job.pod_group.metadata
        owner = "" if fixed_by(metadata) else owner_of(metadata)
        yield choice(QUEUE, f"podgroup/{case.job.uid}", own, name, [*_moves(case, name)], owner=owner)


def _moves(case: Case, queue: str) -> Iterator[Edit]:
    """Yield the edits that move the job: of what it is made from, where nothing of it is made yet."""
    manifest, uid = case.manifest, case.job.uid
    is_written = any(each.metadata.key == uid for each in case.given.pod_groups)
    if is_written or manifest.fixed or manifest.reference.startswith("podgroup/"):
        yield set_value("podgroup", uid, ("spec", "queue"), queue)
    elif manifest.volcano_job is not None:
        yield manifest.set(("spec", "queue"), queue)
    elif not manifest.reference.startswith("pod/"):
        yield manifest.set(("spec", "template", "metadata", "annotations", GROUP_QUEUE), queue)
    written = {pod.metadata.key for pod in case.given.pods}
    for task in case.pending if case.is_ignored else case.job.tasks.values():
        metadata = task.pod.metadata
        is_its_own = manifest.reference.startswith("pod/")
        if metadata.key in written and (is_its_own or GROUP_QUEUE in metadata.annotations):
            yield set_value("pod", metadata.key, ("metadata", "annotations", GROUP_QUEUE), queue)


def factor(case: Case) -> Iterator[Parameter]:
    """Raise overcommit-factor, where the configuration can be edited."""
    refusal = case.refusal
    option = case.session.conf.plugin(overcommit.NAME)
    if refusal is None or refusal.code != VerdictCode.NOT_ENQUEUED_OVERCOMMIT or option is None or not option.path:
        return
    now, path = float(refusal.text), (*option.path, "arguments", overcommit.FACTOR)

    def value(step: int) -> str:
        return f"{now + step / 10:.4g}"

    yield Parameter(
        FACTOR,
        CONF,
        most=math.floor((_LARGEST_FACTOR - now) * 10 + EPSILON),
        guess=1,
        value=value,
        edits=lambda step: [SetValue(CONF, "", "", path, float(value(step)))],
    )


def end(case: Case) -> Iterator[Parameter]:
    """Have a job end that runs: the smallest first of those that hold enough, else the largest.

    What does not end of itself, as a Deployment, is scaled down.
    """
    names = case.resources
    missing = {name: sum(sorted(case.requests(name))[: case.missing], Fraction(0)) for name in names}
    held = {
        job.uid: {name: exact(name, job.allocated.get(name)) or Fraction(0) for name in names}
        for job in case.session.jobs.values()
        if job is not case.job and (job.having(TaskStatus.Running) or job.having(TaskStatus.Bound))
        if not _ends_after(case, job) and _STAYING.isdisjoint(owner.kind for owner in job.called.owners)
    }

    def rank(uid: str) -> tuple[bool, Fraction, str]:
        enough = all(held[uid][name] >= missing[name] for name in names)
        total = sum((held[uid][name] / missing[name] for name in names if missing[name]), Fraction(0))
        return not enough, total if enough else -total, uid

    holding = [uid for uid, amounts in held.items() if any(amounts.values())]
    scaled: set[str] = set()
    for uid in sorted(holding, key=rank)[:_MOST_ENDS]:
        namespace, _, name = _name_for_edits(case, uid).rpartition("/")
        other = case.session.jobs[uid]
        if not is_scaled(other):
            yield choice(END, f"job/{uid}", "running", "ended", [Remove("job", namespace, name)])
            continue
        parts = [missing[each] * other.ready / amount for each, amount in held[uid].items() if amount]
        made = _scaled_down(case, other, max(map(math.ceil, parts)))
        if made is not None and made.of not in scaled:
            scaled.add(made.of)
            yield made


def is_scaled(job: Job) -> bool:
    """True if the pods of a job are made again whenever there are fewer than their controller has to keep up."""
    return not _SCALED.isdisjoint(owner.kind for owner in job.called.owners)


def _scaled_down(case: Case, other: Job, enough: int) -> Parameter | None:
    """Give the Deployment, ReplicaSet or StatefulSet of another job fewer replicas, by as many as may be enough.

    Where what controls the pods is not in the snapshot, the pods alone are taken away; None where no edit finds them,
    as their PodGroup is not in the snapshot either.
    """
    target, workload = _target_of(case, other.uid)
    if target is None:
        return None
    kind, (namespace, _, name), now = "job", _name_for_edits(case, other.uid).partition("/"), len(other.tasks)
    if workload is not None:
        kind, namespace, name, now = word_of(target.kind), target.namespace, target.name, replicas_of(workload)
    top, is_top = other.called.owners[0], workload is not None and _is_topmost(workload, other)

    def edits(step: int) -> list[Edit]:
        return [Scale(kind, namespace, name, now - step)]

    return Parameter(
        SCALE_DOWN,
        f"{kind}/{namespace}/{name}",
        most=now,
        guess=min(max(now - other.ready + enough, 1), now),
        value=lambda step: now - step,
        edits=edits,
        owner="" if is_top else f"{top.kind} {other.namespace}/{top.name}",
        as_written=None if is_top else lambda _: [],
    )


def _target_of(case: Case, uid: str) -> tuple[Target | None, _Scaled | None]:
    """Return what an edit of a job finds, and the workload that it is, where it can be scaled; None for neither."""
    try:
        target = find_job(case.given, "job", _name_for_edits(case, uid))
    except EditError:
        return None, None
    found = None if target.place is None else getattr(case.given, target.kind.list_name)[target.place]
    return target, found if isinstance(found, _Scaled) else None


def _is_topmost(workload: _Scaled, job: Job) -> bool:
    """True if nothing controls the workload of a job."""
    top = next(iter(job.called.owners), None)
    return top is not None and (top.kind, top.name) == (type(workload).__name__, workload.metadata.name)


def _ends_after(case: Case, other: Job) -> bool:
    """True of the pods that a rollout replaces by those of the job: they stay until these run."""
    above = [
        {(owner.kind, owner.name) for owner in job.called.owners if owner.kind == _DEPLOYMENT}
        for job in (case.job, other)
    ]
    return other.namespace == case.job.namespace and not above[0].isdisjoint(above[1])


def _name_for_edits(case: Case, uid: str) -> str:
    """Return what people call a job, where an edit finds the same object by it; else the name of its PodGroup."""
    called = case.session.jobs[uid].display_name
    if called == uid or " " in called:
        return uid
    try:
        found, meant = (find_job(case.given, "job", name) for name in (called, uid))
    except EditError:
        return uid
    return called if (found.kind, found.place) == (meant.kind, meant.place) else uid
