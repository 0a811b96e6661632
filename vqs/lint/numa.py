"""Topology policies: what pods ask for, and what nodes follow."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Place
from vqs.lint.pod_sources import PodSource, pod_sources
from vqs.model.keys import NUMA_POLICY
from vqs.model.kubernetes import Pod
from vqs.model.numa import NO_POLICIES, STATIC
from vqs.model.qos import is_guaranteed
from vqs.snapshot.cluster.numa import numa_topology


def asking(context: LintContext) -> Iterator[tuple[PodSource, str, Place]]:
    """Yield the pods and templates for Volcano that ask for a topology policy, the policy, and where it stands."""
    for source in pod_sources(context):
        if source.for_volcano and source.waits:
            policy, place = _asked(context, source)
            if policy not in NO_POLICIES:
                yield source, policy, place


def _asked(context: LintContext, source: PodSource) -> tuple[str, Place]:
    """Return the policy that a pod or template asks for; that of a Volcano Job's task replaces the annotation."""
    if source.list_name == "volcano_jobs":
        path = source.path[:-1]
        task = context.manifests.volcano_jobs[source.index].spec.tasks[int(path[-1])]
        if task.topology_policy:
            return task.topology_policy, Place(source.list_name, source.index, (*path, "topologyPolicy"))
    return source.metadata.annotations.get(NUMA_POLICY, ""), source.at("metadata", "annotations", NUMA_POLICY)


def is_aligned(source: PodSource) -> bool:
    """Tell whether pods are Guaranteed: others are never aligned."""
    return is_guaranteed(source.pod or Pod(spec=source.spec))


def followed(context: LintContext) -> dict[str, str]:
    """Return the policy of each node with a static CPU manager, by name."""
    nodes = {node.metadata.name for node, _ in context.objects("nodes")}
    topologies = {each.metadata.name: numa_topology(each) for each, _ in context.objects("numa_topologies")}
    return {
        name: each.topology_manager
        for name, each in sorted(topologies.items())
        if name in nodes and each.cpu_manager == STATIC
    }
