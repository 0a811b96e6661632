"""Nodes that are not asked whether they take a pod."""

from vqs.lint.plugins import TIERS, given_plugins, uses
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for the plugin predicates in configurations that have plugins."""
    if not uses(context.conf, "predicates") and any(True for _ in given_plugins(context.conf)):
        yield Finding("without the plugin predicates, pods go to any node that has the room", TIERS)


RULE = Rule(
    code="no-predicates",
    severity=Severity.WARNING,
    title="the plugin predicates is missing, so only the idle resources of nodes count",
    meaning="No tier has the plugin predicates.",
    why="The plugin predicates checks taints, nodeSelector, affinity, host ports, cordoned nodes, volumes and topology "
    "spread. Without it, pods are placed on nodes where they cannot run, and preempt and reclaim evict others there; "
    "volumes are not bound.",
    fix="Add predicates to a tier.",
    source="pkg/scheduler/plugins/predicates/predicates.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="tiers with priority, gang and proportion only",
)
