"""A PodGroup that Volcano's webhook refuses."""

from collections.abc import Iterator

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import Path


def check(context: LintContext) -> Findings:
    """Find network topologies that name the highest tier in both ways."""
    for group, place in context.objects("pod_groups"):
        for path, topology in _topologies(group):
            if topology.highest_tier_allowed is not None and topology.highest_tier_name:
                yield Finding(
                    f"networkTopology of {context.named(group)} has both highestTierAllowed, "
                    f"{topology.highest_tier_allowed}, and highestTierName, {topology.highest_tier_name}",
                    place.at(*path, "highestTierName"),
                )


def _topologies(group: k8s.PodGroup) -> Iterator[tuple[Path, k8s.NetworkTopology]]:
    if group.spec.network_topology is not None:
        yield ("spec", "networkTopology"), group.spec.network_topology
    for index, policy in enumerate(group.spec.sub_group_policy):
        if policy.network_topology is not None:
            yield ("spec", "subGroupPolicy", index, "networkTopology"), policy.network_topology


RULE = Rule(
    code="pod-group-denied",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a PodGroup",
    meaning="A networkTopology names the highest tier both by number and by name.",
    why="The admission webhook allows one of highestTierAllowed and highestTierName, in the PodGroup and in each "
    "subGroupPolicy. It also refuses PodGroups whose queue does not exist or is not open; those are rules of their "
    "own.",
    fix="Remove one of the two.",
    source="pkg/webhooks/admission/podgroups/validate/validate_podgroup.go",
    check=check,
    example="networkTopology: {highestTierAllowed: 2, highestTierName: rack}",
    denied="webhook",
)
