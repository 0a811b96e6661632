"""Queues with limits that no plugin enforces."""

from vqs.lint.plugins import TIERS, given_plugins, uses
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for a queue with limits, and for a plugin that keeps them."""
    conf = context.conf
    if uses(conf, "proportion") or uses(conf, "capacity") or not any(True for _ in given_plugins(conf)):
        return
    for queue, at in context.objects("queues"):
        guarantee = queue.spec.guarantee and queue.spec.guarantee.resource
        limits = {
            ("spec", "capability"): queue.spec.capability,
            ("spec", "deserved"): queue.spec.deserved,
            ("spec", "guarantee"): guarantee,
        }
        path = next((path for path, value in limits.items() if value), None)
        if path is not None and queue.metadata.name != "root":
            text = f"queue {queue.metadata.name} sets {path[-1]}"
            message = "without proportion or capacity, queues have no limits and no shares"
            yield Finding(message, TIERS, (Evidence(text, at.at(*path)),))
            return


RULE = Rule(
    code="no-queue-plugin",
    severity=Severity.WARNING,
    title="queues have limits, and no plugin enforces them",
    meaning="A queue sets capability, deserved or guarantee, and neither proportion nor capacity is configured.",
    why="The scheduler itself does not enforce limits of queues. Without one of these plugins, any queue may take the "
    "whole cluster.",
    fix="Enable the plugin proportion, or capacity if queues use spec.deserved or spec.parent.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="A queue with capability cpu 10, and tiers without proportion and capacity.",
)
