"""A minimum of pods in an annotation that is not read there, or is not a number."""

from vqs.lint.pod_sources import LISTS, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_MIN_MEMBER
from vqs.model.quantity import whole_number
from vqs.snapshot.reading.diagnostics import Path

_PATH: Path = ("metadata", "annotations", GROUP_MIN_MEMBER)
_MOST = 2**31 - 1


def check(context: LintContext) -> Findings:
    """Find the annotation on pods, templates, PodGroups and Volcano Jobs, and values that are not numbers."""
    for source, _ in families(pod_sources(context)):
        if GROUP_MIN_MEMBER in source.metadata.annotations and source.for_volcano:
            yield _unread(f"the pod metadata of {source.what}" if source.path else source.what, source.at(*_PATH))
    for list_name, kind in (("pod_groups", "PodGroup"), ("volcano_jobs", "Job")):
        for each, place in context.objects(list_name):
            if GROUP_MIN_MEMBER in each.metadata.annotations:
                yield _unread(f"{kind} {each.metadata.key}", Place(list_name, place.index, _PATH))
    for list_name in ("deployments", "workloads", "jobs"):
        for each, place in context.objects(list_name):
            text = each.metadata.annotations.get(GROUP_MIN_MEMBER)
            number = 0 if text is None else whole_number(text)
            if not isinstance(each, k8s.ReplicationController) and (number is None or not 0 <= number <= _MOST):
                what = f"{type(each).__name__} {each.metadata.key}"
                message = (
                    f"{what} has {text!r} in {GROUP_MIN_MEMBER}, which is not a number of pods: minMember will be 1"
                )
                yield Finding(message, Place(list_name, place.index, _PATH))


def _unread(what: str, place: Place) -> Finding:
    return Finding(f"{what} has {GROUP_MIN_MEMBER}, which is read only on the workload that owns the pods", place)


RULE = Rule(
    code="group-min-member-unread",
    severity=Severity.WARNING,
    title="scheduling.volcano.sh/group-min-member has no effect",
    meaning="The annotation is on a pod, a pod template, a PodGroup or a Volcano Job, or its value is not a number.",
    why="When the controller creates a PodGroup for pods, it looks for the annotation on the ReplicaSet, StatefulSet, "
    "DaemonSet or Kubernetes Job that owns them; a Deployment passes its own on to its ReplicaSets. If it finds no "
    "annotation with a number of at least 0, minMember is 1.",
    fix="Put it into metadata.annotations of the workload, not of its template. PodGroups have spec.minMember, Volcano "
    "Jobs have spec.minAvailable.",
    source="pkg/controllers/podgroup/pg_controller_handler.go",
    check=check,
    looks_at=(*LISTS, "pod_groups"),
    example='a Deployment with scheduling.volcano.sh/group-min-member: "4" in its template',
)
