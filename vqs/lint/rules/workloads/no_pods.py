"""A Job that asks for no pods at all."""

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity

_AT_WORK = ("", "Pending", "Running")
"""The phases in which the controller makes pods."""


def check(context: LintContext) -> Findings:
    """Find Jobs all of whose tasks have no replicas."""
    for job, place in context.objects("volcano_jobs"):
        tasks = job.spec.tasks
        is_at_work = job.metadata.deletion_timestamp is None and job.status.state.phase in _AT_WORK
        if is_at_work and tasks and not any(task.replicas for task in tasks):
            at = place.at("spec", "tasks", 0, "replicas")
            yield Finding(f"Job {job.metadata.key} asks for no pods: no task of it has replicas", at)


RULE = Rule(
    code="no-pods",
    severity=Severity.WARNING,
    title="a Job asks for no pods at all",
    meaning="All tasks of a Volcano Job have 0 replicas, which is also what a task without replicas has.",
    why="The webhook admits the Job, and the controller creates no pods: the Job never starts, and no event says why.",
    fix="Set replicas of each task to the number of pods.",
    source="pkg/controllers/job/job_controller_actions.go",
    check=check,
    example="tasks: [{name: worker, template: ...}]",
)
