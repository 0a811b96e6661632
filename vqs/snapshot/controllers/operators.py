"""The PodGroups and pods that operators would create of new objects, each the way of its operator to Volcano.

A row of the table names a kind, what its objects stand for, and what has to be switched on in the operator. An object
that a cluster has seen stands for nothing: what its operator has created is there. All pods are there at once, also
those that are created later, such as the executors of Spark. What the operators were read in, by repository and commit:
ray-project/kuberay feeaf72f, kubeflow/training-operator v1.9.0, kubeflow/mpi-operator 48c4a935, kubeflow/trainer
8c0f5059, kubeflow/spark-operator 38082f33, kubernetes-sigs/jobset 08dfbdfd, kubernetes-sigs/lws 060ab4d,
volcano-sh/kthena 3cc05728, Ascend/mind-cluster 11e21f93, apache/flink-kubernetes-operator 6e9caeb4,
argoproj/argo-workflows f016ad89.

Objects of kinds that operators have: what these would create is added; templates in unknown kinds are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final, NamedTuple

from msgspec import json
from msgspec.structs import replace

from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.model.quantity import QuantityError, parse, whole_number
from vqs.snapshot.apiserver.admission import is_stored
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.apiserver.validation.schema import child, children, is_true, mapping, number, text, texts
from vqs.snapshot.controllers.names import suffix, template_hash
from vqs.snapshot.controllers.usage import total
from vqs.snapshot.controllers.world import reference
from vqs.snapshot.reading.diagnostics import Diagnostic, Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import group_of, key_of
from vqs.snapshot.reading.manifests import Made, Manifests, called
from vqs.snapshot.reading.missing_kinds import Findings
from vqs.snapshot.reading.reach import in_force, most_pods_of_one

Value = Mapping[str, Any]


class Role(NamedTuple):
    """Pods of a gang that are alike.

    Attributes:
        names: their names: # stands for the number of a pod, * for what is drawn at random.
        number: how many there are.
        template: their template, as it is written or would be.
        path: where that stands in the object.
        task: what their annotation volcano.sh/task-spec says; empty where they have none.
        labels: the labels that the operator gives them.
        first: the number of the first.
    """

    names: str
    number: int
    template: Value
    path: Path
    task: str = ""
    labels: Mapping[str, str] = {}
    first: int = 0

    def name(self, index: int) -> str:
        """The name of one of the pods."""
        return self.names.replace("#", str(self.first + index)).replace("*", suffix(self.names, index))


class Gang(NamedTuple):
    """Pods that start together, and their PodGroup.

    Attributes:
        roles: the pods.
        group: the name of the PodGroup that the operator makes; empty where it leaves that to Volcano's controller.
        spec: that of the PodGroup.
        labels, annotations: those of the PodGroup.
        scheduler: the scheduler of the pods; empty where their templates say it.
        owner: the kind and name of what controls them, where that is not the object itself.
    """

    roles: Sequence[Role]
    group: str = ""
    spec: k8s.PodGroupSpec = k8s.PodGroupSpec()
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    scheduler: str = ""
    owner: tuple[str, str, str] | None = None


class Child(NamedTuple):
    """A Job or Deployment of Kubernetes that an operator creates, and where it stands in the object."""

    type: type[k8s.Job | k8s.Deployment]
    value: Value
    path: Path


class Custom(NamedTuple):
    """An object of a kind that an operator has.

    Attributes:
        value: the object.
        priority: returns the priority of a class.
        find: returns the object of a kind and name in its namespace, or in none; empty where there is none.
    """

    value: Value
    priority: Callable[[str], int]
    find: Callable[[str, str], Value]

    @property
    def spec(self) -> Value:
        """Its spec."""
        return child(self.value, "spec")

    @property
    def name(self) -> str:
        """Its name, or one that begins as it says."""
        metadata = child(self.value, "metadata")
        begins = text(metadata, "generateName")
        return text(metadata, "name") or (f"{begins}{suffix(begins, 0)}" if begins else "")

    def marks(self, field: str) -> dict[str, str]:
        """Its labels or annotations."""
        return {key: each for key, each in child(child(self.value, "metadata"), field).items() if isinstance(each, str)}

    def at(self, path: Path) -> Value:
        """The object at a path in it."""
        value: Any = self.value
        for step in path:
            value = mapping(value).get(str(step)) if isinstance(step, str) else value[step]
        return mapping(value)


# --- what pods need ---------------------------------------------------------------------------------------------------


def _requests(template: Value, limits: str) -> k8s.ResourceList:
    """The requests of a template; limits stand in for what is `missing`, for containers `without` any, or `never`."""
    parts: list[tuple[k8s.ResourceList, int]] = []
    for container in children(child(template, "spec"), "containers"):
        resources = child(container, "resources")
        own, most = child(resources, "requests"), child(resources, "limits")
        amounts = {"missing": {**most, **own}, "without": own or most, "never": own}[limits]
        parts.append(({name: each for name, each in amounts.items() if _is_amount(each)}, 1))
    return total(parts)


def _is_amount(value: object) -> bool:
    try:
        return isinstance(value, str | int | float) and parse(value) >= 0
    except QuantityError:
        return False


def _first(custom: Custom, roles: Iterable[Role], minimum: int, limits: str) -> k8s.ResourceList:
    """What the first pods need, those of a class of higher priority before others."""
    parts = []
    by_priority = sorted(
        roles, key=lambda role: -custom.priority(text(child(role.template, "spec"), "priorityClassName"))
    )
    for role in by_priority:
        taken = max(min(role.number, minimum), 0)
        parts.append((_requests(role.template, limits), taken))
        minimum -= taken
    return total(parts)


def _count(value: Value, field: str, default: int) -> int:
    """The number in a field, as far as one object may have pods."""
    found = number(value, field)
    return default if found is None else max(0, min(found, most_pods_of_one() + 1))


def _topology(value: Value) -> k8s.NetworkTopology | None:
    tier = number(value, "highestTierAllowed")
    return k8s.NetworkTopology(text(value, "mode") or "hard", highest_tier_allowed=tier) if value else None


# --- Ray --------------------------------------------------------------------------------------------------------------

_QUEUE_LABEL: Final = "volcano.sh/queue-name"
_RAY_PRIORITY: Final = "ray.io/priority-class-name"
_RAY_SCHEDULER: Final = "ray.io/scheduler-name"
_OTHER_SCHEDULERS: Final = ("kai.scheduler/", "yunikorn.apache.org/")
_RAY_TIER: Final = "volcano.sh/network-topology-highest-tier-allowed"
_SUBMITTER: Final = {"cpu": "500m", "memory": "200Mi"}
_AUTOSCALER: Final = {"name": "autoscaler", "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}}


def _ray(custom: Custom, where: Path, *, random: bool) -> Iterator[Gang]:
    """A PodGroup of the head and the workers; with autoscaling, of their minimum. Labels name queue and priority."""
    spec, labels = custom.at(where), custom.marks("labels")
    if not spec or is_true(custom.spec, "suspend"):
        return
    others = any(name.startswith(_OTHER_SCHEDULERS) for name in labels)
    if others or labels.get(_RAY_SCHEDULER, keys.SCHEDULER_NAME) != keys.SCHEDULER_NAME:
        yield Gang(())
        return
    cluster = f"{custom.name}-{suffix(custom.name, 0)}" if random else custom.name
    elastic = is_true(spec, "enableInTreeAutoscaling")
    inherited: dict[str, str] = {name: labels[name] for name in (_QUEUE_LABEL, _RAY_PRIORITY) if name in labels}
    head = child(child(spec, "headGroupSpec"), "template")
    needs, least = [(_requests(head, "missing"), 1)], 1
    if elastic:
        pod = child(head, "spec")
        head = {**head, "spec": {**pod, "containers": [*children(pod, "containers"), _AUTOSCALER]}}
    roles = [Role(f"{cluster}-head-*", 1, head, (*where, "headGroupSpec", "template"), "headgroup", inherited)]
    for index, group in enumerate(children(spec, "workerGroupSpecs")):
        hosts, fewest = _count(group, "numOfHosts", 1), _count(group, "minReplicas", 0)
        asked = _count(group, "replicas", 0)
        desired = fewest if asked < fewest else min(asked, _count(group, "maxReplicas", asked))
        if is_true(group, "suspend"):
            continue
        path = (*where, "workerGroupSpecs", index, "template")
        names = f"{cluster}-{text(group, 'groupName')}-worker-*"
        roles.append(Role(names, desired * hosts, child(group, "template"), path, text(group, "groupName"), inherited))
        needs.append((_requests(child(group, "template"), "missing"), hosts * (fewest if elastic else asked)))
        least += hosts * (fewest if elastic else desired)
    if text(custom.value, "kind") == "RayJob":
        needs.append((_submitter(custom.spec), 1))
    tier = labels.get(_RAY_TIER, "")
    mode = labels.get(keys.TOPOLOGY_MODE, "")
    yield Gang(
        roles,
        f"ray-{cluster if text(custom.value, 'kind') == 'RayService' else custom.name}-pg",
        k8s.PodGroupSpec(
            min_member=least,
            min_resources=total(needs),
            queue=labels.get(_QUEUE_LABEL) or keys.DEFAULT_QUEUE,
            priority_class_name=labels.get(_RAY_PRIORITY, ""),
            network_topology=k8s.NetworkTopology(mode, highest_tier_allowed=whole_number(tier)) if mode else None,
        ),
        annotations=custom.marks("annotations"),
        scheduler=keys.SCHEDULER_NAME,
    )


def _submitter(spec: Value) -> k8s.ResourceList:
    """What the pod that submits a RayJob needs; it comes when the cluster runs, and is no member of the gang."""
    mode = text(spec, "submissionMode") or "K8sJobMode"
    if mode == "K8sJobMode" and child(spec, "submitterPodTemplate"):
        return _requests(child(spec, "submitterPodTemplate"), "missing")
    return {**_SUBMITTER} if mode in ("K8sJobMode", "SidecarMode") else {}


def _ray_job(custom: Custom) -> Iterator[Gang]:
    if not child(custom.spec, "clusterSelector"):
        yield from _ray(custom, ("spec", "rayClusterSpec"), random=True)


# --- Kubeflow's training operator, MPI and Ascend ---------------------------------------------------------------------


def _replicas(custom: Custom, path: Path, names: Callable[[str], str] | None = None) -> list[Role]:
    """The roles of a map from types of replicas to their number and template."""
    roles = []
    for type_, each in custom.at(path).items():
        role = type_.lower()
        labels = {"training.kubeflow.org/job-name": custom.name, "training.kubeflow.org/replica-type": role}
        template = child(mapping(each), "template")
        called = names(role) if names else f"{custom.name}-{role}-#"
        roles.append(
            Role(called, _count(mapping(each), "replicas", 1), template, (*path, type_, "template"), role, labels)
        )
    return roles


def _training(custom: Custom, field: str, *, marks: bool = False, queue: str = keys.DEFAULT_QUEUE) -> Iterator[Gang]:
    """A PodGroup as spec.runPolicy.schedulingPolicy has it, of all replicas where that has no minAvailable."""
    run = child(custom.spec, "runPolicy")
    policy = child(run, "schedulingPolicy")
    if is_true(run, "suspend"):
        return
    roles = _replicas(custom, ("spec", field))
    minimum = _count(policy, "minAvailable", sum(role.number for role in roles))
    yield Gang(
        roles,
        custom.name,
        k8s.PodGroupSpec(
            min_member=minimum,
            min_resources={**child(policy, "minResources")} or _first(custom, roles, minimum, "without"),
            queue=text(policy, "queue") or queue,
            priority_class_name=text(policy, "priorityClass"),
        ),
        labels=custom.marks("labels") if marks else {},
        annotations=custom.marks("annotations"),
        scheduler=text(custom.spec, "schedulerName"),
    )


def _mpi(custom: Custom) -> Iterator[Gang]:
    """That of the training operator; of mpi-operator (v2beta1), the launcher and all workers."""
    if text(custom.value, "apiVersion") != "kubeflow.org/v2beta1":
        yield from _training(custom, "mpiReplicaSpecs")
        return
    run, annotations = child(custom.spec, "runPolicy"), custom.marks("annotations")
    policy = child(run, "schedulingPolicy")
    if is_true(run, "suspend"):
        return
    called = {"launcher": f"{custom.name}-launcher-*", "worker": f"{custom.name}-worker-#"}
    roles = _replicas(custom, ("spec", "mpiReplicaSpecs"), lambda role: called.get(role, f"{custom.name}-{role}-#"))
    roles = sorted((role._replace(task="") for role in roles), key=lambda role: not role.names.endswith("launcher-*"))
    workers = sum(role.number for role in roles if role.names == called["worker"])
    minimum = _count(policy, "minAvailable", workers + 1)
    classes = [text(child(role.template, "spec"), "priorityClassName") for role in roles]
    yield Gang(
        roles,
        custom.name,
        k8s.PodGroupSpec(
            min_member=minimum,
            min_resources={**child(policy, "minResources")} or _first(custom, roles, minimum, "missing"),
            queue=text(policy, "queue") or annotations.get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
            priority_class_name=text(policy, "priorityClass") or next(filter(None, classes), ""),
        ),
        scheduler=keys.SCHEDULER_NAME,
    )


# --- sets of Jobs -----------------------------------------------------------------------------------------------------


def _job_set(custom: Custom) -> Iterator[Child]:
    """Jobs of Kubernetes, whose PodGroups Volcano's controller makes."""
    if not is_true(custom.spec, "suspend"):
        yield from _jobs(custom, custom.spec, ("spec",), {})


