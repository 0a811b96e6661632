"""Something that is written for Volcano, and names no queue."""

from collections.abc import Iterator

from vqs.lint.pod_groups import controller_made
from vqs.lint.pod_sources import families, pod_sources
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.keys import DEFAULT_QUEUE, GROUP_NAME, GROUP_QUEUE


def check(context: LintContext) -> Findings:
    """Find what goes to the default queue for want of a name, where there are other queues."""
    others = [place for queue, place in context.objects("queues") if queue.metadata.name not in (ROOT, DEFAULT_QUEUE)]
    if not others:
        return
    for what, namespace, place in _nameless(context):
        message = f"{what} names no queue, so it goes to queue {DEFAULT_QUEUE}"
        yield Finding(message, place, _other_queue(context, namespace))


def _nameless(context: LintContext) -> Iterator[tuple[str, str, Place]]:
    written = context.written
    for list_name, kind in (("volcano_jobs", "Job"), ("pod_groups", "PodGroup")):
        for each, place in context.objects(list_name):
            if context.is_stored(each) or controller_made(each) or each.spec.queue not in ("", DEFAULT_QUEUE):
                continue
            spec = written.get(list_name, place.index).get("spec")
            if isinstance(spec, dict) and not spec.get("queue"):
                at = Place(list_name, place.index, ("spec",))
                yield f"{kind} {each.metadata.key}", each.metadata.namespace, at
    for source, _ in families(pod_sources(context)):
        annotations = source.metadata.annotations
        new = not source.is_stored and source.for_volcano and source.waits and source.list_name != "volcano_jobs"
        if new and not annotations.get(GROUP_NAME) and not annotations.get(GROUP_QUEUE):
            yield source.what, source.owner.namespace, source.at("metadata", "annotations")


def _other_queue(context: LintContext, namespace: str) -> tuple[Evidence, ...]:
    """Name the queue that a namespace has for PodGroups, which a webhook may give them."""
    for each, place in context.objects("namespaces"):
        queue = each.metadata.annotations.get(GROUP_QUEUE)
        if each.metadata.name == namespace and queue:
            at = place.at("metadata", "annotations", GROUP_QUEUE)
            return (Evidence(f"namespace {namespace} has the queue {queue}, for the webhook /podgroups/mutate", at),)
    return ()


RULE = Rule(
    code="queue-not-named",
    severity=Severity.NOTE,
    title="no queue is named",
    meaning="A Job or PodGroup has no spec.queue, or pods that get a PodGroup have no annotation "
    "scheduling.volcano.sh/queue-name, in a cluster with several queues.",
    why="The webhook for Jobs and the API server fill in the queue default. The webhook /podgroups/mutate would then "
    "give a new PodGroup the queue that its namespace has in the annotation scheduling.volcano.sh/queue-name, but the "
    "Helm chart and volcano-development.yaml do not enable that webhook by default.",
    fix="Name the queue, even if it is default.",
    source="pkg/webhooks/admission/podgroups/mutate/mutate_podgroup.go",
    check=check,
    example="a Job without spec.queue, where there are the queues research and product",
)
