"""The action enqueue without a plugin that limits admission."""

from vqs.lint.plugins import action_place, answering, uses_action
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity

_NEVER_REJECTS = ("sla",)
"""Plugins that vote on admission and never reject."""


def check(context: LintContext) -> Findings:
    """Look for plugins that answer the action enqueue."""
    conf = context.conf
    gates = [option for option in answering(conf, "enableJobEnqueued") if option.name not in _NEVER_REJECTS]
    if uses_action(conf, "enqueue") and not gates:
        yield Finding("no plugin limits admission, so enqueue admits all jobs", action_place(conf, "enqueue"))


RULE = Rule(
    code="enqueue-without-gate",
    severity=Severity.NOTE,
    title="enqueue is configured without a plugin that limits admission",
    meaning="None of overcommit, proportion, capacity, resourcequota and extender is configured with enableJobEnqueued "
    "on. sla only admits jobs that have waited too long, and never blocks one.",
    why="enqueue admits a job unless a plugin objects. Without such a plugin, all jobs are admitted at once, and their "
    "controllers create all their pods, which then wait.",
    fix="Add overcommit, or proportion or capacity for limits per queue; or remove enqueue.",
    source="pkg/scheduler/framework/session_plugins.go (JobEnqueueable)",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n  enableJobEnqueued: false",
)