def _jobs(custom: Custom, spec: Value, path: Path, annotations: Mapping[str, str]) -> Iterator[Child]:
    """The Jobs of the spec of a JobSet, whose pods get some annotations."""
    for index, each in enumerate(children(spec, "replicatedJobs")):
        template = child(each, "template")
        job, metadata = child(template, "spec"), child(template, "metadata")
        pods = child(job, "template")
        of_pods = child(pods, "metadata")
        marked = {**of_pods, "annotations": {**child(of_pods, "annotations"), **annotations}}
        for turn in range(_count(each, "replicas", 1)):
            name = f"{custom.name}-{text(each, 'name')}-{turn}"
            value = {
                "metadata": {**metadata, "name": name},
                "spec": {"completionMode": "Indexed", **job, "template": {**pods, "metadata": marked}},
            }
            yield Child(k8s.Job, value, (*path, "replicatedJobs", index, "template"))


def _train_job(custom: Custom) -> Iterator[Gang | Child]:
    """The JobSet of its runtime, and with podGroupPolicy.volcano a PodGroup of all pods of that."""
    ref, trainer = child(custom.spec, "runtimeRef"), child(custom.spec, "trainer")
    runtime = child(custom.find(text(ref, "kind") or "ClusterTrainingRuntime", text(ref, "name")), "spec")
    if is_true(custom.spec, "suspend") or not runtime:
        return
    nodes = _count(trainer, "numNodes", _count(child(runtime, "mlPolicy"), "numNodes", 1))
    spec = child(child(runtime, "template"), "spec")
    resources = child(trainer, "resourcesPerNode")
    jobs = []
    for each in children(spec, "replicatedJobs"):
        template = child(each, "template")
        job = child(template, "spec")
        labels = child(child(template, "metadata"), "labels")
        if labels.get("trainer.kubeflow.org/trainjob-ancestor-step") == "trainer":
            pods = child(job, "template")
            own = child(pods, "spec")
            containers = [{**c, "resources": resources} if resources else c for c in children(own, "containers")]
            pods = {**pods, "spec": {**own, "containers": containers}}
            job = {**job, "parallelism": nodes, "completions": nodes, "template": pods}
        jobs.append({**each, "template": {**template, "spec": job}})
    spec = {**spec, "replicatedJobs": jobs}
    policy = child(runtime, "podGroupPolicy")
    if "volcano" not in policy:
        yield from _jobs(custom, spec, ("spec",), {})
        return
    made = [*_jobs(custom, spec, ("spec",), {keys.GROUP_NAME: custom.name})]
    specs = [child(each.value, "spec") for each in made]
    templates = [(child(each, "template"), _count(each, "parallelism", 1)) for each in specs]
    queue = {**child(child(child(runtime, "template"), "metadata"), "annotations"), **custom.marks("annotations")}
    classes = [text(child(template, "spec"), "priorityClassName") for template, _ in templates]
    yield Gang(
        (),
        custom.name,
        k8s.PodGroupSpec(
            min_member=sum(count for _, count in templates),
            min_resources=total((_requests(template, "missing"), count) for template, count in templates),
            queue=queue.get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
            priority_class_name=next(filter(None, classes[::-1]), ""),
            network_topology=_topology(child(child(policy, "volcano"), "networkTopology")),
        ),
    )
    yield from made


