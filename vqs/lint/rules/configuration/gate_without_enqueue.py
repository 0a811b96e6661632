"""Plugins that have nothing to decide, as no action asks them."""

from vqs.config.known_plugins import OF_ENQUEUE
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for plugins that only answer the action enqueue."""
    if "enqueue" in context.conf.actions:
        return
    for option in given_plugins(context.conf):
        if option.name in OF_ENQUEUE:
            actions = Evidence("enqueue is not among the actions", ConfPlace(("actions",)))
            message = f"{option.name} only works with the action enqueue, which is not configured"
            yield Finding(message, ConfPlace((*option.path, "name")), (actions,))


RULE = Rule(
    code="gate-without-enqueue",
    severity=Severity.WARNING,
    title="the plugin only works with the action enqueue, which is not configured",
    meaning="overcommit or resourcequota is configured, and the action enqueue is not.",
    why="These plugins only decide which jobs are admitted. Without enqueue, allocate admits all jobs without asking a "
    "plugin.",
    fix="Add enqueue as the first action, or remove the plugin.",
    source="pkg/scheduler/plugins/overcommit/overcommit.go; pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "allocate, backfill" with the plugin overcommit',
)
