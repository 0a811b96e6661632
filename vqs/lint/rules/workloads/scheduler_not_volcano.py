"""A pod of a PodGroup that another scheduler is to place."""

from vqs.lint.pod_sources import LISTS, PodSource, and_others, families, pod_sources
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.keys import ASKS_FOR_VOLCANO, GROUP_NAME, GROUP_QUEUE, SCHEDULER_NAME
from vqs.snapshot.apiserver.admission import resource_groups, scheduler_of


def check(context: LintContext) -> Findings:
    """Find waiting pods of PodGroups or with a queue, and tasks of Jobs, that are for another scheduler."""
    groups = {group.metadata.key: place for group, place in context.objects("pod_groups")}
    admission = [*resource_groups(each for each, _ in context.objects("config_maps"))]
    for source, number in families(each for each in pod_sources(context) if _is_lost(each, groups)):
        if scheduler_of(admission, source.owner.namespace, source.metadata.annotations) == SCHEDULER_NAME:
            continue
        scheduler = f"scheduler {source.scheduler}" if source.scheduler else "the default scheduler"
        key = _group(source)
        what = and_others(source.what, number)
        message = f"{what} is for {scheduler}, so {SCHEDULER_NAME} does not place it"
        evidence = [Evidence(f"its PodGroup is {key}", Place("pod_groups", groups[key].index))] if key in groups else []
        of_job = source.list_name == "volcano_jobs" and not source.spec.scheduler_name
        at = ("spec", "schedulerName")
        place = Place(source.list_name, source.index, at) if of_job else source.at(*at)
        yield Finding(message, place, tuple(evidence))


def _is_lost(source: PodSource, groups: dict[str, Place]) -> bool:
    if source.for_volcano or not source.waits:
        return False
    names = source.metadata.annotations.keys()
    if source.pod is None:
        return source.list_name == "volcano_jobs" or not ASKS_FOR_VOLCANO.isdisjoint(
            names | source.owner.annotations.keys()
        )
    return GROUP_QUEUE in names or _group(source) in groups


def _group(source: PodSource) -> str:
    return f"{source.owner.namespace}/{source.metadata.annotations.get(GROUP_NAME, '')}"


RULE = Rule(
    code="scheduler-not-volcano",
    severity=Severity.WARNING,
    title="a pod with a PodGroup or a queue is for another scheduler",
    meaning="The pod belongs to a PodGroup or to a Job of Volcano, or names a queue, or a Deployment or another "
    "workload names a queue or a gang in its annotations or those of its template; and the schedulerName is not "
    "volcano. A pod without schedulerName is for default-scheduler. A resource group in volcano-admission.conf that "
    "sets the schedulerName counts.",
    why="Volcano ignores pods of another scheduler until they have a node, while their gang waits for them. The other "
    "scheduler places each pod separately, without gang and queue.",
    fix="Set schedulerName: volcano. If a second Volcano scheduler runs under another name, silence this.",
    source="pkg/scheduler/cache/event_handlers.go",
    check=check,
    looks_at=(*LISTS, "pod_groups", "config_maps"),
    example="a pod with the annotation scheduling.k8s.io/group-name and without schedulerName",
)
