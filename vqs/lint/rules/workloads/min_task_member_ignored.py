"""Minimums of roles that are not looked at, as the minimum of the gang is below their sum."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Place, Severity
from vqs.lint.pod_groups import controller_made
from vqs.lint.rule import Rule
from vqs.model import kubernetes as k8s
from vqs.snapshot.admission import with_defaults


def check(context: LintContext) -> Iterator[Finding]:
    """Find PodGroups and Jobs whose own minimum is below the sum of the minimums of their roles."""
    for group, place in context.objects("pod_groups"):
        total, minimum = sum(group.spec.min_task_member.values()), group.spec.min_member
        if group.spec.min_task_member and minimum < total and not controller_made(group):
            at = Place(place.list_name, place.index, ("spec", "minTaskMember"))
            own = Evidence(f"minMember is {minimum}", Place(place.list_name, place.index, ("spec", "minMember")))
            what = context.named(group)
            yield Finding(f"minTaskMember of {what} asks for {total} pods, more than minMember, {minimum}", at, (own,))
    for job, place in context.objects("volcano_jobs"):
        if not context.is_stored(job):
            yield from _job(job, place)


def _job(job: k8s.VolcanoJob, place: Place) -> Iterator[Finding]:
    """Judge the minimums that somebody wrote; a task without one has that of all its replicas."""
    minimum = with_defaults(job).spec.min_available
    total = sum(task.min_available or 0 for task in with_defaults(job).spec.tasks)
    if minimum >= total:
        return
    for index, task in enumerate(job.spec.tasks):
        if task.min_available and task.min_available < task.replicas:
            own = Evidence(
                f"minAvailable of the Job is {minimum}", Place(place.list_name, place.index, ("spec", "minAvailable"))
            )
            yield Finding(
                f"minAvailable {task.min_available} of task {task.name or index} of Job {job.metadata.key} is not "
                f"looked at: all tasks together ask for {total} pods, and the Job for {minimum}",
                Place(place.list_name, place.index, ("spec", "tasks", index, "minAvailable")),
                (own,),
            )


RULE = Rule(
    code="min-task-member-ignored",
    severity=Severity.WARNING,
    title="the minimums of roles are not looked at",
    meaning="minMember of a PodGroup (minAvailable of a Job) is below the sum of the minimums of its roles. A task "
    "without a minimum of its own counts with all of its replicas.",
    why="In that case the plugin gang counts pods of any role: the gang may start with the wrong ones, for example "
    "without its master.",
    fix="Raise the minimum of the gang to the sum of its roles', or give every task the minimum that is meant.",
    source="pkg/scheduler/api/job_info.go",
    check=check,
    example="minAvailable 3, with tasks master (minAvailable 1) and worker (replicas 4)",
)
