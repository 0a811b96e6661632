"""A pod that no node could take even if it were empty."""

import numpy as np

from vqs.explain.node_labels import known_labels
from vqs.lint.amounts import quantity
from vqs.lint.node_room import EmptyNodes
from vqs.lint.pod_sources import PodSource, SourceOf, and_others
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Place, Rule, Severity
from vqs.model.job import Task, TaskStatus
from vqs.model.resource import PODS
from vqs.model.wording import count, listed_names


def check(context: LintContext) -> Findings:
    """Find pods that wait for a node that does not exist."""
    session = context.session
    nodes = EmptyNodes(session)
    if not len(nodes):
        return
    source_of = SourceOf(context)
    alike: dict[tuple[object, ...], list[tuple[Task, PodSource]]] = {}
    for job in session.jobs.values():
        for task in job.having(TaskStatus.Pending).values():
            source = source_of(task.pod)
            alike.setdefault((*source.family, task.shape), []).append((task, source))
    for tasks in alike.values():
        task, source = min(tasks, key=lambda each: each[0].name)
        number = len(tasks) if source.pod is not None else 1
        yield from _judge(context, nodes, task, source, and_others(source.what, number))


def _judge(context: LintContext, nodes: EmptyNodes, task: Task, source: PodSource, what: str) -> Findings:
    spec, request = task.pod.spec, task.request
    if any(not nodes.have(name) for name in request.names() if name != PODS):
        return  # that is another rule's finding
    if (nodes.admitted(spec) & (nodes.slots(request) >= 1)).any():
        return
    selected, tolerated = nodes.selected(spec), nodes.tolerated(spec)
    reasons = [
        (int(np.count_nonzero(~selected)), "without the labels that it asks for"),
        (int(np.count_nonzero(selected & ~tolerated)), "with a taint that it does not tolerate"),
        (int(np.count_nonzero(selected & tolerated)), "too small"),
    ]
    told = [f"{number} {text}" for number, text in reasons if number]
    closest, place = _closest(context, nodes, task, source)
    parts = f"of {count(len(nodes), 'node')}, {listed_names(told)}; " if len(told) > 1 else ""
    yield Finding(f"{what} fits no node, not even an empty one: {parts}{closest.text}", place, (closest,))


def _closest(context: LintContext, nodes: EmptyNodes, task: Task, source: PodSource) -> tuple[Evidence, Place]:
    """The shortfall of the node that comes closest, and the place in the pod that asks for it."""
    spec, request = task.pod.spec, task.request
    names = [node.name for node in context.session.nodes.nodes]
    selected, tolerated, roomy = nodes.selected(spec), nodes.tolerated(spec), nodes.slots(request) >= 1
    if (selected & tolerated).any():
        rows = np.flatnonzero(selected & tolerated)
        if not (context.session.nodes.max_tasks[rows] >= 1).any():
            text = f"{names[rows[0]]} accepts no pods: its allocatable has no pods"
            return Evidence(text, _node(context, names[rows[0]], "status", "allocatable")), source.at("spec")
        node = nodes.closest(request, rows)
        text = (
            f"node {node.node} comes closest, with {quantity(node.resource, node.have)}, and a pod "
            f"requests {quantity(node.resource, node.need)}"
        )
        place = _node(context, node.node, "status", "allocatable", node.resource)
        return Evidence(text, place), _asking(source, node.resource)
    if selected.any():
        rows = np.flatnonzero(selected & roomy) if (selected & roomy).any() else np.flatnonzero(selected)
        taint = nodes.repelling(spec, int(rows[0]))
        text = f"node {names[rows[0]]} comes closest, but has the taint {taint.key}={taint.value}:{taint.effect}"
        return Evidence(text, _node(context, names[rows[0]], "spec", "taints")), source.at("spec")
    for label in known_labels(context.session.nodes).missing(source.spec):
        return Evidence(f"no node has the label {label}"), source.at("spec", *label.path)
    field = "affinity" if source.spec.affinity else "nodeSelector"
    return Evidence("no node has all the labels that it asks for"), source.at("spec", field)


def _node(context: LintContext, name: str, *path: str) -> Place:
    index = next(i for i, node in enumerate(context.manifests.nodes) if node.metadata.name == name)
    return Place("nodes", index, path)


def _asking(source: PodSource, resource: str) -> Place:
    """The place of the request in the first container that asks for a resource."""
    for key, containers in (("containers", source.spec.containers), ("initContainers", source.spec.init_containers)):
        for index, container in enumerate(containers):
            if resource in container.resources.requests:
                return source.at("spec", key, index, "resources", "requests", resource)
            if resource in container.resources.limits:
                return source.at("spec", key, index, "resources", "limits", resource)
    return source.at("spec")


RULE = Rule(
    code="pod-fits-no-node",
    severity=Severity.ERROR,
    title="a pod fits no node, not even an empty one",
    meaning="Every node is too small for the pod, or has labels or taints that exclude it. Cordons, taints for a "
    "temporary state of a node, and the pods on the nodes do not count.",
    why="No pod that ends or is evicted makes room for such a pod: it stays Pending, and its gang with it.",
    fix="Ask for less, correct the selector, tolerate the taint, or add a node that is large enough. Where a cluster "
    "autoscaler adds such nodes, silence this.",
    source="pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.SESSION,
    example="a container that requests 16 cpu, where the largest node has 8",
)
