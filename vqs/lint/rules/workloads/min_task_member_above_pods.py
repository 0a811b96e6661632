"""A role of a gang that needs more pods than there are."""

from collections import Counter

from vqs.lint.amounts import near_names
from vqs.lint.pod_groups import WAITING, controller_made
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find roles in minTaskMember with too few pods, where these minimums are looked at."""
    for group, place in context.objects("pod_groups"):
        job = context.session.jobs.get(group.metadata.key)
        if job is None or group.status.phase not in WAITING or controller_made(group):
            continue
        if not job.total or job.min_available < job.min_task_total:
            continue
        roles = Counter(task.role for task in job.tasks.values())
        near = near_names(filter(None, roles))
        for role, minimum in job.min_task_member.items():
            if roles[role] < minimum:
                hint = "" if roles[role] else near(role)
                pods = f"{count(roles[role], 'pod')} of this role" if roles[role] else "no pod of this role"
                message = f"{job.display_name} needs {count(minimum, 'pod')} of the role {role}, and has {pods}"
                at = place.at("spec", "minTaskMember", role)
                yield Finding(f"{message} ({hint})" if hint else message, at)


RULE = Rule(
    code="min-task-member-above-pods",
    severity=Severity.WARNING,
    title="a role of a gang needs more pods than it has",
    meaning="minTaskMember requires more pods of a role than the PodGroup has. The role of a pod is its annotation or "
    "label volcano.sh/task-spec.",
    why="If minMember is at least the sum of the minimums of all roles, the plugin gang does not schedule the job "
    "unless each role has its minimum.",
    fix="Correct the name of the role, put volcano.sh/task-spec on the pods, or lower the minimum.",
    source="pkg/scheduler/api/job_info.go",
    check=check,
    needs=Need.SESSION,
    example="minTaskMember: {worker: 2}, and pods with the annotation volcano.sh/task-spec: workers",
)
