"""A PodGroup that Volcano's webhook refuses."""

from vqs.lint.pod_groups import topologies
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find network topologies that name the highest tier in both ways."""
    for group, place in context.objects("pod_groups"):
        for path, topology in topologies(group.spec):
            if topology.highest_tier_allowed is not None and topology.highest_tier_name:
                yield Finding(
                    f"networkTopology of {context.named(group)} has both highestTierAllowed, "
                    f"{topology.highest_tier_allowed}, and highestTierName, {topology.highest_tier_name}",
                    place.at(*path, "highestTierName"),
                )


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
