"""Nodes that are all alike."""

from vqs.lint.plugins import TIERS, answering, given_plugins
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for plugins that score nodes, other than predicates, which scores volumes only."""
    conf = context.conf
    scorers = [option for option in answering(conf, "enableNodeOrder") if option.name != "predicates"]
    if any(True for _ in given_plugins(conf)) and not scorers:
        yield Finding("no plugin scores nodes, so Volcano picks a random one of those that fit", TIERS)


RULE = Rule(
    code="no-node-order",
    severity=Severity.NOTE,
    title="no plugin scores nodes",
    meaning="None of nodeorder, binpack and the other plugins that score nodes is configured with enableNodeOrder on.",
    why="All nodes that fit a pod then score the same, and Volcano picks one at random. Preferred affinity, "
    "PreferNoSchedule taints and images that a node already has do not count.",
    fix="Add nodeorder to spread pods, or binpack to keep nodes free for large ones.",
    source="pkg/scheduler/framework/session_plugins.go; pkg/scheduler/util/scheduler_helper.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: nodeorder\n  enableNodeOrder: false",
)
