"""Where pods, and the topology policies that they ask for, are described: in themselves, or in templates of objects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vqs.lint.rule import Denier, LintContext, Place, once
from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.model.keys import NUMA_POLICY
from vqs.model.node import NO_POLICIES, STATIC, numa_topology
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Path

LISTS: Final = ("pods", "volcano_jobs", "deployments", "workloads", "jobs")
"""The lists of objects that describe pods."""

_TEMPLATE: Path = ("spec", "template")


@dataclass(frozen=True, slots=True)
class PodSource:
    """A pod, or a template of pods.

    Attributes:
        what: names it: ``pod ns/train-0``, ``task worker of Job ns/train``.
        owner: the metadata of the object that has it.
        metadata: that of the pods.
        spec: that of the pods.
        scheduler: which one the pods are for.
        pod: the pod, if it is one and no template.
        list_name, index, path: its place.
        role: the name of the task, if it is the template of one.
        family: what pods made alike have in common, so that they are reported once.
        is_stored: whether an API server has taken it in: then it was valid, and has its defaults.
    """

    what: str
    owner: k8s.ObjectMeta
    metadata: k8s.ObjectMeta
    spec: k8s.PodSpec
    scheduler: str
    pod: k8s.Pod | None
    list_name: str
    index: int
    path: Path = ()
    role: str = ""
    family: tuple[str, ...] = ()
    is_stored: bool = False

    def at(self, *steps: str | int) -> Place:
        """The place of a value in it."""
        return Place(self.list_name, self.index, (*self.path, *steps))

    @property
    def judge(self) -> Denier:
        """Who refuses a fault of a pod: for a Volcano Job, the webhook."""
        return "webhook" if self.list_name == "volcano_jobs" else "apiserver"

    @property
    def for_volcano(self) -> bool:
        """Whether its pods are for the scheduler volcano."""
        return self.scheduler == keys.SCHEDULER_NAME

    @property
    def waits(self) -> bool:
        """Whether its pods have yet to get a node."""
        return self.pod is None or (
            not self.spec.node_name
            and self.pod.status.phase not in k8s.ENDED_PHASES
            and not self.owner.deletion_timestamp
        )


@once
def pod_sources(context: LintContext) -> Sequence[PodSource]:
    """All pods, and all templates of objects that Volcano has to do with."""
    manifests = context.manifests
    # Of a pod that is there, next to nothing can be changed.
    sources = [
        _of_pod(pod, index, is_stored=context.is_stored(pod) or context.is_applied(pod))
        for index, pod in enumerate(manifests.pods)
    ]
    sources += [
        _of_task(job, index, number, is_stored=context.is_stored(job))
        for index, job in enumerate(manifests.volcano_jobs)
        for number in range(len(job.spec.tasks))
    ]
    sources += [
        _of_template(owner, list_name, index, is_stored=context.is_stored(owner))
        for list_name in ("deployments", "workloads", "jobs")
        for index, owner in enumerate(getattr(manifests, list_name))
        if not isinstance(owner, k8s.ReplicationController)
    ]
    return sources


def submitted(context: LintContext) -> Iterator[tuple[PodSource, Mapping[str, Any]]]:
    """Yield what no API server has stored, with its object as it is written; the short forms of scenarios have none."""
    written = context.written
    for source in pod_sources(context):
        value = {} if source.is_stored else written.get(source.list_name, source.index)
        if value:
            yield source, value


def families(
    sources: Iterable[PodSource], tell: Callable[[PodSource], Hashable] | None = None
) -> Iterator[tuple[PodSource, int]]:
    """Yield of pods made alike, and told alike, the one whose name goes first, with their number; a template is one."""
    found: dict[tuple[Hashable, ...], list[PodSource]] = {}
    for source in sources:
        found.setdefault((*source.family, tell(source) if tell else None), []).append(source)
    for alike in found.values():
        yield min(alike, key=lambda source: source.what), len(alike)


def and_others(what: str, number: int) -> str:
    """Name the first of a number of pods made alike."""
    others = number - 1
    return f"{what} (and {others} more like it)" if others else what


def _of_pod(pod: k8s.Pod, index: int, *, is_stored: bool) -> PodSource:
    metadata = pod.metadata
    owner = controller_of(metadata)
    role = keys.role_of(metadata)
    name = metadata.annotations.get(keys.GROUP_NAME) or (f"{owner.kind}/{owner.name}" if owner else metadata.name)
    return PodSource(
        what=f"pod {pod.metadata.key}",
        owner=pod.metadata,
        metadata=pod.metadata,
        spec=pod.spec,
        scheduler=pod.spec.scheduler_name,
        pod=pod,
        list_name="pods",
        index=index,
        family=("pods", metadata.namespace, name, role),
        is_stored=is_stored,
    )


def _of_task(job: k8s.VolcanoJob, index: int, number: int, *, is_stored: bool) -> PodSource:
    task = job.spec.tasks[number]
    template = task.template
    return PodSource(
        what=f"task {task.name or number} of Job {job.metadata.key}",
        owner=job.metadata,
        metadata=template.metadata,
        spec=template.spec,
        scheduler=template.spec.scheduler_name or job.spec.scheduler_name or keys.SCHEDULER_NAME,
        pod=None,
        list_name="volcano_jobs",
        index=index,
        path=("spec", "tasks", number, "template"),
        role=task.name or f"default{number}",
        family=("volcano_jobs", str(index), str(number)),
        is_stored=is_stored,
    )


def _of_template(
    owner: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet | k8s.Job, list_name: str, index: int, *, is_stored: bool
) -> PodSource:
    template = owner.spec.template
    return PodSource(
        what=f"{type(owner).__name__} {owner.metadata.key}",
        owner=owner.metadata,
        metadata=template.metadata,
        spec=template.spec,
        scheduler=template.spec.scheduler_name,
        pod=None,
        list_name=list_name,
        index=index,
        path=_TEMPLATE,
        family=(list_name, str(index)),
        is_stored=is_stored,
    )


class SourceOf:
    """Finds for a pod of the completed manifests what it was made from: itself, or a template."""

    def __init__(self, context: LintContext) -> None:
        manifests, completed = context.manifests, context.completed
        self._given = len(manifests.pods)
        self._numbers = {id(pod): number for number, pod in enumerate(completed.pods)}
        self._origins = completed.origins.get("pods", [])
        self._sources: dict[tuple[object, str], PodSource] = {}
        self._of_pods = pod_sources(context)[: self._given]
        for source in pod_sources(context):
            if source.pod is None:
                self._sources[manifests.origins[source.list_name][source.index], source.role] = source

    def __call__(self, pod: k8s.Pod) -> PodSource:
        """The source of a pod."""
        number = self._numbers[id(pod)]
        if number < self._given:
            return self._of_pods[number]
        role = pod.metadata.annotations.get(keys.TASK_SPEC, "")
        origin = self._origins[number]
        return self._sources.get((origin, role)) or self._sources[origin, ""]


def asking(context: LintContext) -> Iterator[tuple[PodSource, str, Place]]:
    """Yield the pods and templates for Volcano that ask for a topology policy, the policy, and where it stands."""
    for source in pod_sources(context):
        if source.for_volcano and source.waits:
            policy = source.metadata.annotations.get(NUMA_POLICY, "")
            place = source.at("metadata", "annotations", NUMA_POLICY)
            if source.list_name == "volcano_jobs":  # the task's own replaces the annotation
                path = source.path[:-1]
                task = context.manifests.volcano_jobs[source.index].spec.tasks[int(path[-1])]
                if task.topology_policy:
                    policy, place = (
                        task.topology_policy,
                        Place(source.list_name, source.index, (*path, "topologyPolicy")),
                    )
            if policy not in NO_POLICIES:
                yield source, policy, place


def followed(context: LintContext) -> dict[str, str]:
    """The policy of each node with a static CPU manager, by name."""
    nodes = {node.metadata.name for node, _ in context.objects("nodes")}
    topologies = {each.metadata.name: numa_topology(each) for each, _ in context.objects("numa_topologies")}
    return {
        name: each.topology_manager
        for name, each in sorted(topologies.items())
        if name in nodes and each.cpu_manager == STATIC
    }
