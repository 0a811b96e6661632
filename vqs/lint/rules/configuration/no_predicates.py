"""Nodes that are not asked whether they take a pod."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.plugins import TIERS, given_plugins
from vqs.lint.queue_plugins import uses
from vqs.lint.rule import Need, Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Look for the plugin predicates in configurations that have plugins."""
    if not uses(context.conf, "predicates") and any(True for _ in given_plugins(context.conf)):
        yield Finding("without the plugin predicates, pods go to any node that has the room", TIERS)


RULE = Rule(
    code="no-predicates",
    severity=Severity.WARNING,
    title="there is no plugin predicates, so that only the room on nodes counts",
    meaning="No tier has the plugin predicates.",
    why="predicates is what looks at taints, nodeSelector, affinity, ports, cordoned nodes, volumes and spreading. "
    "Without it pods are placed, and others evicted by preempt and reclaim, on nodes where the pod can never run; "
    "volumes are not bound.",
    fix="Add predicates to a tier.",
    source="pkg/scheduler/plugins/predicates/predicates.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="tiers with priority, gang and proportion only",
)