def _runtime_missing(custom: Custom) -> str:
    """The runtime of a TrainJob that is not in the input."""
    ref = child(custom.spec, "runtimeRef")
    kind, name = text(ref, "kind") or "ClusterTrainingRuntime", text(ref, "name")
    return "" if custom.find(kind, name) else f"its {kind} {name}"


# --- serving ----------------------------------------------------------------------------------------------------------


def _leader_worker_set(custom: Custom) -> Iterator[Gang]:
    """A PodGroup for each leader with its workers; its minimum is the leader where workers wait for it."""
    spec, annotations = child(custom.spec, "leaderWorkerTemplate"), custom.marks("annotations")
    size = _count(spec, "size", 1)
    prefix, path = "leaderworkerset.sigs.k8s.io/", ("spec", "leaderWorkerTemplate")
    leader = "leaderTemplate" if child(spec, "leaderTemplate") else "workerTemplate"
    has_claims = bool(children(spec, "volumeClaimTemplates"))  # then a template lacks the volumes that it mounts
    at = [path if has_claims else (*path, each) for each in (leader, "workerTemplate")]
    revision = template_hash(json.encode(spec).decode())
    for index in range(_count(custom.spec, "replicas", 1)):
        labels = {f"{prefix}name": custom.name, f"{prefix}group-index": str(index)}
        name = f"{custom.name}-{index}"
        roles = [
            Role(name, min(size, 1), child(spec, leader), at[0], labels=labels),
            Role(f"{name}-#", size - 1, child(spec, "workerTemplate"), at[1], "", labels, 1),
        ]
        yield Gang(
            roles,
            f"{name}-{revision}",
            k8s.PodGroupSpec(
                min_member=1 if text(custom.spec, "startupPolicy") == "LeaderReady" else size,
                min_resources=total((_requests(role.template, "missing"), role.number) for role in roles),
                queue=annotations.get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
            ),
            labels=labels,
            annotations={key: each for key, each in annotations.items() if key.startswith("volcano.sh/")},
        )


