"""A configuration that consists of actions."""

from vqs.lint.plugins import given_plugins, is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for any plugin."""
    if is_given(context.conf) and not any(True for _ in given_plugins(context.conf)):
        yield Finding("there are no plugins, so that only the room on nodes decides", ConfPlace(("tiers",), key=True))


RULE = Rule(
    code="no-plugins",
    severity=Severity.WARNING,
    title="the configuration has no plugins",
    meaning="tiers is missing, misspelt or empty.",
    why="Volcano adds no plugins: its built-in tiers are used only if the whole configuration is missing or refused. "
    "Without plugins, gangs, queue shares, priorities and taints have no effect; only the idle resources of nodes "
    "count.",
    fix="Write tiers with plugins; the built-in ones are priority, gang and conformance, then overcommit, drf, "
    "predicates, proportion and nodeorder.",
    source="pkg/scheduler/util.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, backfill" and nothing else',
)
