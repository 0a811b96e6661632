"""An admitted PodGroup without pods."""

from vqs.lint.amounts import quantity
from vqs.lint.pod_groups import pods_by_group
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.job import INQUEUE
from vqs.model.resource import PODS, Resource
from vqs.model.wording import listed_names


def check(context: LintContext) -> Findings:
    """Find PodGroups in the phase Inqueue that no pod names."""
    if not context.manifests.pods:
        return  # the snapshot was taken without pods
    named = pods_by_group(context.manifests)
    for group, place in context.objects("pod_groups"):
        if group.status.phase == INQUEUE and group.metadata.key not in named:
            queue = group.spec.queue or "default"
            held = Resource.from_quantities(group.spec.min_resources)
            parts = [quantity(name, held.get(name)) for name in held.names() if name != PODS]
            reserved = Evidence(f"its minResources reserve {listed_names(parts)}", place.at("spec", "minResources"))
            yield Finding(
                f"{context.named(group)} is admitted to queue {queue} and has no pods",
                place.at("status", "phase"),
                (reserved,) if parts else (),
            )


RULE = Rule(
    code="inqueue-without-pods",
    severity=Severity.WARNING,
    title="an admitted PodGroup has no pods",
    meaning="The phase of the PodGroup is Inqueue, and no pod names it.",
    why="The minResources of a PodGroup in phase Inqueue count against the limit of its queue and against the limit of "
    "the plugin overcommit, whether its pods exist or not. Other jobs wait for resources that are not used.",
    fix="Find out why its pods are not created: a quota, a webhook that denies them, a controller that is down. Delete "
    "the PodGroup if its pods will not be created.",
    source="pkg/scheduler/plugins/proportion/proportion.go",
    check=check,
    looks_at=("pods", "pod_groups", "deployments", "jobs", "volcano_jobs", "workloads"),
    example="status.phase: Inqueue, after the pods of the Job were refused by a ResourceQuota",
)
