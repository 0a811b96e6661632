"""A limit to a tier that is below those of all HyperNodes."""

from vqs.lint.plugins import uses
from vqs.lint.pod_groups import topologies, waiting_specs
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.job import HARD

_OWN = ("spec", "networkTopology")


def check(context: LintContext) -> Findings:
    """Compare hard topologies with the lowest tier of the HyperNodes that have nodes."""
    topology = context.session.topology
    if context.profile.network_topology.hyper_node_search == "gradients" and not uses(
        context.conf, "network-topology-aware"
    ):
        return  # nothing reads the limit
    tiers = [
        (each.tier, name) for name, each in topology.by_name.items() if each.defined and len(topology.members[name])
    ]
    if topology.fault or not context.manifests.hyper_nodes or not tiers:
        return
    lowest, name = min(tiers)
    evidence = (Evidence(f"the lowest one that has nodes, {name}, is of tier {lowest}"),)
    reads_names_of_parts = context.profile.network_topology.tier_names == "everywhere"
    for what, spec, place in waiting_specs(context):
        for path, asked in topologies(spec):
            limit, field, named = asked.highest_tier_allowed, "highestTierAllowed", ""
            if limit is None and (path == _OWN or reads_names_of_parts):
                limit, field = topology.tier_by_name.get(asked.highest_tier_name), "highestTierName"
                named = f", which is {asked.highest_tier_name}"
            if asked.mode == HARD and limit is not None and limit < lowest:
                message = f"{what} allows HyperNodes up to tier {limit}{named}, and none with nodes is of so low a tier"
                yield Finding(message, place.at(*path, field), evidence)


RULE = Rule(
    code="no-hyper-node-of-tier",
    severity=Severity.ERROR,
    title="a network topology allows no tier that a HyperNode has",
    meaning="A Job or a PodGroup, or a part of it (partitionPolicy, subGroupPolicy), has a networkTopology of mode "
    "hard, and every HyperNode with nodes is of a higher tier than highestTierAllowed, or than highestTierName names.",
    why="Such a job, or such a part, is only tried in HyperNodes up to this tier. As there is none, its pods are never "
    "placed, however much is idle.",
    fix="Raise highestTierAllowed or highestTierName to the tier of a HyperNode, use mode soft, or define HyperNodes "
    "of this tier.",
    source="pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go",
    check=check,
    needs=Need.SESSION,
    example="subGroupPolicy with highestTierAllowed 1, and HyperNodes of the tiers 2 and 3",
)