def _model_serving(custom: Custom) -> Iterator[Gang]:
    """A PodGroup for each group of roles, with a subgroup for each role; gangPolicy lowers how many it needs."""
    template, prefix = child(custom.spec, "template"), "modelserving.volcano.sh/"
    least_of, topology = child(child(template, "gangPolicy"), "minRoleReplicas"), child(template, "networkTopology")
    for index in range(_count(custom.spec, "replicas", 1)):
        group = f"{custom.name}-{index}"
        roles, policies, needs = [], [], []
        for place, each in enumerate(children(template, "roles")):
            name, replicas, workers = text(each, "name"), _count(each, "replicas", 1), _count(each, "workerReplicas", 0)
            least = min(_count(least_of, name, replicas), replicas)
            path = ("spec", "template", "roles", place)
            parts = (("entryTemplate", 1, 0), ("workerTemplate", workers, 1))
            needs += [(_requests(child(each, part), "never"), least * count) for part, count, _ in parts]
            for turn in range(replicas):
                labels = {
                    f"{prefix}{key}": value
                    for key, value in (
                        ("name", custom.name),
                        ("group-name", group),
                        ("role", name),
                        ("role-id", f"{name}-{turn}"),
                    )
                }
                roles += [
                    Role(
                        f"{group}-{name}-{turn}-#",
                        count,
                        child(each, part),
                        (*path, part),
                        f"{name}-{turn}",
                        labels,
                        first,
                    )
                    for part, count, first in parts
                ]
            labels = {"modelserving.volcano.sh/name": custom.name, "modelserving.volcano.sh/role": name}
            policies.append(
                k8s.SubGroupPolicy(
                    name=name,
                    label_selector=k8s.LabelSelector(match_labels=labels),
                    match_label_keys=["modelserving.volcano.sh/role-id"],
                    sub_group_size=1 + workers,
                    min_sub_groups=least,
                    network_topology=_topology(child(topology, "rolePolicy")),
                )
            )
        yield Gang(
            roles,
            group,
            k8s.PodGroupSpec(
                min_member=sum((policy.sub_group_size or 0) * (policy.min_sub_groups or 0) for policy in policies),
                min_resources=total(needs),
                queue=custom.marks("annotations").get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
                network_topology=_topology(child(topology, "groupPolicy")),
                sub_group_policy=policies,
            ),
            labels={f"{prefix}name": custom.name, f"{prefix}group-name": group},
            scheduler=text(custom.spec, "schedulerName") or keys.SCHEDULER_NAME,
        )


# --- Spark and Flink --------------------------------------------------------------------------------------------------


