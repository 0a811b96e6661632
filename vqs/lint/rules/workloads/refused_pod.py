"""A pod, or a template of pods, that the API server refuses."""

from typing import Final

from vqs.lint.pod_sources import PodSource, and_others, submitted
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.validation.pod import pod_faults, template_faults
from vqs.snapshot.apiserver.validation.schema import POD, TEMPLATE, child
from vqs.snapshot.reading.diagnostics import Path

_ELSEWHERE: Final = "volcano_jobs"
"""A webhook judges the templates of Volcano Jobs, and another rule reports on them."""


def check(context: LintContext) -> Findings:
    """Find what is wrong with pods and templates that no API server has seen; pods made alike share a finding."""
    found: dict[tuple[tuple[str, ...], Path, str], list[PodSource]] = {}
    for source, value in submitted(context):
        if source.list_name == _ELSEWHERE:
            continue
        template = child(child(value, "spec"), "template")
        faults = pod_faults(value, POD) if source.pod is not None else template_faults(template, TEMPLATE)
        for path, wrong in faults:
            found.setdefault((source.family, path, wrong), []).append(source)
    for (_, path, wrong), sources in found.items():
        yield Finding(f"{and_others(sources[0].what, len(sources))}: {wrong}", sources[0].at(*path))


RULE = Rule(
    code="refused-pod",
    severity=Severity.ERROR,
    title="the API server refuses a pod or a template of pods",
    meaning="Something in a pod, or in the template of a Deployment, ReplicaSet, StatefulSet or Kubernetes Job, is "
    "missing, out of range, not an allowed value, duplicated, or in conflict with something else in it. "
    "vqs.snapshot.apiserver.validation names what is not checked.",
    why="The API server validates pods and templates when they are created.",
    fix="Set the field at the marked place to a value that the message allows, or remove the field; of a pod that a "
    "workload creates, in the template of the workload.",
    source="k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodTemplateSpec)",
    check=check,
    example="containers: [{name: main}]",
    denied="apiserver",
    gives_way=True,
)
