"""An action that asks plugins, and none that answers."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.plugins import action_place, answering, uses_action
from vqs.lint.rule import Need, Rule

_LETS_IN = ("sla",)
"""Plugins that have a say in it, and never say no."""


def check(context: LintContext) -> Iterator[Finding]:
    """Look for plugins that answer the action enqueue."""
    conf = context.conf
    gates = [option for option in answering(conf, "enableJobEnqueued") if option.name not in _LETS_IN]
    if uses_action(conf, "enqueue") and not gates:
        yield Finding("no plugin holds jobs back, so that enqueue lets in all of them", action_place(conf, "enqueue"))


RULE = Rule(
    code="enqueue-without-gate",
    severity=Severity.NOTE,
    title="enqueue is configured, and no plugin that would hold a job back",
    meaning="None of overcommit, proportion, capacity, resourcequota and extender is configured with "
    "enableJobEnqueued on. sla has a say in it, but only lets in jobs that have waited too long.",
    why="enqueue lets in a job unless a plugin objects. Without such a plugin, all jobs are let in at once, and their "
    "controllers make all their pods, which then wait.",
    fix="Add overcommit, or proportion or capacity for limits by queue; or remove enqueue, which costs time.",
    source="pkg/scheduler/framework/session_plugins.go (JobEnqueueable)",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n  enableJobEnqueued: false",
)
