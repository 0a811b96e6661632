"""A gang that needs more pods than it has."""

from vqs.lint.pod_groups import WAITING, controller_made
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_MIN_MEMBER
from vqs.model.quantity import whole_number
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find PodGroups with too few pods, and workloads with too few replicas."""
    for group, place in context.objects("pod_groups"):
        job = context.session.jobs.get(group.metadata.key)
        if job is None or group.status.phase not in WAITING or controller_made(group):
            continue
        if 0 < job.total < job.min_available:
            message = f"{job.display_name} has {count(job.total, 'pod')}, and its minMember is {job.min_available}"
            yield Finding(message, place.at("spec", "minMember"))
    for list_name in ("deployments", "workloads", "jobs"):
        for workload, place in context.objects(list_name):
            if isinstance(workload, k8s.ReplicationController):
                continue
            least = whole_number(workload.metadata.annotations.get(GROUP_MIN_MEMBER, ""))
            if least is None or any(owner.controller for owner in workload.metadata.owner_references):
                continue
            spec = workload.spec
            field = "parallelism" if isinstance(spec, k8s.JobSpec) else "replicas"
            given = spec.parallelism if isinstance(spec, k8s.JobSpec) else spec.replicas
            pods = 1 if given is None else given
            if 0 < pods < least:
                what = f"{type(workload).__name__} {workload.metadata.key}"
                at = place.at("metadata", "annotations", GROUP_MIN_MEMBER)
                evidence = Evidence(f"{field} is {pods}", place.at("spec", field))
                yield Finding(f"{what} creates {count(pods, 'pod')}, and its gang needs {least}", at, (evidence,))


RULE = Rule(
    code="min-member-above-pods",
    severity=Severity.WARNING,
    title="a gang needs more pods than it has",
    meaning="minMember of a PodGroup is higher than the number of its pods, or the annotation "
    "scheduling.volcano.sh/group-min-member is higher than the replicas of its workload.",
    why="The plugin gang does not schedule a job with fewer pods than minMember. If its PodGroup is admitted, its "
    "minResources stay reserved in the queue meanwhile.",
    fix="Lower the minimum, or find out why pods are missing: their controller, a quota, the wrong name in the "
    "annotation scheduling.k8s.io/group-name.",
    source="pkg/scheduler/plugins/gang/gang.go",
    check=check,
    needs=Need.SESSION,
    example="minMember: 4, and 3 pods with the annotation scheduling.k8s.io/group-name",
)