def _spark(custom: Custom) -> Iterator[Gang]:
    """A PodGroup of one pod, the driver, which asks for the resources of all: the driver starts the executors."""
    spec, options = custom.spec, child(custom.spec, "batchSchedulerOptions")
    instances, dynamic = number(child(spec, "executor"), "instances"), child(spec, "dynamicAllocation")
    if not is_true(dynamic, "enabled"):
        executors = 2 if instances is None else _count(child(spec, "executor"), "instances", 0)
    else:
        executors = max(
            _count(child(spec, "executor"), "instances", 0),
            *(_count(dynamic, name, 0) for name in ("initialExecutors", "minExecutors")),
        )
    counts = {"driver": int(text(spec, "mode") != "client"), "executor": executors}
    names = {"driver": f"{custom.name}-driver", "executor": f"{custom.name}-*-exec-#"}
    roles = [
        Role(names[part], count, _spark_pod(child(spec, part)), ("spec", part), first=int(part == "executor"))
        for part, count in counts.items()
    ]
    needs = total((_spark_asks(child(spec, part)), count) for part, count in counts.items())
    yield Gang(
        roles,
        f"spark-{custom.name}-pg" if text(spec, "batchScheduler") else "",
        k8s.PodGroupSpec(
            min_member=1,
            min_resources={**child(options, "resources")} or needs,
            queue=text(options, "queue") or keys.DEFAULT_QUEUE,
            priority_class_name=text(options, "priorityClassName"),
        ),
        scheduler=text(spec, "batchScheduler"),
    )


def _spark_asks(part: Value) -> k8s.ResourceList:
    """What the operator counts for a driver or an executor, as it is written."""
    cpu = next((part[name] for name in ("coreRequest", "cores", "coreLimit") if _is_amount(part.get(name))), None)
    memory = [part[name] for name in ("memory", "memoryOverhead") if _is_amount(part.get(name))]
    asked: k8s.ResourceList = {} if cpu is None else {"cpu": cpu}
    return total([(asked, 1), *(({"memory": each}, 1) for each in memory if _is_amount(part.get("memory")))])


