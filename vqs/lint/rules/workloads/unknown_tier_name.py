"""A limit to a tier by a name that no HyperNode has."""

from vqs.lint.plugins import uses
from vqs.lint.pod_groups import topologies, waiting_specs
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.job import HARD
from vqs.snapshot.reading.diagnostics import did_you_mean


def check(context: LintContext) -> Findings:
    """Look up the names that hard topologies limit their tiers by."""
    names = context.session.topology.tier_by_name
    behaviours = context.profile.network_topology
    if behaviours.hyper_node_search == "gradients" and not uses(context.conf, "network-topology-aware"):
        return  # nothing reads the limit
    for what, spec, place in waiting_specs(context):
        for path, asked in topologies(spec):
            name = asked.highest_tier_name
            if asked.mode == HARD and asked.highest_tier_allowed is None and name and name not in names:
                hint = did_you_mean(name, names)
                yield Finding(
                    f"{what} limits its tier to {name}, and no HyperNode has that tierName: it has no limit"
                    f"{f' ({hint})' if hint else ''}",
                    place.at(*path, "highestTierName"),
                )


RULE = Rule(
    code="unknown-tier-name",
    severity=Severity.WARNING,
    title="a network topology names a tier that no HyperNode has",
    meaning="A Job or a PodGroup, or a part of it (partitionPolicy, subGroupPolicy), has a networkTopology of mode "
    "hard with a highestTierName that is the tierName of no HyperNode.",
    why="The scheduler translates the name into the tier of a HyperNode. Where it finds none, it logs a warning, and "
    "schedules the job as if it had no limit: its pods may end up in any part of the network.",
    fix="Write the tierName of a HyperNode, use highestTierAllowed, or give the HyperNodes this tierName.",
    source="pkg/scheduler/framework/session.go",
    check=check,
    needs=Need.SESSION,
    example="networkTopology: {mode: hard, highestTierName: rak}, and HyperNodes with tierName rack",
)
