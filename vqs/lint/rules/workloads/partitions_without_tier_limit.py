"""Parts of a job without a hard tier limit, where the release does not schedule these."""

from vqs.lint.pod_groups import topologies, waiting_specs
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.job import HARD
from vqs.snapshot.reading.diagnostics import Path


def check(context: LintContext) -> Findings:
    """Find jobs that are cut into parts and have no such limit, neither for all pods nor for any part."""
    behaviours = context.profile.network_topology
    if behaviours.sub_groups_without_tier_limit == "scheduled" or context.profile.schemas.job_partitions == "absent":
        return
    for what, spec, place in waiting_specs(context):
        if isinstance(spec, k8s.PodGroupSpec):
            parts: list[Path] = [("spec", "subGroupPolicy", number) for number in range(len(spec.sub_group_policy))]
        else:
            cut = [number for number, task in enumerate(spec.tasks) if task.partition_policy is not None]
            parts = [("spec", "tasks", number, "partitionPolicy") for number in cut]
        if parts and not any(
            asked.mode == HARD and (asked.highest_tier_allowed is not None or bool(asked.highest_tier_name))
            for _, asked in topologies(spec)
        ):
            yield Finding(
                f"{what} is cut into parts and has no hard network topology with a tier: Volcano "
                f"{context.profile.release} never schedules the pods of these parts",
                place.at(*parts[0]),
            )


RULE = Rule(
    code="partitions-without-tier-limit",
    severity=Severity.ERROR,
    title="a job is cut into parts without a hard network topology, and the release does not schedule these",
    meaning="With Volcano 1.14.0: a Job has a partitionPolicy, or a PodGroup a subGroupPolicy, and none of the "
    "networkTopology of the job and of its parts is of mode hard with a highest tier.",
    why="allocate takes such a job for one without parts, and finds no pods to place: the pods of its parts "
    "stay pending, without an event. Later releases schedule them.",
    fix="Give the job or its parts a networkTopology of mode hard with a high tier, remove the parts, or upgrade "
    "Volcano to 1.14.4 or later.",
    source="pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="partitionPolicy: {totalPartitions: 2, partitionSize: 4}, without networkTopology",
)
