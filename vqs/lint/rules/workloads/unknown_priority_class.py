"""A priority class that does not exist."""

from collections.abc import Iterator

from vqs.lint.amounts import near_names
from vqs.lint.pod_sources import LISTS, and_others, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity

_BUILT_IN = ("system-cluster-critical", "system-node-critical")


def check(context: LintContext) -> Findings:
    """Find names of priority classes that are not in the snapshot, if it has any."""
    known = {each.metadata.name for each, _ in context.objects("priority_classes")}
    if not known:
        return
    hint_at = near_names(known)
    for what, name, place in _class_names(context):
        if name and name not in known and name not in _BUILT_IN:
            hint = hint_at(name)
            message = f"{what} names the priority class {name}, which does not exist"
            yield Finding(f"{message} ({hint})" if hint else message, place)


def _class_names(context: LintContext) -> Iterator[tuple[str, str, Place]]:
    for list_name, kind in (("volcano_jobs", "Job"), ("pod_groups", "PodGroup")):
        for each, place in context.objects(list_name):
            at = Place(list_name, place.index, ("spec", "priorityClassName"))
            yield f"{kind} {each.metadata.key}", each.spec.priority_class_name, at
    for source, number in families(pod_sources(context), lambda each: each.spec.priority_class_name):
        # The API server has looked the class up of a pod that has a priority.
        if source.waits and source.spec.priority is None:
            at = source.at("spec", "priorityClassName")
            yield and_others(source.what, number), source.spec.priority_class_name, at


RULE = Rule(
    code="unknown-priority-class",
    severity=Severity.WARNING,
    title="a priority class does not exist",
    meaning="priorityClassName of a PodGroup, Job, pod or template is not the name of a PriorityClass.",
    why="The scheduler silently gives a PodGroup of an unknown class the default priority. The API server refuses pods "
    "of an unknown class, so a Job gets no pods.",
    fix="Correct the name, or create the PriorityClass.",
    source="pkg/scheduler/cache/cache.go",
    check=check,
    looks_at=(*LISTS, "pod_groups", "priority_classes"),
    example="priorityClassName: hihg, where the class is called high",
)