def _spark_pod(part: Value) -> Value:
    """The template of a driver or an executor: Spark adds a tenth to the memory, at least 384 MiB."""
    memory = _mebibytes(part.get("memory")) or 1024
    memory += _mebibytes(part.get("memoryOverhead")) or max(384, memory // 10)
    cpu = part.get("coreRequest") or part.get("cores") or 1
    gpu = child(part, "gpu")
    extended = {text(gpu, "name"): gpu["quantity"]} if text(gpu, "name") and _is_amount(gpu.get("quantity")) else {}
    resources = {"requests": {"cpu": cpu, "memory": f"{memory}Mi", **extended}, "limits": extended}
    kept = ("nodeSelector", "tolerations", "affinity", "priorityClassName", "schedulerName", "hostNetwork")
    written = {name: part[name] for name in kept if name in part}
    return _pod(part, {**written, "containers": [{"name": "spark", "image": "spark", "resources": resources}]})


def _pod(metadata: Value, spec: Value) -> Value:
    return {"metadata": {name: child(metadata, name) for name in ("labels", "annotations")}, "spec": spec}


def _mebibytes(memory: object) -> int:
    """An amount of memory in MiB, as Java programs write it: 512m, 2g, 2048 (MiB), or as Kubernetes does."""
    written = str(memory or "").strip().lower().removesuffix("b").removesuffix("i")
    units = {"k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}
    amount, unit = (written[:-1], written[-1]) if written[-1:] in units and written[-1:] else (written, "m")
    try:
        return ceil(float(amount) * units[unit])
    except ValueError:
        return 0


def _flink(custom: Custom) -> Iterator[Gang | Child]:
    """A Deployment for the JobManager and pods for the TaskManagers, whose PodGroups Volcano's controller makes."""
    spec, job = custom.spec, child(custom.spec, "job")
    manager, workers = (_flink_pod(spec, child(spec, part)) for part in ("jobManager", "taskManager"))
    labels = {"app": custom.name, "component": "jobmanager"}
    marked = {
        **manager,
        "metadata": {**child(manager, "metadata"), "labels": {**child(child(manager, "metadata"), "labels"), **labels}},
    }
    deployment = {
        "metadata": {"name": custom.name},
        "spec": {
            "replicas": _count(child(spec, "jobManager"), "replicas", 1),
            "selector": {"matchLabels": labels},
            "template": marked,
        },
    }
    yield Child(k8s.Deployment, deployment, ("spec", "jobManager"))
    slots = whole_number(str(child(spec, "flinkConfiguration").get("taskmanager.numberOfTaskSlots", ""))) or 1
    count = _count(child(spec, "taskManager"), "replicas", ceil(_count(job, "parallelism", 1) / slots) if job else 0)
    role = Role(f"{custom.name}-taskmanager-1-#", count, workers, ("spec", "taskManager"), first=1)
    yield Gang([role], owner=("apps/v1", "Deployment", custom.name))


def _flink_pod(spec: Value, part: Value) -> Value:
    """The template of a manager: the common one with its own, and its resources in the main container."""
    common, own = child(spec, "podTemplate"), child(part, "podTemplate")
    asked = child(part, "resource") or child(child(part, "resources"), "requests")
    amounts = {"cpu": asked.get("cpu", 1), "memory": f"{_mebibytes(asked.get('memory')) or 1600}Mi"}
    pods = {**child(common, "spec"), **child(own, "spec")}
    others = [each for each in children(pods, "containers") if text(each, "name") != "flink-main-container"]
    main = {"name": "flink-main-container", "image": "flink", "resources": {"requests": amounts, "limits": amounts}}
    metadata = {
        name: {**child(child(common, "metadata"), name), **child(child(own, "metadata"), name)}
        for name in ("labels", "annotations")
    }
    return _pod(metadata, {**pods, "containers": [main, *others]})


# --- workflows --------------------------------------------------------------------------------------------------------


def _workflow(custom: Custom) -> Iterator[Gang]:
    """The pods of the first steps of a workflow of Argo, whose PodGroup Volcano's controller makes."""
    templates = {text(each, "name"): (index, each) for index, each in enumerate(children(custom.spec, "templates"))}
    roles = []
    for name, count in _first_steps(templates, text(custom.spec, "entrypoint"), set()).items():
        index, each = templates[name]
        kept = ("nodeSelector", "tolerations", "affinity", "priorityClassName", "schedulerName")
        spec = {key: part[key] for part in (custom.spec, each) for key in kept if key in part}
        container = {**(child(each, "container") or child(each, "script")), "name": "main"}
        marks = {
            key: {**child(child(custom.spec, "podMetadata"), key), **child(child(each, "metadata"), key)}
            for key in ("labels", "annotations")
        }
        template = _pod(marks, {**spec, "containers": [container]})
        roles.append(Role(f"{custom.name}-{name}-*", count, template, ("spec", "templates", index)))
    yield Gang(roles)


def _first_steps(templates: Mapping[str, tuple[int, Value]], name: str, seen: set[str]) -> dict[str, int]:
    """How many pods each template has at once in the first steps of a template."""
    if name not in templates or name in seen:
        return {}
    template = templates[name][1]
    if child(template, "container") or child(template, "script"):
        return {name: 1}
    steps = template.get("steps")
    first = steps[0] if isinstance(steps, list) and steps else ()
    waiting = [
        each
        for each in children(child(template, "dag"), "tasks")
        if not (texts(each, "dependencies") or text(each, "depends"))
    ]
    counts: dict[str, int] = {}
    for step in [*(first if isinstance(first, list) else ()), *waiting]:
        items = mapping(step).get("withItems")
        for found, count in _first_steps(templates, text(mapping(step), "template"), {*seen, name}).items():
            counts[found] = counts.get(found, 0) + count * (len(items) if isinstance(items, list) else 1)
    return counts


def _task_run(custom: Custom) -> Iterator[Gang]:
    """The pod of a TaskRun of Tekton, or the pods of the first tasks of a PipelineRun."""
    spec, pipeline = custom.spec, child(custom.spec, "pipelineSpec")
    pods = child(spec, "podTemplate") or child(child(spec, "taskRunTemplate"), "podTemplate")
    tasks: list[tuple[str, Value, Path]] = (
        [("", child(spec, "taskSpec"), ("spec", "taskSpec"))] if child(spec, "taskSpec") else []
    )
    tasks += [
        (f"-{text(each, 'name')}", child(each, "taskSpec"), ("spec", "pipelineSpec", "tasks", index, "taskSpec"))
        for index, each in enumerate(children(pipeline, "tasks"))
        if child(each, "taskSpec") and not texts(each, "runAfter")
    ]
    marks = {key: custom.marks(key) for key in ("labels", "annotations")}
    for name, task, path in tasks:
        steps = children(task, "steps")
        containers = [
            {
                "name": f"step-{text(each, 'name') or index}",
                "image": text(each, "image"),
                "resources": child(each, "computeResources") or child(each, "resources"),
            }
            for index, each in enumerate(steps)
        ]
        yield Gang([Role(f"{custom.name}{name}-pod", 1, _pod(marks, {**pods, "containers": containers}), path)])


def _cron_job(custom: Custom) -> Iterator[Child]:
    """The Job of the next run of a CronJob of Kubernetes."""
    template = child(custom.spec, "jobTemplate")
    job = {
        "metadata": {**child(template, "metadata"), "name": f"{custom.name}-00000000"},
        "spec": child(template, "spec"),
    }
    yield Child(k8s.Job, job, ("spec", "jobTemplate"))


# --- the table --------------------------------------------------------------------------------------------------------

Makes = Callable[[Custom], Iterator[Gang | Child]]


class Operator(NamedTuple):
    """A kind whose objects stand for pods.

    Attributes:
        makes: what they stand for.
        switch: what is switched on where the operator sends all pods that name no scheduler to Volcano; empty where
            each object, or the template of its pods, names the scheduler.
        lacks: returns what of an object that it refers to is not in the input; empty where nothing is missing.
        is_timed: whether it creates pods at a time only.
    """

    makes: Makes
    switch: str = ""
    lacks: Callable[[Custom], str] = lambda _: ""
    is_timed: bool = False


def _kubeflow(field: str) -> Operator:
    return Operator(partial(_training, field=field), "training-operator --gang-scheduler-name=volcano")


_KUBERAY: Final = "kuberay-operator --batch-scheduler=volcano"

OPERATORS: Final[Mapping[tuple[str, str], Operator]] = {
    ("ray.io", "RayCluster"): Operator(partial(_ray, where=("spec",), random=False), _KUBERAY),
    ("ray.io", "RayJob"): Operator(_ray_job, _KUBERAY),
    ("ray.io", "RayService"): Operator(partial(_ray, where=("spec", "rayClusterConfig"), random=True), _KUBERAY),
    ("kubeflow.org", "PyTorchJob"): _kubeflow("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _kubeflow("tfReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _kubeflow("paddleReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _kubeflow("xgbReplicaSpecs"),
    ("kubeflow.org", "JAXJob"): _kubeflow("jaxReplicaSpecs"),
    ("kubeflow.org", "MXJob"): _kubeflow("mxReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): Operator(_mpi, "gang scheduling with volcano in its operator"),
    ("mindxdl.gitee.com", "AscendJob"): Operator(
        partial(_training, field="replicaSpecs", marks=True), "ascend-operator --enableGangScheduling=true"
    ),
    ("trainer.kubeflow.org", "TrainJob"): Operator(_train_job, lacks=_runtime_missing),
    ("jobset.x-k8s.io", "JobSet"): Operator(_job_set),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Operator(_leader_worker_set),
    ("workload.serving.volcano.sh", "ModelServing"): Operator(_model_serving),
    ("sparkoperator.k8s.io", "SparkApplication"): Operator(_spark),
    ("flink.apache.org", "FlinkDeployment"): Operator(_flink),
    ("argoproj.io", "Workflow"): Operator(_workflow),
    ("tekton.dev", "TaskRun"): Operator(_task_run),
    ("tekton.dev", "PipelineRun"): Operator(_task_run),
    ("batch", "CronJob"): Operator(_cron_job, is_timed=True),
}
"""The kinds by group and name."""


_RUNTIMES: Final = frozenset({"TrainingRuntime", "ClusterTrainingRuntime"})
_DEFAULT_NAMESPACE: Final = "default"
_DEEPEST: Final = 12


class Given(NamedTuple):
    """An object of such a kind as it was read."""

    value: Mapping[str, Any]
    origin: Origin
    kind: str
    group: str
    metadata: k8s.ObjectMeta

    @property
    def what(self) -> str:
        """Its kind and name."""
        return f"{self.kind} {self.metadata.key}"

    @property
    def operator(self) -> Operator | None:
        """The row of its kind."""
        return OPERATORS.get((self.group, self.kind))


class Customs:
    """Such objects of an input; where findings are wanted, their pods are there whatever their scheduler.

    Attributes:
        for_others: those whose pods are for another scheduler, by kind.
        timed: what is created at some time only, such as the next run of a CronJob.
        unknown: those of unknown kinds with a pod template, each with the path of that.
        unused: those of which nothing is added.
    """

    def __init__(self, manifests: Manifests, findings: Findings, *, strict: bool) -> None:
        self.manifests = manifests
        self.findings = findings
        self.strict = strict
        self.for_others: Counter[str] = Counter()
        self.timed: list[Made] = []
        self.unknown: dict[str, Path] = {}
        self.unused: list[Given] = []
        self._given: list[Given] = []
        self._assumed: dict[str, None] = {}
        self._lacking: list[str] = []

    def take(self, value: Mapping[str, Any], origin: Origin) -> bool:
        """Take in an object, and tell whether it is one that no cluster has seen and that makes pods."""
        group, kind = group_of(str(value["apiVersion"])), str(value["kind"])
        namespace = text(child(value, "metadata"), "namespace") or _DEFAULT_NAMESPACE
        metadata = k8s.ObjectMeta(name=Custom(value, lambda _: 0, lambda *_: {}).name, namespace=namespace)
        given = Given(value, origin, kind, group, metadata)
        if is_stored(value) or not origin.document.is_written:
            return False
        if given.operator is None and kind not in _RUNTIMES:
            # Take in the pod templates of an object of an unknown kind.
            templates = [*_templates(given.value, ())]
            if templates and (given.group, given.kind) != ("apps", "DaemonSet"):
                self.unknown[given.what] = templates[0][0]
            for turn, (path, template) in enumerate(() if self.strict else templates):
                name = f"{given.metadata.name}-{turn}" if turn else given.metadata.name
                self._add_pods(given, Gang([Role(name, 1, template, path)]), Role(name, 1, template, path), "")
            if given.what not in self.unknown:
                return False
            self.unused.append(given)
            return True
        self._given.append(given)
        return True

    def add_all(self, under: Manifests | None) -> None:
        """Add what operators would create, unless a cluster has it already."""
        for given in self._given:
            operator, before = given.operator, len(self.manifests.made_by)
            if operator is None or not given.metadata.name:
                self.unused.append(given)
                continue
            custom = Custom(given.value, self._priority, partial(self._find, given.metadata.namespace))
            made = [*operator.makes(custom)]
            ours = [each for each in made if self._is_ours(each, operator)]
            if lacking := operator.lacks(custom):
                self._lacking.append(f"{given.what}, as {lacking} is not in the input")
            elif self.strict and made and not ours:
                self.for_others[given.kind] += 1
            elif not self._is_there(given, made, under) and self._asks_for_few(given, made):
                if operator.switch and ours:
                    self._assumed[operator.switch] = None
                asks = not keys.ASKS_FOR_VOLCANO.isdisjoint(custom.marks("annotations") | custom.marks("labels"))
                for each in made:
                    if isinstance(each, Gang) and not ours and not asks:
                        self._add(given, operator, each._replace(group=""))
                    else:
                        self._add(given, operator, each)
            if len(self.manifests.made_by) == before:
                self.unused.append(given)

    def notes(self) -> Iterator[Diagnostic]:
        """Yield what was assumed, and what was not understood."""
        if self._assumed:
            message = f"assumed that this is switched on: {', '.join(self._assumed)}"
            yield Diagnostic(code="made-objects", severity="note", message=message)
        if self._lacking:
            message = f"no pods are added for {'; '.join(self._lacking)}"
            yield Diagnostic(code="ignored-kinds", severity="note", message=message)
        if self.unknown:
            found = [f"{what} ({'.'.join(map(str, path))})" for what, path in self.unknown.items()]
            message = f"not understood are kinds that have pod templates: {', '.join(found)}"
            does = "no pods of theirs are added" if self.strict else "each template is judged as one pod"
            yield Diagnostic(code="ignored-kinds", severity="note", message=f"{message}; {does}")

    # --- what there is -----------------------------------------------------------------------------------------------

    def _priority(self, name: str) -> int:
        return next((each.value for each in self.manifests.priority_classes if each.metadata.name == name), 0)

    def _find(self, namespace: str, kind: str, name: str) -> Mapping[str, Any]:
        found = (each for each in self._given if (each.kind, each.metadata.name) == (kind, name))
        return next((each.value for each in found if kind[:7] == "Cluster" or each.metadata.namespace == namespace), {})

    def _is_ours(self, made: Gang | Child, operator: Operator) -> bool:
        """Whether pods are for the simulated scheduler; a PodGroup without pods of its own is."""
        if isinstance(made, Child):
            template = child(child(made.value, "spec"), "template")
            return text(child(template, "spec"), "schedulerName") in self.manifests.flags.names
        return any(_scheduler(made, role, operator) in self.manifests.flags.names for role in made.roles)

    def _is_there(self, given: Given, made: list[Gang | Child], under: Manifests | None) -> bool:
        """Whether a cluster has a PodGroup of an object, or pods that it controls."""
        groups = {f"{given.metadata.namespace}/{each.group}" for each in made if isinstance(each, Gang) and each.group}
        owner = given.kind, given.metadata.name
        return any(
            any(each.metadata.key in groups for each in manifests.pod_groups)
            or any((own.kind, own.name) == owner for pod in manifests.pods for own in pod.metadata.owner_references)
            for manifests in (self.manifests, under)
            if manifests is not None
        )

    def _asks_for_few(self, given: Given, made: list[Gang | Child]) -> bool:
        """Whether the pods of an object can be made; too many are an error."""
        pods = sum(role.number for each in made if isinstance(each, Gang) for role in each.roles)
        most = in_force().limits.max_pods
        if pods > most:
            message = f"{given.what} asks for {pods:,} pods: no more than {most:,} are created"
            self.findings.refuse(given.origin, "too-many-pods", message, hint="allow more with --max-pods")
        return pods <= most

    # --- what is made ------------------------------------------------------------------------------------------------

    def _add(self, given: Given, operator: Operator, made: Gang | Child) -> None:
        if isinstance(made, Child):
            origin = given.origin.inside(*made.path)
            typed = self._decoded(origin, made.value, made.type)
            if typed is not None:
                owners = [reference(str(given.value["apiVersion"]), given.kind, given.metadata)]
                pods = typed.spec.template.spec
                pods.scheduler_name = called(pods.scheduler_name, self.manifests.flags.names)
                typed.metadata = replace(typed.metadata, namespace=given.metadata.namespace, owner_references=owners)
                if operator.is_timed and self.strict:
                    self.timed.append(Made(typed, origin, given.what))
                else:
                    self._keep(given, typed, origin)
            return
        if made.group:
            metadata = k8s.ObjectMeta(
                name=made.group,
                namespace=given.metadata.namespace,
                labels={**made.labels},
                annotations={**made.annotations},
                owner_references=[_owner(given, made)],
            )
            status = k8s.PodGroupStatus(phase="Pending")
            self._keep(given, k8s.PodGroup(metadata=metadata, spec=made.spec, status=status), given.origin)
        for role in made.roles:
            self._add_pods(given, made, role, _scheduler(made, role, operator))

    def _add_pods(self, given: Given, gang: Gang, role: Role, scheduler: str) -> None:
        """Add the pods of a role; what is wrong with their template is found once."""
        origin = given.origin.inside(*role.path)
        written = {name: part for name in ("metadata", "spec") if (part := role.template.get(name)) is not None}
        template = self._decoded(origin, written, k8s.PodTemplateSpec)
        for index in range(role.number if template is not None else 0):
            own = template.metadata
            annotations = {**own.annotations}
            if gang.group:
                annotations |= {keys.GROUP_NAME: gang.group, **({keys.TASK_SPEC: role.task} if role.task else {})}
            metadata = k8s.ObjectMeta(
                name=role.name(index),
                namespace=given.metadata.namespace,
                labels={**own.labels, **role.labels},
                annotations=annotations,
                owner_references=[_owner(given, gang)],
            )
            name = called(scheduler or template.spec.scheduler_name, self.manifests.flags.names)
            spec = replace(template.spec, scheduler_name=name)
            pod = k8s.Pod(metadata=metadata, spec=spec, status=k8s.PodStatus(phase="Pending"))
            self._keep(given, pod, origin, judge=index == 0)

    def _decoded(self, origin: Origin, value: Any, type_: type[Any]) -> Any:
        typed, errors = decode(value, type_)
        for error in errors:
            self.findings.refuse(origin, "wrong-type", error.message, error.path, hint=error.hint)
        return None if errors else typed

    def _keep(self, given: Given, typed: Any, origin: Origin, *, judge: bool = True) -> None:
        if key_of(typed) in self.manifests.made_by:
            return
        for defect in defects(typed) if judge else ():
            self.findings.report(origin, defect)
        self.manifests.add_made(Made(typed, origin, given.what))


def _owner(given: Given, gang: Gang) -> k8s.OwnerReference:
    if gang.owner is not None:
        api_version, kind, name = gang.owner
        return reference(api_version, kind, k8s.ObjectMeta(name=name, namespace=given.metadata.namespace))
    return reference(str(given.value["apiVersion"]), given.kind, given.metadata)


def _scheduler(gang: Gang, role: Role, operator: Operator) -> str:
    own = text(child(role.template, "spec"), "schedulerName")
    return gang.scheduler or own or (keys.SCHEDULER_NAME if operator.switch else "")


def _templates(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the pod templates in a value: what has a spec with containers, but for the object itself."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        spec = value.get("spec")
        containers = spec.get("containers") if isinstance(spec, dict) else None
        if path and isinstance(containers, list) and all(isinstance(each, dict) for each in containers):
            yield path, value
            return
        for step, each in value.items():
            if path or step != "status":
                yield from _templates(each, (*path, step))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _templates(each, (*path, index))
