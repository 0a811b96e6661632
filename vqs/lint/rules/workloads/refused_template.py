"""A Job whose pod templates the webhook refuses for what scheduling does not look at."""

from vqs.lint.new_objects import made_objects, new_objects
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.validation.pod import template_faults
from vqs.snapshot.apiserver.validation.schema import JOB_TEMPLATE, child, children, text
from vqs.snapshot.reading.diagnostics import Path


def check(context: LintContext) -> Findings:
    """Find such templates in Jobs that no API server has seen."""
    for new in (*new_objects(context), *made_objects(context)):
        if isinstance(new.typed, k8s.VolcanoJob):
            for index, task in enumerate(children(child(new.value, "spec"), "tasks")):
                path: Path = ("spec", "tasks", index, "template")
                for steps, wrong in template_faults(child(task, "template"), JOB_TEMPLATE):
                    message = f"task {text(task, 'name') or index} of {new.what}: {wrong}"
                    yield Finding(message, new.at((*path, *steps)))


RULE = Rule(
    code="refused-template",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a Job for the pod template of a task",
    meaning="Something in the template is missing, out of range, not an allowed value, duplicated, or in conflict with "
    "something else in it: images, ports, variables, volumes and their mounts, probes, affinities, security contexts, "
    "names, labels and so on. vqs.snapshot.apiserver.validation names what is not checked.",
    why="The webhook for Jobs validates the template of every task like the API server validates pods, and refuses the "
    "Job. Volumes in spec.volumes of the Job are mounted automatically and do not count here.",
    fix="In the template of the task, set the field at the marked place to a value that the message allows, or remove "
    "the field.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go (validateTaskTemplate); k8s.io/kubernetes "
    "pkg/apis/core/validation/validation.go",
    check=check,
    example="restartPolicy: OnError",
    denied="webhook",
    gives_way=True,
)
