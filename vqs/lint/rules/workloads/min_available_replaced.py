"""A Job whose minAvailable is 0, which the webhook replaces."""

from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.wording import count
from vqs.snapshot.apiserver.admission import with_defaults


def check(context: LintContext) -> Findings:
    """Find Jobs in which minAvailable is written, and is 0."""
    written = context.written
    for job, place in context.objects("volcano_jobs"):
        if context.is_stored(job) or job.spec.min_available:
            continue
        spec = written.get("volcano_jobs", place.index).get("spec")
        minimum = with_defaults(job, context.profile).spec.min_available
        if isinstance(spec, dict) and spec.get("minAvailable") == 0 and minimum:
            yield Finding(
                f"minAvailable of Job {job.metadata.key} is 0, which becomes {count(minimum, 'pod')}: the sum of "
                "its tasks' minimums",
                Place("volcano_jobs", place.index, ("spec", "minAvailable")),
            )


RULE = Rule(
    code="min-available-replaced",
    severity=Severity.NOTE,
    title="minAvailable 0 is replaced by the sum of the tasks' minimums",
    meaning="spec.minAvailable of a Job is 0, as if it needed no pods to start.",
    why="The webhook replaces 0 by the sum of minAvailable of all tasks, where a task without minAvailable counts with "
    "all its replicas. So the Job starts with all of these pods or not at all.",
    fix="Write 1 for a Job that may start with any pod, or leave minAvailable out.",
    source="pkg/webhooks/admission/jobs/mutate/mutate_job.go",
    check=check,
    example="minAvailable: 0",
)
