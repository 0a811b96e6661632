"""A queue's name in a place that Volcano does not read."""

from typing import NamedTuple

from vqs.lint.pod_groups import controller_made
from vqs.lint.pod_sources import LISTS, PodSource, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME, GROUP_QUEUE, JOB_NAME, QUEUE_NAME
from vqs.snapshot.reading.diagnostics import Path


class _QueueName(NamedTuple):
    """A queue that something names: in an annotation or label, at a path."""

    queue: str
    kind: str
    key: str
    path: Path


def check(context: LintContext) -> Findings:
    """Find queue names in annotations and labels that have no effect, and that say something else than what has."""
    # Check PodGroups and Jobs: spec.queue has their queue.
    for list_name, kind in (("pod_groups", "PodGroup"), ("volcano_jobs", "Job")):
        for each, place in context.objects(list_name):
            if not controller_made(each):
                named = [one for one in _queues_named(each.metadata) if one.queue != each.spec.queue]
                yield from _unread(f"{kind} {each.metadata.key}", place, named, "the queue is the one in spec.queue")
    for list_name in ("deployments", "workloads", "jobs"):
        for each, place in context.objects(list_name):
            if isinstance(each, k8s.ReplicationController) or controller_made(each):
                continue
            queue = each.spec.template.metadata.annotations.get(GROUP_QUEUE)
            named = [one for one in _queues_named(each.metadata) if one.queue != queue]
            what = f"{type(each).__name__} {each.metadata.key}"
            yield from _unread(what, place, named, "it belongs into spec.template.metadata.annotations")
    for namespace, place in context.objects("namespaces"):
        if not namespace.metadata.annotations.get(GROUP_QUEUE):
            what = f"namespace {namespace.metadata.name}"
            yield from _unread(what, place, _labels(namespace.metadata), "an annotation is read here, a label is not")
    for source, _ in families(pod_sources(context), lambda each: tuple(_queues_named(each.metadata))):
        yield from _pods(context, source)


def _pods(context: LintContext, source: PodSource) -> Findings:
    """Judge pods and templates: the annotation counts, unless the pod belongs to a PodGroup already."""
    if not _queues_named(source.metadata) or not source.for_volcano or not source.waits:
        return
    if source.metadata.labels.get(JOB_NAME):
        return  # the controller of Jobs wrote them
    queue = source.metadata.annotations.get(GROUP_QUEUE)
    place = source.at()
    if source.list_name == "volcano_jobs":
        queue = context.manifests.volcano_jobs[source.index].spec.queue
        why = "the queue is the one in spec.queue of the Job"
        named = [one for one in _queues_named(source.metadata) if one.queue != queue]
    elif source.metadata.annotations.get(GROUP_NAME):
        key = f"{source.owner.namespace}/{source.metadata.annotations[GROUP_NAME]}"
        group = next((each for each, _ in context.objects("pod_groups") if each.metadata.key == key), None)
        why = f"the queue is the one in spec.queue of its PodGroup, {group.spec.queue if group else ''}"
        named = [one for one in _queues_named(source.metadata) if group is not None and one.queue != group.spec.queue]
    else:
        why = f"for pods, the annotation {GROUP_QUEUE} is read"
        named = [one for one in _queues_named(source.metadata) if one.queue != queue]
    yield from _unread(source.what, place, named, why)


def _queues_named(metadata: k8s.ObjectMeta) -> list[_QueueName]:
    found = [
        _QueueName(metadata.annotations[key], "annotation", key, ("metadata", "annotations", key))
        for key in (GROUP_QUEUE, QUEUE_NAME)
        if metadata.annotations.get(key)
    ]
    return [*found, *_labels(metadata)]


def _labels(metadata: k8s.ObjectMeta) -> list[_QueueName]:
    return [
        _QueueName(metadata.labels[key], "label", key, ("metadata", "labels", key))
        for key in (GROUP_QUEUE, QUEUE_NAME)
        if metadata.labels.get(key)
    ]


def _unread(what: str, place: Place, named: list[_QueueName], why: str) -> Findings:
    for each in named:
        at = place.at(*each.path)
        yield Finding(
            f"{what} names queue {each.queue} in the {each.kind} {each.key}, which Volcano does not read: {why}", at
        )


RULE = Rule(
    code="queue-annotation-misplaced",
    severity=Severity.WARNING,
    title="a queue is named in a place that Volcano does not read",
    meaning="An annotation or label with the name of a queue has no effect where it is, and the place that Volcano "
    "reads names another queue or none.",
    why="The annotation scheduling.volcano.sh/queue-name is read in two places: on a pod that names no PodGroup, when "
    "the controller creates one for it, and on a namespace, when a PodGroup of the queue default is created in it. For "
    "everything else, spec.queue counts. The key volcano.sh/queue-name is written on the pods of Jobs and read by "
    "vcctl only.",
    fix="Put the annotation scheduling.volcano.sh/queue-name on the pod or on the template of the pods, and set "
    "spec.queue of Jobs and PodGroups.",
    source="pkg/controllers/podgroup/pg_controller_handler.go",
    check=check,
    looks_at=(*LISTS, "pod_groups", "namespaces"),
    example="a Deployment with scheduling.volcano.sh/queue-name in metadata.annotations, and not in its template",
)
