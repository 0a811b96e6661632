"""What Volcano's definitions and webhooks, and the API server, make of what is submitted.

What they refuse of other kinds, `vqs.lint` finds. Of the webhooks that change objects, those for PodGroups, which move
them to the queue that their namespace names, and for pods, which knows groups of resources, are off by default, and
are not modelled. The webhook for Jobs also looks at the queue, which has to exist, be open and have no children; the
root takes none in any case. `refusals` leaves that to the session, which says of each task what keeps it from being
placed; `queue_denial` tells it. PodGroups are admitted to any open queue.
A field that a definition does not have is pruned, and a missing value may have a default. What is said of it here is
what controllers and the scheduler look at.
References: pkg/webhooks/admission/jobs/mutate/mutate_job.go, jobs/validate, queues/mutate/mutate_queue.go and
config/crd/volcano/bases in volcano-sh/volcano; k8s.io/apiextensions-apiserver pkg/apiserver/schema.

Of new pods, one that names a RuntimeClass gets its overhead, node selector and tolerations. A class that is not known
adds nothing, and where a pod says something else of its own, that stands: the API server would not admit such a pod.
Every new pod tolerates for five minutes nodes that are not ready, or not reachable; that matters where a node has such
a taint, and only then is it written. Groups of resources, as the configuration of the webhooks has them, name
schedulers.
References: k8s.io/kubernetes plugin/pkg/admission/runtimeclass, plugin/pkg/admission/defaulttolerationseconds and
pkg/util/tolerations; pkg/webhooks/admission/pods/mutate in volcano-sh/volcano.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as with_fields
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

import msgspec
import yaml
from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.cluster import OPEN, ROOT
from vqs.model.keys import DEFAULT_QUEUE, SCHEDULER_NAME
from vqs.model.kubernetes import Queue
from vqs.model.quantity import QuantityError, parse
from vqs.model.wording import first_names
from vqs.releases.profile import Profile
from vqs.releases.schemas import SchemaBehaviours
from vqs.snapshot.apiserver.validation.names import subdomain
from vqs.snapshot.apiserver.validation.schema import fields_of
from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, Path, did_you_mean, path_text
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import first_difference, plain_value

DENIES_JOB: Final = "Volcano's webhook denies this Job: "
DENIES: Final = "Volcano's webhook denies this change"
REFUSED: Final = "denied by the API server"
HOW_TO_RECREATE: Final = "delete and re-create it in one change: --remove job/NAMESPACE/NAME --add FILE"
CHANGE_DENIED: Final = "change-denied"
"""The code of the warning about a change that would be denied and is simulated nevertheless."""

_ANY_EVENT: Final = "*"
_EVENTS: Final = (
    *(_ANY_EVENT, "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"),
)
_RESTART_PARTITION: Final = "RestartPartition"
_ACTIONS: Final = (
    *("AbortJob", "RestartJob", "RestartTask", "RestartPod", _RESTART_PARTITION),
    *("TerminateJob", "CompleteJob", "ResumeJob"),
)
_PLUGINS: Final = ("ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray")
_QUALIFIED_NAME: Final = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_FLAG: Final = re.compile(r"--?(?P<name>[^-=][^=]*)(?:=(?P<value>.*))?", re.DOTALL)
_PORT: Final = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|[0-9]{1,18})", re.ASCII)


# --- defaults ---------------------------------------------------------------------------------------------------------


def as_admitted(typed: object) -> None:
    """Give a new object what it has once it is stored, as far as anybody looks at it: a weight of 0 becomes 1.

    >>> queue = k8s.Queue(spec=k8s.QueueSpec(weight=0))
    >>> as_admitted(queue)
    >>> queue.spec.weight
    1
    """
    if isinstance(typed, k8s.Queue):
        typed.spec.weight = typed.spec.weight or 1


def with_defaults(job: k8s.VolcanoJob, profile: Profile) -> k8s.VolcanoJob:
    """A Job as it is stored; the one that is given stays as it is."""
    spec = job.spec
    tasks = []
    for index, task in enumerate(spec.tasks):
        parts = task.partition_policy
        minimum = task.replicas
        if parts and _has_minimum(parts, profile):
            minimum = parts.min_partitions * parts.partition_size
        minimum = minimum if task.min_available is None else task.min_available
        tasks.append(replace(task, name=task.name or f"default{index}", min_available=minimum))
    return replace(
        job,
        spec=replace(
            spec,
            queue=spec.queue or DEFAULT_QUEUE,
            scheduler_name=spec.scheduler_name or SCHEDULER_NAME,
            tasks=tasks,
            min_available=spec.min_available or sum(task.min_available or 0 for task in tasks),
        ),
    )


def _has_minimum(parts: k8s.PartitionPolicy, profile: Profile) -> bool:
    """True if the number of partitions that a task needs decides how many pods it needs."""
    return parts.min_partitions > 0 or profile.webhooks.partition_minimum == "zero"


# --- refusals ---------------------------------------------------------------------------------------------------------


def refusals(job: k8s.VolcanoJob, profile: Profile) -> Iterator[Defect]:
    """Yield the reasons for which the webhook denies a Job."""
    job = with_defaults(_as_served(job, "VolcanoJob", profile.schemas), profile)
    spec = job.spec
    if not spec.tasks:
        yield _refusal(("spec",), "no task is specified")
        return
    yield from _mpi_tasks(spec, profile)
    yield from _topology(("spec", "networkTopology"), spec.network_topology)
    seen: set[str] = set()
    for index, task in enumerate(spec.tasks):
        if task.name in seen:
            yield _refusal(("spec", "tasks", index, "name"), f"duplicated task name {task.name}")
        seen.add(task.name)
    for index, task in enumerate(spec.tasks):
        yield from _task(job, task, index, profile)
    if sum(task.replicas for task in spec.tasks) < spec.min_available:
        yield _refusal(("spec", "minAvailable"), "minAvailable is greater than the total of replicas of all tasks")
    yield from _policies(("spec", "policies"), spec.policies, profile)
    known = [name for name in _PLUGINS if name != "ray" or profile.controllers.ray_plugin == "known"]
    for name in spec.plugins:
        if name not in known:
            yield _refusal(("spec", "plugins", name), f"unable to find job plugin {name}", did_you_mean(name, known))
    mounted: set[str] = set()
    for index, volume in enumerate(spec.volumes):
        path: Path = ("spec", "volumes", index)
        if not volume.mount_path:
            yield _refusal(path, "mountPath is required")
        elif volume.mount_path in mounted:
            yield _refusal((*path, "mountPath"), f"duplicated mountPath {volume.mount_path}")
        elif not volume.volume_claim and not volume.volume_claim_name:
            yield _refusal(path, "either volumeClaim or volumeClaimName must be specified")
        elif volume.volume_claim and volume.volume_claim_name:
            yield _refusal(path, "volumeClaim and volumeClaimName are both set")
        elif volume.volume_claim_name and subdomain(volume.volume_claim_name):
            claim = volume.volume_claim_name
            yield _refusal((*path, "volumeClaimName"), f"{claim} cannot be the name of a PersistentVolumeClaim")
        mounted.add(volume.mount_path)
    yield from _order(spec.tasks)


def change_refusal(old: k8s.VolcanoJob, new: k8s.VolcanoJob, profile: Profile) -> Defect | None:
    """Why the webhook does not let a Job that is there be changed so, and which field it minds; None if it does.

    What a field contains is compared as far as scheduling looks at it; amounts may be written in another way.
    """
    before, after = with_defaults(old, profile).spec, with_defaults(new, profile).spec
    if len(before.tasks) != len(after.tasks):
        return Defect("job-denied", ("spec", "tasks"), "no task can be added or removed after creation")
    tasks = [
        replace(task, replicas=was.replicas, min_available=was.min_available)
        for was, task in zip(before.tasks, after.tasks, strict=True)
    ]
    may_change = {"min_available": before.min_available, "priority_class_name": before.priority_class_name}
    changed = replace(_with_free_names(after), tasks=tasks, **may_change)
    path = first_difference(plain_value(_with_free_names(before)), plain_value(changed))
    if path is None:
        return None
    may = "only minAvailable, priorityClassName, and replicas and minAvailable of tasks can"
    what = path_text(("spec", *path)).removeprefix("$.")
    return Defect("job-denied", ("spec", *path), f"{what} cannot be changed after creation, {may}")


def assumed(error: Diagnostic) -> Diagnostic:
    """The warning about a change that an error denies and that is simulated nevertheless."""
    who = "The API server" if error.message.startswith(f"{REFUSED}: ") else "Volcano's webhook"
    reason = error.message.removeprefix(f"{REFUSED}: ").replace(f"{DENIES}: ", "", 1)
    message = f"{who} would deny this change; it is simulated nevertheless: {reason} ({error.code})"
    return replace(error, code=CHANGE_DENIED, severity="warning", message=message, help="")


def _with_free_names(spec: k8s.VolcanoJobSpec) -> k8s.VolcanoJobSpec:
    """A spec without the names of the claims that the controller makes: it chooses those that are not given."""
    volumes = [replace(each, volume_claim_name="") if each.volume_claim else each for each in spec.volumes]
    return replace(spec, volumes=volumes)


def _refusal(path: Path, reason: str, hint: str = "") -> Defect:
    return Defect("job-denied", path, f"{DENIES_JOB}{reason}", hint)


def _mpi_tasks(spec: k8s.VolcanoJobSpec, profile: Profile) -> Iterator[Defect]:
    if "mpi" not in spec.plugins:
        return
    names = {task.name for task in spec.tasks}
    for role, wanted in _mpi_roles(spec.plugins["mpi"]).items():
        if wanted not in names and (role == "master" or profile.webhooks.mpi_worker == "required"):
            yield _refusal(("spec", "plugins", "mpi"), f"the {role} task of plugin mpi, {wanted!r}, does not exist")


def _mpi_roles(arguments: Sequence[str]) -> dict[str, str]:
    """The names of the tasks for the roles in MPI, as the plugin reads them from its arguments.

    It reads them as Go programs do: ``-master`` or ``--master``, with the value after ``=`` or as the next argument. It
    stops at the first argument that it cannot make sense of, and keeps what it has read so far.

    >>> _mpi_roles(["--master", "m", "-worker=w"]), _mpi_roles(["--master=m", "--bogus", "--worker=w"])
    ({'master': 'm', 'worker': 'w'}, {'master': 'm', 'worker': 'worker'})
    """
    roles = {"master": "master", "worker": "worker"}
    remaining = iter(arguments)
    for argument in remaining:
        flag = _FLAG.fullmatch(argument)
        if flag is None or flag["name"] not in (*roles, "port"):
            break
        value = next(remaining, None) if flag["value"] is None else flag["value"]
        if value is None or (flag["name"] == "port" and not _PORT.fullmatch(value)):
            break
        if flag["name"] in roles:
            roles[flag["name"]] = value
    return roles


def _topology(path: Path, topology: k8s.NetworkTopology | None) -> Iterator[Defect]:
    if topology and topology.highest_tier_allowed is not None and topology.highest_tier_name:
        yield _refusal(path, "highestTierAllowed and highestTierName are both set")


def _task(job: k8s.VolcanoJob, task: k8s.TaskSpec, index: int, profile: Profile) -> Iterator[Defect]:
    path: Path = ("spec", "tasks", index)
    if task.min_available is not None and task.min_available > task.replicas:
        yield _refusal((*path, "minAvailable"), f"minAvailable is greater than replicas in task {task.name}")
    pod_name = f"{job.metadata.name}-{task.name}-{index}"
    if not _QUALIFIED_NAME.fullmatch(pod_name):
        yield _refusal((*path, "name"), f"{pod_name} cannot be the name of a pod")
    if not task.template.spec.containers:
        yield _refusal((*path, "template", "spec"), f"task {task.name} has no containers")
    yield from _policies((*path, "policies"), task.policies, profile)
    yield from _partitions((*path, "partitionPolicy"), task, profile)
    if task.topology_policy not in ("", "none"):
        yield from _whole_cpus(path, task.template.spec)


def _partitions(path: Path, task: k8s.TaskSpec, profile: Profile) -> Iterator[Defect]:
    parts = task.partition_policy
    if parts is None:
        return
    if parts.total_partitions <= 0:
        yield _refusal((*path, "totalPartitions"), "totalPartitions is not greater than 0")
    elif parts.partition_size <= 0:
        yield _refusal((*path, "partitionSize"), "partitionSize is not greater than 0")
    elif task.replicas != parts.total_partitions * parts.partition_size:
        yield _refusal(path, f"replicas of task {task.name} is not totalPartitions times partitionSize")
    elif _has_minimum(parts, profile) and parts.min_partitions * parts.partition_size != task.min_available:
        yield _refusal(path, f"minAvailable of task {task.name} is not minPartitions times partitionSize")
    yield from _topology((*path, "networkTopology"), parts.network_topology)


def _whole_cpus(path: Path, spec: k8s.PodSpec) -> Iterator[Defect]:
    """Yield what keeps cpus from being given out one by one, which a topology policy asks for."""
    for key, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for index, container in enumerate(containers):
            try:
                cpu = parse((container.resources.requests or container.resources.limits).get("cpu", 0))
            except QuantityError:
                continue  # it is refused elsewhere
            if not cpu or cpu.denominator != 1:
                place = (*path, "template", "spec", key, index, "resources")
                yield _refusal(place, "with a topologyPolicy, the cpu request has to be a whole number")


def _policies(path: Path, policies: list[k8s.LifecyclePolicy], profile: Profile) -> Iterator[Defect]:
    """Yield the first thing wrong with each policy, given those before it."""
    events: set[str] = set()
    exit_codes: set[int] = set()
    absent = (_RESTART_PARTITION,) if profile.schemas.job_partitions == "absent" else ()
    actions = [each for each in _ACTIONS if each not in absent]
    for index, policy in enumerate(policies):
        yield from _policy((*path, index), policy, events, exit_codes, actions)
        events.update(_events(policy))
        if policy.exit_code is not None:
            exit_codes.add(policy.exit_code)
    if _ANY_EVENT in events and len(events) > 1:
        yield _refusal(path, "where there is a policy for any event, no other can be")


def _policy(
    path: Path, policy: k8s.LifecyclePolicy, events: set[str], exit_codes: set[int], actions: Sequence[str]
) -> Iterator[Defect]:
    own = _events(policy)
    if own and policy.exit_code is not None:
        yield _refusal(path, "event and exitCode are both set")
    elif not own and policy.exit_code is None:
        yield _refusal(path, "neither event nor exitCode is set")
    elif policy.exit_code == 0:
        yield _refusal((*path, "exitCode"), "0 is not a valid error code")
    elif policy.exit_code in exit_codes:
        yield _refusal((*path, "exitCode"), f"duplicate exitCode {policy.exit_code}")
    for event in own:
        key = "event" if event == policy.event else "events"
        if event not in _EVENTS:
            yield _refusal((*path, key), f"invalid policy event {event!r}", did_you_mean(event, _EVENTS))
        elif policy.action not in actions:
            hint = did_you_mean(policy.action, actions)
            yield _refusal((*path, "action"), f"invalid policy action {policy.action!r}", hint)
            return
        elif event in events:
            yield _refusal((*path, key), f"duplicate event {event} across different policies")


def _events(policy: k8s.LifecyclePolicy) -> list[str]:
    return list(dict.fromkeys([*policy.events, *filter(None, [policy.event])]))


def _order(tasks: list[k8s.TaskSpec]) -> Iterator[Defect]:
    """Yield what keeps tasks from being put into an order; the webhook never has done with a name given twice."""
    for index, task in enumerate(tasks):
        names = task.depends_on.name if task.depends_on else []
        if len(set(names)) < len(names):
            path = ("spec", "tasks", index, "dependsOn", "name")
            yield _refusal(path, f"task {task.name} names a task that it depends on more than once")
            return
    waiting = {task.name: set(task.depends_on.name if task.depends_on else ()) for task in tasks}
    is_ordered = all(name in waiting for others in waiting.values() for name in others)
    try:
        TopologicalSorter(waiting).prepare()
    except CycleError:  # a task waits for itself, by way of others or not
        is_ordered = False
    if not is_ordered:
        message = "the tasks cannot be put into an order in which each comes after those it depends on"
        yield _refusal(("spec", "tasks"), message)


# --- queues of Jobs ---------------------------------------------------------------------------------------------------


_FEW: Final = 3


def leaf_queues(queues: Iterable[Queue]) -> list[str]:
    """The names of the open queues that take Jobs, sorted; the scheduler creates the default queue.

    >>> from vqs.model.kubernetes import ObjectMeta, QueueSpec
    >>> team, dev = Queue(metadata=ObjectMeta(name="team")), Queue(metadata=ObjectMeta(name="dev"))
    >>> dev.spec.parent = "team"
    >>> leaf_queues([team, dev])
    ['default', 'dev']
    """
    known = {DEFAULT_QUEUE: Queue(), **{each.metadata.name: each for each in queues}}
    parents = {ROOT, *(each.spec.parent for each in known.values())}
    return sorted(name for name, each in known.items() if name not in parents and each.status.state in ("", OPEN))


def queue_denial(queue: str, queues: Iterable[Queue]) -> str:
    """Why the webhook denies a new Job in a queue, and where it can go; empty where it admits the Job."""
    known = [*queues]
    leaves = leaf_queues(known)
    state = next((each.status.state for each in known if each.metadata.name == queue), "")
    children = sorted(each.metadata.name for each in known if each.spec.parent == queue)
    if state not in ("", OPEN):
        why = f"its state is {state}, not Open"
    elif queue == ROOT:
        why = "it is the root of all queues"
    elif queue != DEFAULT_QUEUE and all(each.metadata.name != queue for each in known):
        hint = did_you_mean(queue, leaves)
        why = f"it does not exist{f' ({hint})' if hint else ''}"
    elif children:
        why = f"it has child queues ({first_names(children, _FEW)})"
    else:
        return ""
    where = f"; open queues without children: {first_names(leaves, _FEW)}" if leaves else ""
    return f"a Job cannot be submitted to queue {queue}: {why}{where}"


# --- what definitions prune and default -------------------------------------------------------------------------------


_HIGHEST_TIER: Final = "highestTierAllowed"
_SERVED: Final = {"volcano_jobs": "VolcanoJob", "pod_groups": "PodGroup", "hyper_nodes": "HyperNode"}
"""The lists of what definitions prune, and the names of the types; no release of Kubernetes prunes what is modelled."""


def served(manifests: Manifests) -> Manifests:
    """Manifests as they are stored; they are the same where the definitions have all that they use."""
    schemas = manifests.profile.schemas
    lists: dict[str, Any] = {
        list_name: [_as_served(each, type_, schemas) for each in getattr(manifests, list_name)]
        for list_name, type_ in _SERVED.items()
        if _differs(type_, schemas)
    }
    return with_fields(manifests, **lists) if lists else manifests


@cache
def _differs(type_: str, schemas: SchemaBehaviours) -> bool:
    """True if something in a type is pruned, or has a default."""
    return any(
        (field.when is not None and not field.when.holds(schemas))
        or (name == _HIGHEST_TIER and schemas.highest_tier_default == "1")
        or (name != "template" and _differs(field.of_parts, schemas))
        for name, field in fields_of(type_).items()
    )


def _as_served(part: Any, type_: str, schemas: SchemaBehaviours) -> Any:
    """An object or a part of one as it is stored; what is not changed is the same."""
    if not part or not _differs(type_, schemas):
        return part
    if isinstance(part, list):
        return [_as_served(each, type_, schemas) for each in part]
    known, changed = fields_of(type_), {}
    for attribute, name in zip(part.__struct_fields__, part.__struct_encode_fields__, strict=True):
        value, field = getattr(part, attribute), known[name]
        if field.when is not None and not field.when.holds(schemas):
            changed[attribute] = getattr(type(part)(), attribute)
        elif name == _HIGHEST_TIER and value is None and schemas.highest_tier_default == "1":
            changed[attribute] = 1
        elif name != "template":
            changed[attribute] = _as_served(value, field.of_parts, schemas)
    return replace(part, **changed) if any(each is not getattr(part, key) for key, each in changed.items()) else part


_HAS_A_STATUS_BY_HAND = "Node"
"""A kind that is written by hand with a status too, as what matters of it stands there."""


def is_stored(value: Mapping[str, Any]) -> bool:
    """True if an object, as it is written, is from a cluster; an empty status is in what tools generate.

    What a cluster holds has passed its webhooks and its API server: no check of creation applies to it.

    >>> is_stored({"metadata": {"name": "a", "uid": "1"}}), is_stored({"metadata": {"name": "a"}, "status": {}})
    (True, False)
    """
    metadata = value.get("metadata")
    given = isinstance(metadata, dict) and bool(metadata.get("uid") or metadata.get("resourceVersion"))
    return given or bool(value.get("status") and value.get("kind") != _HAS_A_STATUS_BY_HAND)


class RuntimeClasses:
    """The classes of a snapshot."""

    def __init__(self, classes: Iterable[k8s.RuntimeClass]) -> None:
        self._classes = {each.metadata.name: each for each in classes}

    def admitted(self, spec: k8s.PodSpec) -> k8s.PodSpec:
        """The spec of a new pod with what its class adds; doing so again changes nothing."""
        known = self._classes.get(spec.runtime_class_name)
        if known is None:
            return spec
        overhead, scheduling = known.overhead, known.scheduling
        if overhead is not None:
            spec = replace(spec, overhead=spec.overhead or overhead.pod_fixed)
        if scheduling is not None:
            tolerations = [*spec.tolerations, *scheduling.tolerations]
            # What another one includes is left out; of equal ones, the first stays.
            merged: list[k8s.Toleration] = []
            for index, each in enumerate(tolerations):
                later = (other for other in tolerations[index + 1 :] if other != each)
                if not any(_includes(other, each) for other in (*merged, *later)):
                    merged.append(each)
            spec = replace(
                spec,
                node_selector=scheduling.node_selector | spec.node_selector,
                tolerations=merged,
            )
        return spec

    def admitted_if_new(self, pod: k8s.Pod) -> k8s.Pod:
        """A pod with what its class adds, unless a cluster has admitted it, and has added that already."""
        if pod.metadata.uid or not pod.spec.runtime_class_name:
            return pod
        return replace(pod, spec=self.admitted(pod.spec))


def _includes(one: k8s.Toleration, other: k8s.Toleration) -> bool:
    """True if a toleration puts up with all that another does."""
    if one == other:
        return True
    if one.key != other.key and (one.key or one.operator != "Exists"):
        return False
    seconds, longest = other.toleration_seconds, one.toleration_seconds
    lasts = one.effect != "NoExecute" or longest is None or (seconds is not None and seconds <= longest)
    if one.effect not in ("", other.effect) or not lasts:
        return False
    if one.operator == "Exists":
        return True
    return one.operator in ("", "Equal") and other.operator == "Equal" and one.value == other.value


# --- tolerations of every pod -----------------------------------------------------------------------------------------

TOLERATED_FOR_A_WHILE: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EFFECT: Final = "NoExecute"
_SECONDS: Final = 300


def default_tolerations(nodes: Iterable[k8s.Node]) -> Iterator[str]:
    """Yield the keys of the taints that nodes have, and that every new pod tolerates for a while."""
    tainted = {each.key for node in nodes for each in node.spec.taints if each.effect == _EFFECT}
    return (key for key in TOLERATED_FOR_A_WHILE if key in tainted)


def with_default_tolerations(spec: k8s.PodSpec, keys: Sequence[str]) -> k8s.PodSpec:
    """The spec of a new pod with the tolerations that it does not have of its own."""
    missing = [
        k8s.Toleration(key=key, operator="Exists", effect=_EFFECT, toleration_seconds=_SECONDS)
        for key in keys
        if not any(each.key in ("", key) and each.effect in ("", _EFFECT) for each in spec.tolerations)
    ]
    return replace(spec, tolerations=[*spec.tolerations, *missing]) if missing else spec


# --- groups of resources ----------------------------------------------------------------------------------------------


_KEY: Final = "volcano-admission.conf"
_ANNOTATION: Final = "volcano.sh/resource-group"


class _Object(msgspec.Struct):
    key: str = ""
    value: list[str] = []


class ResourceGroup(msgspec.Struct, rename="camel"):
    """Pods of a namespace or with an annotation, and the scheduler that they are given."""

    resource_group: str = ""
    object: _Object = msgspec.field(default_factory=_Object)
    scheduler_name: str = ""

    def has(self, namespace: str, annotations: Mapping[str, str]) -> bool:
        """True if pods of a namespace with some annotations belong to it."""
        if self.object.key == "namespace":
            return namespace in self.object.value
        written = {f"{name}: {value}" for name, value in annotations.items()}
        is_named = not self.object.key and annotations.get(_ANNOTATION) == self.resource_group
        return is_named or (self.object.key in ("", "annotation") and not written.isdisjoint(self.object.value))


def resource_groups(config_maps: Iterable[k8s.ConfigMap]) -> Iterator[ResourceGroup]:
    """Yield the groups in the configuration of the webhooks; none where it cannot be read."""
    for each in config_maps:
        try:
            value: Any = yaml.safe_load(each.data.get(_KEY, "")) or {}
            yield from msgspec.convert(value.get("resourceGroups") or [], list[ResourceGroup])
        except (yaml.YAMLError, msgspec.ValidationError, AttributeError):
            continue


def scheduler_of(groups: Iterable[ResourceGroup], namespace: str, annotations: Mapping[str, str]) -> str:
    """The scheduler that the first group of some pods gives them; empty where it gives none."""
    return next((each.scheduler_name for each in groups if each.has(namespace, annotations)), "")
