"""Minimums of roles that are not looked at, as the minimum of the gang is below their sum."""

from vqs.lint.pod_groups import controller_made
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.admission import with_defaults


def check(context: LintContext) -> Findings:
    """Find PodGroups and Jobs whose own minimum is below the sum of the minimums of their roles."""
    for group, place in context.objects("pod_groups"):
        total, minimum = sum(group.spec.min_task_member.values()), group.spec.min_member
        if group.spec.min_task_member and minimum < total and not controller_made(group):
            at = place.at("spec", "minTaskMember")
            own = Evidence(f"minMember is {minimum}", place.at("spec", "minMember"))
            what = context.named(group)
            yield Finding(
                f"minTaskMember of {what} asks for {total} pods, more than its minMember of {minimum}, and is ignored",
                at,
                (own,),
            )
    for job, place in context.objects("volcano_jobs"):
        if not context.is_stored(job):
            yield from _job(job, with_defaults(job, context.profile).spec, place)


def _job(job: k8s.VolcanoJob, stored: k8s.VolcanoJobSpec, place: Place) -> Findings:
    """Check the minimums that are written; a task without one needs all its replicas."""
    minimum = stored.min_available
    total = sum(task.min_available or 0 for task in stored.tasks)
    if minimum >= total:
        return
    for index, task in enumerate(job.spec.tasks):
        if task.min_available and task.min_available < task.replicas:
            own = Evidence(f"minAvailable of the Job is {minimum}", place.at("spec", "minAvailable"))
            yield Finding(
                f"minAvailable {task.min_available} of task {task.name or index} of Job {job.metadata.key} is "
                f"ignored: all tasks together need {total} pods, and the Job only {minimum}",
                place.at("spec", "tasks", index, "minAvailable"),
                (own,),
            )


RULE = Rule(
    code="min-task-member-ignored",
    severity=Severity.WARNING,
    title="the minimums of roles are ignored",
    meaning="minMember of a PodGroup (minAvailable of a Job) is below the sum of the minimums of its roles. A task "
    "without its own minimum counts with all its replicas.",
    why="Then the plugin gang counts pods of any role: the gang may start with the wrong pods, for example without its "
    "master.",
    fix="Raise the job's minAvailable to the sum of its tasks' minAvailable, or set minAvailable for every task.",
    source="pkg/scheduler/api/job_info.go",
    check=check,
    example="minAvailable 3, with tasks master (minAvailable 1) and worker (replicas 4)",
)
