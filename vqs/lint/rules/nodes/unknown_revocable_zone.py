"""A node in a revocable zone that tdm does not know."""

from vqs.engine.plugins import tdm
from vqs.lint.amounts import near_names
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.keys import REVOCABLE_ZONE


def check(context: LintContext) -> Findings:
    """Find nodes whose zone is not among the arguments of tdm, if that plugin is configured."""
    found = context.conf.plugin(tdm.NAME)
    if found is None:
        return
    known = tdm.zones(found.arguments)
    hint = near_names(known)
    for node, place in context.objects("nodes"):
        zone = node.metadata.labels.get(REVOCABLE_ZONE, "")
        if zone and zone not in known:
            yield Finding(
                f"node {node.metadata.name} is in revocable zone {zone}, which tdm does not know: it takes no pods",
                place.at("metadata", "labels", REVOCABLE_ZONE),
                fix=hint(zone) or f"add {tdm.ZONE}{zone} to the arguments of tdm",
            )


RULE = Rule(
    code="unknown-revocable-zone",
    severity=Severity.WARNING,
    title="a node is in a revocable zone that tdm does not know",
    meaning="The label volcano.sh/revocable-zone of the node names a zone, and the arguments of the plugin tdm have no "
    "tdm.revocable-zone of that name.",
    why="tdm refuses each node whose zone has no hours, for all pods and at all times. It does not evict the pods that "
    "run there either.",
    fix="Correct the label, or add the hours of the zone to the arguments of tdm.",
    source="pkg/scheduler/plugins/tdm/tdm.go (availableRevocableZone)",
    check=check,
    looks_at=("nodes", "conf"),
    example="volcano.sh/revocable-zone: nights, and tdm.revocable-zone.night: 20:00-23:00",
)
