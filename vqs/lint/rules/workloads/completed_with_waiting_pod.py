"""A PodGroup that is Completed while pods of it wait."""

from vqs.lint.pod_groups import pods_by_group
from vqs.lint.pod_sources import pod_sources
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.job import COMPLETED
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find PodGroups in the phase Completed that pods without a node name."""
    named, sources = pods_by_group(context.manifests), pod_sources(context)
    for group, place in context.objects("pod_groups"):
        if group.status.phase != COMPLETED:
            continue
        waiting = [sources[index] for index in named.get(group.metadata.key, ()) if sources[index].waits]
        if waiting:
            pods = count(len(waiting), "pod")
            yield Finding(
                f"{context.named(group)} is {COMPLETED}, and {pods} of it {'wait' if len(waiting) > 1 else 'waits'}",
                place.at("status", "phase"),
                (Evidence(f"{waiting[0].what} has no node", waiting[0].at("metadata", "name")),),
            )


RULE = Rule(
    code="completed-with-waiting-pod",
    severity=Severity.WARNING,
    title="a PodGroup is Completed while a pod of it waits",
    meaning="The phase of a PodGroup is Completed, and a pod that names it has neither ended nor a node.",
    why="The scheduler calls a PodGroup Completed once all pods that got a node have ended, and are at least "
    "minMember; it does not count those that wait, such as the next pod of a Job with completions above parallelism "
    "(volcano issue 5871). The pod is still scheduled, but the queue's status and metrics count the job as done, and "
    "so does what reads the phase.",
    fix="Find out why the pod waits (vqs explain-job), and do not delete the PodGroup.",
    source="pkg/scheduler/framework/session.go (getPodGroupPhase)",
    check=check,
    looks_at=("pods", "pod_groups", "deployments", "jobs", "volcano_jobs", "workloads"),
    example="status.phase: Completed, one pod that Succeeded, and one that is Pending",
)
