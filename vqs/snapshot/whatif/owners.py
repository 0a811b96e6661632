"""What goes, comes and changes together with an object: its pods, and what stands between it and them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.devices import ResourceSlice
from vqs.model.job import NOT_ADMITTED
from vqs.model.keys import GROUP_NAME, OFFLINE_EVICTING, UNHEALTHY_GPUS, pod_group_of, role_of
from vqs.model.quantity import whole_number
from vqs.model.resource import CPU
from vqs.model.wording import first_names
from vqs.snapshot.apiserver.admission import DENIES, HOW_TO_RECREATE, assumed, change_refusal, with_defaults
from vqs.snapshot.cluster import usage
from vqs.snapshot.controllers.job import brought_up_to_date, job_names
from vqs.snapshot.controllers.world import goes_with_its_node
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.kinds import KINDS
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.paths import EditError

HOSTNAME: Final = "kubernetes.io/hostname"
_OWNED: Final = ("workloads", "pod_groups", "pods")
_IN_NAMESPACES: Final = tuple({kind.list_name: None for kind in KINDS.values() if kind.namespaced})
OF_CONDITIONS: Final = "node.kubernetes.io/"
"""What the taints begin with that stand for a passing state of a node."""

SCALED: Final = ("deployments", "workloads", "jobs")
"""The lists of objects with a number of replicas, except for Volcano Jobs."""

PODS_DELETED: Final = "pods-deleted"
"""The code of the note about pods that are deleted with their nodes."""

_MANY: Final = 10
"""How many of the pods that are deleted with their nodes are named at most."""


# --- removing ---------------------------------------------------------------------------------------------------------
_NAMED_AS_NODES: Final = ("csi_nodes", "numa_topologies")
"""The lists of objects that say more of the node of their name."""

_OF_A_MOMENT: Final = (*usage.ANNOTATIONS.values(), usage.TIME, UNHEALTHY_GPUS, OFFLINE_EVICTING)
"""The annotations that say how a node is now; a new one is idle and well."""


def remove_with_dependents(editor: ManifestEditor, list_name: str, indexes: Collection[int]) -> None:
    """Remove objects with what they control, what runs on them where they are nodes, and what is in them."""
    gone = [editor.objects(list_name)[index] for index in indexes]
    with editor.removing_at_the_end():
        editor.remove(list_name, indexes)
        nodes = {each.metadata.name for each in gone if isinstance(each, k8s.Node)}
        if nodes:
            lost = list(editor.indexes("pods", lambda pod: pod.spec.node_name in nodes))
            _note_lost(editor, [editor.objects("pods")[index] for index in lost])
            editor.remove("pods", lost)
            for named_alike in _NAMED_AS_NODES:
                editor.remove(named_alike, list(editor.indexes(named_alike, lambda each: each.metadata.name in nodes)))
            offering = editor.indexes("resource_slices", lambda each: each.spec.node_name in nodes)
            editor.remove("resource_slices", list(offering))
        remove_namespaces(editor, {each.metadata.name for each in gone if isinstance(each, k8s.Namespace)})
        for each in gone:
            if not isinstance(each, k8s.Node | k8s.Pod):
                remove_controlled(editor, each)


def remove_namespaces(editor: ManifestEditor, names: Collection[str]) -> None:
    """Remove what is in some namespaces."""
    for below in _IN_NAMESPACES if names else ():
        editor.remove(below, list(editor.indexes(below, lambda each: each.metadata.namespace in names)))


def _note_lost(editor: ManifestEditor, pods: Sequence[k8s.Pod]) -> None:
    """Say which pods go with their nodes: Kubernetes deletes them, and their controllers make others."""
    lost = [pod for pod in pods if pod.status.phase not in k8s.ENDED_PHASES]
    if not lost:
        return
    names = job_names(editor.manifests)
    said = []
    for pod in lost:
        group = pod_group_of(pod.metadata)
        job = names[group].display if group in names else group
        said.append(f"{pod.metadata.key} of {job}" if group else pod.metadata.key)
    shown = first_names(said, _MANY)
    number = "1 pod" if len(lost) == 1 else f"{len(lost):,} pods"
    message = f"Kubernetes, not Volcano, deletes {number} together with the deleted nodes: {shown}"
    editor.note(Diagnostic(code=PODS_DELETED, severity="note", message=message))


def remove_controlled(editor: ManifestEditor, owner: Any) -> None:
    """Remove what an object controls, and what that controls in turn."""
    owners = [owner]
    with editor.removing_at_the_end():
        while owners:
            above = owners.pop()
            kind = "Job" if isinstance(above, k8s.VolcanoJob) else type(above).__name__
            for list_name in _OWNED:
                owned = editor.controlled(list_name, kind, above.metadata)
                editor.remove(list_name, owned)
                objects = editor.objects(list_name)
                owners += [objects[index] for index in owned if list_name != "pods"]


def remove_group(editor: ManifestEditor, index: int) -> None:
    """Remove a PodGroup and its pods."""
    metadata = editor.objects("pod_groups")[index].metadata
    editor.remove("pod_groups", [index])
    editor.remove("pods", _members(editor, metadata))


def _members(editor: ManifestEditor, group: k8s.ObjectMeta) -> list[int]:
    """The places of the pods that name a PodGroup."""
    pods = editor.indexes("pods", lambda pod: pod.metadata.annotations.get(GROUP_NAME) == group.name)
    return [index for index in pods if editor.objects("pods")[index].metadata.namespace == group.namespace]


# --- nodes ------------------------------------------------------------------------------------------------------------


def copies_of(node: k8s.Node) -> str:
    """What the names of copies of a node begin with."""
    return f"{node.metadata.name}-copy-"


def clone_node(editor: ManifestEditor, index: int, number: int) -> None:
    """Add nodes like one: with names, hostnames and devices of their own, and ready.

    Of its pods they have those that go with their node: of DaemonSets, and static ones.
    """
    node: k8s.Node = editor.objects("nodes")[index]
    origin = editor.manifests.origins["nodes"][index]
    taken = {each.metadata.name for each in editor.objects("nodes")}
    named_alike = {
        list_name: list(editor.indexes(list_name, lambda each: each.metadata.name == node.metadata.name))
        for list_name in _NAMED_AS_NODES
    }
    slices = list(editor.indexes("resource_slices", lambda each: each.spec.node_name == node.metadata.name))
    annotations = {key: text for key, text in node.metadata.annotations.items() if key not in _OF_A_MOMENT}
    taints = [each for each in node.spec.taints if not each.key.startswith(OF_CONDITIONS)]
    spec = structs.replace(node.spec, unschedulable=False, taints=taints)
    ready = [
        structs.replace(each, status="True", reason="", message="")
        for each in node.status.conditions
        if each.type == "Ready"
    ]
    status = structs.replace(node.status, conditions=ready)
    pods = editor.objects("pods")
    on_node = editor.indexes("pods", lambda pod: pod.spec.node_name == node.metadata.name and goes_with_its_node(pod))
    daemons = [(pods[each], editor.manifests.origins["pods"][each]) for each in on_node]
    for name in free_names(copies_of(node), taken, number):
        labels = {**node.metadata.labels, HOSTNAME: name}
        metadata = structs.replace(node.metadata, name=name, uid="", labels=labels, annotations=annotations)
        editor.add("nodes", structs.replace(node, metadata=metadata, spec=spec, status=status), origin)
        for list_name, numbers in named_alike.items():
            for each in numbers:
                source = editor.objects(list_name)[each]
                own = structs.replace(source, metadata=structs.replace(source.metadata, name=name, uid=""))
                place = editor.manifests.origins[list_name][each]
                editor.add(list_name, _with_free_cpus(own) if isinstance(own, k8s.Numatopology) else own, place)
        for each in slices:
            offered = _offered_by(editor.objects("resource_slices")[each], name)
            editor.add("resource_slices", offered, editor.manifests.origins["resource_slices"][each])
        copies = {(own := _daemon_on(name, pod)).metadata.key: (own, place) for pod, place in daemons}
        for own, place in copies.values():  # one for each DaemonSet, also where a rollout runs two for a while
            editor.add("pods", own, place)


def _daemon_on(node: str, pod: k8s.Pod) -> k8s.Pod:
    """A pod that goes with its node, as it is on another one, without claims of its own."""
    metadata, spec, old = pod.metadata, pod.spec, pod.spec.node_name
    prefix, owners = metadata.name.removesuffix(f"-{old}"), []
    for owner in metadata.owner_references:
        if owner.controller and owner.kind == "DaemonSet":
            prefix = owner.name
        owners.append(structs.replace(owner, name=node, uid="") if owner.kind == "Node" else owner)
    uid = f"{metadata.uid}-{node}" if metadata.uid else ""
    volumes = [each for each in spec.volumes if each.ephemeral is None]
    affinity = structs.replace(spec.affinity, node_affinity=None) if spec.affinity else None  # it names the old node
    return structs.replace(
        pod,
        metadata=structs.replace(metadata, name=f"{prefix}-{node}", uid=uid, owner_references=owners),
        spec=structs.replace(spec, node_name=node, volumes=volumes, resource_claims=[], affinity=affinity),
        status=structs.replace(pod.status, nominated_node_name="", resource_claim_statuses=[]),
    )


def _offered_by(source: ResourceSlice, node: str) -> ResourceSlice:
    """The devices of a node as those of another one, in a pool of its own."""
    spec, metadata = source.spec, source.metadata
    pool = structs.replace(spec.pool, name=node if spec.pool.name == spec.node_name else f"{spec.pool.name}-{node}")
    named = structs.replace(metadata, name=f"{metadata.name}-{node}", uid="", owner_references=[])
    return structs.replace(source, metadata=named, spec=structs.replace(spec, node_name=node, pool=pool))


def _with_free_cpus(topology: k8s.Numatopology) -> k8s.Numatopology:
    """The Numatopology of a node without pods: all of its CPUs are free."""
    spec = topology.spec
    if CPU not in spec.numares:
        return topology
    cpu = structs.replace(spec.numares[CPU], allocatable=",".join(spec.cpu_detail))
    return structs.replace(topology, spec=structs.replace(spec, numares={**spec.numares, CPU: cpu}))


def free_names(prefix: str, taken: Iterable[str], number: int) -> Iterator[str]:
    """Yield some names that are not taken: the prefix with numbers, counted from 1."""
    known = set(taken)
    names = (f"{prefix}{turn}" for turn in count(1))
    free = (name for name in names if name not in known)
    for _ in range(number):
        yield next(free)


# --- scaling ----------------------------------------------------------------------------------------------------------


def scale_volcano_job(editor: ManifestEditor, index: int, role: str, replicas: int) -> k8s.VolcanoJob:
    """Return a Volcano Job with another number of replicas of a task, and remove the pods that are too many.

    Raises:
        EditError: it is not said of which task, or there is no such task.
    """
    job: k8s.VolcanoJob = editor.objects("volcano_jobs")[index]
    names = [task.name or f"default{number}" for number, task in enumerate(job.spec.tasks)]
    at = _role_index(names, role)
    tasks = [*job.spec.tasks]
    tasks[at] = structs.replace(tasks[at], replicas=replicas)
    key = f"{job.metadata.key}-{names[at]}-"
    pods, surplus = editor.objects("pods"), []
    for each in editor.controlled("pods", "Job", job.metadata):
        name = pods[each].metadata.key
        number = whole_number(name.removeprefix(key)) if name.startswith(key) else None
        if number is not None and number >= replicas:
            surplus.append(each)
    editor.remove("pods", surplus)
    return structs.replace(job, spec=structs.replace(job.spec, tasks=tasks))


def _role_index(names: list[str], role: str) -> int:
    if role in names:
        return names.index(role)
    listed = ", ".join(names)
    if role:
        raise EditError("unknown-name", f"there is no task {role!r}", f"there are {listed}")
    if len(names) != 1:
        raise EditError("invalid-edit", f"the task is missing; there are {listed}", f"NAME:{names[0]}=NUMBER")
    return 0


def propagate(editor: ManifestEditor, index: int, old: k8s.VolcanoJob | None) -> None:
    """Change what a Volcano Job controls as its controller would: its PodGroup, and the pods that are too many.

    Args:
        editor: what is edited.
        index: the place of the Job as it is now.
        old: the Job as it was; None where it was not known.
    """
    job: k8s.VolcanoJob = editor.objects("volcano_jobs")[index]
    profile = editor.manifests.profile
    if old is not None and with_defaults(old, profile).spec == with_defaults(job, profile).spec:
        return
    for number, task in enumerate(job.spec.tasks):
        scale_volcano_job(editor, index, task.name or f"default{number}", task.replicas)
    priorities = {each.metadata.name: each.value for each in editor.manifests.priority_classes}
    for at in editor.controlled("pod_groups", "Job", job.metadata):
        group: k8s.PodGroup = editor.objects("pod_groups")[at]
        if group.status.phase in NOT_ADMITTED:
            editor.remove("pod_groups", [at])  # it is made again
        else:
            changed = brought_up_to_date(group, job, lambda name: priorities.get(name, 0), editor.manifests.profile)
            editor.put("pod_groups", at, changed)


def refuse_denied(editor: ManifestEditor, old: k8s.VolcanoJob, new: k8s.VolcanoJob) -> None:
    """Refuse a change of a Volcano Job that the webhook denies, where what was made from the Job would stay as it is.

    Where everything is assumed to be admitted, it is a note.

    Raises:
        EditError: it is such a change.
    """
    refusal = change_refusal(old, new, editor.manifests.profile)
    if refusal is None:
        return
    groups = [editor.objects("pod_groups")[at] for at in editor.controlled("pod_groups", "Job", old.metadata)]
    is_admitted = any(each.status.phase not in NOT_ADMITTED for each in groups)
    if is_admitted or editor.controlled("pods", "Job", old.metadata):
        if editor.assume_admitted:
            message = f"Job {new.metadata.key}: {refusal.message}"
            editor.note(assumed(Diagnostic(code=refusal.code, severity="error", message=message)))
            return
        hint = HOW_TO_RECREATE
        if groups and old.spec.queue != new.spec.queue:
            hint = f"write podgroup/{groups[0].metadata.key}.spec.queue"
        raise EditError(refusal.code, f"{DENIES}: {refusal.message}", hint, refusal.path)


def scale_group(editor: ManifestEditor, group: k8s.PodGroup, role: str, replicas: int) -> None:
    """Give a PodGroup another number of pods of a role, like those that it has.

    Raises:
        EditError: it is not said of which role, or there is no pod of it to make others like.
    """
    pods = {index: editor.objects("pods")[index] for index in _members(editor, group.metadata)}
    roles = sorted({role_of(pod.metadata) for pod in pods.values()})
    if not pods:
        raise EditError("invalid-edit", "it has no pod to copy")
    wanted = roles[_role_index(roles, role)]
    own = {index: pod for index, pod in pods.items() if role_of(pod.metadata) == wanted}
    surplus = len(own) - replicas
    if surplus > 0:
        editor.remove("pods", sorted(own, key=lambda index: (bool(own[index].spec.node_name), -index))[:surplus])
    elif surplus < 0:
        index, pod = list(own.items())[-1]
        origin, own_name = editor.manifests.origins["pods"][index], pod.metadata.name
        prefix = own_name.rpartition("-")[0] if own_name[-1:].isdecimal() else own_name
        there = (each.metadata for each in editor.objects("pods"))
        taken = {each.name for each in there if each.namespace == pod.metadata.namespace}
        for name in free_names(f"{prefix}-", taken, -surplus):
            editor.add("pods", fresh(pod, name), origin)


def fresh(pod: k8s.Pod, name: str, **metadata: Any) -> k8s.Pod:
    """A new pod like another, as it is before anybody has looked for a node for it."""
    unset = {"uid": "", "deletion_timestamp": None, "deletion_grace_period_seconds": None}
    return structs.replace(
        pod,
        metadata=structs.replace(pod.metadata, **{**unset, "name": name, **metadata}),
        spec=structs.replace(pod.spec, node_name=""),
        status=k8s.PodStatus(phase="Pending"),
    )


def scale_workload(editor: ManifestEditor, list_name: str, index: int, replicas: int) -> None:
    """Give a Deployment, ReplicaSet, StatefulSet or Job another number of pods, and remove those that are too many."""
    workload = editor.objects(list_name)[index]
    if isinstance(workload, k8s.ReplicationController):
        raise EditError("invalid-edit", "vqs does not create the pods of a ReplicationController")
    field = "parallelism" if isinstance(workload, k8s.Job) else "replicas"
    changed = structs.replace(workload, spec=structs.replace(workload.spec, **{field: replicas}))
    editor.put(list_name, index, changed)
    if isinstance(workload, k8s.Deployment):
        metadata = workload.metadata
        sets = editor.controlled("workloads", "Deployment", metadata)
        if sets:
            scale_workload(editor, "workloads", max(sets, key=lambda at: _currency(editor, at)), replicas)
        return
    _remove_surplus(editor, workload, replicas)


def _remove_surplus(editor: ManifestEditor, workload: k8s.Job | k8s.Workload, replicas: int) -> None:
    """Remove the active pods of a workload that are too many."""
    kind, metadata = type(workload).__name__, workload.metadata
    active = {
        number: editor.objects("pods")[number]
        for number in editor.controlled("pods", kind, metadata)
        if editor.objects("pods")[number].status.phase not in k8s.ENDED_PHASES
    }
    if isinstance(workload, k8s.StatefulSet):
        editor.remove(
            "pods",
            [
                number
                for number, pod in active.items()
                if (whole_number(pod.metadata.name.rpartition("-")[2]) or 0) >= replicas
            ],
        )
    elif len(active) > replicas:
        editor.remove(
            "pods",
            sorted(active, key=lambda index: (bool(active[index].spec.node_name), -index))[: len(active) - replicas],
        )


def scale_as_said(editor: ManifestEditor, list_name: str, index: int, old: Any) -> None:
    """Scale a workload that asks for another number of pods than an old version of it does, or that is suspended."""
    new = editor.objects(list_name)[index]
    if isinstance(new, k8s.Job) and new.spec.suspend:
        _remove_surplus(editor, new, 0)
        return
    field = "parallelism" if isinstance(new, k8s.Job) else "replicas"
    number = getattr(new.spec, field)
    if number is not None and number != getattr(old.spec, field):
        scale_workload(editor, list_name, index, number)


def _currency(editor: ManifestEditor, index: int) -> tuple[bool, float, int]:
    """What is largest of the ReplicaSet in use, of those that a Deployment keeps."""
    each: k8s.ReplicaSet = editor.objects("workloads")[index]
    created = each.metadata.creation_timestamp
    return each.spec.replicas != 0, created.timestamp() if created else 0.0, index
