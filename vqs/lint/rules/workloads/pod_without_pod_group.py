"""A pod in the cluster for which no PodGroup was made."""

from vqs.lint.pod_sources import LISTS, and_others, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.keys import GROUP_NAME


def check(context: LintContext) -> Findings:
    """Find pods that an API server has taken in, and that no controller has given a PodGroup."""
    found = (
        source
        for source in pod_sources(context)
        if source.pod is not None
        and source.is_stored
        and source.for_volcano
        and source.waits
        and not source.metadata.annotations.get(GROUP_NAME)
    )
    for source, number in families(found):
        what = and_others(source.what, number)
        yield Finding(f"{what} waits for Volcano, and belongs to no PodGroup", source.at("metadata", "name"))


RULE = Rule(
    code="pod-without-pod-group",
    severity=Severity.WARNING,
    title="a pod in the cluster has no PodGroup",
    meaning="The pod asks for the scheduler volcano and exists in the cluster, but has no annotation "
    "scheduling.k8s.io/group-name.",
    why="The scheduler skips pods without a PodGroup. Volcano's controller manager normally creates one for each such "
    "pod at once.",
    fix="Check that vc-controller-manager runs, that its option --scheduler-name names this scheduler, and that the "
    "PodGroup was not refused, for example because the queue in scheduling.volcano.sh/queue-name is closed.",
    source="pkg/controllers/podgroup/pg_controller.go",
    check=check,
    looks_at=LISTS,
    example="a pod with schedulerName: volcano and a uid, without annotations",
)
