"""A pod that names a PodGroup that does not exist."""

from vqs.lint.amounts import near_names
from vqs.lint.pod_sources import LISTS, PodSource, and_others, pod_sources
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.keys import GROUP_NAME


def check(context: LintContext) -> Findings:
    """Find pods and templates whose annotation names no PodGroup of their namespace."""
    places = {group.metadata.key: place for group, place in context.objects("pod_groups")}
    made = {*places}
    for job, _ in context.objects("volcano_jobs"):
        made |= {job.metadata.key, f"{job.metadata.key}-{job.metadata.uid}"}
    missing: dict[str, list[PodSource]] = {}
    for source in pod_sources(context):
        waits = source.for_volcano and source.waits
        # Pods of a Job get another annotation than its template has.
        if not source.metadata.annotations.get(GROUP_NAME) or not waits or source.list_name == "volcano_jobs":
            continue
        key = f"{source.owner.namespace}/{source.metadata.annotations[GROUP_NAME]}"
        if key not in made and (places or not source.is_stored):  # a snapshot may have been taken without PodGroups
            missing.setdefault(key, []).append(source)
    by_namespace: dict[str, list[str]] = {}
    by_name: dict[str, list[str]] = {}
    for key in places if missing else ():
        namespace, _, name = key.partition("/")
        by_namespace.setdefault(namespace, []).append(name)
        by_name.setdefault(name, []).append(namespace)
    near_in = {namespace: near_names(names) for namespace, names in by_namespace.items()}
    for key, sources in missing.items():
        namespace, _, name = key.partition("/")
        near = near_in[namespace](name) if namespace in near_in else ""
        elsewhere = {other: places[f"{other}/{name}"] for other in sorted(by_name.get(name, ()))}
        yield _finding(min(sources, key=lambda source: source.what), len(sources), key, near, elsewhere)


def _finding(source: PodSource, number: int, key: str, near: str, elsewhere: dict[str, Place]) -> Finding:
    """Say what is named; `elsewhere` has the PodGroups of that name, by namespace."""
    name = key.partition("/")[2]
    message = f"{and_others(source.what, number)} names the PodGroup {key}, which does not exist"
    evidence = [
        Evidence(f"there is {namespace}/{name}", place.at("metadata", "name")) for namespace, place in elsewhere.items()
    ]
    if near:
        message += f" ({near})"
    elif elsewhere:
        message += f"; namespace {next(iter(elsewhere))} has one of that name"
    return Finding(message, source.at("metadata", "annotations", GROUP_NAME), tuple(evidence))


RULE = Rule(
    code="unknown-pod-group",
    severity=Severity.ERROR,
    title="a pod names a PodGroup that does not exist",
    meaning="The annotation scheduling.k8s.io/group-name of a pod, or of a template, names a PodGroup that is not in "
    "the pod's namespace.",
    why="The scheduler only considers pods whose PodGroup exists in the pod's own namespace. The controller only "
    "creates a PodGroup for pods that name none.",
    fix="Correct the name, create the PodGroup in the namespace of the pod, or remove the annotation.",
    source="pkg/controllers/podgroup/pg_controller_handler.go",
    check=check,
    looks_at=(*LISTS, "pod_groups"),
    example="scheduling.k8s.io/group-name: trian, where the PodGroup is called train",
)
